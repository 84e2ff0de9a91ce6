//===- ParserFuzzer.cpp - Any bytes through the parser and the printer ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   cmake --preset asan
//   ninja -C build/asan weft-parser-fuzzer
//   mkdir -p build/asan/corpus
//   build/asan/bin/weft-parser-fuzzer -max_total_time=300 -dict=test/Fuzz/weft.dict \
//     build/asan/corpus test/Fuzz/Corpus/Parser
//
//===----------------------------------------------------------------------------------------===//

#include "RoundTrip.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::string failure = weft::test::roundTripFailure(text);
  if (failure.empty())
    return 0;
  llvm::errs() << failure;
  std::abort();
}
