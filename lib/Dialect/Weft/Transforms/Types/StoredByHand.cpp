//===- StoredByHand.cpp - what is said of single weights ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/StoredByHand.h"

using namespace mlir;
using namespace weft;

std::string weft::getObstacle(const TensorClasses &classes, unsigned id) {
  ArrayRef<Value> members = classes.getMembers(id);
  if (!classes.isWeight(id) || llvm::any_of(members, [](Value value) {
        return bool(value.getDefiningOp<arith::ConstantOp>());
      }))
    return "goes where another tensor goes too";
  return isa<FloatType>(getElementTypeOrSelf(members.front())) ? "" : "has no real numbers";
}

static WeightOp getWeight(ArrayRef<Value> members) {
  for (Value value : members)
    if (auto weight = value.getDefiningOp<WeightOp>())
      return weight;
  return {};
}

const StoreRules::Rule *StoredByHand::find(ArrayRef<Value> members) const {
  if (rules.empty())
    return nullptr;
  WeightOp weight = getWeight(members);
  return weight ? rules.find(weight.getName()) : nullptr;
}

void StoredByHand::refuse(const StoreRules::Rule &rule, ArrayRef<Value> members, std::string why) {
  Outcome &outcome = outcomes[&rule];
  if (outcome.refused)
    return;
  outcome.refused = getWeight(members);
  outcome.why = std::move(why);
}

LogicalResult StoredByHand::verify() const {
  for (const auto &[rule, outcome] : outcomes) {
    WeightOp weight = outcome.refused;
    if (!outcome.isObeyed)
      return weight.emitError() << "'" << weight.getName() << "' cannot be stored as "
                                << storeName(rule->as) << ", which --store-tensor says: it "
                                << outcome.why;
  }
  return success();
}
