//===- DeriveWeights.cpp - weft-derive-weights ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From callers to callees it is found out what depends on weights and constants only; from callees
// to callers such tensors move out of their functions, to become weights in the entries. A layer
// gets one more argument for each, and its callers compute what they pass, until they are entries.
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "Layers/DerivedModule.h"
#include "Layers/WeightOrigins.h"
#include "Maps/FixedFormulas.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_DERIVEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class DeriveWeightsPass : public weft::impl::DeriveWeightsPassBase<DeriveWeightsPass> {
public:
  using DeriveWeightsPassBase::DeriveWeightsPassBase;
  void runOnOperation() override;

private:
  SmallVector<Operation *> sliceOf(Value value) const;
  SmallVector<Operation *> checksOf(ArrayRef<Operation *> slice) const;
  bool isWanted(OpResult value) const;
  void moveOut(func::FuncOp function);
  void passIn(func::FuncOp function, OpResult value, ArrayRef<Operation *> slice);
  void makeWeight(OpResult value, ArrayRef<Operation *> slice);
  void eraseUnused(func::FuncOp function);

  std::optional<WeightOrigins> origins;
  std::optional<DerivedModule> derived;
};
} // namespace

/// All that it is computed by, in order: formulas and constants, no weights.
SmallVector<Operation *> DeriveWeightsPass::sliceOf(Value value) const {
  llvm::SetVector<Operation *> found;
  auto visit = [&](Value read, auto &&visit) -> void {
    Operation *op = read.getDefiningOp();
    if (!op || isa<WeightOp>(op) || !found.insert(op))
      return;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == op->getBlock())
          visit(operand, visit);
    });
  };
  visit(value, visit);
  SmallVector<Operation *> slice = found.takeVector();
  llvm::append_range(slice, checksOf(slice));
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return slice;
}

/// Conditions on weights that the slice reads: they are met when these are packed, or never.
SmallVector<Operation *> DeriveWeightsPass::checksOf(ArrayRef<Operation *> slice) const {
  llvm::SmallPtrSet<Value, 16> reads;
  for (Operation *op : slice)
    if (auto formula = dyn_cast<FormulaOpInterface>(op))
      reads.insert_range(getTensorsRead(formula));
  auto isRead = [&](Value tensor) { return reads.contains(tensor); };
  SmallVector<Operation *> checks;
  for (auto check : slice.front()->getBlock()->getOps<CheckOp>())
    if (origins->of(IndexedOpInterface(check)) != Origin::Inputs &&
        llvm::all_of(getTensorsRead(IndexedOpInterface(check)), isRead))
      checks.push_back(check);
  return checks;
}

/// Whether it is a tensor in another order, each element once at most.
static bool isArranged(OpResult value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!isCopy(value.getOwner()) || !type.hasStaticShape())
    return false;
  AffineMap map = FormulaOpInterface(value.getOwner()).getInputMap(0);
  auto isUsed = [&](int64_t i) { return map.isFunctionOfDim(unsigned(i)); };
  auto from = cast<RankedTensorType>(value.getOwner()->getOperand(0).getType());
  return !map.isIdentity() && llvm::all_of(llvm::seq(type.getRank()), isUsed) &&
         from.hasStaticShape() && type.getNumElements() <= from.getNumElements();
}

/// Whether something that is computed in every call reads it, and to compute it is work, or would
/// be to read it otherwise.
bool DeriveWeightsPass::isWanted(OpResult value) const {
  bool isTaken = isPart(value.getOwner());
  if (origins->of(value) != Origin::Weights || !(isTaken || getElementTypeOrSelf(value).isF32()))
    return false;
  Block *block = value.getOwner()->getBlock();
  bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    if (auto check = dyn_cast<CheckOp>(reader))
      return origins->of(IndexedOpInterface(check)) == Origin::Inputs;
    return reader->getNumResults() == 0 || origins->of(reader->getResult(0)) == Origin::Inputs;
  });
  if (!isRead || isTaken || isArranged(value))
    return isRead;
  double work = 0;
  for (Operation *op : sliceOf(value))
    if (auto formula = dyn_cast<FormulaOpInterface>(op)) {
      llvm::SmallBitVector outputs(formula.getNumIndices());
      outputs.set(0, formula.getNumOutputIndices());
      work += getElementCost(formula) * countPoints(formula, outputs);
    }
  return work >= double(leastWork);
}

/// One more argument of the function, which every caller computes.
void DeriveWeightsPass::passIn(func::FuncOp function, OpResult value, ArrayRef<Operation *> slice) {
  for (func::CallOp call : origins->getCallsOf(function)) {
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(function.getArguments().take_front(call.getNumOperands()), call.getOperands());
    for (Operation *op : slice)
      origins->copy(op, builder.clone(*op, mapping));
    call->insertOperands(call.getNumOperands(), mapping.lookup(Value(value)));
  }
  unsigned number = function.getNumArguments();
  StringRef label = attrs::Label::getText(value.getOwner());
  DictionaryAttr name;
  if (!label.empty())
    name = DictionaryAttr::get(&getContext(), attrs::Name::named(&getContext(), label));
  (void)function.insertArgument(number, value.getType(), name, value.getLoc());
  value.replaceAllUsesWith(function.getArgument(number));
}

/// A part of codes of the checkpoint, of whole rows, is codes.
static CodedAttr getCodedPart(OpResult value) {
  Operation *op = value.getOwner();
  auto weight = findFirstOfPart(op) ? op->getOperand(0).getDefiningOp<WeightOp>() : WeightOp();
  CodedAttr all = weight ? weight.getCoded().value_or(CodedAttr()) : CodedAttr();
  if (!all)
    return {};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  int64_t gone = int64_t(all.getShape().size() - shape.size());
  if (llvm::any_of(all.getAlong(), [&](int64_t dim) { return dim < gone; }))
    return {};
  SmallVector<int64_t> along =
      llvm::map_to_vector(all.getAlong(), [&](int64_t dim) { return dim - gone; });
  return CodedAttr::get(op->getContext(), all.getPart(), along, shape, all.getFormat());
}

void DeriveWeightsPass::makeWeight(OpResult value, ArrayRef<Operation *> slice) {
  CodedAttr coded = getCodedPart(value);
  std::string name = derived->add(value, slice);
  OpBuilder builder(value.getOwner());
  auto weight = WeightOp::create(builder, value.getLoc(), value.getType(), name, coded, ArrayAttr(),
                                 IntegerAttr());
  value.replaceAllUsesWith(weight.getResult());
  ++numDerived;
}

void DeriveWeightsPass::moveOut(func::FuncOp function) {
  SmallVector<std::pair<OpResult, SmallVector<Operation *>>> wanted;
  for (Operation &op : function.front())
    for (OpResult result : op.getResults())
      if (isa<FormulaOpInterface>(op) && isWanted(result))
        wanted.emplace_back(result, sliceOf(result));
  if (wanted.empty())
    return;
  llvm::SmallSetVector<Operation *, 4> checks; // which go with what they are for
  // Readers first, so that each is made of the checkpoint's weights.
  for (auto &[value, slice] : llvm::reverse(wanted)) {
    attrs::Entry::isOn(function) ? makeWeight(value, slice) : passIn(function, value, slice);
    checks.insert_range(llvm::make_filter_range(slice, llvm::IsaPred<CheckOp>));
  }
  for (Operation *check : checks)
    check->erase();
  eraseUnused(function);
}

/// What was read by what is gone, and arguments that nothing reads.
void DeriveWeightsPass::eraseUnused(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isa<FormulaOpInterface, WeightOp, arith::ConstantOp>(op) && op.use_empty()) {
      for (Value result : op.getResults())
        origins->forget(result);
      op.erase();
    }
  llvm::BitVector unread(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty() && !attrs::Entry::isOn(function)) {
      unread.set(argument.getArgNumber());
      origins->forget(argument);
    }
  for (func::CallOp call : origins->getCallsOf(function))
    call->eraseOperands(unread);
  (void)function.eraseArguments(unread);
}

void DeriveWeightsPass::runOnOperation() {
  auto isExternal = [](func::FuncOp function) { return function.isExternal(); };
  if (llvm::any_of(getOperation().getOps<func::FuncOp>(), isExternal))
    return; // the contract of stage graph says what is wrong
  int64_t parameters = countParameters(getOperation());
  derived.emplace(getOperation());
  origins.emplace(getOperation());
  for (func::FuncOp function : llvm::reverse(origins->getCallersFirst()))
    moveOut(function);
  if (findDerivedModule(getOperation()))
    attrs::Parameters::set(getOperation(), parameters);
}
