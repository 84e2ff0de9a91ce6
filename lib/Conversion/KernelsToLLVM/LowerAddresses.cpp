//===- LowerAddresses.cpp - kernels on buffers become kernels on pointers ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {
#define GEN_PASS_DEF_LOWERADDRESSES
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Makes a buffer that is an argument the pointer that is asked for; it stays if it is used in any
/// other way, and an error says so.
static LogicalResult lowerArgument(BlockArgument buffer) {
  Type pointer;
  for (Operation *user : buffer.getUsers()) {
    auto address = dyn_cast<AddressOp>(user);
    if (!address)
      return user->emitError("uses a buffer of a kernel: only its address is known at stage loops");
    pointer = address.getPointer().getType();
  }
  if (!pointer) {
    auto space = dyn_cast_or_null<IntegerAttr>(cast<MemRefType>(buffer.getType()).getMemorySpace());
    pointer = LLVM::LLVMPointerType::get(buffer.getContext(), space ? space.getInt() : 0);
  }
  buffer.setType(pointer);
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
