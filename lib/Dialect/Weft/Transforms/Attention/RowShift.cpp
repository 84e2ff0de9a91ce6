//===- RowShift.cpp - the largest exponent of a row -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowShift.h"

#include "RowScale.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// Where the formula reads the input, if each dimension is another one of `indices`, and all of
/// them but those in `except` are.
static std::optional<SmallVector<unsigned>> getPlaces(FormulaOpInterface reader, unsigned input,
                                                      ArrayRef<unsigned> indices,
                                                      ArrayRef<unsigned> except = {}) {
  auto dims = getDistinctDims(reader.getInputMap(input));
  if (!dims || dims->size() + except.size() != indices.size())
    return std::nullopt;
  SmallVector<unsigned> places;
  for (unsigned dim : *dims) {
    if (dim >= indices.size() || llvm::is_contained(except, indices[dim]))
      return std::nullopt;
    places.push_back(indices[dim]);
  }
  return places;
}

/// Whether the formula's tensor, which is read at these indices of `consumer`, has the elements
/// that are read and no others.
static bool isOfTheseRows(Value tensor, FormulaOpInterface consumer, ArrayRef<unsigned> places) {
  auto producer = tensor.getDefiningOp<FormulaOpInterface>();
  if (!producer || producer.getNumOutputs() != 1 || producer.getOutputMapsAttr())
    return false;
  for (auto [i, place] : llvm::enumerate(places))
    if (!haveSameRange(producer.getIndexAttr(i), consumer.getIndexAttr(place)))
      return false;
  return true;
}

/// Whether the value is the argument, or the larger one of it and of others.
static bool isLarger(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  Operation *def = value.getDefiningOp();
  return isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(def) &&
         (isLarger(def->getOperand(0), argument) || isLarger(def->getOperand(1), argument));
}

/// Whether the reduction is of what the weights are made of: one of their inputs that differ from
/// key to key.
static bool isOfExponents(ReduceOp reduce, FormulaOpInterface weights, unsigned key) {
  for (auto [i, input] : llvm::enumerate(weights.getInputs()))
    if (weights.getInputMap(i).isFunctionOfDim(key) &&
        llvm::is_contained(reduce.getInputs(), input))
      return reduce.getKind() == ReduceKind::Max && !reduce.getOutputMapsAttr() &&
             isStoredAsComputed(reduce->getResult(0));
  return false;
}

/// Finds the largest exponent in m.
static bool findLargest(RowShift &shift, FormulaOpInterface consumer, FormulaOpInterface weights,
                        unsigned key) {
  Operation *def = shift.m.getDefiningOp();
  if (auto reduce = dyn_cast_or_null<ReduceOp>(def)) {
    shift.largest = reduce;
    shift.largestIndices = shift.indices;
    return isOfExponents(reduce, weights, key);
  }
  auto map = dyn_cast_or_null<MapOp>(def);
  if (!map || map.getOutputMapsAttr() || !isStoredAsComputed(shift.m))
    return false;
  FormulaOpInterface formula = map;
  Block &body = map.getBody().front();
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    auto reduce = input.getDefiningOp<ReduceOp>();
    auto places = getPlaces(formula, i, shift.indices);
    if (!reduce || !places || !isOfExponents(reduce, weights, key) ||
        !isLarger(body.getTerminator()->getOperand(0), body.getArgument(i)))
      continue;
    shift.largest = reduce;
    shift.largestIndices = *places;
    return isOfTheseRows(input, consumer, *places);
  }
  return false;
}

std::optional<RowShift> weft::matchShift(FormulaOpInterface consumer, unsigned operand) {
  auto weights = consumer.getInputs()[operand].getDefiningOp<FormulaOpInterface>();
  std::optional<SmallVector<unsigned>> read = getDistinctDims(consumer.getInputMap(operand));
  unsigned keyOfSum = consumer.getNumOutputIndices();
  unsigned key = llvm::find(*read, keyOfSum) - read->begin();
  for (auto [i, tensor] : llvm::enumerate(weights.getInputs())) {
    auto places = getPlaces(weights, i, *read, keyOfSum);
    if (!places || llvm::count(weights->getOperands(), tensor) != 1)
      continue;
    RowForm form = RowScale::getYield(weights, i);
    RowShift shift{unsigned(i), tensor, form.rate, ReduceOp(), *places, {}};
    if (form.kind == RowForm::Scaled && isOfTheseRows(tensor, consumer, *places) &&
        findLargest(shift, consumer, weights, key))
      return shift;
  }
  return std::nullopt;
}
