//===- RowGroup.cpp - formulas over the same rows -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowGroup.h"

#include "Cost.h"
#include "FormulaBuilder.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace weft;

/// Whether the two run over the same values.
static bool haveOneRange(IndexAttr a, IndexAttr b) {
  return a.getDynamic() == b.getDynamic() && a.getSize() == b.getSize() &&
         (!a.getDynamic() || a.getDim() == b.getDim());
}

bool weft::assignPlace(Place &place, unsigned index, unsigned position) {
  if (place[index] == kNowhere && !llvm::is_contained(place, position))
    place[index] = position;
  return place[index] == position;
}

bool weft::isPlaceInRange(ArrayRef<IndexAttr> indices, ArrayRef<unsigned> place,
                          ArrayRef<IndexAttr> others) {
  return llvm::all_of(llvm::zip_equal(indices, place), [&](auto pair) {
    auto [index, position] = pair;
    return position != kNowhere && haveOneRange(index, others[position]);
  });
}

/// Whether a group may have `op`: a map, or a reduction of f32 over one index that takes in all.
static bool isRowFormula(Operation *op) {
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (!formula || formula.getOutputMapsAttr() || formula.hasBufferSemantics())
    return false;
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return isa<MapOp>(op);
  return reduce.getKind() != ReduceKind::ArgMax && reduce.getKind() != ReduceKind::ArgTop &&
         reduce.getPredicate().empty() && getComputeTypeOf(op->getResult(0)).isF32() &&
         formula.getNumIndices() == formula.getNumOutputIndices() + 1;
}

RowGroup::RowGroup(ReduceOp seed) {
  auto formula = cast<FormulaOpInterface>(seed.getOperation());
  if (!isRowFormula(seed))
    return;
  indices = formula.getIndexList();
  places.insert({seed, llvm::to_vector(llvm::seq<unsigned>(0, indices.size()))});
  llvm::SmallPtrSet<Operation *, 16> tried;
  while (Operation *reader = findReader(tried)) {
    tried.insert(reader);
    join(reader);
  }
  if (!isRow())
    return;
  // Members come behind what they read, so that what joins is asked for its own sources, too.
  for (size_t i = 0; i != places.size(); ++i)
    while (joinSources(places.begin()[i].first))
      ;
}

//===----------------------------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------------------------===//

bool RowGroup::isAlongAxis(Operation *op) const {
  return isa<MapOp>(op) && llvm::is_contained(getPlace(op), getAxis());
}

SmallVector<FormulaOpInterface> RowGroup::getMembers() const {
  SmallVector<FormulaOpInterface> members;
  for (auto &[op, place] : places)
    members.push_back(cast<FormulaOpInterface>(op));
  llvm::sort(members, [](FormulaOpInterface a, FormulaOpInterface b) {
    return a->isBeforeInBlock(b.getOperation());
  });
  return members;
}

/// The op of the group's block in which `user` stands.
static Operation *getReader(Operation *member, Operation *user) {
  return member->getBlock()->findAncestorOpInBlock(*user);
}

bool RowGroup::isReadElsewhere(Operation *op) const {
  return llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return !contains(getReader(op, user)); });
}

bool RowGroup::isRow() const {
  return llvm::any_of(places, [&](const auto &member) {
    return isAlongAxis(member.first) && isReadElsewhere(member.first);
  });
}

Operation *RowGroup::findReader(const llvm::SmallPtrSetImpl<Operation *> &tried) const {
  Operation *first = nullptr;
  for (auto &[op, place] : places)
    for (Operation *user : op->getUsers()) {
      Operation *reader = getReader(op, user);
      if (!contains(reader) && !tried.contains(reader) &&
          (!first || reader->isBeforeInBlock(first)))
        first = reader;
    }
  return first;
}

Operation *RowGroup::getFirstReader() const {
  return findReader(llvm::SmallPtrSet<Operation *, 1>());
}

//===----------------------------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------------------------===//

/// What members read of `op`, and `op` of members, is read where it is made.
bool RowGroup::findPlace(FormulaOpInterface op, Place &place) const {
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (!isMade(input))
      continue;
    if (!isStoredAsComputed(input))
      return false;
    ArrayRef<unsigned> made = getPlace(input.getDefiningOp());
    for (auto [j, expr] : llvm::enumerate(op.getInputMap(i).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !assignPlace(place, dim.getPosition(), made[j]))
        return false;
    }
  }
  for (OpOperand &use : op->getUses()) {
    auto reader = dyn_cast<FormulaOpInterface>(use.getOwner());
    if (!contains(reader))
      continue;
    if (!isStoredAsComputed(use.get()))
      return false;
    AffineMap map = reader.getInputMap(use.getOperandNumber());
    for (auto [j, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !assignPlace(place, j, getPlace(reader)[dim.getPosition()]))
        return false;
    }
  }
  return true;
}

/// The one index that is left, if any, is the axis, as is what is reduced.
bool RowGroup::completePlace(FormulaOpInterface op, Place &place) const {
  if (auto *left = llvm::find(place, kNowhere);
      left != place.end() && !assignPlace(place, left - place.begin(), getAxis()))
    return false;
  if (!isPlaceInRange(op.getIndexList(), place, indices))
    return false;
  if (isa<ReduceOp>(op.getOperation()))
    return place.size() == indices.size() && place.back() == getAxis();
  // All rows, and all or nothing of each.
  return place.size() + !llvm::is_contained(place, getAxis()) == indices.size();
}

/// Takes `op` in; false if it cannot be one of the group.
bool RowGroup::join(Operation *op) {
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (!formula || !isRowFormula(op))
    return false;
  Place place(formula.getNumIndices(), kNowhere);
  if (!findPlace(formula, place) || !completePlace(formula, place))
    return false;
  places.insert({op, place});
  if (isPossible() && isWorthwhile())
    return true;
  places.pop_back();
  return false;
}

/// Takes in a formula that `op` reads: a reduction, or a map that only the group reads.
bool RowGroup::joinSources(Operation *op) {
  for (Value input : cast<FormulaOpInterface>(op).getInputs()) {
    Operation *source = input.getDefiningOp();
    if (!source || contains(source) || source->getBlock() != op->getBlock())
      continue;
    bool vanishes = llvm::all_of(
        source->getUsers(), [&](Operation *user) { return contains(getReader(source, user)); });
    if ((isa<ReduceOp>(source) || (isa<MapOp>(source) && vanishes)) && join(source))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------------------------===//

/// Everything that the group reads is there before anything else needs what it makes, and nothing
/// of that is read at computed places.
bool RowGroup::isPossible() const {
  Operation *end = getFirstReader();
  for (auto &[op, place] : places) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (llvm::any_of(captured, [&](Value value) { return isMade(value); }))
      return false;
    captured.insert(op->operand_begin(), op->operand_end());
    for (Value value : captured)
      if (Operation *source = value.getDefiningOp(); source && !contains(source) && end &&
                                                     source->getBlock() == op->getBlock() &&
                                                     !source->isBeforeInBlock(end))
        return false;
  }
  return true;
}

llvm::SmallPtrSet<Operation *, 8> RowGroup::getComputedWith(Operation *op) const {
  llvm::SmallPtrSet<Operation *, 8> parts;
  SmallVector<Operation *> pending{op};
  while (!pending.empty()) {
    Operation *part = pending.pop_back_val();
    if (!parts.insert(part).second)
      continue;
    for (Value input : cast<FormulaOpInterface>(part).getInputs())
      if (isMade(input) && isa<MapOp>(input.getDefiningOp()))
        pending.push_back(input.getDefiningOp());
  }
  return parts;
}

/// In how many regions an element of each member is computed.
DenseMap<Operation *, unsigned> RowGroup::countRegions() const {
  DenseMap<Operation *, unsigned> numRegions;
  llvm::SmallPtrSet<Operation *, 8> element;
  for (auto &[op, place] : places) {
    llvm::SmallPtrSet<Operation *, 8> parts = getComputedWith(op);
    if (isa<MapOp>(op) && isReadElsewhere(op))
      element.insert(parts.begin(), parts.end());
    if (isa<ReduceOp>(op))
      for (Operation *part : parts)
        ++numRegions[part];
  }
  for (Operation *part : element)
    ++numRegions[part];
  return numRegions;
}

/// Whether the op is not too large and no element that several regions need is better made once.
bool RowGroup::isWorthwhile() const {
  unsigned size = 0;
  for (auto [op, count] : countRegions()) {
    if (isAlongAxis(op) && !isWorthRepeating(cast<FormulaOpInterface>(op), count))
      return false;
    size += count * countScalarOps(op);
  }
  return size <= kMaxFusedOps;
}
