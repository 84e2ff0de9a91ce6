//===- Weights.cpp - the weights file of a compiled module ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Weights.h"

#include "weft/Dialect/Weft/IR/LocationText.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/SeparateLayers.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

using namespace mlir;
using namespace weft;

static llvm::SmallSetVector<StringRef, 16> weightNames(ModuleOp module) {
  llvm::SmallSetVector<StringRef, 16> names;
  module.walk([&](WeightOp op) { names.insert(op.getName()); });
  return names;
}

void weft::attachRules(ModuleOp module, const CheckpointRules &rules) {
  auto kept = weightNames(module);
  llvm::SmallSetVector<StringRef, 4> unread; // entries declare the same
  for (const std::string &name : rules.declared)
    if (!kept.contains(name))
      unread.insert(name);
  if (rules.empty() && unread.empty())
    return;
  Builder b(module.getContext());
  auto strings = [&](const std::vector<std::string> &list) {
    return b.getStrArrayAttr(SmallVector<StringRef>(list.begin(), list.end()));
  };
  SmallVector<StringRef> renames;
  for (const auto &[from, to] : rules.renames) {
    renames.push_back(from);
    renames.push_back(to);
  }
  attrs::Checkpoint::set(module, strings(rules.prefixes), b.getStrArrayAttr(renames),
                         strings(rules.ignores), b.getStrArrayAttr(unread.getArrayRef()));
}

static std::vector<std::string> stringsOf(ArrayAttr list) {
  std::vector<std::string> strings;
  for (StringRef string : list.getAsValueRange<StringAttr>())
    strings.push_back(string.str());
  return strings;
}

CheckpointRules weft::attachedRules(ModuleOp module) {
  CheckpointRules rules;
  for (StringRef name : weightNames(module))
    rules.declared.push_back(name.str());
  CheckpointAttr attached = attrs::Checkpoint::get(module);
  if (!attached)
    return rules;
  rules.prefixes = stringsOf(attached.getPrefix());
  rules.ignores = stringsOf(attached.getIgnore());
  llvm::append_range(rules.declared, stringsOf(attached.getUnread()));
  std::vector<std::string> renames = stringsOf(attached.getRename());
  for (size_t i = 0; i < renames.size(); i += 2)
    rules.renames.emplace_back(renames[i], renames[i + 1]);
  return rules;
}

/// The type of all tensors that the checkpoint has for the weights among `values`.
static std::optional<ElementType> getStoredType(ArrayRef<Value> values,
                                                const Checkpoint &checkpoint) {
  std::optional<ElementType> common;
  for (Value value : values) {
    auto op = value.getDefiningOp<WeightOp>();
    if (!op)
      continue;
    StoredWeight stored = checkpoint.findWeight(op.getName());
    for (const StoredTensor *part : stored.parts)
      if (common.value_or(part->type) == part->type)
        common = part->type;
      else
        return std::nullopt;
    if (!stored)
      return std::nullopt;
  }
  return common;
}

void weft::takeStoredTypes(ModuleOp module, const Checkpoint &checkpoint) {
  // Modules are called for weights of all kinds, and each is to keep its own.
  separateLayers(module, [&](WeightOp op) {
    std::optional<ElementType> stored = getStoredType(Value(op.getResult()), checkpoint);
    bool isReal = stored && infoOf(*stored).isStored() && infoOf(*stored).isReal();
    return isReal ? infoOf(*stored).name.str() : "";
  });
  TensorClasses classes(module);
  for (unsigned id = 0; id != classes.size(); ++id) {
    ArrayRef<Value> members = classes.getMembers(id);
    auto type = cast<RankedTensorType>(members.front().getType());
    if (!classes.isWeight(id) || !type.getElementType().isF32())
      continue;
    std::optional<ElementType> stored = getStoredType(members, checkpoint);
    if (!stored || !infoOf(*stored).isStored() || !infoOf(*stored).isReal())
      continue;
    setElementType(members, getStorageType(module.getContext(), *stored));
  }
  updateFunctionTypes(module);
}

static PackedWeight describeWeight(WeightOp op) {
  auto type = cast<ShapedType>(op.getResult().getType());
  PackedWeight weight;
  weight.source.names.push_back(op.getName().str());
  if (auto tied = op.getTied())
    for (StringRef name : tied->getAsValueRange<StringAttr>())
      weight.source.names.push_back(name.str());
  if (auto coded = op.getCoded()) {
    // The checkpoint has reals; what is made of them is the part.
    static constexpr WeightCoding::Part parts[] = {WeightCoding::Codes, WeightCoding::Scales,
                                                   WeightCoding::Sums, WeightCoding::Reals};
    weight.coded = {parts[unsigned(coded->getPart())],
                    {coded->getAlong().begin(), coded->getAlong().end()},
                    coded->getFormat()};
    weight.source.shape.assign(coded->getShape().begin(), coded->getShape().end());
  } else {
    weight.source.type = *getElementType(type.getElementType());
    weight.source.shape.assign(type.getShape().begin(), type.getShape().end());
  }
  weight.source.location = locationText(op.getLoc());
  weight.offset = op.getOffset().value_or(0);
  if (LayoutAttr layout = getLayout(type)) {
    weight.batchDims.assign(layout.getBatch().begin(), layout.getBatch().end());
    weight.kDims.assign(layout.getK().begin(), layout.getK().end());
    weight.nDims.assign(layout.getN().begin(), layout.getN().end());
    weight.nr = layout.getNr();
    weight.kr = layout.getKr();
    weight.nibbles = layout.getNibbles();
  }
  return weight;
}

llvm::Error weft::refuseForeign(ModuleOp graph, const Checkpoint &checkpoint) {
  WeightsFile file;
  size_t missing = 0;
  graph.walk([&](WeightOp op) {
    if (op->use_empty())
      return;
    file.weights.push_back(describeWeight(op));
    missing += llvm::none_of(file.weights.back().source.names,
                             [&](StringRef name) { return bool(checkpoint.findWeight(name)); });
  });
  return missing > checkpoint.tensors().size() ? checkWeights(file, checkpoint)
                                               : llvm::Error::success();
}

WeightsFile weft::describeWeights(ModuleOp module) {
  WeightsFile file;
  if (auto fingerprint = attrs::Fingerprint::get(module))
    file.fingerprint = fingerprint.getValue().getZExtValue();
  llvm::DenseSet<int64_t> seen;
  module.walk([&](WeightOp op) {
    if (op.getOffset() && seen.insert(*op.getOffset()).second)
      file.weights.push_back(describeWeight(op));
  });
  llvm::sort(file.weights,
             [](const PackedWeight &a, const PackedWeight &b) { return a.offset < b.offset; });
  return file;
}
