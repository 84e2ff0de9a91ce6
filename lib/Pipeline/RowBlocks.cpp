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

/// The map that makes all of the result; null if there is more to it.
static MapOp findMap(func::FuncOp function) {
  Block &block = function.getBody().front();
  auto map = dyn_cast<MapOp>(block.front());
  bool isAll = map && std::next(block.begin(), 1)->hasTrait<OpTrait::IsTerminator>();
  if (!isAll || map.getIndices().size() != 2)
    return {};
  bool dependsOnRow = false;
  map.getOperation()->walk([&](Operation *op) {
    if (auto index = dyn_cast<IndexOp>(op))
      dependsOnRow |= index.getPosition() == 0;
    dependsOnRow |= isa<AtOp>(op); // which may read anything
  });
  return dependsOnRow ? MapOp() : map;
}

/// By how many elements what `map` reads of a tensor lies further on `rows` rows on, if that is the
/// same everywhere.
static std::optional<int64_t> findDistance(AffineMap map, ArrayRef<int64_t> shape, int64_t rows) {
  MLIRContext *context = map.getContext();
  AffineExpr place = getAffineConstantExpr(0, context);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
    place = place * size + expr;
  AffineExpr later =
      place.replace(getAffineDimExpr(0, context), getAffineDimExpr(0, context) + rows);
  AffineExpr difference = simplifyAffineExpr(later - place, map.getNumDims(), 0);
  auto constant = dyn_cast<AffineConstantExpr>(difference);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// The distances of all arguments; nothing if one has none, or two.
static std::optional<SmallVector<int64_t>> findDistances(func::FuncOp function, MapOp map,
                                                         int64_t rows) {
  SmallVector<std::optional<int64_t>> found(function.getNumArguments());
  for (auto [operand, access] :
       llvm::zip_equal(map.getInputs(), map.getMaps().getAsValueRange<AffineMapAttr>())) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument)
      return std::nullopt;
    auto type = cast<RankedTensorType>(operand.getType());
    std::optional<int64_t> distance = findDistance(access, type.getShape(), rows);
    std::optional<int64_t> &known = found[argument.getArgNumber()];
    if (!distance || (known && known != distance))
      return std::nullopt;
    known = distance;
  }
  return llvm::map_to_vector(found, [](std::optional<int64_t> one) { return one.value_or(0); });
}

static void computeFewer(func::FuncOp function, MapOp map, int64_t rows) {
  SmallVector<Attribute> indices(map.getIndices().getValue());
  auto row = cast<IndexAttr>(indices.front());
  indices.front() = IndexAttr::get(row.getContext(), row.getName(), "", rows, false);
  map.setIndicesAttr(ArrayAttr::get(map.getContext(), indices));
  auto type = cast<RankedTensorType>(map->getResult(0).getType());
  auto fewer = RankedTensorType::get({rows, type.getDimSize(1)}, type.getElementType());
  map->getResult(0).setType(fewer);
  function.setType(FunctionType::get(map.getContext(), function.getArgumentTypes(), {fewer}));
}

RowBlocks weft::splitRows(func::FuncOp function, int64_t elements) {
  auto type = cast<RankedTensorType>(function.getResultTypes().front());
  int64_t rows = type.getDimSize(0), limit = std::max<int64_t>(1, elements / type.getDimSize(1));
  MapOp map = findMap(function);
  for (int64_t few = std::min(rows - 1, limit); map && few >= 1; --few) {
    std::optional<SmallVector<int64_t>> distances;
    if (rows % few == 0)
      distances = findDistances(function, map, few);
    if (!distances)
      continue;
    computeFewer(function, map, few);
    return {few, *distances};
  }
  return {rows, SmallVector<int64_t>(function.getNumArguments(), 0)};
}
