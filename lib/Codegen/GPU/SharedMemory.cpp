//===- SharedMemory.cpp - memory that the threads of a block share --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SharedMemory.h"

using namespace mlir;
using namespace weft;

/// The function that is being written.
static LLVM::LLVMFuncOp getFunction(LaneBuilder &lanes) {
  Operation *around = lanes.b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(around);
  return function ? function : around->getParentOfType<LLVM::LLVMFuncOp>();
}

Value weft::makeShared(LaneBuilder &lanes, Type type, StringRef name, int64_t alignment) {
  LLVM::LLVMFuncOp function = getFunction(lanes);
  SymbolTable symbols(function->getParentOfType<gpu::GPUModuleOp>());
  OpBuilder outside(function);
  auto memory = LLVM::GlobalOp::create(
      outside, lanes.loc, type, /*isConstant=*/false, LLVM::Linkage::Internal,
      (function.getName() + "_" + name).str(), Attribute(), unsigned(alignment), kShared);
  symbols.insert(memory);
  return LLVM::AddressOfOp::create(lanes.b, lanes.loc, memory);
}

/// The variable without a size that all functions have in common.
Value weft::getDynamicShared(LaneBuilder &lanes, int64_t alignment) {
  constexpr StringLiteral name = "weft_shared";
  auto device = getFunction(lanes)->getParentOfType<gpu::GPUModuleOp>();
  auto memory = device.lookupSymbol<LLVM::GlobalOp>(name);
  if (!memory) {
    OpBuilder outside = OpBuilder::atBlockBegin(device.getBody());
    memory = LLVM::GlobalOp::create(
        outside, lanes.loc, LLVM::LLVMArrayType::get(lanes.b.getI8Type(), 0), /*isConstant=*/false,
        LLVM::Linkage::External, name, Attribute(), unsigned(alignment), kShared);
  }
  return LLVM::AddressOfOp::create(lanes.b, lanes.loc, memory);
}

static constexpr StringLiteral kPassedOn = "weft_passed_on", kDrawn = "weft_drawn";

Value weft::getDrawn(LaneBuilder &lanes) {
  auto module = getFunction(lanes)->getParentOfType<gpu::GPUModuleOp>();
  auto memory = module.lookupSymbol<LLVM::GlobalOp>(kDrawn);
  if (!memory) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    memory = LLVM::GlobalOp::create(outside, module.getLoc(), lanes.b.getI32Type(),
                                    /*isConstant=*/false, LLVM::Linkage::Internal, kDrawn,
                                    lanes.b.getI32IntegerAttr(0), /*alignment=*/4, kGlobal);
  }
  return LLVM::AddressOfOp::create(lanes.b, lanes.loc, memory);
}

Value weft::makePassedOn(LaneBuilder &lanes, int64_t bytes) {
  OpBuilder &b = lanes.b;
  LLVM::LLVMFuncOp function = getFunction(lanes);
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  auto memory = module.lookupSymbol<LLVM::GlobalOp>(kPassedOn);
  auto getType = [&](int64_t size) {
    return LLVM::LLVMArrayType::get(b.getI8Type(), uint64_t(size));
  };
  if (!memory) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    memory = LLVM::GlobalOp::create(outside, module.getLoc(), getType(bytes), /*isConstant=*/false,
                                    LLVM::Linkage::Internal, kPassedOn, Attribute(),
                                    /*alignment=*/16, kGlobal);
  }
  auto known = cast<LLVM::LLVMArrayType>(memory.getGlobalType());
  if (int64_t(known.getNumElements()) < bytes)
    memory.setGlobalType(getType(bytes));
  return LLVM::AddressOfOp::create(b, lanes.loc, memory);
}
