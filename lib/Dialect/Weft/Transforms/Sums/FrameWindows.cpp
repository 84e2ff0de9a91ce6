//===- FrameWindows.cpp - weft-frame-windows ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A convolution that leaves out what lies beside its input asks for every product whether it is
// one. Of an input with a frame of zeros it is a sum of products like any other.
//
//===----------------------------------------------------------------------------------------===//

#include "ElementWriter.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/AccessRange.h"
#include "weft/Dialect/Weft/IR/AffineValue.h"
#include "weft/Dialect/Weft/IR/Conjuncts.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_FRAMEWINDOWSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Terms for each element of the framed copy, at least; and where the copy has as many elements as
/// the longest input, whatever the length of this one.
static constexpr int64_t kLeastTerms = 8, kLeastTermsOfBound = 256;

namespace {

/// A dimension of the copy.
struct CopyDim {
  IndexAttr index;
  AffineExpr place; ///< where the sum reads it
  bool isFrame;     ///< whether some places are beside the input
};

class WindowFramer {
public:
  explicit WindowFramer(ReduceOp sum) : sum(sum), formula(sum) {}

  bool run(bool generates);

private:
  bool matchFactors();
  bool areShared();
  bool matchPlaces();
  void addInside(AffineExpr place, IndexAttr whole);
  bool addFrame(AffineExpr place, StringRef name);
  AffineExpr addDim(IndexAttr index, AffineExpr place, bool isFrame);
  bool isInside(Conjunct conjunct);
  bool areInside();
  bool isWorthIt(bool generates);
  SmallVector<unsigned> getOrder();
  MapOp buildFrame(OpBuilder &builder, ArrayRef<unsigned> order);

  AffineExpr getSize(StringRef symbol) { return getSymbolExpr(symbol, symbols, sum.getContext()); }
  bool isSummed(const llvm::SmallBitVector &used) {
    return used.any() && unsigned(used.find_last()) >= formula.getNumOutputIndices();
  }

  ReduceOp sum;
  FormulaOpInterface formula;
  double scale = 1.0;
  unsigned windows = 0; ///< the factor that is read beside its tensor
  AtOp at;
  BlockArgument other;
  SmallVector<AffineExpr> places; ///< in each dimension of the input, of the sum's indices
  SmallVector<CopyDim> dims;
  SmallVector<AffineExpr> sources; ///< the places, of the copy's dimensions
  SmallVector<StringRef> symbols;
};

} // namespace

/// An element that a computed place gives, times one of an input.
bool WindowFramer::matchFactors() {
  if (sum.getKind() != ReduceKind::Sum || sum.getPredicate().empty() ||
      !getComputeTypeOf(sum->getResult(0)).isF32())
    return false;
  SmallVector<Value> factors;
  collectFactors(sum.getBody().front().getTerminator()->getOperand(0), factors, scale);
  if (factors.size() != 2)
    return false;
  windows = factors[0].getDefiningOp<AtOp>() ? 0 : 1;
  at = factors[windows].getDefiningOp<AtOp>();
  other = dyn_cast<BlockArgument>(factors[1 - windows]);
  return at && other && other.getOwner() == &sum.getBody().front() && areShared();
}

/// Both depend on all that is summed over.
bool WindowFramer::areShared() {
  llvm::SmallBitVector both = getDependence(formula, at.getResult());
  both &= getDependence(formula, other);
  for (unsigned i = formula.getNumOutputIndices(); i != formula.getNumIndices(); ++i)
    if (!both.test(i) && formula.getIndexAttr(i).getExtent() != 1)
      return false;
  return true;
}

AffineExpr WindowFramer::addDim(IndexAttr index, AffineExpr place, bool isFrame) {
  SmallVector<IndexAttr> taken =
      llvm::map_to_vector(dims, [](const CopyDim &dim) { return dim.index; });
  dims.push_back({withFreeName(index, taken), place, isFrame});
  return getAffineDimExpr(dims.size() - 1, sum.getContext());
}

/// As it is; a dimension for each index that counts it, if several do, and nothing else.
void WindowFramer::addInside(AffineExpr place, IndexAttr whole) {
  llvm::SmallBitVector used = getUsedIndices(place, formula.getNumIndices());
  bool isCounted =
      used.count() > 1 && llvm::all_of(places, [&](AffineExpr other) {
        return other == place || !getUsedIndices(other, formula.getNumIndices()).anyCommon(used);
      });
  if (!isCounted) {
    sources.push_back(addDim(whole, place, /*isFrame=*/false));
    return;
  }
  SmallVector<AffineExpr> now(formula.getNumIndices());
  for (unsigned i : used.set_bits())
    now[i] = addDim(formula.getIndexAttr(i), getAffineDimExpr(i, sum.getContext()), false);
  sources.push_back(place.replaceDims(now));
}

/// From the first place to the last.
bool WindowFramer::addFrame(AffineExpr place, StringRef name) {
  SmallVector<IndexAttr> indices = formula.getIndexList();
  std::optional<int64_t> least = getMinimum(place, indices), most = getMinimum(-place, indices);
  if (!least || !most)
    return false;
  auto index = IndexAttr::get(sum.getContext(), name, "", -*most - *least + 1, /*dynamic=*/false);
  sources.push_back(addDim(index, place - *least, /*isFrame=*/true) + *least);
  return true;
}

bool WindowFramer::matchPlaces() {
  auto type = dyn_cast<RankedTensorType>(at.getSource().getType());
  if (!type)
    return false;
  for (Value coordinate : at.getCoordinates())
    places.push_back(getAffineExpr(coordinate));
  if (llvm::is_contained(places, AffineExpr()))
    return false;
  SmallVector<IndexAttr> indices = formula.getIndexList(), whole = getIndicesOf(type);
  for (auto [i, place] : llvm::enumerate(places))
    if (isProvenInRange(place, indices, type, i))
      addInside(place, whole[i]);
    else if (!addFrame(place, whole[i].getName()))
      return false;
  return llvm::any_of(dims, [](const CopyDim &dim) { return dim.isFrame; });
}

/// Whether it holds for all places inside the input: what it leaves out would add zeros.
bool WindowFramer::isInside(Conjunct conjunct) {
  AffineExpr margin = getMargin(conjunct, [&](SizeOp size) { return getSize(size.getSymbol()); });
  if (!margin)
    return false;
  auto type = cast<RankedTensorType>(at.getSource().getType());
  for (auto [i, place] : llvm::enumerate(places)) {
    AffineExpr size = type.isDynamicDim(i)
                          ? getSize(getSymbol(type, i))
                          : getAffineConstantExpr(type.getDimSize(i), sum.getContext());
    for (AffineExpr inside : {place, size - 1 - place}) {
      AffineExpr rest =
          simplifyAffineExpr(margin - inside, formula.getNumIndices(), symbols.size());
      if (isNonNegative(rest))
        return true;
    }
  }
  return false;
}

bool WindowFramer::areInside() {
  SmallVector<Conjunct> conjuncts;
  Value guard = sum.getPredicate().front().getTerminator()->getOperand(0);
  collectConjuncts(guard, /*negated=*/false, conjuncts);
  return llvm::all_of(conjuncts, [&](Conjunct conjunct) { return isInside(conjunct); });
}

/// A cache has the rows of other calls beside it, so that a model that generates keeps what its
/// steps are derived from.
bool WindowFramer::isWorthIt(bool generates) {
  SmallVector<IndexAttr> indices;
  bool isOfBound = false;
  for (const CopyDim &dim : dims) {
    indices.push_back(dim.index);
    for (unsigned i = 0; dim.isFrame && i != formula.getNumIndices(); ++i)
      isOfBound |= dim.place.isFunctionOfDim(i) && formula.getIndexAttr(i).getDynamic();
  }
  if (isOfBound && generates)
    return false;
  auto all = llvm::to_vector(llvm::seq(unsigned(indices.size())));
  int64_t elements = getBoundProduct(getIndexArray(sum.getContext(), indices), all);
  int64_t terms =
      getBoundProduct(sum.getIndices(), llvm::to_vector(llvm::seq(0u, formula.getNumIndices())));
  return terms / elements >= (isOfBound ? kLeastTermsOfBound : kLeastTerms);
}

/// Of a product, what numbers its matrices comes first: the rest of a window is one run then.
SmallVector<unsigned> WindowFramer::getOrder() {
  llvm::SmallBitVector rows = getDependence(formula, at.getResult());
  llvm::SmallBitVector columns = getDependence(formula, other);
  SmallVector<unsigned> order, others;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    llvm::SmallBitVector used = getUsedIndices(dim.place, formula.getNumIndices());
    bool isOfMatrices = used.any() && !isSummed(used) && !used.test(columns);
    (isOfMatrices ? order : others).push_back(i);
  }
  columns.reset(rows);
  if (columns.none()) // no product
    return llvm::to_vector(llvm::seq(unsigned(dims.size())));
  llvm::append_range(order, others);
  return order;
}

/// The input with zeros around it.
MapOp WindowFramer::buildFrame(OpBuilder &builder, ArrayRef<unsigned> order) {
  SmallVector<IndexAttr> indices;
  for (unsigned dim : order)
    indices.push_back(dims[dim].index);
  ElementWriter writer(builder, at.getLoc(), indices);
  SmallVector<AffineExpr> now(dims.size());
  for (auto [i, dim] : llvm::enumerate(order))
    now[dim] = builder.getAffineDimExpr(i);
  IndexValues identity = getIdentityIndices(builder.getContext(), dims.size());
  SmallVector<Value> coordinates;
  for (AffineExpr source : sources)
    coordinates.push_back(
        emitAffine(writer.getBody(), at.getLoc(), source.replaceDims(now), identity));
  Value element = AtOp::create(writer.getBody(), at.getLoc(), at.getType(), at.getSource(),
                               coordinates, /*inbounds=*/false);
  auto type = cast<RankedTensorType>(at.getSource().getType());
  MapOp frame = writer.buildMap(getTensorType(indices, type.getElementType()), element);
  if (StringAttr label = attrs::Label::get(sum))
    attrs::Label::set(frame, (label.getValue() + ".frame").str());
  return frame;
}

bool WindowFramer::run(bool generates) {
  if (!matchFactors() || !matchPlaces() || !areInside() || !isWorthIt(generates))
    return false;
  OpBuilder builder(sum);
  SmallVector<unsigned> order = getOrder();
  SmallVector<Value> factors(2, sum.getInputs()[other.getArgNumber()]);
  SmallVector<AffineMap> maps(2, formula.getInputMap(other.getArgNumber()));
  factors[windows] = buildFrame(builder, order).getResult();
  maps[windows] = AffineMap::get(
      formula.getNumIndices(), 0,
      llvm::map_to_vector(order, [&](unsigned dim) { return dims[dim].place; }), sum.getContext());
  auto product =
      ContractOp::create(builder, sum.getLoc(), sum->getResult(0).getType(), factors, Value(),
                         sum.getIndices(), builder.getAffineMapArrayAttr(maps), ArrayAttr(),
                         builder.getF64FloatAttr(scale), UnitAttr(), UnitAttr());
  copyLabel(sum, product);
  sum.replaceAllUsesWith(product);
  sum.erase();
  return true;
}

namespace {
class FrameWindowsPass : public weft::impl::FrameWindowsPassBase<FrameWindowsPass> {
public:
  using FrameWindowsPassBase::FrameWindowsPassBase;

  void runOnOperation() override {
    bool generating = generates(getOperation());
    SmallVector<ReduceOp> sums;
    getOperation().walk([&](ReduceOp op) { sums.push_back(op); });
    for (ReduceOp sum : sums)
      if (WindowFramer(sum).run(generating))
        ++numFramed;
  }
};
} // namespace
