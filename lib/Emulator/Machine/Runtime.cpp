//===- Runtime.cpp - what compiled kernels call ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Runtime.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::emulator;

std::vector<RuntimeFunction> weft::emulator::runtimeFunctions() {
  std::vector<RuntimeFunction> all;
  llvm::append_range(all, memoryFunctions());
  llvm::append_range(all, numberFunctions());
  llvm::append_range(all, warpFunctions());
  llvm::append_range(all, copyFunctions());
  llvm::append_range(all, matrixFunctions());
  llvm::append_range(all, mbarrierFunctions());
  llvm::append_range(all, bulkFunctions());
  llvm::append_range(all, warpgroupFunctions());
  return all;
}
