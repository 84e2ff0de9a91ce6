//===- SharedMemory.cpp - memory that the threads of a block share --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SharedMemory.h"

using namespace mlir;
using namespace weft;

Value weft::makeShared(LaneBuilder &lanes, Type type, StringRef name, int64_t alignment) {
  OpBuilder &b = lanes.b;
  Operation *around = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(around);
  if (!function)
    function = around->getParentOfType<LLVM::LLVMFuncOp>();
  SymbolTable symbols(function->getParentOfType<gpu::GPUModuleOp>());
  OpBuilder outside(function);
  auto memory = LLVM::GlobalOp::create(
      outside, lanes.loc, type, /*isConstant=*/false, LLVM::Linkage::Internal,
      (function.getName() + "_" + name).str(), Attribute(), unsigned(alignment), kShared);
  symbols.insert(memory);
  return LLVM::AddressOfOp::create(b, lanes.loc, memory);
}
