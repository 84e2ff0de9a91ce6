//===- Batch.cpp - weft-batch ---------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A text is written for one example. Here it is mapped over a batch: whatever depends on a run-time
// input gets a leading index; weights and what follows from them alone stay as they are.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/BatchSize.h"
#include "weft/Dialect/Weft/Transforms/MapFunctions.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_BATCHPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

class BatchPass : public weft::impl::BatchPassBase<BatchPass> {
public:
  using BatchPassBase::BatchPassBase;
  void runOnOperation() override;

private:
  void declareSymbol();

  IndexAttr index;
};
} // namespace

std::optional<BatchSize> BatchSize::parse(StringRef text) {
  int64_t size = 0;
  if (!text.trim().getAsInteger(10, size) && size > 0)
    return BatchSize{"", size};
  auto [name, bound] = text.split("<=");
  name = name.trim();
  if (!name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
      !llvm::isDigit(name.front()) && !bound.trim().getAsInteger(10, size) && size > 0)
    return BatchSize{name.str(), size};
  return std::nullopt;
}

/// The arguments of an entry that are one for each example. Whether an input is passed is not.
static FunctionMapper::Flags getInputs(func::FuncOp entry) {
  FunctionMapper::Flags flags;
  for (unsigned i = 0, e = entry.getNumArguments(); i != e; ++i)
    flags.push_back(!attrs::Given::getArg(entry, i));
  return flags;
}

/// A batch size of run time is the first of the model's symbols.
void BatchPass::declareSymbol() {
  if (!index.getDynamic())
    return;
  SmallVector<StringAttr> names = {StringAttr::get(&getContext(), index.getDim())};
  SmallVector<int64_t> bounds = {index.getSize()};
  if (auto symbols = attrs::Symbols::get(getOperation())) {
    if (llvm::is_contained(symbols.getSymbols(), names.front())) {
      getOperation().emitError() << "the batch dimension '" << index.getDim()
                                 << "' has the name of a dimension of the model";
      return signalPassFailure();
    }
    llvm::append_range(names, symbols.getSymbols());
    llvm::append_range(bounds, symbols.getBounds());
  }
  attrs::Batch::set(getOperation(), names.front());
  attrs::Symbols::set(getOperation(), BoundsAttr::get(&getContext(), names, bounds));
}

void BatchPass::runOnOperation() {
  std::optional<BatchSize> size = BatchSize::parse(batch);
  if (!size) {
    getOperation().emitError() << "'" << batch << "' is no batch: a number or 'B <= 8' is expected";
    return signalPassFailure();
  }
  bool isFixed = size->symbol.empty();
  index =
      IndexAttr::get(&getContext(), "b", isFixed ? StringRef(kFixedBatch) : StringRef(size->symbol),
                     size->size, !isFixed);
  declareSymbol();
  FunctionMapper mapper(getOperation(), index);
  SmallVector<func::FuncOp> originals(getOperation().getOps<func::FuncOp>());
  for (func::FuncOp func : originals)
    if (!func.isPrivate() && !func.isExternal()) // what an entry returns is one for each example
      mapper.mapFunction(func, getInputs(func), /*allResults=*/true);
  numBatched += mapper.getNumMapped();
  OpPassManager eraseUncalled(ModuleOp::getOperationName()); // the versions for one example
  eraseUncalled.addPass(createSymbolDCEPass());
  if (failed(runPipeline(eraseUncalled, getOperation())))
    return signalPassFailure();
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (failed(verifySizes(func)))
      return signalPassFailure();
}
