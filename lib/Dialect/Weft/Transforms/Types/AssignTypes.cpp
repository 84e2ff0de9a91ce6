//===- AssignTypes.cpp - weft-assign-types --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of factors of bf16 is exact but for its sums, so in which type something is computed is
// the type that its factors are stored in: interpreter, kernels and whoever reads the module see
// one rounding, where the tensor is made. Types are those of classes of tensors, across calls and
// from the rows that a step makes to the cache that keeps them.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/FactorTypes.h"
#include "Types/Readers.h"
#include "Types/SplitProducts.h"
#include "Types/StoreWeights.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"
#include "weft/Support/Precision.h"

namespace weft {
#define GEN_PASS_DEF_ASSIGNTYPESPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

class AssignTypesPass : public weft::impl::AssignTypesPassBase<AssignTypesPass> {
public:
  using AssignTypesPassBase::AssignTypesPassBase;
  void runOnOperation() override;

private:
  bool readOptions();
  Type typeOf(ElementType type) { return getStorageType(&getContext(), type); }
  /// Codes are another pass's, which multiplies what is f32 here.
  Type realOf(ElementType type) { return typeOf(infoOf(type).isReal() ? type : ElementType::F32); }
  void copyResults(const TensorClasses &classes);
  void copyWeights(const TensorClasses &classes, FactorTypes &types);
  void storeActivations(const TensorClasses &classes, FactorTypes &types);
  void storeClass(ArrayRef<Value> members, const Readers &readers, ArrayRef<Cache> caches,
                  FactorTypes &types);
  void storeCache(const Cache &cache, FactorTypes &types);
  Value copyAs(Value source, Type element);
  void readAs(OpOperand &use, Type element);
  void eraseCopies();

  Precision precision;
  DenseMap<std::pair<Value, Type>, Value> copies;
};

} // namespace

bool AssignTypesPass::readOptions() {
  precision = Precision();
  precision.forGPU = forGPU;
  std::string problem = parseStore("option store", store, precision.store);
  if (problem.empty())
    problem = precision.tensors.addAll(tensors);
  if (problem.empty() && !parseCompute(compute, precision))
    problem = "unknown type '" + compute + "' in option compute: " + computeNames() + " are known";
  std::optional<ElementType> cached = parsePrecision(cache);
  if (problem.empty() && !cached)
    problem = "unknown type '" + cache + "' in option cache: " + precisionNames() + " are known";
  precision.cache = cached.value_or(ElementType::F32);
  if (problem.empty() && precision.store.isScaled() && !hasProducts(precision.store, precision))
    problem = "there are no kernels for weights that are stored as " + storeName(precision.store) +
              " and computed in " + computeName(precision).str() + "; there are for " +
              productPairs(precision.forGPU);
  if (!problem.empty())
    getOperation().emitError() << problem;
  return problem.empty();
}

/// The tensor once more, for those who multiply it; next to where it is made.
Value AssignTypesPass::copyAs(Value source, Type element) {
  Value &known = copies[{source, element}];
  if (known)
    return known;
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(source);
  auto type = cast<RankedTensorType>(source.getType());
  MapOp copy = createCopy(builder, source.getLoc(), source, getIndicesOf(type),
                          builder.getMultiDimIdentityMap(type.getRank()), {}, element);
  ++numCopies;
  return known = copy.getResult();
}

void AssignTypesPass::readAs(OpOperand &use, Type element) {
  if (element != elementOf(use.get()))
    use.set(copyAs(use.get(), element));
}

/// A cache that is read as a whole, for a copy, has no window: what that forgets is not there.
static void keepWhole(ArrayRef<Value> cache) {
  for (Value value : cache)
    if (auto argument = dyn_cast<BlockArgument>(value))
      attrs::Window::removeArg(cast<func::FuncOp>(argument.getOwner()->getParentOp()),
                               argument.getArgNumber());
}

/// A cache whose rows have readers of their own, which want all of the numbers: rows are rounded
/// where the cache takes them, in place of all that it holds in each step.
void AssignTypesPass::storeCache(const Cache &cache, FactorTypes &types) {
  Readers readers;
  readers.add(cache.members, types);
  if (readers.factors.empty())
    return;
  Type wanted = readers.getWanted(types);
  if (!wanted || llvm::any_of(cache.members, isFixed))
    return keepWhole(cache.members);
  setElementType(cache.members, wanted);
  ++numTensors;
  for (AppendOp op : cache.appends)
    readAs(op.getRowsMutable(), wanted);
}

void AssignTypesPass::storeClass(ArrayRef<Value> members, const Readers &readers,
                                 ArrayRef<Cache> caches, FactorTypes &types) {
  Type wanted = readers.getWanted(types);
  if (wanted && !wanted.isF32() && llvm::none_of(members, isFixed)) {
    setElementType(members, wanted);
    ++numTensors;
  } else {
    for (const Cache &cache : caches)
      storeCache(cache, types);
  }
  for (OpOperand *use : readers.factors)
    readAs(*use, types.getWanted(*use));
}

/// Results that are weights keep their type, whatever the weight is stored as.
void AssignTypesPass::copyResults(const TensorClasses &classes) {
  getOperation().walk([&](func::ReturnOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    for (OpOperand &use : op->getOpOperands())
      if (isFixedResult(use) && classes.isWeight(use.get()))
        readAs(use, cast<RankedTensorType>(function.getResultTypes()[use.getOperandNumber()])
                        .getElementType());
  });
}

/// Queries, keys and values that are weights, as learned ones are, are read in the type of others.
void AssignTypesPass::copyWeights(const TensorClasses &classes, FactorTypes &types) {
  getOperation().walk([&](AttentionOp op) {
    for (OpOperand &use : op->getOpOperands())
      if (Type type = types.getWanted(use); type && classes.isWeight(use.get()))
        readAs(use, type);
  });
}

void AssignTypesPass::storeActivations(const TensorClasses &classes, FactorTypes &types) {
  // New rows lie in their cache, which is stored as its readers want: the whole model, which has
  // none, rounds nothing else.
  llvm::IntEqClasses joined(classes.size());
  getOperation().walk([&](AppendOp op) {
    unsigned cache = classes.classOf(op.getCache());
    joined.join(classes.classOf(op.getRows()), cache);
    joined.join(classes.classOf(op.getResult()), cache);
  });
  joined.compress();
  SmallVector<SmallVector<Value>> members(joined.getNumClasses());
  SmallVector<Readers> readers(joined.getNumClasses());
  for (unsigned id = 0; id != classes.size(); ++id) {
    if (classes.isWeight(id) || !elementOf(classes.getMembers(id).front()).isF32())
      continue;
    llvm::append_range(members[joined[id]], classes.getMembers(id));
    readers[joined[id]].add(classes.getMembers(id), types);
  }
  SmallVector<SmallVector<Cache>> caches(joined.getNumClasses());
  for (Cache &cache : findCaches(getOperation(), classes))
    caches[joined[classes.classOf(cache.members.front())]].push_back(std::move(cache));
  // Those that are copied behind the copies: keys and values that are copied to their cache from
  // among queries are stored as all of these are multiplied.
  for (bool areCopied : {false, true})
    for (auto [tensors, uses, kept] : llvm::zip(members, readers, caches))
      if (!tensors.empty() && areCopied != uses.copies.empty())
        storeClass(tensors, uses, kept, types);
}

/// Of tensors that are stored now as their copies are: a result that the caller wants in fewer
/// bits.
void AssignTypesPass::eraseCopies() {
  getOperation().walk([](MapOp op) {
    if (!isCopy(op) || !op.getInputMap(0).isIdentity() || !op.getOutputIndexingMap().isIdentity())
      return;
    Value source = op.getInputs()[0];
    Type type = op.getResult().getType();
    if (isa<BlockArgument>(source) || source.getType() != type || elementOf(source).isF32())
      return;
    op.getResult().replaceAllUsesWith(source);
    op.erase();
  });
}

void AssignTypesPass::runOnOperation() {
  if (!readOptions())
    return signalPassFailure();
  copies.clear();
  ModuleOp module = getOperation();
  bool isReal = infoOf(precision.compute).isReal() && precision.compute != ElementType::F32;
  TensorClasses classes(module);
  FactorTypes types(classes, realOf(precision.compute),
                    realOf(isReal && !generates(module) ? precision.compute : precision.cache));
  FailureOr<unsigned> stored = storeWeights(precision, classes, types);
  if (failed(stored))
    return signalPassFailure();
  numWeights += *stored;
  copyResults(classes);
  copyWeights(classes, types);
  storeActivations(classes, types);
  if (precision.parts > 1)
    numSplit += splitProducts(module, classes, types, precision.parts);
  eraseCopies();
  updateFunctionTypes(module);
}
