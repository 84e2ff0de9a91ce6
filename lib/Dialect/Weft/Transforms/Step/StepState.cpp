//===- StepState.cpp - the state that a function of a step reads and extends ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepState.h"

#include "weft/Dialect/Weft/IR/CopyFormula.h"

using namespace mlir;
using namespace weft;

/// What a report calls the part of the state that holds `value`.
static std::string labelOf(Value value) {
  if (Operation *def = value.getDefiningOp()) {
    auto label = attrs::Label::get(def);
    return label ? label.str() : "layer";
  }
  auto argument = cast<BlockArgument>(value);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = attrs::Name::getArg(function, argument.getArgNumber());
  return name ? name.str() : "input";
}

Value StepState::addPart(const StateTensor &part, Location loc) {
  result.parts.push_back(part);
  return result.function.getBody().addArgument(part.type, loc);
}

Value StepState::takeKept(Value original) {
  return addPart({types.getKept(original.getType()), labelOf(original), /*isCache=*/false},
                 original.getLoc());
}

SmallVector<Value> StepState::takeParts(const StepFunction &callee, Location loc) {
  return llvm::map_to_vector(callee.parts,
                             [&](const StateTensor &part) { return addPart(part, loc); });
}

/// The rows as their cache stores them: the positions first, of the other dimensions `sizes` values
/// from `bases` on.
Value StepState::orderRows(Value rows, unsigned rowDim, ArrayRef<int64_t> bases,
                           ArrayRef<int64_t> sizes, StringRef label) {
  auto type = cast<RankedTensorType>(rows.getType());
  if (rowDim == 0 && type.getShape().drop_front() == sizes.drop_front())
    return rows;
  MLIRContext *context = builder.getContext();
  SmallVector<IndexAttr> given = getIndicesOf(type), indices = {given[rowDim]};
  SmallVector<AffineExpr> coordinates(type.getRank(), getAffineDimExpr(0, context));
  for (unsigned i = 0; i != type.getRank(); ++i) {
    if (i == rowDim)
      continue;
    coordinates[i] = getAffineDimExpr(indices.size(), context) + bases[i];
    indices.push_back(IndexAttr::get(context, given[i].getName(), "", sizes[i], /*dynamic=*/false));
  }
  auto map = AffineMap::get(indices.size(), 0, coordinates, context);
  MapOp move = createCopy(builder, rows.getLoc(), rows, indices, map);
  attrs::Label::set(move, label + ".rows");
  return move.getResult();
}

/// Dimensions that are read at constants only keep those values: of one tensor of queries, keys and
/// values, the keys and the values.
void StepState::append(Value original, TensorForms &forms) {
  auto type = cast<RankedTensorType>(original.getType());
  unsigned rowDim = types.getPositions().getDims(type).front();
  ArrayRef<ReadRange> extents = plan.extents.find(original)->second;
  SmallVector<int64_t> sizes;
  forms.bases.clear();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    forms.bases.push_back(i == rowDim ? 0 : extent.first);
    sizes.push_back(i == rowDim ? getBound(type, i) : extent.last - extent.first + 1);
  }
  std::string label = labelOf(original);
  Value rows = orderRows(forms.rows, rowDim, forms.bases, sizes, label);
  std::rotate(sizes.begin(), sizes.begin() + rowDim, sizes.begin() + rowDim + 1);
  auto cacheType = RankedTensorType::get(sizes, type.getElementType());
  Value cache = addPart({cacheType, label, /*isCache=*/true, plan.getDemand(original).reach},
                        original.getLoc());
  forms.full = AppendOp::create(builder, original.getLoc(), cacheType, rows, cache,
                                types.getPositions().getSymbol());
  forms.isCache = true;
  appended.push_back(forms.full);
}
