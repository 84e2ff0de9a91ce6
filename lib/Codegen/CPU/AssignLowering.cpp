//===- AssignLowering.cpp - choose how every kernel becomes loops ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ReductionPlan.h"

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Dialect/Weft/IR/Product.h"

#include "mlir/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_ASSIGNLOWERING
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Queries and keys of an attention that are packed together; fewer where rows are long.
static constexpr int64_t kQueryBlock = 128, kKeyBlock = 128;

namespace {

struct AssignLoweringPass : weft::impl::AssignLoweringBase<AssignLoweringPass> {
  using AssignLoweringBase::AssignLoweringBase;

  void runOnOperation() override {
    getOperation().walk([&](func::FuncOp function) {
      if (!attrs::Kernel::isOn(function))
        return;
      for (Operation &op : function.getBody().front())
        if (isa<FormulaOpInterface, CheckOp>(op) && !attrs::Lowering::isOn(&op))
          attrs::Lowering::set(&op, choose(&op));
    });
  }

private:
  /// Rows of a register tile two vectors wide: with the two vectors and a broadcast they fill
  /// the registers. 8 of 32 registers is as fast as more and divides most sizes.
  int64_t tileRows() { return width == 1 ? 1 : registers >= 32 ? 8 : 6; }
  /// Steps of k for which a panel and the rows of a tile take a third of the second cache.
  int64_t blockK(int64_t panel) { return l2 / 3 / (panel * 4 + 4); }

  LoweringAttr choose(Operation *op) {
    StringRef emitter = op->getName().stripDialect();
    SmallVector<int64_t> tile;
    auto contract = dyn_cast<ContractOp>(op);
    if (std::optional<int64_t> panel = contract ? getPanelWidth(contract, width) : std::nullopt) {
      emitter = "gemm";
      tile = {tileRows(), *panel, blockK(*panel)};
    } else if (isa<AttentionOp>(op)) {
      tile = {kQueryBlock / tileRows() * tileRows(), kKeyBlock, tileRows()};
    } else if (isa<ReduceOp, ContractOp>(op)) {
      if (int64_t results = chooseReductionTile(cast<FormulaOpInterface>(op), width, registers);
          results > 1)
        tile = {results};
    }
    bool parallel = threads != 1 && !isa<CheckOp>(op);
    return LoweringAttr::get(&getContext(), emitter, width, tile, parallel);
  }
};

} // namespace
