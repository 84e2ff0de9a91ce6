//===- CodingPlanner.cpp - which weights become codes ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodingPlanner.h"

#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

/// Codes that lie side by side in panels, in four bytes.
static constexpr int64_t kSideBySide = 4;

std::optional<SmallVector<int64_t>> weft::getSummedDims(ContractOp op, unsigned input) {
  std::optional<Product> product = Product::matchAny(op, input);
  if (!product && op.getChosen()) // seen from the side of the matrices alone
    product = Product::matchAny(op, 1 - input);
  if (!product)
    return std::nullopt;
  AffineMap map = FormulaOpInterface(op).getInputMap(input);
  SmallVector<unsigned> summed(product->k);
  llvm::erase_if(summed, [&](unsigned position) { return !map.isFunctionOfDim(position); });
  return getDimsReadBy(op, input, summed);
}

bool weft::isResult(Operation *op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (!isa<func::ReturnOp>(user))
      return isa<MapOp>(user) && isResult(user);
    auto function = user->getParentOfType<func::FuncOp>();
    return attrs::Entry::isOn(function) &&
           !attrs::State::getResult(function, use.getOperandNumber());
  });
}

/// Whether codes of a table fill words.
static bool hasWholeLines(const CodeFormat &format, int64_t row) {
  return format.table == CodeTable::None ||
         ScaledPanel{1, row, format.getGroupSize(row), format.table}.hasWholeLines();
}

/// Whether data choose the row and a sum runs over it, as over an expert's: an embedding is not
/// multiplied.
static bool isSummed(AtOp op) {
  auto reduce = op->getParentOfType<ReduceOp>();
  if (!reduce || reduce.getKind() != ReduceKind::Sum)
    return false;
  unsigned first = FormulaOpInterface(reduce).getNumOutputIndices();
  bool isChosen = false, runs = false;
  for (Value coordinate : op.getCoordinates()) {
    isChosen |= bool(coordinate.getDefiningOp<arith::IndexCastOp>());
    auto index = coordinate.getDefiningOp<IndexOp>();
    runs |= index && index.getPosition() >= first;
  }
  return isChosen && runs;
}

/// Rows of tables are what they are, and what a result is lost in is not made up for by what
/// follows.
static bool isInside(OpOperand *use) {
  Operation *user = use->getOwner();
  if (auto at = dyn_cast<AtOp>(user))
    return isSummed(at) && !isResult(at->getParentOfType<ReduceOp>());
  return !isResult(user);
}

CodeFormat CodingPlanner::chooseFormat(int64_t size) const {
  bool areInside = llvm::all_of(coding.reads, isInside) && llvm::all_of(coding.products, isInside);
  bool isWhole = wanted.dividesRow(size) && hasWholeLines(wanted, size);
  if (isWhole && (areInside || isByHand || wanted.bits == 8))
    return wanted;
  return wanted.table == CodeTable::None ? CodeFormat() : CodeFormat(CodeTable::Int8, /*group=*/0);
}

std::string CodingPlanner::checkRows(int64_t size) const {
  std::string rows = "has rows of " + std::to_string(size) + ", ";
  if (coding.format.table != CodeTable::None) {
    bool isWhole = size > 0 && !coding.kept.empty() && hasWholeLines(coding.format, size);
    return isWhole ? "" : rows + "no whole words of codes";
  }
  if (size % kSideBySide != 0)
    return rows + "no multiple of " + std::to_string(kSideBySide);
  if (size > kLongestRow)
    return rows + "more than the " + std::to_string(kLongestRow) + " whose sums have 32 bits";
  return "";
}

std::string CodingPlanner::addUse(OpOperand &use) {
  if (isa<func::CallOp>(use.getOwner()))
    return "";
  if (isa<AtOp>(use.getOwner())) {
    coding.reads.push_back(&use);
    return "";
  }
  auto op = dyn_cast<ContractOp>(use.getOwner());
  unsigned input = use.getOperandNumber();
  if (!types.isProductFactor(use) || classes.isWeight(op.getInputs()[1 - input]))
    return "is no factor of a product with an activation";
  if (!types.isFactor(use) && !isByHand)
    return "makes what others are chosen by";
  auto along = getSummedDims(op, input), others = getSummedDims(op, 1 - input);
  if (!along || !others || along->size() != others->size())
    return "is summed over in parts";
  llvm::sort(*along);
  if (!coding.products.empty() && *along != coding.along)
    return "is summed over other dimensions by other products";
  coding.along = *along;
  coding.products.push_back(&use);
  return "";
}

std::string CodingPlanner::plan(ArrayRef<Value> members) {
  if (!isMatrix(members.front()))
    return "has no rows";
  for (Value value : members)
    for (OpOperand &use : value.getUses())
      if (std::string problem = addUse(use); !problem.empty())
        return problem;
  if (coding.products.empty() && coding.reads.empty())
    return "is not read";
  ArrayRef<int64_t> shape = cast<RankedTensorType>(members.front().getType()).getShape();
  if (coding.products.empty())
    coding.along = {int64_t(shape.size()) - 1}; // of a table the rows that are read
  int64_t size = 1;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (llvm::is_contained(coding.along, dim))
      size *= extent;
    else
      coding.kept.push_back(dim);
  coding.format = chooseFormat(size);
  return checkRows(size);
}
