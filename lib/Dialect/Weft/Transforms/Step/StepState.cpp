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

/// The rows as their cache stores them: in its order, of the other dimensions the kept values.
Value StepState::orderRows(Value rows, unsigned rowDim, const TensorForms &forms,
                           ArrayRef<int64_t> sizes, StringRef label) {
  auto type = cast<RankedTensorType>(rows.getType());
  bool isWhole = true;
  MLIRContext *context = builder.getContext();
  SmallVector<IndexAttr> given = getIndicesOf(type), indices;
  SmallVector<AffineExpr> coordinates(type.getRank());
  for (auto [place, dim] : llvm::enumerate(forms.order)) {
    isWhole &= dim == place && (dim == rowDim || type.getDimSize(dim) == sizes[dim]);
    coordinates[dim] = getAffineDimExpr(place, context) + forms.bases[dim];
    indices.push_back(dim == rowDim ? given[dim]
                                    : IndexAttr::get(context, given[dim].getName(), "", sizes[dim],
                                                     /*dynamic=*/false));
  }
  if (isWhole)
    return rows;
  auto map = AffineMap::get(indices.size(), 0, coordinates, context);
  MapOp move = createCopy(builder, rows.getLoc(), rows, indices, map);
  attrs::Label::set(move, label + ".rows");
  return move.getResult();
}

/// Positions come first where a window of them moves along, or where a layer gets the cache.
/// Otherwise before the last dimension: so each head's keys lie one behind the other, and one query
/// reads them as fast as memory brings them.
unsigned StepState::chooseRowDim(Value original, int64_t positions) const {
  unsigned rank = cast<RankedTensorType>(original.getType()).getRank();
  bool isHandedOn = llvm::any_of(original.getUsers(), llvm::IsaPred<func::CallOp>);
  bool isFirst = rank < 3 || isHandedOn || isWindow(plan.getDemand(original).reach, positions);
  return isFirst ? 0 : rank - 2;
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
  StateTensor part{{},
                   labelOf(original),
                   /*isCache=*/true,
                   plan.getDemand(original).reach,
                   chooseRowDim(original, sizes[rowDim])};
  forms.order = getOrder(type.getRank(), rowDim, part.rowDim);
  Value rows = orderRows(forms.rows, rowDim, forms, sizes, part.label);
  part.type = RankedTensorType::get(
      llvm::map_to_vector(forms.order, [&](unsigned dim) { return sizes[dim]; }),
      type.getElementType());
  Value cache = addPart(part, original.getLoc());
  forms.full = AppendOp::create(builder, original.getLoc(), part.type, rows, cache,
                                types.getPositions().getSymbol());
  appended.push_back(forms.full);
}
