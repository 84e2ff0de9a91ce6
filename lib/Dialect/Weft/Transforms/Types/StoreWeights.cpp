//===- StoreWeights.cpp - what weights are stored as ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Structure decides which weights --store is for; what --store-tensor says of a weight holds
// whatever the structure is, as far as the weight can be stored so.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/StoreWeights.h"

#include "Types/StoredByHand.h"

using namespace mlir;
using namespace weft;

namespace {

class WeightStorer {
public:
  WeightStorer(const Precision &precision, const TensorClasses &classes, FactorTypes &types)
      : precision(precision), classes(classes), types(types), byHand(precision.tensors) {}

  FailureOr<unsigned> run();

private:
  void store(unsigned id);
  void storeAs(ArrayRef<Value> members, ElementType type);
  void computeAsStored(ArrayRef<Value> members, ElementType stored);
  void storeByHand(unsigned id, const StoreRules::Rule &rule);
  void storeConstant(ArrayRef<Value> members);
  bool isStored(ArrayRef<Value> members);
  bool hasKeptCodes();
  bool hasKernels(OpOperand &use, ElementType stored);
  LogicalResult verifyPairs(unsigned id);
  LogicalResult reportPair(OpOperand &use, ArrayRef<Value> members);

  const Precision &precision;
  const TensorClasses &classes;
  FactorTypes &types;
  StoredByHand byHand;
  unsigned numStored = 0;
};

} // namespace

static ElementType getStored(Value weight) { return *getElementType(getElementTypeOrSelf(weight)); }

/// Rows are looked up by data, or by positions: so a step reads what the whole reads along a
/// run-time dimension, and both are to read the same numbers.
static bool isLookedUp(OpOperand &use) {
  if (isa<AtOp>(use.getOwner()))
    return true;
  auto op = dyn_cast<IndexedOpInterface>(use.getOwner());
  if (!op || isa<ContractOp>(use.getOwner()))
    return false;
  AffineMap map = op.getInputMaps()[use.getOperandNumber()];
  for (unsigned i = 0; i != op.getNumIndices(); ++i)
    if (op.getIndexAttr(i).getDynamic() && map.isFunctionOfDim(i))
      return true;
  return false;
}

/// Factors of products, and tables whose rows are looked up. In f32 nothing is lost.
bool WeightStorer::isStored(ArrayRef<Value> members) {
  if (precision.store.type == ElementType::F32)
    return true;
  bool isRead = false, isSelecting = false;
  for (Value value : members)
    for (OpOperand &use : value.getUses()) {
      isRead |= types.isFactor(use) || isLookedUp(use);
      isSelecting |= isa<ContractOp>(use.getOwner()) && !types.isFactor(use);
    }
  return isMatrix(members[0]) && isRead && !isSelecting;
}

void WeightStorer::storeAs(ArrayRef<Value> members, ElementType type) {
  if (getStored(members[0]) == type)
    return;
  setElementType(members, getStorageType(members[0].getContext(), type));
  ++numStored;
}

/// Where the pair of what is stored and computed has no kernels, products are computed in f32.
void WeightStorer::computeAsStored(ArrayRef<Value> members, ElementType stored) {
  if (hasProducts(stored, precision.compute, precision.parts))
    return;
  for (Value value : members)
    for (OpOperand &use : value.getUses())
      if (types.isProductFactor(use))
        types.computePlainly(cast<ContractOp>(use.getOwner()));
}

void WeightStorer::storeByHand(unsigned id, const StoreRules::Rule &rule) {
  ArrayRef<Value> members = classes.getMembers(id);
  std::string obstacle = getObstacle(classes, id);
  if (!obstacle.empty() && !rule.as.isCodes())
    byHand.refuse(rule, members, obstacle);
  if (!obstacle.empty())
    return;
  ElementType stored = rule.as.type.value_or(getStored(members[0]));
  if (!rule.as.isCodes()) { // which are made later
    storeAs(members, stored);
    byHand.obey(rule);
  }
  computeAsStored(members, stored);
}

static bool isConstant(Value value) { return bool(value.getDefiningOp<arith::ConstantOp>()); }

/// Numbers that the text computes are rounded only where nothing but products reads them: no
/// checkpoint says what else loses nothing.
void WeightStorer::storeConstant(ArrayRef<Value> members) {
  bool hasReals = llvm::all_of(members, [](Value value) {
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    return !constant || isa<DenseFPElementsAttr>(constant.getValue());
  });
  bool areFactors = llvm::all_of(members, [&](Value value) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      return types.isFactor(use) || isa<func::CallOp>(use.getOwner());
    });
  });
  bool isHalf = precision.compute == ElementType::BF16 || precision.compute == ElementType::F16;
  if (hasReals && areFactors && isHalf)
    storeAs(members, precision.compute);
  computeAsStored(members, getStored(members[0]));
}

/// What stays as it is for one of its readers is so for all of them.
void WeightStorer::store(unsigned id) {
  ArrayRef<Value> members = classes.getMembers(id);
  bool areReals = classes.isWeight(id) && isa<FloatType>(getElementTypeOrSelf(members[0]));
  if (const StoreRules::Rule *rule = byHand.find(members))
    storeByHand(id, *rule);
  else if (areReals && llvm::any_of(members, isConstant))
    storeConstant(members);
  else if (!precision.store.isReal() || !getObstacle(classes, id).empty())
    return;
  else if (isStored(members))
    storeAs(members, *precision.store.type);
  else
    computeAsStored(members, getStored(members[0]));
}

/// Whether there are kernels for what reads a weight that is stored so. An attention reads a copy.
bool WeightStorer::hasKernels(OpOperand &use, ElementType stored) {
  return !types.isFactor(use) || types.isPlain(cast<ContractOp>(use.getOwner())) ||
         hasProducts(stored, precision.compute, precision.parts);
}

LogicalResult WeightStorer::reportPair(OpOperand &use, ArrayRef<Value> members) {
  InFlightDiagnostic error = use.getOwner()->emitError();
  error << "a weight is stored as " << getElementTypeOrSelf(use.get()) << " and computed in '"
        << computeName(precision) << "'; there are kernels for " << productPairs(precision.forGPU);
  for (Value source : members)
    if (auto weight = source.getDefiningOp<WeightOp>()) {
      error.attachNote(weight.getLoc()) << "the weight is '" << weight.getName() << "'";
      break;
    }
  return failure();
}

/// Whether the checkpoint has codes whose products are those of integers.
bool WeightStorer::hasKeptCodes() {
  auto isKept = [](Value value) {
    auto weight = value.getDefiningOp<WeightOp>();
    return weight && weight.getCoded() && weight.getCoded()->getPart() == CodePart::Reals;
  };
  return precision.compute == ElementType::I8 &&
         llvm::any_of(llvm::seq(classes.size()), [&](unsigned id) {
           return classes.isWeight(id) && llvm::any_of(classes.getMembers(id), isKept);
         });
}

/// Every weight that is a factor is stored so that there are kernels for it. Where codes are asked
/// for, or kept, what cannot become such is computed in f32.
LogicalResult WeightStorer::verifyPairs(unsigned id) {
  ArrayRef<Value> members = classes.getMembers(id);
  const StoreRules::Rule *rule = byHand.find(members);
  if (!classes.isWeight(id) || (rule ? rule->as : precision.store).isCodes())
    return success();
  for (Value value : members)
    for (OpOperand &use : value.getUses())
      if (!hasKernels(use, getStored(value)))
        return reportPair(use, members);
  return success();
}

FailureOr<unsigned> WeightStorer::run() {
  for (unsigned id = 0; id != classes.size(); ++id)
    store(id);
  if (failed(byHand.verify()))
    return failure();
  bool hasKept = hasKeptCodes();
  for (unsigned id = 0; id != classes.size(); ++id)
    if (!hasKept && failed(verifyPairs(id)))
      return failure();
  return numStored;
}

FailureOr<unsigned> weft::storeWeights(const Precision &precision, const TensorClasses &classes,
                                       FactorTypes &types) {
  return WeightStorer(precision, classes, types).run();
}
