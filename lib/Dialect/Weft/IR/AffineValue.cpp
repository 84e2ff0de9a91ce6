//===- AffineValue.cpp - scalar code as affine expressions ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AffineValue.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

AffineExpr weft::getAffineExpr(Value value, llvm::function_ref<AffineExpr(SizeOp)> symbolOf) {
  MLIRContext *context = value.getContext();
  if (auto index = value.getDefiningOp<weft::IndexOp>())
    return getAffineDimExpr(index.getPosition(), context);
  if (auto size = value.getDefiningOp<SizeOp>())
    return symbolOf ? symbolOf(size) : AffineExpr();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), context);
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp>(op))
    return {};
  AffineExpr lhs = getAffineExpr(op->getOperand(0), symbolOf);
  AffineExpr rhs = getAffineExpr(op->getOperand(1), symbolOf);
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  auto factor = dyn_cast<AffineConstantExpr>(rhs);
  if (isa<arith::MulIOp>(op))
    return factor || isa<AffineConstantExpr>(lhs) ? lhs * rhs : AffineExpr();
  return factor && factor.getValue() > 0 ? lhs.floorDiv(factor) : AffineExpr();
}

AffineExpr weft::getSymbolExpr(StringRef name, SmallVectorImpl<StringRef> &symbols,
                               MLIRContext *context) {
  auto *found = llvm::find(symbols, name);
  unsigned position = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(name);
  return getAffineSymbolExpr(position, context);
}
