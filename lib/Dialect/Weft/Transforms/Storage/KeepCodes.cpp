//===- KeepCodes.cpp - weft-keep-codes ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodedProduct.h"
#include "Types/CodingPlanner.h"
#include "Types/StoredByHand.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/SeparateLayers.h"

#include <numeric>

namespace weft {
#define GEN_PASS_DEF_KEEPCODESPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Rows that a product expands at once are whole groups, unless there is one group only.
static constexpr int64_t kLongestGroup = 256;

namespace {
class KeepCodesPass : public weft::impl::KeepCodesPassBase<KeepCodesPass> {
public:
  using KeepCodesPassBase::KeepCodesPassBase;
  void runOnOperation() override;

private:
  bool readOptions();
  CodedAttr findKept(const TensorClasses &classes, unsigned id, FactorTypes &types);
  void roundFactors();

  Precision precision;
  SmallVector<OpOperand *> rounded; ///< kept weights in products of integers
};
} // namespace

bool KeepCodesPass::readOptions() {
  precision = Precision();
  std::string problem = parseStore("option store", store, precision.store);
  if (problem.empty())
    problem = precision.tensors.addAll(tensors);
  if (problem.empty() && !parseCompute(compute, precision))
    problem = "unknown type in option compute";
  if (!problem.empty())
    getOperation().emitError() << problem;
  return problem.empty();
}

/// The codes that all weights of a class have; null if one has none, or others.
static CodedAttr findCoded(ArrayRef<Value> members) {
  CodedAttr coded;
  for (Value value : members)
    if (auto weight = value.getDefiningOp<WeightOp>()) {
      CodedAttr own = weight.getCoded().value_or(CodedAttr());
      if (!own || own.getPart() != CodePart::Reals || (coded && own != coded))
        return {};
      coded = own;
    }
  return coded;
}

/// Elements of a row of which the last dimensions of the shape are made; 0 if `along` are others.
static int64_t getRowSize(ArrayRef<int64_t> shape, ArrayRef<int64_t> along) {
  int64_t size = 1;
  for (auto [i, dim] : llvm::enumerate(along)) {
    if (dim != int64_t(shape.size() - along.size() + i))
      return 0;
    size *= shape[size_t(dim)];
  }
  return size;
}

/// Groups of rows of this size that lie in those of the checkpoint.
static int64_t chooseGroup(int64_t stored, int64_t row) {
  int64_t group = std::gcd(stored, row);
  return group == row || group <= kLongestGroup ? group : std::gcd(group, kLongestGroup);
}

CodedAttr KeepCodesPass::findKept(const TensorClasses &classes, unsigned id, FactorTypes &types) {
  ArrayRef<Value> members = classes.getMembers(id);
  CodedAttr coded = findCoded(members);
  const StoreRules::Rule *rule = StoredByHand(precision.tensors).find(members);
  bool isKept = (rule ? rule->as : precision.store).isKept();
  if (!coded || !isKept || !getObstacle(classes, id).empty() ||
      !hasKeptProducts(coded.getFormat().table, precision))
    return {};
  CodeFormat format = coded.getFormat();
  CodingPlanner planner(classes, types, CodeFormat(format.table, /*group=*/0), /*isByHand=*/true);
  if (!planner.plan(members).empty())
    return {};
  const Coding &coding = planner.getCoding();
  int64_t row = getRowSize(coded.getShape(), coding.along);
  int64_t group = row ? chooseGroup(format.getGroupSize(row), row) : 0;
  bool isWhole = group >= 8 && ScaledPanel{1, row, group, format.table}.isWhole();
  // Factors of scales are those of the checkpoint's groups.
  bool isSpanned = infoOf(format.table).span == 0 || group == format.group;
  if (!isWhole || !isSpanned)
    return {};
  // A sum of a group's codes has 32 bits.
  bool isInteger = precision.compute == ElementType::I8;
  if (isInteger && group > kLongestRow)
    return {};
  // What chooses, and results, are lost by a rounding that nothing makes up for.
  for (OpOperand *use : coding.products)
    if (isInteger && types.isFactor(*use) && !isResult(use->getOwner()))
      rounded.push_back(use);
  return CodedAttr::get(coded.getContext(), CodePart::Reals, coding.along, coded.getShape(),
                        CodeFormat(format.table, group));
}

/// Activations become integers where kept weights are multiplied.
void KeepCodesPass::roundFactors() {
  ActivationCodes activations(/*hasPlanes=*/false, CodeSign::Signed);
  for (OpOperand *use : rounded) {
    auto op = cast<ContractOp>(use->getOwner());
    unsigned weight = use->getOperandNumber(), other = 1 - weight;
    multiplyKept(op, weight, activations.get(op.getInputs()[other], *getSummedDims(op, other)));
  }
}

void KeepCodesPass::runOnOperation() {
  if (!readOptions())
    return signalPassFailure();
  rounded.clear();
  bool hasCodes = false;
  getOperation().walk([&](WeightOp op) { hasCodes |= op.getCoded().has_value(); });
  if (!hasCodes)
    return;
  // Functions are called for weights of all kinds, and each is to keep its own.
  separateLayers(getOperation(), [](WeightOp op) -> std::string {
    CodedAttr coded = op.getCoded().value_or(CodedAttr());
    return coded ? (coded.getTable() + " " + Twine(coded.getGroup())).str() : "";
  });
  TensorClasses classes(getOperation());
  FactorTypes types(classes, Float32Type::get(&getContext()), Float32Type::get(&getContext()));
  for (unsigned id = 0; id != classes.size(); ++id) {
    CodedAttr kept = classes.isWeight(id) ? findKept(classes, id, types) : CodedAttr();
    for (Value value : classes.getMembers(id)) {
      auto weight = value.getDefiningOp<WeightOp>();
      if (!weight || !weight.getCoded())
        continue;
      if (kept)
        weight.setCodedAttr(kept);
      else
        weight.removeCodedAttr();
      numKept += bool(kept);
    }
  }
  roundFactors();
}
