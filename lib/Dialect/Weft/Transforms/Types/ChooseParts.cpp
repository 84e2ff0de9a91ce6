//===- ChooseParts.cpp - weft-choose-parts --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product has the same bits whatever the number of rows in a call, so it is the largest number
// that decides. A model that generates multiplies one row more often than many: it stays f32.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/SplitProducts.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_CHOOSEPARTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Parts that hold all bits of an f32.
static constexpr int kParts = 3;
/// The columns of a panel, and two steps of a unit: less is mostly filling.
static constexpr int64_t kLeastColumns = kSplitTile, kLeastDepth = 2 * kSplitTile;
/// The same of windows: parts are a copy of each, where f32 is read in its place.
static constexpr int64_t kLeastColumnsOfWindows = 512;

/// Whether rows share elements, as a place depends on the row and on what is summed over.
static bool areWindows(ContractOp op, const Product &product) {
  FormulaOpInterface formula = op;
  auto isOfAny = [&](AffineExpr place, ArrayRef<unsigned> positions) {
    return llvm::any_of(positions, [&](unsigned i) {
      return place.isFunctionOfDim(i) && formula.getIndexAttr(i).getExtent() != 1;
    });
  };
  return llvm::any_of(formula.getInputMap(product.getRows()).getResults(), [&](AffineExpr place) {
    return isOfAny(place, product.m) && isOfAny(place, product.k);
  });
}

namespace {

struct ChoosePartsPass : weft::impl::ChoosePartsPassBase<ChoosePartsPass> {
  using ChoosePartsPassBase::ChoosePartsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (generates(module))
      return;
    TensorClasses classes(module);
    Type f32 = Float32Type::get(&getContext());
    FactorTypes types(classes, /*compute=*/f32, /*attention=*/f32);
    auto wanted = [&](ContractOp op, const Product &product) {
      auto sizeOf = [&](ArrayRef<unsigned> positions) { return countOfExample(op, positions); };
      int64_t columns = areWindows(op, product) ? kLeastColumnsOfWindows : kLeastColumns;
      return sizeOf(product.m) >= rows && sizeOf(product.n) >= columns &&
             sizeOf(product.k) >= kLeastDepth;
    };
    numSplit += splitProducts(module, classes, types, kParts, wanted);
  }
};

} // namespace
