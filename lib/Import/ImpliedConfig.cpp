//===- ImpliedConfig.cpp - What a Hugging Face configuration leaves unsaid ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/ImpliedConfig.h"

using namespace llvm;

namespace weft {

void addImpliedValues(ConfigValue &config) {
  if (config.get("num_labels"))
    return;
  const ConfigValue *labels = config.get("id2label");
  size_t count = labels && labels->isObject() ? labels->keys().size() : 2;
  config.set("num_labels", ConfigValue::makeInt(int64_t(count)));
}

} // namespace weft
