//===- ActivationCodes.cpp - activations as whole numbers with scales -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/ActivationCodes.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace weft;

/// The least that a row's largest magnitude counts as: its inverse times 127 is still a number.
static constexpr float kLeastLargest = 0x1p-119f;

/// What an element gives the row's largest. What is no number gives infinity, which makes all of
/// the row's products no numbers.
static Value emitMagnitude(OpBuilder &b, Location loc, Value element) {
  auto real = [&](float value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value magnitude =
      arith::MaxNumFOp::create(b, loc, math::AbsFOp::create(b, loc, element), real(kLeastLargest));
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, element, element);
  return arith::SelectOp::create(b, loc, isNone, real(std::numeric_limits<float>::infinity()),
                                 magnitude);
}

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
  YieldOp::create(body, loc, emitMagnitude(body, loc, element));
  return reduce.getResult();
}

/// Codes as reals, the formulas of one element.
namespace {
struct CodeFormula {
  OpBuilder &b;
  Location loc;

  Value real(float value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)); }

  /// `x * 127 / largest + 128`. What is no number has the code of zero.
  Value emitShifted(Value element, Value largest) {
    Value inverse = arith::DivFOp::create(b, loc, real(CodedActivation::kLargest), largest);
    return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, element, inverse),
                                 real(float(kZeroCode) + 0.5f));
  }

  /// Of what is a half too large: the nearest whole number of 0 to 255.
  Value emitWhole(Value shifted) {
    shifted = arith::MaxNumFOp::create(b, loc, shifted, real(0));
    shifted = arith::MinNumFOp::create(b, loc, shifted, real(255));
    return arith::FPToSIOp::create(b, loc, b.getI32Type(), shifted);
  }

  /// The code of what `whole` leaves of it, in its steps.
  Value emitFiner(Value shifted, Value whole) {
    Value left = arith::SubFOp::create(b, loc, shifted,
                                       arith::SIToFPOp::create(b, loc, b.getF32Type(), whole));
    left = arith::SubFOp::create(b, loc, left, real(0.5f));
    left = arith::MulFOp::create(b, loc, left, real(CodedActivation::kFiner));
    return emitWhole(arith::AddFOp::create(b, loc, left, real(float(kZeroCode) + 0.5f)));
  }
};
} // namespace

Value ActivationCodes::emitCodes(OpBuilder &b, Value source, const CodedActivation &coded) {
  Location loc = source.getLoc();
  SmallVector<IndexAttr> indices = getIndicesOf(cast<RankedTensorType>(source.getType()));
  int64_t rank = int64_t(indices.size());
  if (coded.planes)
    indices.insert(indices.begin() + *coded.planes,
                   IndexAttr::get(b.getContext(), "plane", "", 2, /*dynamic=*/false));
  auto mapOf = [&](const auto &dims) {
    SmallVector<AffineExpr> places;
    for (int64_t dim : dims)
      places.push_back(b.getAffineDimExpr(unsigned(dim + (coded.planes && dim >= *coded.planes))));
    return AffineMap::get(indices.size(), 0, places, b.getContext());
  };
  AffineMap all = mapOf(llvm::seq<int64_t>(0, rank));
  Type element = sign == CodeSign::Signed ? b.getI8Type() : b.getIntegerType(8, /*isSigned=*/false);
  auto map =
      MapOp::create(b, loc, getTensorType(indices, element), ValueRange{source, coded.largest},
                    Value(), getIndexArray(b.getContext(), indices),
                    b.getAffineMapArrayAttr({all, mapOf(coded.keptDims)}), ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&map.getBody().emplaceBlock());
  Value real = map.getBody().addArgument(b.getF32Type(), loc);
  Value largest = map.getBody().addArgument(b.getF32Type(), loc);
  CodeFormula formula{body, loc};
  Value shifted = formula.emitShifted(real, largest), code = formula.emitWhole(shifted);
  if (coded.planes) {
    Value isSecond = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ne,
                                           IndexOp::create(body, loc, *coded.planes),
                                           arith::ConstantIndexOp::create(body, loc, 0));
    code = arith::SelectOp::create(body, loc, isSecond, formula.emitFiner(shifted, code), code);
  }
  if (sign == CodeSign::Signed)
    code = arith::SubIOp::create(
        body, loc, code, arith::ConstantOp::create(body, loc, b.getI32IntegerAttr(kZeroCode)));
  YieldOp::create(body, loc, code);
  return map.getResult();
}

const CodedActivation &ActivationCodes::get(Value source, ArrayRef<int64_t> along) {
  auto [slot, isNew] = known.try_emplace({source.getAsOpaquePointer(), along.vec()});
  CodedActivation &coded = slot->second;
  if (!isNew)
    return coded;
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  for (int64_t dim = 0; dim != rank; ++dim)
    if (!llvm::is_contained(along, dim))
      coded.keptDims.push_back(dim);
  if (hasPlanes) {
    int64_t first = rank - int64_t(along.size());
    bool areLast = llvm::all_of(along, [&](int64_t dim) { return dim >= first; });
    coded.planes = areLast ? unsigned(first) : 0;
  }
  OpBuilder b(source.getContext());
  b.setInsertionPointAfterValue(source);
  coded.largest = emitLargest(b, source.getLoc(), source, coded.keptDims, along);
  coded.codes = emitCodes(b, source, coded);
  return coded;
}
