//===- Verify.cpp - The constraints of the ops ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// In the order of WeftOps.td, by whose numbers messages name them.
//
//===----------------------------------------------------------------------------------------===//

#include "VerifyFormula.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------------------------===//

/// Every index of a formula that does not reduce is the output's.
static LogicalResult verifyNothingReduced(FormulaOpInterface op) {
  if (op.getNumOutputIndices() == op.getNumIndices())
    return success();
  return op->emitOpError() << "the output has " << op.getNumOutputIndices()
                           << " dimensions, expected one for each of " << op.getNumIndices()
                           << " indices (C3)";
}

static LogicalResult verifyReduced(FormulaOpInterface op, bool exactlyOne) {
  unsigned reduced = op.getNumIndices() - op.getNumOutputIndices();
  if (reduced >= 1 && (reduced == 1 || !exactlyOne))
    return success();
  return op->emitOpError() << reduced << " indices are reduced, expected "
                           << (exactlyOne ? "exactly" : "at least") << " one (C6)";
}

LogicalResult MapOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyNothingReduced(op)))
    return failure();
  return verifyRegion(op, getBody(),
                      {"body", "(C2)", computeTypes(getInputs()), {outputComputeType(op)}});
}

/// A body of which only the number of yielded values and their being numbers is fixed.
static LogicalResult verifyPositionBody(ReduceOp op) {
  SmallVector<Type> yields(op.getBody().front().back().getOperandTypes());
  bool hasRank = op.getKind() == ReduceKind::ArgTop;
  if (yields.size() != (hasRank ? 2 : 1) || !yields[0].isIntOrIndexOrFloat() ||
      (hasRank && !yields[1].isIndex()))
    return op->emitOpError() << "the body yields (" << yields << "), expected ("
                             << (hasRank ? "a number, 'index'" : "a number") << ") (C2)";
  return verifyRegion(op, op.getBody(), {"body", "(C2)", computeTypes(op.getInputs()), yields});
}

LogicalResult ReduceOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  bool isPosition = getKind() == ReduceKind::ArgMax || getKind() == ReduceKind::ArgTop;
  if (failed(verifyFormula(op)) || failed(verifyReduced(op, isPosition)))
    return failure();
  if (isPosition && failed(verifyPositionBody(*this)))
    return failure();
  if (!isPosition &&
      failed(verifyRegion(op, getBody(),
                          {"body", "(C2)", computeTypes(getInputs()), {outputComputeType(op)}})))
    return failure();
  return verifyPredicate(op, getPredicate(), computeTypes(getInputs()), "(C7)");
}

static LogicalResult verifyFactors(ContractOp op) {
  if (op.getInputs().size() < 2)
    return op.emitOpError() << "has " << op.getInputs().size()
                            << " inputs, expected at least the two factors (C8)";
  for (unsigned i : {0, 1})
    if (failed(verifyReals(op, op.getInputs()[i], "factor " + Twine(i), "(C8)")))
      return failure();
  return success();
}

/// The input depends on none of the indices from `from` to before `to`.
static LogicalResult verifyIndependent(FormulaOpInterface op, unsigned input, unsigned from,
                                       unsigned to, StringRef what, StringRef tag) {
  for (unsigned i = from; i < to; ++i)
    if (op.getInputMap(input).isFunctionOfDim(i))
      return op->emitOpError() << "input " << input << " depends on the " << what << " '"
                               << op.getIndexAttr(i).getName() << "' " << tag;
  return success();
}

LogicalResult ContractOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyReduced(op, /*exactlyOne=*/false)) ||
      failed(verifyFactors(*this)))
    return failure();
  for (unsigned i = 2; i < getInputs().size(); ++i)
    if (failed(verifyIndependent(op, i, op.getNumOutputIndices(), op.getNumIndices(),
                                 "reduced index", "(C9)")))
      return failure();
  Type f32 = Float32Type::get(getContext());
  if (getEpilogue().empty()) {
    if (getInputs().size() > 2)
      return emitOpError() << "has " << getInputs().size() - 2
                           << " extras but no epilogue to read them (C10)";
    return verifyReals(op, getOutputOf(op), "the output", "(C10)");
  }
  SmallVector<Type> arguments{f32};
  llvm::append_range(arguments, computeTypes(getExtras()));
  return verifyRegion(op, getEpilogue(), {"epilogue", "(C10)", arguments, {outputComputeType(op)}});
}

LogicalResult SoftmaxOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyNothingReduced(op)) ||
      failed(verifyRegion(op, getBody(),
                          {"body", "(C2)", computeTypes(getInputs()), {outputComputeType(op)}})) ||
      failed(verifyPredicate(op, getPredicate(), computeTypes(getInputs()), "(C7)")))
    return failure();
  if (getAxis() >= op.getNumIndices())
    return emitOpError() << "axis " << int64_t(getAxis()) << " is none of " << op.getNumIndices()
                         << " indices (C11)";
  return verifyOutputF32(op, "(C11)");
}

//===----------------------------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------------------------===//

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
    if (failed(verifyReals(op, op.getInputs()[i], "input " + Twine(i), "(C12)")))
      return failure();
  if (failed(verifyOutputF32(formula, "(C12)")))
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

LogicalResult AttentionOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyAttentionInputs(*this)) ||
      failed(verifyKeyBounds(*this)))
    return failure();
  Type f32 = Float32Type::get(getContext());
  SmallVector<Type> arguments(getDots(), f32);
  llvm::append_range(arguments, computeTypes(getExtras()));
  if (failed(verifyRegion(op, getScore(), {"score", "(C15)", arguments, {f32}})))
    return failure();
  return verifyPredicate(op, getPredicate(), computeTypes(getExtras()), "(C15)");
}

//===----------------------------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------------------------===//

LogicalResult CheckOp::verify() {
  if (failed(verifyMaps(*this, getInputs(), getMaps(), getIndices())))
    return failure();
  Type i1 = IntegerType::get(getContext(), 1);
  return verifyRegion(*this, getBody(), {"body", "(C16)", computeTypes(getInputs()), {i1}});
}

LogicalResult WeightOp::verify() {
  auto type = cast<ShapedType>(getResult().getType());
  if (getName().empty())
    return emitOpError("needs the name of a checkpoint tensor");
  if (!type.hasStaticShape())
    return emitOpError() << "'" << getName() << "' has the dynamic type " << Type(type);
  return success();
}

/// How many leading indices of `formula` have a value inside its regions.
static unsigned numFixedIndices(Operation *formula) {
  if (auto check = dyn_cast<CheckOp>(formula))
    return check.getIndices().size();
  auto op = cast<FormulaOpInterface>(formula);
  if (isa<ContractOp>(formula))
    return op.getNumOutputIndices();
  if (isa<AttentionOp>(formula))
    return op.getNumOutputIndices() + 1;
  return op.getNumIndices();
}

LogicalResult IndexOp::verify() {
  Region *region = getOperation()->getParentRegion();
  while (region && !isa<FormulaOpInterface, CheckOp>(region->getParentOp()))
    region = region->getParentRegion();
  if (!region)
    return emitOpError("stands outside of a formula (C17)");
  unsigned count = numFixedIndices(region->getParentOp());
  if (getPosition() >= count)
    return emitOpError() << "position " << int64_t(getPosition()) << " is none of the " << count
                         << " indices that have a value here (C17)";
  return success();
}

LogicalResult AtOp::verify() {
  int64_t rank = cast<ShapedType>(getSource().getType()).getRank();
  if (int64_t(getCoordinates().size()) == rank)
    return success();
  return emitOpError() << "has " << getCoordinates().size() << " coordinates for " << rank
                       << " dimensions (C18)";
}

LogicalResult AppendOp::verify() {
  auto added = getRows().getType(), kept = getCache().getType();
  bool fits = added.getRank() > 0 && kept.getRank() == added.getRank() && kept.hasStaticShape() &&
              !getSymbol(added, 0).empty() &&
              added.getShape().drop_front() == kept.getShape().drop_front() &&
              added.getElementType() == kept.getElementType();
  if (fits)
    return success();
  return emitOpError() << "cannot keep rows of type " << Type(added) << " in a cache of type "
                       << Type(kept) << " (C20)";
}

LogicalResult InnerOp::verify() {
  if (getKind() == ReduceKind::ArgMax || getKind() == ReduceKind::ArgTop)
    return emitOpError() << "the kind is " << stringifyReduceKind(getKind())
                         << ", expected sum, mean, max, min or prod (C19)";
  Type f32 = Float32Type::get(getContext()), index = IndexType::get(getContext());
  return verifyRegion(*this, getBody(), {"body", "(C19)", {index}, {f32}});
}
