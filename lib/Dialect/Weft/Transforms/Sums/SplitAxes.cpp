//===- SplitAxes.cpp - weft-split-axes ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where a picture is enlarged, i // W says which point of the smaller one an element comes from and
// i % W which weights; of channels in groups, i // W says which group. Both factors of the sum know
// i then, and there are no rows or no columns, as long as it is one index.
//
//===----------------------------------------------------------------------------------------===//

#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/AffineValue.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace weft {
#define GEN_PASS_DEF_SPLITAXESPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Terms of a sum, at least: its results are copied.
static constexpr int64_t kLeastTerms = 8;

namespace {

/// An index that is read as what it is times `width` and what is left.
struct Axis {
  unsigned index;
  int64_t width;
};

class AxisSplitter {
public:
  explicit AxisSplitter(FormulaOpInterface op) : op(op), context(op.getContext()) {}

  bool run();

private:
  using Places = SmallVector<AffineExpr>;

  bool matchFactors();
  std::optional<Places> getPlaces(Value factor);
  std::optional<int64_t> findWidth(unsigned index);
  bool isProduct(const Places &a, const Places &b, unsigned numIndices);
  Places split(const Places &places);
  bool makesProduct();
  void splitIndex(const Axis &axis);

  AffineExpr dim(unsigned position) { return getAffineDimExpr(position, context); }

  FormulaOpInterface op;
  MLIRContext *context;
  SmallVector<Places, 2> factors; ///< where each is read
  SmallVector<Axis> axes;
};

} // namespace

std::optional<AxisSplitter::Places> AxisSplitter::getPlaces(Value factor) {
  if (auto argument = dyn_cast<BlockArgument>(factor))
    if (argument.getOwner()->getParentOp() == op)
      return llvm::to_vector(op.getInputMap(argument.getArgNumber()).getResults());
  auto at = factor.getDefiningOp<AtOp>();
  if (!at)
    return std::nullopt;
  Places places;
  for (Value coordinate : at.getCoordinates())
    places.push_back(getAffineExpr(coordinate));
  return llvm::is_contained(places, AffineExpr()) ? std::nullopt : std::optional(places);
}

/// The two factors of a sum of products.
bool AxisSplitter::matchFactors() {
  if (auto contract = dyn_cast<ContractOp>(op.getOperation())) {
    for (unsigned input : {0u, 1u})
      factors.push_back(llvm::to_vector(op.getInputMap(input).getResults()));
    return !contract.getChosen() && !contract.getApart() && op->getNumResults() == 1;
  }
  auto sum = dyn_cast<ReduceOp>(op.getOperation());
  if (!sum || sum.getKind() != ReduceKind::Sum)
    return false;
  SmallVector<Value> values;
  double scale = 1.0;
  collectFactors(sum.getBody().front().getTerminator()->getOperand(0), values, scale);
  for (Value value : values)
    if (std::optional<Places> places = getPlaces(value))
      factors.push_back(*places);
  return values.size() == 2 && factors.size() == 2;
}

/// By what the index is divided, if that is one number everywhere, and divides its range.
std::optional<int64_t> AxisSplitter::findWidth(unsigned index) {
  IndexAttr range = op.getIndexAttr(index);
  std::optional<int64_t> width;
  bool isOne = !range.getDynamic();
  auto visit = [&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    bool divides = binary && (part.getKind() == AffineExprKind::FloorDiv ||
                              part.getKind() == AffineExprKind::Mod);
    auto by = divides ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
    if (!by || binary.getLHS() != dim(index))
      return;
    isOne &= !width || width == by.getValue();
    width = by.getValue();
  };
  for (const Places &places : factors)
    for (AffineExpr place : places)
      place.walk(visit);
  bool isSplit =
      isOne && width && *width > 1 && *width < range.getSize() && range.getSize() % *width == 0;
  return isSplit ? width : std::nullopt;
}

/// What becomes of places: two indices more for each axis, behind all others.
AxisSplitter::Places AxisSplitter::split(const Places &places) {
  Places now(places);
  unsigned next = op.getNumIndices();
  for (const Axis &axis : axes) {
    AffineExpr index = dim(axis.index), whole = dim(next++), rest = dim(next++);
    for (AffineExpr &place : now)
      place = place.replace({{index.floorDiv(axis.width), whole}, {index % axis.width, rest}})
                  .replace(index, whole * axis.width + rest);
  }
  return now;
}

/// Whether each factor has an index of the result, or of two that it becomes, for itself.
bool AxisSplitter::isProduct(const Places &a, const Places &b, unsigned numIndices) {
  llvm::SmallBitVector ofA = getUsedIndices(a, numIndices), ofB = getUsedIndices(b, numIndices);
  bool rows = false, columns = false;
  for (unsigned i = 0; i != numIndices; ++i) {
    bool isKnown = i < op.getNumIndices();
    if (isKnown && (op.isReduced(i) || op.getIndexAttr(i).getExtent() == 1))
      continue;
    rows |= ofA.test(i) && !ofB.test(i);
    columns |= ofB.test(i) && !ofA.test(i);
  }
  return rows && columns;
}

bool AxisSplitter::makesProduct() {
  SmallVector<unsigned> reduced;
  for (unsigned i = 0; i != op.getNumIndices(); ++i)
    if (op.isReduced(i))
      reduced.push_back(i);
    else if (std::optional<int64_t> width = findWidth(i))
      axes.push_back({i, *width});
  return !axes.empty() && getBoundProduct(op.getIndices(), reduced) >= kLeastTerms &&
         !isProduct(factors[0], factors[1], op.getNumIndices()) &&
         isProduct(split(factors[0]), split(factors[1]), op.getNumIndices() + 2 * axes.size());
}

/// Quotients of an index in regions.
static void replaceQuotients(FormulaOpInterface op, unsigned index, int64_t width,
                             unsigned quotient) {
  op->walk([&](arith::FloorDivSIOp division) {
    auto divided = division.getLhs().getDefiningOp<weft::IndexOp>();
    if (!divided || divided.getPosition() != index ||
        getConstantIntValue(division.getRhs()) != width)
      return;
    OpBuilder builder(division);
    Value now = weft::IndexOp::create(builder, division.getLoc(), quotient);
    division.replaceAllUsesWith(now);
    division.erase();
  });
}

/// The two parts stand where the index stood.
void AxisSplitter::splitIndex(const Axis &axis) {
  IndexAttr range = op.getIndexAttr(axis.index);
  auto getPart = [&](int64_t size) {
    return IndexAttr::get(context, range.getName(), "", size, /*dynamic=*/false);
  };
  unsigned whole = axis.index, rest = axis.index + 1, index = axis.index + 2;
  op.insertIndex(whole, getPart(range.getSize() / axis.width), /*isOutput=*/true);
  op.insertIndex(rest, getPart(axis.width), /*isOutput=*/true);
  SmallVector<AffineMap> maps = op.getInputMaps();
  for (AffineMap &map : maps)
    map = map.replace(
        {{dim(index).floorDiv(axis.width), dim(whole)}, {dim(index) % axis.width, dim(rest)}},
        map.getNumDims(), 0);
  op.setInputMaps(maps);
  replaceQuotients(op, index, axis.width, whole);
  op.substituteIndex(index, dim(whole) * axis.width + dim(rest));
}

/// The result is computed with two axes and copied to where it has one.
bool AxisSplitter::run() {
  if (!matchFactors() || !makesProduct())
    return false;
  SmallVector<IndexAttr> results = op.getIndexList();
  results.truncate(op.getNumOutputIndices());
  SmallVector<AffineExpr> places;
  for (unsigned i = 0; i != results.size(); ++i) {
    const auto *axis = llvm::find_if(axes, [&](const Axis &axis) { return axis.index == i; });
    if (axis == axes.end())
      places.push_back(dim(i));
    else
      llvm::append_values(places, dim(i).floorDiv(axis->width), dim(i) % axis->width);
  }
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  for (const Axis &axis : llvm::reverse(axes))
    splitIndex(axis);
  OpBuilder builder(context);
  builder.setInsertionPointAfter(op);
  MapOp copy = createCopy(builder, op.getLoc(), result, results,
                          AffineMap::get(results.size(), 0, places, context));
  copy.getResult().setType(type);
  result.replaceAllUsesExcept(copy.getResult(), copy);
  copyLabel(op, copy);
  labelPart(op, op);
  return true;
}

namespace {
class SplitAxesPass : public weft::impl::SplitAxesPassBase<SplitAxesPass> {
public:
  using SplitAxesPassBase::SplitAxesPassBase;

  void runOnOperation() override {
    SmallVector<FormulaOpInterface> formulas;
    getOperation().walk([&](FormulaOpInterface op) { formulas.push_back(op); });
    for (FormulaOpInterface op : formulas)
      if (!op.getOutputMapsAttr() && AxisSplitter(op).run())
        ++numSplit;
  }
};
} // namespace
