//===- EntryCode.cpp - straight-line code that leaves early ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryCode.h"

using namespace mlir;
using namespace weft;

EntryCode::EntryCode(LLVM::LLVMFuncOp function)
    : b(function.getContext()), loc(function.getLoc()), i8(b.getI8Type()), i32(b.getI32Type()),
      i64(b.getI64Type()), pointer(LLVM::LLVMPointerType::get(b.getContext())) {
  Block *entry = function.addEntryBlock(b);
  leave = b.createBlock(&function.getBody(), function.getBody().end(), {i32}, {loc});
  LLVM::ReturnOp::create(b, loc, leave->getArgument(0));
  b.setInsertionPointToEnd(entry);
}

Value EntryCode::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

Value EntryCode::add(Value x, Value y) { return LLVM::AddOp::create(b, loc, x, y); }

Value EntryCode::subtract(Value x, Value y) { return LLVM::SubOp::create(b, loc, x, y); }

Value EntryCode::multiply(Value x, int64_t factor) {
  return LLVM::MulOp::create(b, loc, x, number(factor));
}

Value EntryCode::isLess(Value x, Value y) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, x, y);
}

Value EntryCode::select(Value condition, Value x, Value y) {
  return LLVM::SelectOp::create(b, loc, condition, x, y);
}

Value EntryCode::isNull(Value value) {
  Value null = LLVM::ZeroOp::create(b, loc, pointer);
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, value, null);
}

Value EntryCode::isOutside(Value value, int64_t bound) {
  Value shifted = subtract(value, number(1));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, shifted, number(bound));
}

Value EntryCode::address(Value base, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer, i8, base, ArrayRef<LLVM::GEPArg>{bytes});
}

Value EntryCode::load(Type type, Value address) {
  return LLVM::LoadOp::create(b, loc, type, address);
}

void EntryCode::store(Value value, Value address) { LLVM::StoreOp::create(b, loc, value, address); }

Value EntryCode::element(Type type, Value list, int64_t i) {
  return LLVM::GEPOp::create(b, loc, pointer, type, list, ArrayRef<LLVM::GEPArg>{int32_t(i)});
}

Value EntryCode::loadElement(Type type, Value list, int64_t i) {
  return load(type, element(type, list, i));
}

void EntryCode::copy(Value to, Value from, int64_t bytes) {
  LLVM::MemcpyOp::create(b, loc, to, from, number(bytes), /*isVolatile=*/false);
}

Value EntryCode::allocate(Type type, int64_t count) {
  return LLVM::AllocaOp::create(b, loc, pointer, type, number(count));
}

Value EntryCode::place(Value value) {
  Value place = allocate(value.getType(), 1);
  store(value, place);
  return place;
}

void EntryCode::leaveIf(ArrayRef<Value> conditions, int32_t error) {
  if (conditions.empty())
    return;
  Value any = conditions.front();
  for (Value condition : conditions.drop_front())
    any = LLVM::OrOp::create(b, loc, any, condition);
  leaveIf(any, constant(i32, error));
}

void EntryCode::leaveIf(Value condition, Value error) {
  Block *next = b.createBlock(leave);
  b.setInsertionPointToEnd(next->getPrevNode());
  LLVM::CondBrOp::create(b, loc, condition, leave, error, next, ValueRange());
  b.setInsertionPointToEnd(next);
}

void EntryCode::leaveWith(Value error) { LLVM::BrOp::create(b, loc, error, leave); }

Block *EntryCode::beginLoop(Value first) {
  Block *before = b.getInsertionBlock();
  Block *loop = b.createBlock(leave, {i64}, {loc});
  b.setInsertionPointToEnd(before);
  LLVM::BrOp::create(b, loc, first, loop);
  b.setInsertionPointToEnd(loop);
  return loop;
}

void EntryCode::leaveUnless(Value condition, Value error, Block *loop, Value next) {
  LLVM::CondBrOp::create(b, loc, condition, loop, next, leave, error);
}
