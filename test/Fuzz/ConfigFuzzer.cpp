//===- ConfigFuzzer.cpp - Any bytes as config.json ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What is read must print as a text that reads as the same value.
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/ConfigValue.h"
#include <cstdlib>

using namespace llvm;
using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  Expected<ConfigValue> value = ConfigValue::parse(text, "config.json");
  if (!value)
    return consumeError(value.takeError()), 0;
  Expected<ConfigValue> again = ConfigValue::parse(value->str(), "printed");
  if (!again || *again != *value)
    std::abort();
  return 0;
}
