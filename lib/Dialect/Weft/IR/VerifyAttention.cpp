//===- VerifyAttention.cpp - The constraints of weft.attention ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VerifyFormula.h"

using namespace mlir;
using namespace weft;

static LogicalResult verifyAttentionInputs(AttentionOp op) {
  auto formula = cast<FormulaOpInterface>(op.getOperation());
  int64_t dots = op.getDots(), inputs = op.getInputs().size();
  if (dots < 0 || inputs / 2 < dots || inputs < 2 * dots + 1)
    return op.emitOpError() << "has " << inputs << " inputs, expected at least " << dots
                            << " pairs of query and key and a value (C12)";
  if (int64_t(op.getScales().size()) != dots)
    return op.emitOpError() << "has " << op.getScales().size() << " scales for " << dots
                            << " dot products (C12)";
  for (int64_t i = 0; i <= 2 * dots; ++i)
    if (failed(verifyReals(op, cast<ShapedType>(op.getInputs()[i].getType()), "input " + Twine(i),
                           "(C12)")))
      return failure();
  if (failed(verifyReals(op, formula.getOutputType(0), "the output", "(C12)")))
    return failure();
  unsigned key = op.getKeyIndex(), end = formula.getNumIndices();
  if (end <= key)
    return op.emitOpError("has no key index after the output's indices (C12)");
  for (unsigned i = 0; i < 2 * dots; i += 2)
    if (failed(verifyIndependent(formula, i, key, key + 1, "key index", "(C13)")))
      return failure();
  if (failed(verifyIndependent(formula, 2 * dots, key + 1, end, "contracted index", "(C13)")))
    return failure();
  for (unsigned i = 2 * dots + 1; i < inputs; ++i)
    if (failed(verifyIndependent(formula, i, key + 1, end, "contracted index", "(C14)")))
      return failure();
  return success();
}

/// The bounds of the keys are maps of the output indices and the named symbols.
static LogicalResult verifyKeyBounds(AttentionOp op) {
  unsigned names = op.getBoundSymbols() ? op.getBoundSymbols()->size() : 0;
  for (std::optional<AffineMap> map : {op.getKeyLower(), op.getKeyUpper()})
    if (map && (map->getNumDims() != op.getNumOutputIndices() || map->getNumSymbols() > names))
      return op.emitOpError() << "a bound of the keys has " << map->getNumDims()
                              << " dimensions and " << map->getNumSymbols() << " symbols, expected "
                              << op.getNumOutputIndices() << " output indices and at most " << names
                              << " bound symbols (C14)";
  for (std::optional<AffineMap> map : {op.getKeyLower(), op.getKeyUpper()})
    if (map && failed(verifyDivisors(op, *map, "a bound of the keys", "(C14)")))
      return failure();
  return success();
}

/// What is known of rows of scores has an element for each.
static LogicalResult verifyRowSums(AttentionOp op) {
  auto formula = cast<FormulaOpInterface>(op.getOperation());
  bool isSoftmax = op.getNormalizer() == Normalizer::Softmax;
  unsigned most = isSoftmax ? 3 : 2;
  if (formula.getNumOutputs() > most)
    return op.emitOpError() << "has " << formula.getNumOutputs()
                            << " outputs, expected the values and at most their rows' sums"
                            << (isSoftmax ? " and largest scores" : "") << " (C28)";
  for (unsigned output = 1; output < formula.getNumOutputs(); ++output) {
    StringRef which = output == 1 ? "the second output" : "the third output";
    if (Type type = formula.getOutputType(output).getElementType(); !type.isF32())
      return op.emitOpError() << which << " has elements of type " << type
                              << ", expected f32 (C28)";
    for (unsigned i = 0; i != formula.getNumOutputIndices(); ++i)
      if (op.weightDependsOn(i) && !formula.getOutputIndexingMap(output).isFunctionOfDim(i))
        return op.emitOpError() << which << " lacks index '" << formula.getIndexAttr(i).getName()
                                << "', on which the weights depend (C28)";
  }
  return success();
}

LogicalResult AttentionOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyAttentionInputs(*this)) ||
      failed(verifyKeyBounds(*this)) || failed(verifyRowSums(*this)))
    return failure();
  Type f32 = Float32Type::get(getContext());
  SmallVector<Type> arguments(getDots(), f32);
  llvm::append_range(arguments, computeTypes(getExtras()));
  if (failed(verifyRegion(op, getScore(), {"score", "(C15)", arguments, {f32}})))
    return failure();
  return verifyPredicate(op, getPredicate(), computeTypes(getExtras()), "(C15)");
}
