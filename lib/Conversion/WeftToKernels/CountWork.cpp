//===- CountWork.cpp - operations and bytes of a kernel ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CountWork.h"

#include "KernelCounts.h"
#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

using namespace mlir;
using namespace weft;

namespace {

class WorkCounter {
public:
  explicit WorkCounter(ArrayRef<StringRef> symbols) : symbols(symbols) {}

  WorkCount count(func::FuncOp kernel, const llvm::BitVector &weights) const;

private:
  void countElements(Operation *anchor, MutableArrayRef<Count> elements) const;
  Count getSize(StringRef symbol, int64_t bound) const {
    const auto *known = llvm::find(symbols, symbol);
    return known == symbols.end() ? Count(double(bound))
                                  : Count::ofSymbol(int32_t(known - symbols.begin()));
  }
  Count getSize(IndexAttr index) const { return getSize(index.getDim(), index.getSize()); }
  std::optional<Count> getAll(BlockArgument buffer) const;

  ArrayRef<StringRef> symbols;
};

} // namespace

/// The elements of a buffer; nothing if it is not said how many there are.
std::optional<Count> WorkCounter::getAll(BlockArgument buffer) const {
  auto function = cast<func::FuncOp>(buffer.getOwner()->getParentOp());
  auto bounds = attrs::Bounds::getArg(function, buffer.getArgNumber());
  double fixed = 1;
  Count elements = 1;
  unsigned next = 0;
  for (int64_t size : cast<ShapedType>(buffer.getType()).getShape())
    if (!ShapedType::isDynamic(size)) {
      fixed *= double(size);
    } else if (!bounds) {
      return std::nullopt;
    } else {
      elements = elements * getSize(bounds.getSymbols()[next], bounds.getBounds()[next]);
      ++next;
    }
  return elements * fixed;
}

/// Of an element as it is stored; what groups of elements share counts with each of them.
static double getStoredBits(ShapedType type) {
  LayoutAttr layout = getLayout(type);
  if (layout && layout.getNibbles() != 0)
    return 4 + 8 / double(layout.getNibbles());
  if (layout && layout.getTable() != CodeTable::None) {
    const CodeTableInfo &info = infoOf(layout.getTable());
    // Of a panel of many columns and one span.
    ScaledPanel panel{64, layout.getGroup() * std::max<int64_t>(info.span, 1), layout.getGroup(),
                      info.table};
    return 8 * double(panel.getBytes()) / double(panel.nr * panel.k);
  }
  if (layout && layout.isSplit())
    return 16 * double(layout.getParts());
  return double(getStorageBits(type.getElementType()));
}

/// Adds the elements of each argument of the kernel that the anchor reads or writes, in all ways in
/// which it does.
void WorkCounter::countElements(Operation *anchor, MutableArrayRef<Count> elements) const {
  auto formula = dyn_cast<IndexedOpInterface>(anchor);
  if (!formula)
    return;
  llvm::DenseSet<std::pair<Value, AffineMap>> known;
  auto contract = dyn_cast<ContractOp>(anchor);
  std::optional<unsigned> chosen;
  if (contract && contract.getChosen())
    chosen = contract.getChosenIndex();
  // Of the matrices that data choose, one for each choice.
  auto reads = [&](AffineMap map, unsigned position) {
    bool isChoice = chosen && map.isFunctionOfDim(*chosen) &&
                    formula.getInputMap(ContractOp::kChoice).isFunctionOfDim(position);
    return (map.isFunctionOfDim(position) && position != chosen) || isChoice;
  };
  auto note = [&](Value value, AffineMap map) {
    auto buffer = dyn_cast<BlockArgument>(value);
    if (!buffer || !isa<func::FuncOp>(buffer.getOwner()->getParentOp()) ||
        (map && !known.insert({value, map}).second))
      return;
    double fixed = 1;
    Count count = 1;
    for (auto [position, index] : llvm::enumerate(formula.getIndices().getAsRange<IndexAttr>()))
      if (map && !reads(map, position))
        continue;
      else if (index.getDynamic())
        count = count * getSize(index);
      else
        fixed *= double(index.getSize());
    Count &sum = elements[buffer.getArgNumber()];
    sum = sum + count * fixed;
  };
  for (auto [i, input] : llvm::enumerate(formula.getInputs()))
    note(input, cast<AffineMapAttr>(formula.getMaps()[i]).getValue());
  anchor->walk([&](AtOp at) { note(at.getSource(), AffineMap()); });
  auto written = dyn_cast<FormulaOpInterface>(anchor);
  for (unsigned i = 0; written && i != written.getOutputs().size(); ++i)
    note(written.getOutputs()[i], written.getOutputIndexingMap(i));
}

/// Of a product whose factors are sums of numbers of bf16, how many products of these there are:
/// those of part a of a row and b of a column with a + b below the parts of rows. 0 of others.
static int64_t countPartProducts(Operation *anchor) {
  auto op = dyn_cast<ContractOp>(anchor);
  std::optional<Product> product = op ? Product::matchPacked(op) : std::nullopt;
  LayoutAttr rows = product ? getLayout(op.getInputs()[product->getRows()].getType()) : nullptr;
  if (!rows || !rows.isSplit())
    return 0;
  int64_t parts = rows.getParts();
  int64_t products = 0;
  Type columns = getElementTypeOrSelf(op.getInputs()[product->columns]);
  for (int64_t b = 0; b != std::min(parts, getExactParts(columns)); ++b)
    products += parts - b;
  return products;
}

/// What multiplies, and how often: both factors of a unit's type, or sums of numbers of it;
/// otherwise f32.
static void setUnit(Operation *anchor, WorkCount &work) {
  if (!isa<ContractOp, AttentionOp>(anchor))
    return;
  auto inputs = cast<IndexedOpInterface>(anchor).getInputs();
  work.unit = Unit::F32;
  if (inputs.size() < 2) // an attention whose scores are no products
    return;
  auto typeOf = [&](unsigned i) { return cast<ShapedType>(inputs[i].getType()).getElementType(); };
  int64_t products = countPartProducts(anchor);
  bool isInt8 = typeOf(0).isInteger(8) || typeOf(1).isInteger(8);
  bool isBF16 = products > 0 || (typeOf(0).isBF16() && typeOf(1).isBF16());
  work.unit = isInt8 ? Unit::Int8 : isBF16 ? Unit::BF16 : Unit::F32;
  work.passes = int(std::max<int64_t>(products, 1));
}

WorkCount WorkCounter::count(func::FuncOp kernel, const llvm::BitVector &weights) const {
  WorkCount work;
  SmallVector<Count> elements(kernel.getNumArguments());
  auto addTo = [&](Count &sum) {
    return [&](double operations, ArrayAttr indices, ArrayRef<unsigned> positions) {
      Count product = 1;
      for (unsigned position : positions)
        if (auto index = cast<IndexAttr>(indices[position]); index.getDynamic())
          product = product * getSize(index);
        else
          operations *= double(index.getSize());
      sum = sum + product * operations;
    };
  };
  for (Operation &op : kernel.getBody().front()) {
    countFlops(&op, addTo(work.flops));
    countFunctions(&op, addTo(work.functions));
    countElements(&op, elements);
    setUnit(&op, work);
  }
  for (auto [buffer, count] : llvm::zip_equal(kernel.getArguments(), elements)) {
    // None is moved more than once: the others come from registers or the first cache.
    std::optional<Count> all = getAll(buffer);
    double bits = getStoredBits(cast<ShapedType>(buffer.getType()));
    Count bytes = (all ? least(count, *all) : count) * (bits / 8);
    work.bytes = work.bytes + bytes;
    if (weights[buffer.getArgNumber()])
      work.weights = work.weights + bytes;
  }
  return work;
}

WorkCount weft::countWork(func::FuncOp kernel, ArrayRef<StringRef> symbols,
                          const llvm::BitVector &weights) {
  return WorkCounter(symbols).count(kernel, weights);
}

//===----------------------------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------------------------===//

WeightArguments::WeightArguments(ModuleOp module) : functions(module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (attrs::Entry::isOn(function) && !function.isExternal())
      visit(function, llvm::BitVector(function.getNumArguments()));
}

llvm::BitVector WeightArguments::of(func::FuncOp function) const {
  auto found = known.find(function);
  return found == known.end() ? llvm::BitVector(function.getNumArguments()) : found->second;
}

/// What another call has passed is not looked at again.
void WeightArguments::visit(func::FuncOp function, const llvm::BitVector &passed) {
  auto [place, isNew] = known.try_emplace(function, passed);
  llvm::BitVector before = place->second;
  place->second |= passed;
  if ((!isNew && place->second == before) || attrs::Kernel::isOn(function))
    return;
  llvm::BitVector weights = place->second; // the map may grow
  auto isWeight = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return value.getDefiningOp<WeightOp>() || (argument && weights[argument.getArgNumber()]);
  };
  for (Operation &op : function.getBody().front()) {
    StringRef name = getFunctionOfStep(&op);
    auto called = name.empty() ? func::FuncOp() : functions.lookup<func::FuncOp>(name);
    if (!called || called.isExternal())
      continue;
    llvm::BitVector operands;
    for (Value operand : op.getOperands())
      operands.push_back(isWeight(operand));
    visit(called, operands);
  }
}
