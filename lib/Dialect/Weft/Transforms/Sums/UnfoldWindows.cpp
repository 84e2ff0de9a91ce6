//===- UnfoldWindows.cpp - weft-unfold-windows ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a result sums up of a picture or a series is a window, which lies in many places and is read
// again for each column of the other factor. As a row of its own it is read once, and the sum is a
// product of matrices in every type.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_UNFOLDWINDOWSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Rows take at most so many times what they are read from: windows may overlap a little, and much
/// where a unit multiplies nothing else.
static constexpr int64_t kMostCopies = 2, kMostCopiesForUnits = 64;
/// Columns below which a row is used too rarely.
static constexpr int64_t kLeastWindowColumns = 8;

namespace {

class WindowUnfolder {
public:
  WindowUnfolder(ContractOp op, unsigned rows) : op(op), formula(op), rows(rows) {
    for (unsigned i = 0; i != formula.getNumIndices(); ++i)
      if (readsBy(rows, i))
        used.push_back(i);
      else if (readsBy(1 - rows, i))
        columns.push_back(i);
  }

  /// `inPairs`: of factors of bf16, whose neighbours along k units multiply.
  bool run(bool inPairs);

private:
  int64_t sizeOf(unsigned i) { return formula.getIndexAttr(i).getSize(); }
  bool readsBy(unsigned input, unsigned i) { return formula.getInputMap(input).isFunctionOfDim(i); }

  bool isProduct();
  bool hasWindows();
  bool isShort(int64_t mostCopies);
  bool isForUnits();
  bool isOneRun();

  ContractOp op;
  FormulaOpInterface formula;
  unsigned rows;                 ///< the factor that is read in windows
  SmallVector<unsigned> used;    ///< indices by which it is
  SmallVector<unsigned> columns; ///< of the other factor alone
};

} // namespace

/// Whether all that is summed over is of both factors, and enough results share a row.
bool WindowUnfolder::isProduct() {
  bool areShared = llvm::all_of(op.getSummed(), [&](unsigned i) {
    return sizeOf(i) == 1 || (readsBy(0, i) && readsBy(1, i));
  });
  return areShared && !op.getChosen() &&
         getBoundProduct(op.getIndices(), columns) >= kLeastWindowColumns;
}

/// Whether a place depends on the result and on what is summed over.
bool WindowUnfolder::hasWindows() {
  return llvm::any_of(formula.getInputMap(rows).getResults(), [&](AffineExpr place) {
    bool reduced = false, kept = false;
    for (unsigned i : used)
      if (sizeOf(i) != 1 && place.isFunctionOfDim(i))
        (op.isReduced(i) ? reduced : kept) = true;
    return reduced && kept;
  });
}

/// Whether what a result sums up follows one another in memory.
bool WindowUnfolder::isOneRun() {
  SmallVector<std::pair<int64_t, int64_t>> runs; // strides and sizes
  for (unsigned i : used) {
    if (!op.isReduced(i) || sizeOf(i) == 1)
      continue;
    std::optional<int64_t> stride = getStaticStride(formula, rows, i);
    if (!stride)
      return false;
    runs.emplace_back(*stride, sizeOf(i));
  }
  llvm::sort(runs);
  int64_t expected = 1;
  for (auto [stride, size] : runs) {
    if (stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

/// Columns of a result that are the windows' get panels, which are copies as they are.
bool WindowUnfolder::isForUnits() {
  auto isPair = [](Value factor) { return getElementTypeOrSelf(factor).isBF16(); };
  bool arePairs = llvm::all_of(op.getInputs().take_front(2), isPair);
  unsigned last = formula.getNumOutputIndices() - 1;
  return arePairs && !readsBy(rows, last) && !isOneRun();
}

bool WindowUnfolder::isShort(int64_t mostCopies) {
  auto type = cast<RankedTensorType>(op.getInputs()[rows].getType());
  ArrayAttr dims = getIndexArray(op.getContext(), getIndicesOf(type));
  int64_t source = getBoundProduct(dims, llvm::to_vector(llvm::seq(unsigned(type.getRank()))));
  int64_t copy = getBoundProduct(op.getIndices(), used);
  return int64_t(llvm::divideCeil(copy, mostCopies)) <= source;
}

bool WindowUnfolder::run(bool inPairs) {
  if (!isProduct() || !hasWindows() || (inPairs && !isForUnits()) ||
      !isShort(inPairs ? kMostCopiesForUnits : kMostCopies))
    return false;
  FactorView view(formula, rows, used);
  OpBuilder builder(op);
  MapOp copy = createCopy(builder, op.getLoc(), op.getInputs()[rows], view.indices, view.source);
  if (StringAttr label = attrs::Label::get(op))
    attrs::Label::set(copy, (label.getValue() + ".windows").str());
  formula.setInputMap(rows, view.reads);
  op->setOperand(rows, copy.getResult());
  return true;
}

namespace {
class UnfoldWindowsPass : public weft::impl::UnfoldWindowsPassBase<UnfoldWindowsPass> {
public:
  using UnfoldWindowsPassBase::UnfoldWindowsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](ContractOp op) {
      if (WindowUnfolder(op, 0).run(inPairs) || WindowUnfolder(op, 1).run(inPairs))
        ++numUnfolded;
    });
  }
};
} // namespace
