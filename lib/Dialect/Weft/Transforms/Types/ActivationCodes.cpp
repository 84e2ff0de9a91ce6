//===- ActivationCodes.cpp - activations as whole numbers with scales -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/ActivationCodes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

/// `reduce max` of the magnitudes of rows: `kept` before `along`.
static Value emitLargest(OpBuilder &b, Location loc, Value source, ArrayRef<int64_t> kept,
                         ArrayRef<int64_t> along) {
  SmallVector<IndexAttr> all = getIndicesOf(cast<RankedTensorType>(source.getType())), ordered;
  SmallVector<AffineExpr> places(all.size());
  SmallVector<int64_t> order(kept);
  llvm::append_range(order, along);
  for (auto [position, dim] : llvm::enumerate(order)) {
    ordered.push_back(all[dim]);
    places[dim] = b.getAffineDimExpr(position);
  }
  AffineMap map = AffineMap::get(all.size(), 0, places, b.getContext());
  auto type = getTensorType(ArrayRef(ordered).take_front(kept.size()), b.getF32Type());
  auto reduce = ReduceOp::create(b, loc, type, ReduceKind::Max, source, Value(),
                                 getIndexArray(b.getContext(), ordered),
                                 b.getAffineMapArrayAttr(map), ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&reduce.getBody().emplaceBlock());
  Value element = reduce.getBody().addArgument(b.getF32Type(), loc);
  YieldOp::create(body, loc, Value(math::AbsFOp::create(body, loc, element)));
  return reduce.getResult();
}

/// `x * 127 / largest + 128`, to the nearest whole number. Rows of zeros have codes of zero, as has
/// what is no number.
static Value emitCode(OpBuilder &b, Location loc, Value element, Value largest) {
  auto real = [&](float value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value inverse = arith::DivFOp::create(b, loc, real(CodedActivation::kLargest), largest);
  Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, real(0));
  inverse = arith::SelectOp::create(b, loc, isZero, real(0), inverse);
  Value shifted = arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, element, inverse),
                                        real(float(kZeroCode) + 0.5f));
  shifted = arith::MaxNumFOp::create(b, loc, shifted, real(0));
  shifted = arith::MinNumFOp::create(b, loc, shifted, real(255));
  return arith::FPToSIOp::create(b, loc, b.getI32Type(), shifted);
}

static Value emitCodes(OpBuilder &b, Location loc, Value source, Value largest,
                       ArrayRef<int64_t> kept) {
  SmallVector<IndexAttr> indices = getIndicesOf(cast<RankedTensorType>(source.getType()));
  AffineMap all = b.getMultiDimIdentityMap(indices.size());
  SmallVector<AffineExpr> rows =
      llvm::map_to_vector(kept, [&](int64_t dim) { return b.getAffineDimExpr(dim); });
  AffineMap row = AffineMap::get(indices.size(), 0, rows, b.getContext());
  auto map =
      MapOp::create(b, loc, getTensorType(indices, b.getIntegerType(8, /*isSigned=*/false)),
                    ValueRange{source, largest}, Value(), getIndexArray(b.getContext(), indices),
                    b.getAffineMapArrayAttr({all, row}), ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&map.getBody().emplaceBlock());
  Value element = map.getBody().addArgument(b.getF32Type(), loc);
  Value of = map.getBody().addArgument(b.getF32Type(), loc);
  YieldOp::create(body, loc, emitCode(body, loc, element, of));
  return map.getResult();
}

const CodedActivation &ActivationCodes::get(Value source, ArrayRef<int64_t> along) {
  auto [slot, isNew] = known.try_emplace({source.getAsOpaquePointer(), along.vec()});
  CodedActivation &coded = slot->second;
  if (!isNew)
    return coded;
  for (int64_t dim = 0; dim != cast<RankedTensorType>(source.getType()).getRank(); ++dim)
    if (!llvm::is_contained(along, dim))
      coded.keptDims.push_back(dim);
  OpBuilder b(source.getContext());
  b.setInsertionPointAfterValue(source);
  coded.largest = emitLargest(b, source.getLoc(), source, coded.keptDims, along);
  coded.codes = emitCodes(b, source.getLoc(), source, coded.largest, coded.keptDims);
  return coded;
}
