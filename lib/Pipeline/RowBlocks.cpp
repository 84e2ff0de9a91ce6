//===- RowBlocks.cpp - matrices computed in blocks of rows ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowBlocks.h"

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace weft;

namespace {
/// The formulas of a function, and which index of each counts the rows of the result.
class RowFormulas {
public:
  explicit RowFormulas(func::FuncOp function) : function(function) {}

  /// Whether each row of a formula is made for one row of the result.
  bool find();
  /// By how many elements the arguments lie further on `rows` rows on, if that is the same
  /// everywhere.
  std::optional<SmallVector<int64_t>> findDistances(int64_t rows);
  void computeFewer(int64_t rows);

private:
  bool add(FormulaOpInterface formula);
  bool readsRow(FormulaOpInterface formula, unsigned input);

  func::FuncOp function;
  SmallVector<std::pair<FormulaOpInterface, unsigned>> formulas; ///< with the index of rows
};
} // namespace

/// What a formula reads of another one is the row that it computes.
bool RowFormulas::readsRow(FormulaOpInterface formula, unsigned input) {
  if (!formula.getInputs()[input].getDefiningOp<FormulaOpInterface>())
    return isa<BlockArgument>(formula.getInputs()[input]);
  AffineMap map = formula.getInputMap(input);
  unsigned row = formulas.back().second;
  for (auto [dim, coordinate] : llvm::enumerate(map.getResults()))
    if (dim == 0 ? coordinate != getAffineDimExpr(row, map.getContext())
                 : coordinate.isFunctionOfDim(row))
      return false;
  return map.getNumResults() != 0;
}

/// Whether the number of a row counts in other ways than by where inputs are read, or other rows
/// do.
static bool dependsOnRow(FormulaOpInterface formula, unsigned row) {
  bool depends = formula.isReduced(row);
  formula->walk([&](Operation *op) {
    if (auto index = dyn_cast<IndexOp>(op))
      depends |= index.getPosition() == row;
    // A table of weights that data choose from lies where it lies for all rows.
    auto at = dyn_cast<AtOp>(op);
    depends |= at && !isa<BlockArgument>(at.getSource());
  });
  if (auto attention = dyn_cast<AttentionOp>(formula.getOperation()))
    for (std::optional<AffineMap> bound : {attention.getKeyLower(), attention.getKeyUpper()})
      depends |= bound && bound->isFunctionOfDim(row);
  return depends;
}

bool RowFormulas::add(FormulaOpInterface formula) {
  if (formula->getNumResults() != 1)
    return false;
  AffineMap output = formula.getOutputIndexingMap();
  if (output.getNumResults() == 0)
    return false;
  unsigned row = output.getDimPosition(0);
  formulas.emplace_back(formula, row);
  auto inputs = llvm::seq<unsigned>(0, formula.getInputs().size());
  return !dependsOnRow(formula, row) &&
         llvm::all_of(inputs, [&](unsigned input) { return readsRow(formula, input); });
}

bool RowFormulas::find() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto formula = dyn_cast<FormulaOpInterface>(op);
    if (!formula || !add(formula))
      return false;
  }
  // Rows of all of them are those of the result.
  auto countRows = [](auto &one) { return one.first.getIndexAttr(one.second).getSize(); };
  return !formulas.empty() && llvm::all_equal(llvm::map_range(formulas, countRows));
}

/// By how many elements what is read through `map` lies further on `rows` values of `row` on, if
/// that is the same everywhere.
static std::optional<int64_t> findDistance(AffineMap map, ArrayRef<int64_t> shape, unsigned row,
                                           int64_t rows) {
  MLIRContext *context = map.getContext();
  AffineExpr place = getAffineConstantExpr(0, context), index = getAffineDimExpr(row, context);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
    place = place * size + expr;
  AffineExpr later = place.replace(index, index + rows);
  AffineExpr difference = simplifyAffineExpr(later - place, map.getNumDims(), 0);
  auto constant = dyn_cast<AffineConstantExpr>(difference);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

std::optional<SmallVector<int64_t>> RowFormulas::findDistances(int64_t rows) {
  SmallVector<std::optional<int64_t>> found(function.getNumArguments());
  bool isOne = true;
  auto add = [&](Value tensor, std::optional<int64_t> distance) {
    auto argument = dyn_cast<BlockArgument>(tensor);
    if (!argument)
      return;
    std::optional<int64_t> &known = found[argument.getArgNumber()];
    isOne &= distance && known.value_or(*distance) == *distance;
    known = distance;
  };
  for (auto [formula, row] : formulas) {
    for (unsigned i = 0, e = formula.getInputs().size(); i != e; ++i) {
      auto type = cast<RankedTensorType>(formula.getInputs()[i].getType());
      add(formula.getInputs()[i], findDistance(formula.getInputMap(i), type.getShape(), row, rows));
    }
    formula->walk([&](AtOp at) { add(at.getSource(), 0); });
  }
  if (!isOne)
    return std::nullopt;
  return llvm::map_to_vector(found, [](std::optional<int64_t> one) { return one.value_or(0); });
}

void RowFormulas::computeFewer(int64_t rows) {
  for (auto [formula, row] : formulas) {
    IndexAttr index = formula.getIndexAttr(row);
    formula.replaceIndex(row, IndexAttr::get(index.getContext(), index.getName(), "", rows, false));
  }
  Operation *end = function.getBody().front().getTerminator();
  function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                     end->getOperandTypes()));
}

RowBlocks weft::splitRows(func::FuncOp function, int64_t elements) {
  auto type = cast<RankedTensorType>(function.getResultTypes().front());
  int64_t all = type.getNumElements(), rows = type.getRank() ? type.getDimSize(0) : 1;
  int64_t columns = all / std::max<int64_t>(rows, 1);
  int64_t limit = elements / std::max<int64_t>(columns, 1);
  RowFormulas formulas(function);
  bool mayBeFewer = formulas.find();
  for (int64_t few = std::min(rows - 1, std::max<int64_t>(limit, 1)); mayBeFewer && few >= 1;
       --few) {
    std::optional<SmallVector<int64_t>> distances;
    if (rows % few == 0)
      distances = formulas.findDistances(few);
    if (!distances)
      continue;
    formulas.computeFewer(few);
    return {few * columns, *distances};
  }
  return {all, SmallVector<int64_t>(function.getNumArguments(), 0)};
}
