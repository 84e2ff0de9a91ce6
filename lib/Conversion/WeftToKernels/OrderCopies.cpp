//===- OrderCopies.cpp - rows that are copied in the order in which they lie ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of a convolution of channels that lie side by side, `sum(c, u) x[2 * t + u, c] * w[n, c, u]`, a
// window in the weight's order, the three u last, is gathered element by element. Panels may have
// what is summed over in any order, so the window is stored as it is read, c last.
//
//===----------------------------------------------------------------------------------------===//

#include "LayoutChooser.h"
#include "ProductLayout.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"

namespace weft {
#define GEN_PASS_DEF_ORDERCOPIES
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

struct OrderCopiesPass : weft::impl::OrderCopiesBase<OrderCopiesPass> {
  void runOnOperation() override {
    TensorClasses classes(getOperation());
    getOperation().walk([&](MapOp op) {
      std::optional<unsigned> dims = countReduced(op, classes);
      if (dims && *dims > 1)
        order(op, *dims);
    });
  }

private:
  static std::optional<unsigned> countReduced(MapOp op, const TensorClasses &classes);
  void order(MapOp op, unsigned dims);
};

} // namespace

/// Codes that share a factor or a word with others of their row lie in the checkpoint's order.
static bool isOrdered(Value weight, const TensorClasses &classes) {
  return llvm::any_of(classes.getMembers(classes.classOf(weight)), [](Value value) {
    auto op = value.getDefiningOp<WeightOp>();
    std::optional<CodedAttr> coded = op ? op.getCoded() : std::nullopt;
    return coded &&
           (coded->getPart() != CodePart::Codes || coded->getBits() != 8 || coded->getNarrow());
  });
}

/// How many dimensions a product sums over, the last ones, if it reads the tensor as rows and a
/// weight that can lie in panels as columns.
static std::optional<unsigned> countReducedBy(OpOperand &use, const TensorClasses &classes) {
  auto op = dyn_cast<ContractOp>(use.getOwner());
  std::optional<Product> product = op ? chooseColumns(op) : std::nullopt;
  if (!product || product->getRows() != use.getOperandNumber())
    return std::nullopt;
  Value weight = op.getInputs()[product->columns];
  AffineMap map = FormulaOpInterface(op).getInputMap(product->getRows());
  if (!classes.isWeight(weight) || isOrdered(weight, classes) ||
      !getPanels(op, *product, /*nr=*/1) || !map.isProjectedPermutation())
    return std::nullopt;
  auto isReduced = [&](AffineExpr expr) {
    return llvm::is_contained(product->k, cast<AffineDimExpr>(expr).getPosition());
  };
  size_t count = llvm::count_if(map.getResults(), isReduced);
  return llvm::all_of(map.getResults().take_back(count), isReduced) ? std::optional(count)
                                                                    : std::nullopt;
}

/// The same of all who read the map.
std::optional<unsigned> OrderCopiesPass::countReduced(MapOp op, const TensorClasses &classes) {
  std::optional<unsigned> count;
  for (OpOperand &use : op->getResult(0).getUses()) {
    std::optional<unsigned> own = countReducedBy(use, classes);
    if (!own || (count && *count != *own))
      return std::nullopt;
    count = own;
  }
  return count;
}

/// Whether a number in the region of a map differs for other values of the index.
static bool dependsOn(MapOp map, Value value, unsigned index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() != map ||
           FormulaOpInterface(map).getInputMap(argument.getArgNumber()).isFunctionOfDim(index);
  Operation *op = value.getDefiningOp();
  if (auto position = dyn_cast<weft::IndexOp>(op))
    return position.getPosition() == index;
  return op->getNumRegions() > 0 ||
         (map->isAncestor(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
            return dependsOn(map, operand, index);
          }));
}

/// Whether the element that is read where the region says so, within a guard, lies beside those of
/// the neighbouring values of the index.
static bool liesAlong(MapOp map, AtOp at, unsigned index) {
  auto last = at.getCoordinates().empty()
                  ? weft::IndexOp()
                  : at.getCoordinates().back().getDefiningOp<weft::IndexOp>();
  return last && last.getPosition() == index && !getLayout(at.getSource().getType()) &&
         llvm::none_of(at.getCoordinates().drop_back(),
                       [&](Value other) { return dependsOn(map, other, index); });
}

/// What is read in runs along the index.
static unsigned countRuns(MapOp map, unsigned index) {
  FormulaOpInterface op = map;
  unsigned count = llvm::count_if(llvm::seq<unsigned>(0, op.getInputs().size()), [&](unsigned i) {
    auto type = cast<ShapedType>(op.getInputs()[i].getType());
    return movesAlong(op.getInputMap(i), type, index) &&
           isContiguous(op.getInputMap(i), type, index);
  });
  map->walk([&](AtOp at) { count += liesAlong(map, at, index); });
  return count;
}

/// The dimension along which most of what is read lies goes last, if it is longer than the one that
/// is there.
void OrderCopiesPass::order(MapOp op, unsigned dims) {
  FormulaOpInterface formula = op;
  AffineMap stored = formula.getOutputIndexingMap();
  unsigned rank = stored.getNumResults(), best = rank - 1;
  auto getSize = [&](unsigned dim) {
    return formula.getIndexAttr(stored.getDimPosition(dim)).getSize();
  };
  for (unsigned dim = rank - dims; dim != rank; ++dim)
    if (getSize(dim) > getSize(best) &&
        countRuns(op, stored.getDimPosition(dim)) > countRuns(op, stored.getDimPosition(best)))
      best = dim;
  if (best == rank - 1)
    return;
  DimensionOrder order = llvm::to_vector(llvm::seq(0u, rank));
  order.erase(order.begin() + best);
  order.push_back(best);
  permuteValue(op->getResult(0), order);
  ++numOrdered;
}
