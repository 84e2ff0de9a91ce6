//===- MatrixFactors.cpp - a formula of a matrix as codes, scales and shifts ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From the result backwards: an operand that is the same for whole groups belongs to the scale (of
// a product or quotient), the offset (of a sum of reals) or the zero (of a sum of integers), and
// what is left must be a function of one integer of at most 8 bits.
//
//===----------------------------------------------------------------------------------------===//

#include "Storage/MatrixFactors.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// Groups are whole multiples of this, or all of a row.
static constexpr int64_t kLeastGroup = 16;
/// Values of a code.
static constexpr int64_t kMostCodes = 256;

namespace {

class Factoring {
public:
  explicit Factoring(MapOp op)
      : op(op), groups(op, 1), builder(op.getBody().front().getTerminator()), loc(op.getLoc()) {}

  std::optional<MatrixFactors> run();

private:
  bool isShared(Value value) {
    int64_t group = groups.of(value);
    return group % kLeastGroup == 0 || group == groups.getRange();
  }
  bool split(Value value);
  bool splitInteger(Value value);
  bool splitProduct(Operation *product);
  bool splitSum(Operation *sum, bool isDifference);
  bool scaleBy(Value factor, bool isDivisor);
  bool negate();
  bool shiftBy(Value term, bool isNegative);
  Value makeReal(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(float(value)));
  }

  /// The terms of a sum of integers.
  struct Terms {
    SmallVector<std::pair<Value, bool>> own, shared; ///< and whether they are subtracted
    bool hasUnknown = false;                         ///< a shared one that is no constant
  };
  void collectTerms(Value value, bool isNegative, Terms &terms);
  Value addUp(ArrayRef<std::pair<Value, bool>> terms);

  MapOp op;
  GroupSizes groups;
  OpBuilder builder;
  Location loc;
  MatrixFactors result;
};

} // namespace

//===----------------------------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------------------------===//

void Factoring::collectTerms(Value value, bool isNegative, Terms &terms) {
  Operation *own = value.getDefiningOp();
  if (isShared(value)) {
    terms.hasUnknown |= !matchPattern(value, m_Constant());
    terms.shared.push_back({value, isNegative});
  } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(own)) {
    collectTerms(own->getOperand(0), isNegative, terms);
    collectTerms(own->getOperand(1), isNegative != isa<arith::SubIOp>(own), terms);
  } else if (isa_and_nonnull<arith::IndexCastOp>(own)) {
    collectTerms(own->getOperand(0), isNegative, terms);
  } else {
    terms.own.push_back({value, isNegative});
  }
}

/// As an index.
Value Factoring::addUp(ArrayRef<std::pair<Value, bool>> terms) {
  Value sum;
  for (auto [term, isNegative] : terms) {
    Value value = term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
    if (!sum && !isNegative) {
      sum = value;
      continue;
    }
    if (!sum)
      sum = arith::ConstantIndexOp::create(builder, loc, 0);
    sum = isNegative ? arith::SubIOp::create(builder, loc, sum, value).getResult()
                     : arith::AddIOp::create(builder, loc, sum, value).getResult();
  }
  return sum;
}

/// An integer that is a code and something shared.
bool Factoring::splitInteger(Value value) {
  Terms terms;
  collectTerms(value, /*isNegative=*/false, terms);
  if (!terms.hasUnknown || terms.own.empty())
    return false;
  std::optional<CodeFunction> code = findCodeFunction(op, addUp(terms.own), kMostCodes);
  if (!code)
    return false;
  result.table = std::move(*code);
  result.zero = addUp(terms.shared);
  return true;
}

//===----------------------------------------------------------------------------------------===//
// Reals
//===----------------------------------------------------------------------------------------===//

bool Factoring::scaleBy(Value factor, bool isDivisor) {
  if (isDivisor) {
    Value scale = result.scale ? result.scale : makeReal(1);
    result.scale = arith::DivFOp::create(builder, loc, scale, factor);
  } else {
    result.scale =
        result.scale ? arith::MulFOp::create(builder, loc, result.scale, factor) : factor;
  }
  if (result.offset)
    result.offset = isDivisor
                        ? arith::DivFOp::create(builder, loc, result.offset, factor).getResult()
                        : arith::MulFOp::create(builder, loc, result.offset, factor).getResult();
  return true;
}

bool Factoring::negate() {
  Value scale = result.scale ? result.scale : makeReal(1);
  result.scale = arith::NegFOp::create(builder, loc, scale);
  if (result.offset)
    result.offset = arith::NegFOp::create(builder, loc, result.offset);
  return true;
}

bool Factoring::shiftBy(Value term, bool isNegative) {
  if (result.offset)
    result.offset = isNegative
                        ? arith::SubFOp::create(builder, loc, result.offset, term).getResult()
                        : arith::AddFOp::create(builder, loc, result.offset, term).getResult();
  else
    result.offset = isNegative ? arith::NegFOp::create(builder, loc, term).getResult() : term;
  return true;
}

bool Factoring::splitProduct(Operation *product) {
  Value a = product->getOperand(0), b = product->getOperand(1);
  if (isShared(b))
    return split(a) && scaleBy(b, isa<arith::DivFOp>(product));
  return !isa<arith::DivFOp>(product) && isShared(a) && split(b) && scaleBy(a, false);
}

bool Factoring::splitSum(Operation *sum, bool isDifference) {
  Value a = sum->getOperand(0), b = sum->getOperand(1);
  if (isShared(b))
    return split(a) && shiftBy(b, isDifference);
  return isShared(a) && split(b) && (!isDifference || negate()) && shiftBy(a, false);
}

bool Factoring::split(Value value) {
  Operation *own = value.getDefiningOp();
  if (isa_and_nonnull<arith::SIToFPOp>(own) && splitInteger(own->getOperand(0)))
    return true;
  if (std::optional<CodeFunction> table = findCodeFunction(op, value, kMostCodes)) {
    result.table = std::move(*table);
    return true;
  }
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(own))
    return splitProduct(own);
  if (isa_and_nonnull<arith::AddFOp, arith::SubFOp>(own))
    return splitSum(own, isa<arith::SubFOp>(own));
  return isa_and_nonnull<arith::NegFOp>(own) && split(own->getOperand(0)) && negate();
}

std::optional<MatrixFactors> Factoring::run() {
  Value value = op.getBody().front().getTerminator()->getOperand(0);
  bool isFactored = !isShared(value) && split(value);
  // There is one shift of each group.
  if (!isFactored || (result.zero && result.offset))
    return std::nullopt;
  if (!result.scale)
    result.scale = makeReal(1);
  result.group = groups.getRange();
  for (Value shared : {result.zero, result.scale, result.offset})
    if (shared)
      result.group = std::gcd(result.group, groups.of(shared));
  return result;
}

std::optional<MatrixFactors> weft::factorMatrix(MapOp op) { return Factoring(op).run(); }

//===----------------------------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------------------------===//

namespace {
/// The factors of a product of reals.
struct FactorList {
  struct Factor {
    Value value;
    bool isDivisor;
  };
  SmallVector<Factor> factors;
  bool isNegative = false;
};
} // namespace

static void collectFactors(Value value, bool isDivisor, FactorList &product) {
  Operation *own = value.getDefiningOp();
  if (isa_and_nonnull<arith::NegFOp>(own)) {
    product.isNegative = !product.isNegative;
    collectFactors(own->getOperand(0), isDivisor, product);
  } else if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(own)) {
    collectFactors(own->getOperand(0), isDivisor, product);
    collectFactors(own->getOperand(1), isDivisor != isa<arith::DivFOp>(own), product);
  } else {
    product.factors.push_back({value, isDivisor});
  }
}

std::optional<SpanFactors> weft::factorSpan(MapOp op, Value value, int64_t group) {
  FactorList product;
  collectFactors(value, /*isDivisor=*/false, product);
  GroupSizes groups(op, 1);
  OpBuilder b(op.getBody().front().getTerminator());
  SpanFactors spans;
  spans.outerGroup = groups.getRange();
  for (auto [factor, isDivisor] : product.factors) {
    int64_t own = groups.of(factor);
    bool isOuter = own > group && own % group == 0;
    Value &side = isOuter ? spans.outer : spans.inner;
    if (isOuter)
      spans.outerGroup = std::gcd(spans.outerGroup, own);
    if (!side && isDivisor)
      side = arith::ConstantOp::create(b, op.getLoc(), b.getF32FloatAttr(1));
    if (!side)
      side = factor;
    else if (isDivisor)
      side = arith::DivFOp::create(b, op.getLoc(), side, factor);
    else
      side = arith::MulFOp::create(b, op.getLoc(), side, factor);
  }
  if (!spans.inner || !spans.outer)
    return std::nullopt;
  if (product.isNegative)
    spans.outer = arith::NegFOp::create(b, op.getLoc(), spans.outer);
  return spans;
}
