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

LogicalResult weft::verifyMaps(Operation *op, OperandRange inputs, ArrayAttr maps,
                               ArrayAttr indices) {
  if (maps.size() != inputs.size())
    return op->emitOpError() << "there are " << maps.size() << " maps for " << inputs.size()
                             << " inputs (C1)";
  for (auto [i, input] : llvm::enumerate(inputs))
    if (failed(verifyMap(op, i, cast<AffineMapAttr>(maps[i]).getValue(),
                         cast<ShapedType>(input.getType()), indices.size())))
      return failure();
  return success();
}

static LogicalResult verifyRanges(Operation *op, OperandRange inputs, ArrayAttr maps,
                                  ArrayAttr indices) {
  auto list = llvm::to_vector(indices.getAsRange<IndexAttr>());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    AffineMap map = cast<AffineMapAttr>(maps[i]).getValue();
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto found = findOutOfRange(expr, list, cast<ShapedType>(input.getType()), dim))
        return op->emitOpError() << "coordinate " << dim << " of input " << i << " takes the value "
                                 << found->value << " in a dimension of size " << found->size
                                 << " (C4)";
  }
  return success();
}

//===----------------------------------------------------------------------------------------===//
// The output: (C3), (C5)
//===----------------------------------------------------------------------------------------===//

static LogicalResult verifyOutputMap(FormulaOpInterface op, unsigned rank) {
  AffineMapAttr attr = op.getOutputMapAttr();
  if (!attr)
    return success();
  AffineMap map = attr.getValue();
  llvm::SmallDenseSet<unsigned> seen;
  bool isPermutation = map.getNumDims() == op.getNumIndices() && map.getNumSymbols() == 0 &&
                       map.getNumResults() == rank;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    isPermutation &= dim && dim.getPosition() < rank && seen.insert(dim.getPosition()).second;
  }
  if (!isPermutation)
    return op->emitOpError() << "'output_map' " << Attribute(attr)
                             << " is no permutation of the first " << rank << " of "
                             << op.getNumIndices() << " indices (C3)";
  return success();
}

static LogicalResult verifyOutput(FormulaOpInterface op) {
  Value output = op.getOutput();
  if (op->getNumResults() + (output ? 1 : 0) != 1)
    return op->emitOpError("needs either a result or an 'outs' buffer (C3)");
  auto type = cast<ShapedType>(output ? output.getType() : op->getResult(0).getType());
  unsigned rank = type.getRank();
  if (rank > op.getNumIndices())
    return op->emitOpError() << "the output has " << rank << " dimensions but there are only "
                             << op.getNumIndices() << " indices (C3)";
  if (failed(verifyOutputMap(op, rank)))
    return failure();
  SmallVector<IndexAttr> stored;
  for (auto [i, expr] : llvm::enumerate(op.getOutputIndexingMap().getResults())) {
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
  if (failed(verifyMaps(op, op.getInputs(), op.getMaps(), op.getIndices())) ||
      failed(verifyOutput(op)) ||
      failed(verifyRanges(op, op.getInputs(), op.getMaps(), op.getIndices())))
    return failure();
  return verifyEncodings(op);
}

Value weft::getOutputOf(FormulaOpInterface op) {
  Value output = op.getOutput();
  return output ? output : op->getResult(0);
}

Type weft::outputComputeType(FormulaOpInterface op) { return getComputeTypeOf(getOutputOf(op)); }

LogicalResult weft::verifyReals(Operation *op, Value tensor, const Twine &what, StringRef tag) {
  if (getComputeTypeOf(tensor).isF32())
    return success();
  return op->emitOpError() << what << " has elements of type "
                           << cast<ShapedType>(tensor.getType()).getElementType()
                           << ", expected reals, computed in f32 " << tag;
}

LogicalResult weft::verifyOutputF32(FormulaOpInterface op, StringRef tag) {
  Type type = cast<ShapedType>(getOutputOf(op).getType()).getElementType();
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
