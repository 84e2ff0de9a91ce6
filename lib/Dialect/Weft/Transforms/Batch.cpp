//===- Batch.cpp - weft-batch ---------------------------------------------------------------===//
//
// A text is written for one example. Here it is mapped over a batch: whatever depends on a run-time
// input gets a leading index; weights and what follows from them alone stay as they are.
//
//===----------------------------------------------------------------------------------------===//

#include "BatchFormulas.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace weft {
#define GEN_PASS_DEF_BATCHPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
using Flags = SmallVector<bool>;

class BatchPass : public weft::impl::BatchPassBase<BatchPass> {
public:
  using BatchPassBase::BatchPassBase;
  void runOnOperation() override;

private:
  /// Reads the option: `4` or `B <= 8`.
  IndexAttr parseBatch();
  void declareSymbol();
  Flags batchFunction(func::FuncOp func, ArrayRef<bool> arguments);
  void batchCall(FormulaBatcher &batcher, func::CallOp call);
  /// The private function for calls with these batched arguments: `func`, or a copy of it.
  func::FuncOp getVariant(func::FuncOp func, const Flags &arguments);

  struct Variant {
    func::FuncOp func;
    Flags results;
  };
  IndexAttr index;
  std::map<std::pair<std::string, std::vector<bool>>, Variant> variants;
};
} // namespace

IndexAttr BatchPass::parseBatch() {
  StringRef text = StringRef(batch).trim();
  int64_t size = 0;
  if (!text.getAsInteger(10, size) && size > 0)
    return IndexAttr::get(&getContext(), "b", "", size, /*dynamic=*/false);
  auto [name, bound] = text.split("<=");
  name = name.trim();
  if (!name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
      !llvm::isDigit(name.front()) && !bound.trim().getAsInteger(10, size) && size > 0)
    return IndexAttr::get(&getContext(), "b", name, size, /*dynamic=*/true);
  return IndexAttr();
}

/// A batch size of run time is the first of the model's symbols.
void BatchPass::declareSymbol() {
  if (!index.getDynamic())
    return;
  SmallVector<StringAttr> names = {StringAttr::get(&getContext(), index.getDim())};
  SmallVector<int64_t> bounds = {index.getSize()};
  if (auto symbols = getOperation()->getAttrOfType<BoundsAttr>(attrs::kSymbols)) {
    if (llvm::is_contained(symbols.getSymbols(), names.front())) {
      getOperation().emitError() << "the batch dimension '" << index.getDim()
                                 << "' has the name of a dimension of the model";
      return signalPassFailure();
    }
    llvm::append_range(names, symbols.getSymbols());
    llvm::append_range(bounds, symbols.getBounds());
  }
  getOperation()->setAttr(kBatchSymbol, names.front());
  getOperation()->setAttr(attrs::kSymbols, BoundsAttr::get(&getContext(), names, bounds));
}

func::FuncOp BatchPass::getVariant(func::FuncOp func, const Flags &arguments) {
  SymbolTable symbols(getOperation());
  func::FuncOp copy = func.clone();
  copy.setSymName((func.getSymName() + "_batched").str());
  symbols.insert(copy, Block::iterator(func));
  Flags results = batchFunction(copy, arguments);
  std::vector<bool> key(arguments.begin(), arguments.end());
  variants[{func.getSymName().str(), key}] = {copy, results};
  return copy;
}

void BatchPass::batchCall(FormulaBatcher &batcher, func::CallOp call) {
  Flags arguments = llvm::map_to_vector<4>(
      call.getOperands(), [&](Value operand) { return batcher.isBatched(operand); });
  if (!llvm::is_contained(arguments, true))
    return;
  std::pair<std::string, std::vector<bool>> key = {
      call.getCallee().str(), std::vector<bool>(arguments.begin(), arguments.end())};
  if (!variants.count(key)) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return;
    getVariant(callee, arguments);
  }
  Variant &variant = variants[key];
  call.setCallee(variant.func.getSymName());
  for (auto [result, type, isBatched] :
       llvm::zip_equal(call.getResults(), variant.func.getResultTypes(), variant.results)) {
    result.setType(type);
    if (isBatched)
      batcher.markBatched(result);
  }
}

Flags BatchPass::batchFunction(func::FuncOp func, ArrayRef<bool> arguments) {
  FormulaBatcher batcher(index);
  for (auto [argument, isBatched] : llvm::zip_equal(func.getArguments(), arguments))
    if (isBatched) {
      argument.setType(batcher.getBatchedType(cast<RankedTensorType>(argument.getType())));
      batcher.markBatched(argument);
    }
  Flags results;
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      batchCall(batcher, call);
    } else if (isa<FormulaOpInterface, CheckOp>(op)) {
      if (!batcher.readsBatched(&op))
        continue;
      batcher.addBatchIndex(&op);
      ++numBatched;
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      OpBuilder builder(ret);
      for (OpOperand &operand : ret->getOpOperands()) {
        // What an entry returns is batched, whether it depends on its inputs or not.
        if (!func.isPrivate() && !batcher.isBatched(operand.get())) {
          operand.set(batcher.broadcast(builder, operand.get()));
          batcher.markBatched(operand.get());
        }
        results.push_back(batcher.isBatched(operand.get()));
      }
      func.setFunctionType(
          builder.getFunctionType(func.getBody().getArgumentTypes(), ret.getOperandTypes()));
    }
  }
  return results;
}

void BatchPass::runOnOperation() {
  index = parseBatch();
  if (!index) {
    getOperation().emitError() << "'" << batch << "' is no batch: a number or 'B <= 8' is expected";
    return signalPassFailure();
  }
  declareSymbol();
  SmallVector<func::FuncOp> originals(getOperation().getOps<func::FuncOp>());
  for (func::FuncOp func : originals)
    if (!func.isPrivate() && !func.isExternal())
      batchFunction(func, SmallVector<bool>(func.getNumArguments(), true));
  // The versions for one example that nothing calls any more.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func.isPrivate() && !func.isExternal() &&
          SymbolTable::symbolKnownUseEmpty(func, getOperation())) {
        func.erase();
        changed = true;
      }
  }
  variants.clear();
}
