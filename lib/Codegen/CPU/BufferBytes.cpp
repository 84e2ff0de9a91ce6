//===- BufferBytes.cpp - the memory that kernels are given ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferBytes.h"

using namespace mlir;
using namespace weft;

BufferBytes::BufferBytes(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](LaunchOp launch) {
    if (auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel()))
      add(launch, kernel);
  });
}

void BufferBytes::add(LaunchOp launch, func::FuncOp kernel) {
  for (auto [argument, operand] : llvm::zip(kernel.getArguments(), launch->getOperands())) {
    auto buffer = operand.getDefiningOp<BufferOp>();
    int64_t has = buffer ? int64_t(buffer.getBytes()) : 0;
    auto [known, isFirst] = bytes.try_emplace(argument, has);
    if (!isFirst)
      known->second = std::min(known->second, has);
  }
}

std::optional<int64_t> BufferBytes::get(Value argument) const {
  int64_t known = bytes.lookup(argument);
  return known ? std::optional(known) : std::nullopt;
}
