//===- VerifyFormula.cpp - What all formulas must fulfil ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VerifyFormula.h"
#include "weft/Dialect/Weft/IR/AccessRange.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Accesses: (C1), (C4)
//===----------------------------------------------------------------------------------------===//

LogicalResult weft::verifyDivisors(Operation *op, AffineMap map, const Twine &name, StringRef tag) {
  bool isValid = true;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || expr.getKind() == AffineExprKind::Add || expr.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    isValid &= divisor && divisor.getValue() > 0;
  });
  if (isValid)
    return success();
  return op->emitOpError() << name << " divides by a number that is not above 0 " << tag;
}

static LogicalResult verifyMap(Operation *op, unsigned number, AffineMap map, ShapedType type,
                               unsigned numIndices) {
  if (map.getNumDims() != numIndices)
    return op->emitOpError() << "the map of input " << number << " has " << map.getNumDims()
                             << " dimensions, expected one for each of " << numIndices
                             << " indices (C1)";
  if (map.getNumSymbols() != 0)
    return op->emitOpError() << "the map of input " << number << " has symbols (C1)";
  if (map.getNumResults() != type.getRank())
    return op->emitOpError() << "input " << number << " is read at " << map.getNumResults()
                             << " coordinates but has " << type.getRank() << " dimensions (C1)";
  return verifyDivisors(op, map, "the map of input " + Twine(number), "(C1)");
}

LogicalResult weft::verifyMaps(IndexedOpInterface op) {
  if (op.getMaps().size() != op.getInputs().size())
    return op->emitOpError() << "there are " << op.getMaps().size() << " maps for "
                             << op.getInputs().size() << " inputs (C1)";
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (failed(verifyMap(op, i, op.getInputMap(i), cast<ShapedType>(input.getType()),
                         op.getNumIndices())))
      return failure();
  return success();
}

static LogicalResult verifyRanges(IndexedOpInterface op) {
  SmallVector<IndexAttr> indices = op.getIndexList();
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    for (auto [dim, expr] : llvm::enumerate(op.getInputMap(i).getResults()))
      if (auto found = findOutOfRange(expr, indices, cast<ShapedType>(input.getType()), dim))
        return op->emitOpError() << "coordinate " << dim << " of input " << i << " takes the value "
                                 << found->value << " in a dimension of size " << found->size
                                 << " (C4)";
  }
  return success();
}

LogicalResult weft::verifyIndependent(FormulaOpInterface op, unsigned input, unsigned from,
                                      unsigned to, StringRef what, StringRef tag) {
  for (unsigned i = from; i < to; ++i)
    if (op.getInputMap(input).isFunctionOfDim(i))
      return op->emitOpError() << "input " << input << " depends on the " << what << " '"
                               << op.getIndexAttr(i).getName() << "' " << tag;
  return success();
}

//===----------------------------------------------------------------------------------------===//
// The output: (C3), (C5)
//===----------------------------------------------------------------------------------------===//

/// The map of the first output is a permutation of `rank` indices, that of a further one chooses
/// some of them.
static LogicalResult verifyOutputMap(FormulaOpInterface op, unsigned output, unsigned rank) {
  AffineMap map = op.getOutputIndexingMap(output);
  llvm::SmallDenseSet<unsigned> seen;
  bool isChoice = map.getNumDims() == op.getNumIndices() && map.getNumSymbols() == 0 &&
                  map.getNumResults() == op.getOutputType(output).getRank();
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    isChoice &= dim && dim.getPosition() < rank && seen.insert(dim.getPosition()).second;
  }
  if (isChoice)
    return success();
  return op->emitOpError() << "map " << output << " of 'output_maps', "
                           << Attribute(AffineMapAttr::get(map)) << ", is no "
                           << (output ? "choice" : "permutation") << " of the first " << rank
                           << " of " << op.getNumIndices() << " indices (C3)";
}

static LogicalResult verifyOutput(FormulaOpInterface op, unsigned output) {
  ShapedType type = op.getOutputType(output);
  SmallVector<IndexAttr> stored;
  for (auto [i, expr] : llvm::enumerate(op.getOutputIndexingMap(output).getResults())) {
    stored.push_back(op.getIndexAttr(cast<AffineDimExpr>(expr).getPosition()));
    if (stored.back().getExtent() != type.getDimSize(i))
      return op->emitOpError() << "dimension " << i << " of the output type " << Type(type)
                               << " does not match index " << Attribute(stored.back()) << " (C3)";
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  RankedTensorType expected =
      withLayout(getTensorType(stored, tensor.getElementType()), getLayout(tensor));
  if (tensor != expected)
    return op->emitOpError() << "the output type is " << Type(tensor) << ", expected "
                             << Type(expected) << " (C5)";
  return success();
}

static LogicalResult verifyOutputs(FormulaOpInterface op) {
  if ((op->getNumResults() == 0) == op.getOutputs().empty())
    return op->emitOpError("needs either a result or an 'outs' buffer (C3)");
  unsigned rank = op.getNumOutputIndices(), count = op.getNumOutputs();
  if (rank > op.getNumIndices())
    return op->emitOpError() << "the output has " << rank << " dimensions but there are only "
                             << op.getNumIndices() << " indices (C3)";
  if (ArrayAttr maps = op.getOutputMapsAttr(); maps && maps.size() != count)
    return op->emitOpError() << "there are " << maps.size() << " 'output_maps' for " << count
                             << " outputs (C3)";
  for (unsigned i = 0; i != count; ++i)
    if (failed(verifyOutputMap(op, i, rank)) || failed(verifyOutput(op, i)))
      return failure();
  return success();
}

static LogicalResult verifyEncodings(FormulaOpInterface op) {
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (type && !type.hasStaticShape() && !getBounds(type))
      return op->emitOpError() << "input " << i << " of type " << Type(type)
                               << " has no symbols for its dynamic dimensions (C5)";
  }
  return success();
}

LogicalResult weft::verifyFormula(FormulaOpInterface op) {
  if (failed(verifyMaps(op)) || failed(verifyOutputs(op)) || failed(verifyRanges(op)))
    return failure();
  return verifyEncodings(op);
}

Type weft::outputComputeType(FormulaOpInterface op) {
  return getComputeType(op.getOutputType().getElementType());
}

LogicalResult weft::verifyReals(Operation *op, ShapedType type, const Twine &what, StringRef tag) {
  if (getComputeType(type.getElementType()).isF32())
    return success();
  return op->emitOpError() << what << " has elements of type " << type.getElementType()
                           << ", expected reals, computed in f32 " << tag;
}

LogicalResult weft::verifyOutputF32(FormulaOpInterface op, StringRef tag) {
  Type type = op.getOutputType().getElementType();
  if (type.isF32())
    return success();
  return op->emitOpError() << "the output has elements of type " << type
                           << ", expected f32, in which sums are kept " << tag;
}

//===----------------------------------------------------------------------------------------===//
// Regions: (C2), (C7), (C10), (C15), (C16), (C19)
//===----------------------------------------------------------------------------------------===//

SmallVector<Type> weft::computeTypes(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) { return getComputeTypeOf(value); });
}

static LogicalResult verifyYield(Operation *op, Region &region, const RegionRule &rule) {
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError() << "the " << rule.name << " does not end in 'weft.yield' " << rule.tag;
  if (TypeRange(yield.getValues()) == TypeRange(rule.yields))
    return success();
  return op->emitOpError() << "the " << rule.name << " yields (" << yield.getOperandTypes()
                           << "), expected (" << rule.yields << ") " << rule.tag;
}

LogicalResult weft::verifyRegion(Operation *op, Region &region, const RegionRule &rule) {
  if (region.getNumArguments() != rule.arguments.size())
    return op->emitOpError() << "the " << rule.name << " has " << region.getNumArguments()
                             << " arguments, expected " << rule.arguments.size() << " " << rule.tag;
  for (auto [i, expected] : llvm::enumerate(rule.arguments))
    if (Type actual = region.getArgument(i).getType(); actual != expected)
      return op->emitOpError() << "argument " << i << " of the " << rule.name << " has type "
                               << actual << ", expected " << expected << " " << rule.tag;
  return verifyYield(op, region, rule);
}

LogicalResult weft::verifyPredicate(Operation *op, Region &predicate, SmallVector<Type> arguments,
                                    StringRef tag) {
  if (predicate.empty())
    return success();
  Type i1 = IntegerType::get(op->getContext(), 1);
  return verifyRegion(op, predicate, {"predicate", tag, std::move(arguments), {i1}});
}
