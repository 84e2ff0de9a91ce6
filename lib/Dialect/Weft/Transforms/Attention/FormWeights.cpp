//===- FormWeights.cpp - weft-form-weights --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A softmax may be written out in one line, p = exp(z - m) / (sum(u) exp(z - m)), or with weights
// that are divided before they are summed with values. Here the exponentials of both sums become
// one formula, and what is the same for all keys moves behind the sum of values, which is linear.
//
//===----------------------------------------------------------------------------------------===//

#include "LogTotals.h"
#include "RowFactors.h"
#include "SharedExponentials.h"
#include "WeightFactors.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_FORMWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class FormWeightsPass : public weft::impl::FormWeightsPassBase<FormWeightsPass> {
public:
  using FormWeightsPassBase::FormWeightsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Block &block : getOperation().getBody()) {
      SmallVector<ReduceOp> sums(block.getOps<ReduceOp>());
      for (ReduceOp sum : sums)
        if (WeightFactors factors(sum); factors.match()) {
          factors.outline(rewriter);
          ++numOutlined;
        }
      SmallVector<MapOp> maps(block.getOps<MapOp>());
      for (MapOp map : maps)
        numDivided += divideByTotal(rewriter, map);
      numShared += shareExponentials(rewriter, block);
      maps.assign(block.op_begin<MapOp>(), block.op_end<MapOp>());
      for (MapOp map : maps)
        if (RowFactors factors(map); factors.match()) {
          factors.move(rewriter);
          ++numMoved;
        }
    }
  }
};
} // namespace
