//===- LayoutChooser.cpp - which order of dimensions tensors want ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LayoutChooser.h"
#include "ProductLayout.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

/// The indices in `expr`, in the order they are written.
static void appendIndices(AffineExpr expr, llvm::SetVector<unsigned> &indices) {
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      indices.insert(dim.getPosition());
  });
}

namespace {

class LayoutChooser {
public:
  LayoutChooser(ModuleOp module, const TensorClasses &classes)
      : module(module), classes(classes), orders(classes.size()) {}

  SmallVector<DimensionOrder> run();

private:
  void fixInterfaces();
  void orderReadBy(ContractOp op);
  void storeLast(FormulaOpInterface op, unsigned input, ArrayRef<unsigned> last);
  bool wouldSpoil(Value value, unsigned last, FormulaOpInterface reader);
  void orderWrittenBy(ContractOp op);
  bool propagate(FormulaOpInterface op, unsigned output);
  bool splitFactors(ContractOp op, unsigned &activation, unsigned &weight);
  llvm::SetVector<unsigned> indicesInStorage(FormulaOpInterface op, unsigned input);
  bool assign(Value value, ArrayRef<unsigned> order);
  bool assignOutput(FormulaOpInterface op, ArrayRef<unsigned> indices, unsigned output = 0);
  bool isAssigned(Value value) { return !orders[classes.classOf(value)].empty(); }

  ModuleOp module;
  const TensorClasses &classes;
  SmallVector<DimensionOrder> orders;
  llvm::SmallPtrSet<Operation *, 4> leftAsMade; ///< readers of what wouldSpoil() kept
};

} // namespace

static DimensionOrder identityOrder(Value value) {
  return llvm::to_vector(llvm::seq(0u, unsigned(cast<ShapedType>(value.getType()).getRank())));
}

/// Whoever reads or writes the tensor can follow a permutation.
static bool canPermute(Value value) {
  Operation *source = value.getDefiningOp();
  if (source && !isa<FormulaOpInterface, func::CallOp>(source))
    return false;
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<IndexedOpInterface, AtOp, func::CallOp, func::ReturnOp>(user);
  });
}

/// Given to an entry, or a result of one: whoever calls it knows the declared order. The state of a
/// sequence is nobody's but the entries'.
static bool isInterface(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto entry = argument ? cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (entry && attrs::Entry::isOn(entry) && !attrs::State::getArg(entry, argument.getArgNumber()))
    return true;
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
    return isa<func::ReturnOp>(use.getOwner()) && attrs::Entry::isOn(function) &&
           !attrs::State::getResult(function, use.getOperandNumber());
  });
}

void LayoutChooser::fixInterfaces() {
  for (unsigned id = 0; id != classes.size(); ++id)
    for (Value value : classes.getMembers(id))
      if (isInterface(value) || !canPermute(value))
        orders[id] = identityOrder(value);
}

bool LayoutChooser::assign(Value value, ArrayRef<unsigned> order) {
  if (isAssigned(value) || order.empty() ||
      order.size() != size_t(cast<ShapedType>(value.getType()).getRank()))
    return false;
  orders[classes.classOf(value)] = DimensionOrder(order);
  return true;
}

bool LayoutChooser::splitFactors(ContractOp op, unsigned &activation, unsigned &weight) {
  bool lhs = classes.isWeight(op.getLhs()), rhs = classes.isWeight(op.getRhs());
  activation = lhs ? 1 : 0;
  weight = lhs ? 0 : 1;
  return lhs != rhs;
}

/// The indices by which `input` is read, in the order of its chosen storage.
llvm::SetVector<unsigned> LayoutChooser::indicesInStorage(FormulaOpInterface op, unsigned input) {
  Value value = op.getInputs()[input];
  AffineMap map = op.getInputMap(input);
  const DimensionOrder &order = orders[classes.classOf(value)];
  llvm::SetVector<unsigned> indices;
  for (unsigned i = 0; i != map.getNumResults(); ++i)
    appendIndices(map.getResult(order.empty() ? i : order[i]), indices);
  return indices;
}

/// Where the value is a product of activations whose sums are no shorter than its reader's, and
/// neither factor has columns if this dimension is stored last: scores that a few heads mix.
bool LayoutChooser::wouldSpoil(Value value, unsigned last, FormulaOpInterface reader) {
  auto maker = value.getDefiningOp<ContractOp>();
  if (!maker || classes.isWeight(maker.getLhs()) || classes.isWeight(maker.getRhs()))
    return false;
  unsigned index = FormulaOpInterface(maker).getOutputIndexingMap().getDimPosition(last);
  std::optional<Product> product = chooseColumns(maker);
  if (!product || llvm::is_contained(product->n, index) || llvm::is_contained(product->m, index))
    return false;
  auto isReduced = [&](unsigned position) { return reader.isReduced(position); };
  return getBoundProduct(maker.getIndices(), product->k) >=
         getBoundProduct(reader.getIndices(),
                         llvm::filter_to_vector(llvm::seq(0u, reader.getNumIndices()), isReduced));
}

/// Stores an activation with the dimensions read by these indices last.
void LayoutChooser::storeLast(FormulaOpInterface op, unsigned input, ArrayRef<unsigned> last) {
  AffineMap map = op.getInputMap(input);
  if (!map.isProjectedPermutation())
    return;
  auto getPlace = [&](unsigned dim) {
    const auto *found = llvm::find(last, map.getDimPosition(dim));
    return found == last.end() ? std::pair(0u, dim)
                               : std::pair(unsigned(found - last.begin()) + 1, dim);
  };
  DimensionOrder order = identityOrder(op.getInputs()[input]);
  llvm::sort(order, [&](unsigned a, unsigned b) { return getPlace(a) < getPlace(b); });
  if (llvm::none_of(order, [&](unsigned dim) { return getPlace(dim).first > 0; }))
    return;
  if (wouldSpoil(op.getInputs()[input], order.back(), op))
    leftAsMade.insert(op);
  else
    assign(op.getInputs()[input], order);
}

/// Reduced dimensions last, so that rows of the matrix product lie in memory: in the weight's
/// order, or, of two activations, in the formula's.
void LayoutChooser::orderReadBy(ContractOp contract) {
  FormulaOpInterface op = contract;
  auto isReduced = [&](unsigned index) { return op.isReduced(index); };
  unsigned activation, weight;
  if (splitFactors(contract, activation, weight))
    return storeLast(op, activation,
                     llvm::filter_to_vector(indicesInStorage(op, weight), isReduced));
  // Units multiply pairs of neighbours of fewer bits; a step and the whole have the same unit,
  // wherever their rows come from.
  std::optional<Product> product = chooseColumns(contract);
  if (!product || product->chosen)
    return;
  Value rows = op.getInputs()[product->getRows()];
  if (!classes.isWeight(rows) && getElementTypeOrSelf(rows).getIntOrFloatBitWidth() < 32)
    storeLast(op, product->getRows(),
              llvm::filter_to_vector(llvm::seq(0u, op.getNumIndices()), isReduced));
}

bool LayoutChooser::assignOutput(FormulaOpInterface op, ArrayRef<unsigned> indices,
                                 unsigned output) {
  AffineMap map = op.getOutputIndexingMap(output);
  DimensionOrder order;
  for (unsigned index : indices)
    for (unsigned i = 0; i != map.getNumResults(); ++i)
      if (map.getDimPosition(i) == index)
        order.push_back(i);
  return assign(op->getResult(output), order);
}

/// The activation's rows, then the weight's columns, or these in place of what is summed over if
/// the activation is stored as its maker wants it.
void LayoutChooser::orderWrittenBy(ContractOp contract) {
  FormulaOpInterface op = contract;
  unsigned activation, weight;
  if (!splitFactors(contract, activation, weight))
    return;
  llvm::SetVector<unsigned> rows = indicesInStorage(op, activation);
  llvm::SetVector<unsigned> columns = indicesInStorage(op, weight);
  llvm::SetVector<unsigned> indices;
  for (unsigned index : rows) {
    indices.insert(index);
    if (leftAsMade.contains(op) && op.isReduced(index))
      indices.insert(columns.begin(), columns.end());
  }
  indices.insert(columns.begin(), columns.end());
  assignOutput(op, indices.getArrayRef());
}

/// An element-wise formula, or one of rows, stores its results like the operand it walks through,
/// and the reverse.
bool LayoutChooser::propagate(FormulaOpInterface op, unsigned output) {
  Value result = op->getResult(output);
  bool changed = false;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (classes.isWeight(input))
      continue;
    AffineMap inputMap = op.getInputMap(i);
    if (isAssigned(input) && !isAssigned(result)) {
      changed |= assignOutput(op, indicesInStorage(op, i).getArrayRef(), output);
    } else if (isAssigned(result) && !isAssigned(input) && inputMap.isProjectedPermutation()) {
      AffineMap outputMap = op.getOutputIndexingMap(output);
      DimensionOrder order;
      for (unsigned dim : orders[classes.classOf(result)])
        for (unsigned j = 0; j != inputMap.getNumResults(); ++j)
          if (inputMap.getResult(j) == outputMap.getResult(dim))
            order.push_back(j);
      changed |= assign(input, order);
    }
  }
  return changed;
}

SmallVector<DimensionOrder> LayoutChooser::run() {
  fixInterfaces();
  module.walk([&](ContractOp op) { orderReadBy(op); });
  module.walk([&](ContractOp op) { orderWrittenBy(op); });
  bool changed = true;
  while (changed) {
    changed = false;
    module.walk([&](FormulaOpInterface op) {
      if (isa<MapOp, RowOp>(op.getOperation()))
        for (unsigned i = 0; i != op->getNumResults(); ++i)
          changed |= propagate(op, i);
    });
  }
  return std::move(orders);
}

SmallVector<DimensionOrder> weft::chooseLayouts(ModuleOp module, const TensorClasses &classes) {
  return LayoutChooser(module, classes).run();
}
