//===- MaskMatch.cpp - masks in the value of a formula --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MaskMatch.h"
#include "ProductFactors.h"

#include <cmath>

using namespace mlir;
using namespace weft;

std::optional<MaskedValue> weft::matchMasked(Value value, llvm::function_ref<bool(double)> isMask) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  for (bool negated : {false, true}) {
    Value masked = negated ? select.getTrueValue() : select.getFalseValue();
    Value other = negated ? select.getFalseValue() : select.getTrueValue();
    if (std::optional<double> constant = getConstantNumber(masked); constant && isMask(*constant))
      return MaskedValue{other, select.getCondition(), negated, *constant};
  }
  return std::nullopt;
}

static std::optional<MaskMatch> matchSelect(OpOperand &place,
                                            llvm::function_ref<bool(double)> isMask) {
  std::optional<MaskedValue> masked = matchMasked(place.get(), isMask);
  if (!masked)
    return std::nullopt;
  return MaskMatch{&place, masked->value, masked->condition, masked->negated,
                   std::isinf(masked->constant)};
}

std::optional<MaskMatch> weft::matchScoreMask(OpOperand &place, double threshold) {
  auto isMask = [&](double constant) { return constant <= threshold; };
  if (std::optional<MaskMatch> mask = matchSelect(place, isMask))
    return mask;
  auto add = place.get().getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  for (unsigned term : {0, 1}) {
    std::optional<MaskMatch> mask = matchScoreMask(add->getOpOperand(term), threshold);
    if (!mask)
      continue;
    if (std::optional<double> zero = getConstantFloat(mask->unmasked); zero && *zero == 0) {
      mask->place = &place;
      mask->unmasked = add->getOperand(1 - term);
      return mask;
    }
  }
  return std::nullopt;
}

std::optional<MaskMatch> weft::matchTermMask(OpOperand &place) {
  if (auto mask = matchSelect(place, [](double constant) { return constant == 0; })) {
    mask->isNeutral = true;
    return mask;
  }
  // What has another use is needed masked there.
  Operation *product = place.get().getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp, arith::NegFOp>(product) ||
      !place.get().hasOneUse())
    return std::nullopt;
  std::optional<MaskMatch> mask = matchTermMask(product->getOpOperand(0));
  if (!mask && isa<arith::MulFOp>(product))
    mask = matchTermMask(product->getOpOperand(1));
  return mask;
}

void weft::addConjunct(Region &body, Region &predicate, unsigned numLeading, Value condition,
                       bool negated) {
  Location loc = condition.getLoc();
  ArrayRef<BlockArgument> arguments = body.getArguments().drop_front(numLeading);
  if (predicate.empty()) {
    Block &block = predicate.emplaceBlock();
    for (BlockArgument argument : arguments)
      block.addArgument(argument.getType(), loc);
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    Value always = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    YieldOp::create(builder, loc, always);
  }
  Operation *yield = predicate.front().getTerminator();
  OpBuilder builder(yield);
  IRMapping mapping;
  mapping.map(arguments, predicate.getArguments());
  Value value = cloneSlice(builder, body, condition, mapping);
  if (negated) {
    Value one = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    value = arith::XOrIOp::create(builder, loc, value, one);
  }
  yield->setOperand(0, arith::AndIOp::create(builder, loc, yield->getOperand(0), value));
}
