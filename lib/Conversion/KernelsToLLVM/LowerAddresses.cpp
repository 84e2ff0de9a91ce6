//===- LowerAddresses.cpp - kernels on buffers become kernels on pointers ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"

namespace weft {
#define GEN_PASS_DEF_LOWERADDRESSES
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Makes a buffer that is an argument the pointer to it; it stays if it is used in any other way,
/// and an error says so.
static LogicalResult lowerArgument(BlockArgument buffer) {
  for (Operation *user : buffer.getUsers())
    if (!isa<AddressOp>(user))
      return user->emitError("uses a buffer of a kernel: only its address is known at stage loops");
  buffer.setType(getPointerType(cast<MemRefType>(buffer.getType())));
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    user->getResult(0).replaceAllUsesWith(buffer);
    user->erase();
  }
  return success();
}

namespace {

struct LowerAddressesPass : weft::impl::LowerAddressesBase<LowerAddressesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!attrs::Kernel::isOn(function) || function.isExternal())
        continue;
      Block &entry = function.front();
      for (BlockArgument argument : entry.getArguments())
        if (isa<MemRefType>(argument.getType()) && failed(lowerArgument(argument)))
          return signalPassFailure();
      function.setFunctionType(
          FunctionType::get(&getContext(), entry.getArgumentTypes(), function.getResultTypes()));
    }
  }
};

} // namespace
