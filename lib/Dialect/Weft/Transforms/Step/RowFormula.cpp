//===- RowFormula.cpp - a formula as a step computes it -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowFormula.h"

#include "FormulaBuilder.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace weft;

namespace {
/// Turns a copy of a formula into the computation of a step.
class RowFormula {
public:
  RowFormula(OpBuilder &builder, const StepTypes &types, const FormMap &forms,
             IndexedOpInterface op, IndexedOpInterface copy, const Computation &computation)
      : builder(builder), types(types), forms(forms), op(op), copy(copy), computation(computation),
        row(computation.row), count(types.getCount(computation.getForm())),
        regions(copy->getNumRegions()) {}
  void rewrite();

private:
  /// What stands for the row index in a region.
  struct RowValues {
    Value row, position;
  };

  // The row index.
  void countRows();
  RowValues shiftIndex(Region &region);
  void shiftKeyBounds(AttentionOp attention);
  Value emitPosition(OpBuilder &at, Location loc, Value local);
  // Reads.
  void replaceAt(AtOp at, const PlannedRead &read);
  void replaceInputs();
  void readInRegions(unsigned input);
  Value gatherRows(Value tensor, AffineMap &map);

  OpBuilder &builder;
  const StepTypes &types;
  const FormMap &forms;
  IndexedOpInterface op, copy;
  const Computation &computation;
  std::optional<unsigned> row;
  StringRef count; ///< the symbol of the number of rows
  SmallVector<RowValues> regions;
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// The row index
//===----------------------------------------------------------------------------------------===//

/// The position of row `local`: behind all old ones.
Value RowFormula::emitPosition(OpBuilder &at, Location loc, Value local) {
  Type index = at.getIndexType();
  Value length = SizeOp::create(at, loc, index, types.getPositions().getSymbol());
  Value rows = SizeOp::create(at, loc, index, count);
  Value old = arith::SubIOp::create(at, loc, length, rows);
  return arith::AddIOp::create(at, loc, local, old);
}

/// The row index counts rows now: what computes with it in `region` computes with the position.
RowFormula::RowValues RowFormula::shiftIndex(Region &region) {
  SmallVector<weft::IndexOp> uses;
  region.walk([&](weft::IndexOp index) {
    if (index.getPosition() == *row)
      uses.push_back(index);
  });
  OpBuilder at = OpBuilder::atBlockBegin(&region.front());
  Location loc = region.getLoc();
  Value local = weft::IndexOp::create(at, loc, *row);
  Value position = emitPosition(at, loc, local);
  for (weft::IndexOp index : uses) {
    index.replaceAllUsesWith(position);
    index.erase();
  }
  return {local, position};
}

/// The bounds of the keys are those of position t + T - N.
void RowFormula::shiftKeyBounds(AttentionOp attention) {
  if (!attention.getKeyLowerAttr() && !attention.getKeyUpperAttr())
    return;
  SmallVector<StringRef> names;
  if (ArrayAttr given = attention.getBoundSymbolsAttr())
    llvm::append_range(names, given.getAsValueRange<StringAttr>());
  MLIRContext *context = builder.getContext();
  AffineExpr index = getAffineDimExpr(*row, context);
  AffineExpr length = getAffineSymbolExpr(names.size(), context);
  AffineExpr rows = getAffineSymbolExpr(names.size() + 1, context);
  names.append({types.getPositions().getSymbol(), count});
  auto shift = [&](AffineMapAttr attr) {
    if (!attr)
      return attr;
    AffineMap map = attr.getValue();
    SmallVector<AffineExpr> bounds = llvm::map_to_vector(map.getResults(), [&](AffineExpr bound) {
      return bound.replace(index, index + length - rows);
    });
    return AffineMapAttr::get(AffineMap::get(map.getNumDims(), names.size(), bounds, context));
  };
  attention.setKeyLowerAttr(shift(attention.getKeyLowerAttr()));
  attention.setKeyUpperAttr(shift(attention.getKeyUpperAttr()));
  attention.setBoundSymbolsAttr(builder.getStrArrayAttr(names));
}

void RowFormula::countRows() {
  copy.replaceIndex(*row, types.getRowIndex(op.getIndexAttr(*row), computation.getForm()));
  if (auto attention = dyn_cast<AttentionOp>(copy.getOperation()))
    shiftKeyBounds(attention);
  for (auto [region, values] : llvm::zip_equal(copy->getRegions(), regions))
    if (!region.empty())
      values = shiftIndex(region);
}

//===----------------------------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------------------------===//

/// The map of a read of a cache: in its order, kept values counted from the first.
static AffineMap getCacheMap(AffineMap map, const TensorForms &form) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : form.order)
    results.push_back(map.getResult(dim) - (form.bases.empty() ? 0 : form.bases[dim]));
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// The region of `copy` that holds `at`, which may be inside of another op.
static unsigned getRegionNumber(Operation *copy, AtOp at) {
  Region *region = at->getParentRegion();
  while (region->getParentOp() != copy)
    region = region->getParentRegion();
  return region->getRegionNumber();
}

void RowFormula::replaceAt(AtOp at, const PlannedRead &read) {
  const TensorForms &form = forms.at(read.read.tensor);
  at.getSourceMutable().assign(form[read.form]);
  SmallVector<Value> coordinates(at.getCoordinates());
  if (read.form == Form::Rows || read.form == Form::Last) {
    coordinates[read.rowDim] = regions[getRegionNumber(copy, at)].row;
  } else if (read.form == Form::Full && form.isCache()) {
    coordinates = llvm::map_to_vector(form.order, [&](unsigned dim) { return coordinates[dim]; });
  }
  at.getCoordinatesMutable().assign(coordinates);
}

/// An input that is not read at rows becomes a read in the regions, at the position of the row.
void RowFormula::readInRegions(unsigned input) {
  IndexValues indices = getIdentityIndices(builder.getContext(), copy.getNumIndices());
  Value tensor = copy.getInputs()[input];
  for (BlockArgument argument : copy.getElementArguments(input)) {
    Value position = regions[argument.getParentRegion()->getRegionNumber()].position;
    indices[*row] = {AffineExpr(), position};
    OpBuilder at(builder.getContext());
    at.setInsertionPointAfterValue(position);
    SmallVector<Value> coordinates;
    for (AffineExpr expr : copy.getInputMap(input).getResults())
      coordinates.push_back(emitAffine(at, op->getLoc(), expr, indices));
    argument.replaceAllUsesWith(
        AtOp::create(at, op->getLoc(), argument.getType(), tensor, coordinates, at.getUnitAttr()));
  }
  copy.eraseInput(input);
}

/// A factor that is not read at rows becomes a tensor of rows; `map` is how it is read.
Value RowFormula::gatherRows(Value tensor, AffineMap &map) {
  MLIRContext *context = builder.getContext();
  unsigned numIndices = op.getNumIndices();
  SmallVector<IndexAttr> indices;
  SmallVector<AffineExpr> coordinates;
  IndexValues values(numIndices);
  unsigned newRow = 0;
  for (unsigned i = 0; i != numIndices; ++i) {
    if (!map.isFunctionOfDim(i))
      continue;
    if (i == *row)
      newRow = indices.size();
    IndexAttr index = op.getIndexAttr(i);
    values[i].expr = getAffineDimExpr(indices.size(), context);
    indices.push_back(i == *row ? types.getRowIndex(index, computation.getForm()) : index);
    coordinates.push_back(getAffineDimExpr(i, context));
  }
  Type element = cast<ShapedType>(tensor.getType()).getElementType();
  Location loc = op->getLoc();
  auto gather = MapOp::create(builder, loc, getTensorType(indices, element), ValueRange(), Value(),
                              getIndexArray(context, indices), builder.getAffineMapArrayAttr({}),
                              ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&gather.getBody().emplaceBlock());
  Value local = weft::IndexOp::create(body, loc, newRow);
  values[*row] = {AffineExpr(), emitPosition(body, loc, local)};
  SmallVector<Value> at;
  for (AffineExpr expr : map.getResults())
    at.push_back(emitAffine(body, loc, expr, values));
  YieldOp::create(
      body, loc,
      AtOp::create(body, loc, getComputeType(element), tensor, at, body.getUnitAttr()).getResult());
  map = AffineMap::get(numIndices, 0, coordinates, context);
  return gather.getResult();
}

void RowFormula::replaceInputs() {
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> inRegions;
  for (unsigned i = 0, end = op.getInputs().size(); i != end; ++i) {
    const PlannedRead &read = computation.reads[i];
    const TensorForms &form = forms.at(read.read.tensor);
    Value tensor = form[read.form];
    AffineMap map = read.read.map;
    if (read.form == Form::Full && form.isCache())
      map = getCacheMap(map, form);
    if (row && read.form != computation.getForm() && map.isFunctionOfDim(*row)) {
      if (i >= copy.getFirstElementInput())
        inRegions.push_back(i);
      else
        tensor = gatherRows(tensor, map);
    }
    copy->setOperand(i, tensor);
    maps.push_back(map);
  }
  copy.setInputMaps(maps);
  for (unsigned input : llvm::reverse(inRegions))
    readInRegions(input);
}

void RowFormula::rewrite() {
  SmallVector<AtOp> ats; // before there are new ones
  copy->walk([&](AtOp at) { ats.push_back(at); });
  if (row)
    countRows();
  ArrayRef<PlannedRead> inRegions = ArrayRef(computation.reads).take_back(ats.size());
  for (auto [at, read] : llvm::zip_equal(ats, inRegions))
    replaceAt(at, read);
  replaceInputs();
}

Operation *weft::emitComputation(OpBuilder &builder, const StepTypes &types, const FormMap &forms,
                                 const IRMapping &scalars, IndexedOpInterface op,
                                 const Computation &computation) {
  // Cloning adds the regions' arguments to its mapping, and a formula may be needed in two forms.
  IRMapping taken;
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  for (Value value : above)
    taken.map(value, scalars.lookupOrDefault(value));
  for (Value value : op->getOperands())
    taken.map(value, scalars.lookupOrDefault(value));
  auto copy = cast<IndexedOpInterface>(builder.clone(*op, taken));
  builder.setInsertionPoint(copy); // what it reads is gathered before it
  RowFormula(builder, types, forms, op, copy, computation).rewrite();
  builder.setInsertionPointAfter(copy);
  return copy;
}

Value weft::emitLast(OpBuilder &builder, const StepTypes &types, Value rows, unsigned rowDim) {
  MLIRContext *context = builder.getContext();
  Location loc = rows.getLoc();
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<IndexAttr> indices = getIndicesOf(type);
  indices[rowDim] = types.getRowIndex(indices[rowDim], Form::Last);
  auto last = MapOp::create(builder, loc, getTensorType(indices, type.getElementType()),
                            ValueRange(), Value(), getIndexArray(context, indices),
                            builder.getAffineMapArrayAttr({}), ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&last.getBody().emplaceBlock());
  Type index = body.getIndexType();
  SmallVector<Value> coordinates;
  for (unsigned i = 0; i != indices.size(); ++i)
    coordinates.push_back(weft::IndexOp::create(body, loc, i));
  Value count = SizeOp::create(body, loc, index, types.getCount(Form::Rows));
  Value taken = SizeOp::create(body, loc, index, types.getCount(Form::Last));
  Value before = arith::SubIOp::create(body, loc, count, taken);
  coordinates[rowDim] = arith::AddIOp::create(body, loc, coordinates[rowDim], before);
  Type element = getComputeType(type.getElementType());
  Value value = AtOp::create(body, loc, element, rows, coordinates, body.getUnitAttr());
  YieldOp::create(body, loc, value);
  return last.getResult();
}
