//===- VerifyOps.cpp - The constraints of the ops -------------------------------------------===//
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

#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------------------------===//

LogicalResult weft::verifyNothingReduced(FormulaOpInterface op) {
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
  Type lhs = getElementTypeOrSelf(op.getLhs()), rhs = getElementTypeOrSelf(op.getRhs());
  if (lhs.isInteger(8) && rhs.isInteger(8))
    return success();
  if ((lhs.isSignlessInteger(8) && rhs.isF32()) || (lhs.isF32() && rhs.isSignlessInteger(8)))
    return success();
  for (unsigned i : {0, 1})
    if (failed(verifyReals(op, cast<ShapedType>(op.getInputs()[i].getType()), "factor " + Twine(i),
                           "(C8)")))
      return failure();
  return success();
}

/// The matrix that data choose.
static LogicalResult verifyChoice(ContractOp op) {
  if (!op.getChosen())
    return success();
  FormulaOpInterface formula = op;
  if (op.getInputs().size() <= ContractOp::kChoice)
    return op.emitOpError() << "has no third input, which chooses (C17)";
  Type element = getElementTypeOrSelf(op.getInputs()[ContractOp::kChoice]);
  if (!element.isInteger(32))
    return op.emitOpError() << "is chosen by elements of type " << element
                            << ", expected 'i32' (C17)";
  if (op.getSummed().empty())
    return op.emitOpError() << "sums over no index beside the chosen one (C17)";
  if (formula.getIndexAttr(op.getChosenIndex()).getDynamic())
    return op.emitOpError() << "chooses among a number of matrices that is not known (C17)";
  return verifyIndependent(op, ContractOp::kChoice, formula.getNumOutputIndices(),
                           formula.getNumIndices(), "index", "(C17)");
}

/// Registers hold the sums of an element, and regions have an argument for each.
static constexpr int64_t kMostSums = 8;

/// The index whose values have sums of their own.
static LogicalResult verifyApart(ContractOp op) {
  if (!op.getApart())
    return success();
  FormulaOpInterface formula = op;
  if (formula.getNumIndices() < formula.getNumOutputIndices() + 1 + op.getChosen() ||
      op.getSummed().empty())
    return op.emitOpError() << "sums over no index beside the one of its sums (C18)";
  if (formula.getIndexAttr(*op.getApartIndex()).getDynamic())
    return op.emitOpError() << "has a number of sums that is not known (C18)";
  if (int64_t number = op.getNumSums(); number < 1 || number > kMostSums)
    return op.emitOpError() << "has " << number << " sums of an element, expected 1 to "
                            << kMostSums << " (C18)";
  if (op.getEpilogue().empty())
    return op.emitOpError() << "has several sums and no epilogue (C18)";
  for (unsigned i = 2; i < op.getInputs().size(); ++i)
    if (failed(verifyIndependent(formula, i, *op.getApartIndex(), *op.getApartIndex() + 1, "index",
                                 "(C18)")))
      return failure();
  return success();
}

LogicalResult ContractOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyReduced(op, /*exactlyOne=*/false)) ||
      failed(verifyFactors(*this)) || failed(verifyChoice(*this)) || failed(verifyApart(*this)))
    return failure();
  for (unsigned i = getFirstElementInput(); i < getInputs().size(); ++i)
    if (failed(verifyIndependent(op, i, op.getNumOutputIndices(),
                                 op.getNumOutputIndices() + getSummed().size(), "reduced index",
                                 "(C9)")))
      return failure();
  if (getEpilogue().empty()) {
    if (!getExtras().empty())
      return emitOpError() << "has " << getExtras().size()
                           << " extras but no epilogue to read them (C10)";
    Type element = op.getOutputType().getElementType();
    if (!getSumType().isInteger())
      return verifyReals(op, op.getOutputType(), "the output", "(C10)");
    if (!element.isInteger(32))
      return emitOpError() << "the output has elements of type " << element
                           << ", expected 'i32', sums of integers (C10)";
    return success();
  }
  SmallVector<Type> arguments(getNumSums(), getSumType());
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
// Other ops
//===----------------------------------------------------------------------------------------===//

LogicalResult CheckOp::verify() {
  if (failed(verifyMaps(*this)))
    return failure();
  Type i1 = IntegerType::get(getContext(), 1);
  return verifyRegion(*this, getBody(), {"body", "(C16)", computeTypes(getInputs()), {i1}});
}

/// Whether rows are whole groups, and these whole words.
static bool isWhole(const CodeFormat &format, int64_t row) {
  if (format.bits != infoOf(format.table).bits || format.asymmetric || format.group < 0 || row <= 0)
    return false;
  return ScaledPanel{1, row, format.getGroupSize(row), format.table}.isWhole();
}

static LogicalResult verifyCoded(WeightOp op) {
  auto coded = op.getCoded();
  if (!coded)
    return success();
  auto type = cast<ShapedType>(op.getResult().getType());
  int64_t rank = coded->getShape().size();
  for (int64_t dim : coded->getAlong())
    if (dim < 0 || dim >= rank)
      return op.emitOpError() << "is coded along dimension " << dim << " of " << rank << " (C33)";
  int64_t row = 1;
  for (int64_t dim : coded->getAlong())
    row *= coded->getShape()[dim];
  CodeFormat format = coded->getFormat();
  bool isTable = format.table != CodeTable::None;
  if (isTable != (coded->getPart() == CodePart::Reals) || (isTable && !isWhole(format, row)))
    return op.emitOpError() << "has the codes " << *coded
                            << ", expected reals of a table in groups that divide rows of " << row
                            << " (C33)";
  bool hasGroups = format.bits == 4 && format.group >= 0 && format.dividesRow(row);
  if (format.narrow && !format.isBytes())
    return op.emitOpError() << "has the codes " << *coded << ", which are narrow, expected 8 bits "
                            << "of whole rows (C33)";
  if (!isTable && !hasGroups && !format.isBytes())
    return op.emitOpError() << "has the codes " << *coded
                            << ", expected 8 bits, or 4 in groups that divide rows of " << row
                            << " (C33)";
  SmallVector<int64_t> shape = coded->getPartShape();
  Type element = coded->getPartElement();
  if (type.getShape() == ArrayRef(shape) && type.getElementType() == element)
    return success();
  return op.emitOpError() << "has the type " << Type(type) << ", expected "
                          << RankedTensorType::get(shape, element) << " of " << *coded << " (C33)";
}

LogicalResult WeightOp::verify() {
  auto type = cast<ShapedType>(getResult().getType());
  if (getName().empty())
    return emitOpError("needs the name of a checkpoint tensor");
  if (!type.hasStaticShape())
    return emitOpError() << "'" << getName() << "' has the dynamic type " << Type(type);
  LayoutAttr layout = getLayout(type);
  if (layout && layout.isSplit())
    return emitOpError() << "'" << getName() << "' is stored in parts, expected f32 as it is";
  auto coded = getCoded();
  bool isNarrow = coded && coded->getNarrow() && layout && coded->getAlong() == layout.getK();
  if (layout && layout.getNarrow() && !isNarrow)
    return emitOpError() << "'" << getName() << "' has the layout " << layout
                         << ", expected codes that are narrow along its rows";
  return verifyCoded(*this);
}

LogicalResult IndexOp::verify() {
  auto formula = (*this)->getParentOfType<IndexedOpInterface>();
  if (!formula)
    return emitOpError("stands outside of a formula (C17)");
  unsigned count = formula.getNumFixedIndices();
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

/// The only dimension of new rows that is dynamic.
static unsigned findRowDim(ShapedType rows) {
  return llvm::find_if(rows.getShape(), ShapedType::isDynamic) - rows.getShape().begin();
}

unsigned AppendOp::getRowDim() { return findRowDim(getRows().getType()); }

int64_t SlotOp::getRowBytes() {
  auto cache = cast<MemRefType>(getCache().getType());
  unsigned rowDim = findRowDim(cast<MemRefType>(getResult().getType()));
  return *tensorBytes(getStorageBits(cache.getElementType()),
                      cache.getShape().drop_front(rowDim + 1));
}

LogicalResult AppendOp::verify() {
  auto added = getRows().getType(), kept = getCache().getType();
  bool fits = added.getNumDynamicDims() == 1 && kept.getRank() == added.getRank() &&
              kept.hasStaticShape() && added.getElementType() == kept.getElementType();
  if (fits) {
    SmallVector<int64_t> shape(added.getShape());
    shape[getRowDim()] = kept.getDimSize(getRowDim());
    fits = ArrayRef(shape) == kept.getShape();
  }
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
