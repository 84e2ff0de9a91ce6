//===- CodeWeights.cpp - weft-code-weights --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Makes the parts of weights that become codes (CodingPlanner). What becomes of their products is
// CodedProduct's. Codes that stand for reals of a table change no formula: the weight says what it
// is stored as, and layouts store it so.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodedProduct.h"
#include "Types/CodingPlanner.h"
#include "Types/StoredByHand.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_CODEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

class CodeWeightsPass : public weft::impl::CodeWeightsPassBase<CodeWeightsPass> {
public:
  using CodeWeightsPassBase::CodeWeightsPassBase;
  void runOnOperation() override;

private:
  struct Request {
    unsigned id; ///< of the class
    const StoreRules::Rule *rule;
    CodeFormat format;
  };

  bool readOptions();
  SmallVector<Request> findRequests(const TensorClasses &classes);
  void codeClass(const TensorClasses &classes, const Request &request, FactorTypes &types);
  void code(ArrayRef<Value> members, const Coding &coding);
  void scale(ArrayRef<Value> members, const Coding &coding);
  void rewriteProduct(OpOperand &use, const Coding &coding, Value scales, Value sums);

  StoredAs wanted;
  StoreRules rules;
  std::optional<StoredByHand> byHand;
  ActivationCodes activations;
};

} // namespace

void CodeWeightsPass::rewriteProduct(OpOperand &use, const Coding &coding, Value scales,
                                     Value sums) {
  auto op = cast<ContractOp>(use.getOwner());
  unsigned weight = use.getOperandNumber(), other = 1 - weight;
  const CodedActivation &coded = activations.get(op.getInputs()[other], *getSummedDims(op, other));
  multiplyCodes(op, weight, {use.get(), scales, sums, coding.kept}, coded);
}

/// An element of a table: its code times its row's scale.
static void rewriteRead(OpOperand &use, const Coding &coding, Value scales) {
  auto op = cast<AtOp>(use.getOwner());
  OpBuilder b(op);
  SmallVector<Value> coordinates(op.getCoordinates()), row;
  for (int64_t dim : coding.kept)
    row.push_back(coordinates[dim]);
  UnitAttr inbounds = op.getInboundsAttr();
  auto code = AtOp::create(b, op.getLoc(), b.getI32Type(), op.getSource(), coordinates, inbounds);
  auto scale = AtOp::create(b, op.getLoc(), b.getF32Type(), scales, row, inbounds);
  Value real = arith::SIToFPOp::create(b, op.getLoc(), b.getF32Type(), code);
  auto product = arith::MulFOp::create(b, op.getLoc(), real, scale);
  attrs::Rounded::set(product); // wherever the table is read
  op.replaceAllUsesWith(product.getResult());
  op.erase();
}

void CodeWeightsPass::code(ArrayRef<Value> members, const Coding &coding) {
  auto type = cast<RankedTensorType>(members.front().getType());
  auto makePart = [&](CodePart part) {
    return CodedAttr::get(&getContext(), part, coding.along, type.getShape(), coding.format);
  };
  auto addPart = [&](CodePart part) {
    CodedAttr attribute = makePart(part);
    return addTwins(getOperation(), members,
                    RankedTensorType::get(attribute.getPartShape(), attribute.getPartElement()),
                    [&](WeightOp twin) { twin.setCodedAttr(attribute); });
  };
  IRMapping scales = addPart(CodePart::Scales), sums;
  if (!coding.products.empty())
    sums = addPart(CodePart::Sums);
  for (Value value : members) {
    value.setType(type.clone(makePart(CodePart::Codes).getPartElement()));
    if (auto weight = value.getDefiningOp<WeightOp>())
      weight.setCodedAttr(makePart(CodePart::Codes));
  }
  for (OpOperand *use : coding.reads)
    rewriteRead(*use, coding, scales.lookup(use->get()));
  for (OpOperand *use : coding.products)
    rewriteProduct(*use, coding, scales.lookup(use->get()), sums.lookup(use->get()));
  ++numCoded;
  numShort += coding.format.bits == 4;
}

void CodeWeightsPass::scale(ArrayRef<Value> members, const Coding &coding) {
  auto type = cast<RankedTensorType>(members.front().getType());
  auto reals =
      CodedAttr::get(&getContext(), CodePart::Reals, coding.along, type.getShape(), coding.format);
  for (Value value : members)
    if (auto weight = value.getDefiningOp<WeightOp>())
      weight.setCodedAttr(reals);
  setElementType(members, Float32Type::get(&getContext()));
  ++numScaled;
}

bool CodeWeightsPass::readOptions() {
  rules = StoreRules();
  std::string problem = parseStore("option store", store, wanted);
  if (problem.empty())
    problem = rules.addAll(tensors);
  if (problem.empty() && planes != 1 && planes != 2)
    problem = "option planes is 1 or 2";
  if (!problem.empty())
    getOperation().emitError() << problem;
  return problem.empty();
}

/// The classes that are asked for as codes.
SmallVector<CodeWeightsPass::Request> CodeWeightsPass::findRequests(const TensorClasses &classes) {
  SmallVector<Request> requests;
  for (unsigned id = 0; id != classes.size(); ++id) {
    const StoreRules::Rule *rule = byHand->find(classes.getMembers(id));
    const StoredAs &stored = rule ? rule->as : wanted;
    if (!stored.isCodes())
      continue;
    std::string obstacle = getObstacle(classes, id);
    if (obstacle.empty())
      requests.push_back({id, rule, stored.codes});
    else if (rule)
      byHand->refuse(*rule, classes.getMembers(id), obstacle);
  }
  return requests;
}

void CodeWeightsPass::codeClass(const TensorClasses &classes, const Request &request,
                                FactorTypes &types) {
  ArrayRef<Value> members = classes.getMembers(request.id);
  CodingPlanner planner(classes, types, request.format, /*isByHand=*/request.rule);
  std::string problem = planner.plan(members);
  Coding coding = planner.getCoding();
  bool isScaled = coding.format.table != CodeTable::None, isAsked = coding.format == request.format;
  coding.format.narrow = narrow && coding.format.isBytes();
  if (problem.empty())
    isScaled ? scale(members, coding) : code(members, coding);
  if (problem.empty() && !isAsked)
    problem = "has rows that are no multiple of the group";
  if (!request.rule)
    return;
  if (problem.empty())
    byHand->obey(*request.rule);
  else
    byHand->refuse(*request.rule, members, problem);
}

void CodeWeightsPass::runOnOperation() {
  if (!readOptions())
    return signalPassFailure();
  activations = ActivationCodes(planes == 2);
  byHand.emplace(rules);
  TensorClasses classes(getOperation());
  FactorTypes types(classes, Float32Type::get(&getContext()), Float32Type::get(&getContext()));
  // All of them first: products are replaced by others.
  for (const Request &request : findRequests(classes))
    codeClass(classes, request, types);
  if (failed(byHand->verify()))
    return signalPassFailure();
  updateFunctionTypes(getOperation());
}
