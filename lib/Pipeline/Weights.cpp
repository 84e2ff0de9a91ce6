//===- Weights.cpp - the weights file of a compiled module ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Weights.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

static constexpr llvm::StringLiteral rulesAttr = "weft.checkpoint";

void weft::attachRules(ModuleOp module, const CheckpointRules &rules) {
  if (rules.empty())
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
  module->setAttr(rulesAttr, b.getDictionaryAttr({
                                 b.getNamedAttr("prefix", strings(rules.prefixes)),
                                 b.getNamedAttr("rename", b.getStrArrayAttr(renames)),
                                 b.getNamedAttr("ignore", strings(rules.ignores)),
                                 b.getNamedAttr("unread", strings(rules.unread)),
                             }));
}

/// The strings of an attribute that may be missing or, in a hand-written module, anything.
static std::vector<std::string> stringsOf(DictionaryAttr dictionary, StringRef name) {
  std::vector<std::string> list;
  if (auto array = dictionary.getAs<ArrayAttr>(name))
    for (Attribute element : array)
      if (auto string = dyn_cast<StringAttr>(element))
        list.push_back(string.str());
  return list;
}

CheckpointRules weft::attachedRules(ModuleOp module) {
  CheckpointRules rules;
  auto dictionary = module->getAttrOfType<DictionaryAttr>(rulesAttr);
  if (!dictionary)
    return rules;
  rules.prefixes = stringsOf(dictionary, "prefix");
  rules.ignores = stringsOf(dictionary, "ignore");
  rules.unread = stringsOf(dictionary, "unread");
  std::vector<std::string> renames = stringsOf(dictionary, "rename");
  for (size_t i = 0; i + 1 < renames.size(); i += 2)
    rules.renames.emplace_back(renames[i], renames[i + 1]);
  return rules;
}

namespace {
/// The values on which what a function returns, or what is checked, depends.
class ReadValues {
public:
  bool contains(Value value) const { return values.contains(value); }

  void add(func::FuncOp function) {
    if (!function || function.isExternal() || !visited.insert(function).second)
      return;
    for (Operation &op : llvm::reverse(function.front())) {
      if (op.getNumResults() &&
          !llvm::any_of(op.getResults(), [&](Value v) { return contains(v); }))
        continue;
      auto call = dyn_cast<func::CallOp>(op);
      if (call)
        addOperands(call);
      else // elements may be read inside of a formula's regions
        op.walk([&](Operation *nested) {
          values.insert(nested->operand_begin(), nested->operand_end());
        });
    }
  }

private:
  /// What a call passes is read if the callee reads it.
  void addOperands(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    add(callee);
    for (auto [i, operand] : llvm::enumerate(call.getOperands()))
      if (!callee || callee.isExternal() || contains(callee.getArgument(i)))
        values.insert(operand);
  }

  DenseSet<Value> values;
  llvm::SmallPtrSet<Operation *, 16> visited;
};
} // namespace

std::vector<std::string> weft::unreadWeights(ModuleOp module) {
  ReadValues read;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(attrs::kEntry))
      read.add(function);
  std::vector<std::string> names;
  module.walk([&](WeightOp op) {
    if (!read.contains(op.getResult()))
      names.push_back(op.getName().str());
  });
  return names;
}

static std::string describe(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return {};
  return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
          Twine(file.getColumn()))
      .str();
}

static PackedWeight describeWeight(WeightOp op) {
  auto type = cast<ShapedType>(op.getResult().getType());
  PackedWeight weight;
  weight.source.names.push_back(op.getName().str());
  if (auto tied = op.getTied())
    for (StringRef name : tied->getAsValueRange<StringAttr>())
      weight.source.names.push_back(name.str());
  weight.source.isInt = !type.getElementType().isF32();
  weight.source.location = describe(op.getLoc());
  weight.offset = op.getOffset().value_or(0);
  if (PackAttr pack = op.getPackAttr()) {
    weight.source.shape.assign(pack.getView().begin(), pack.getView().end());
    weight.kDims.assign(pack.getKDims().begin(), pack.getKDims().end());
    weight.nDims.assign(pack.getNDims().begin(), pack.getNDims().end());
    weight.nr = pack.getNr();
  } else {
    weight.source.shape.assign(type.getShape().begin(), type.getShape().end());
  }
  return weight;
}

WeightsFile weft::describeWeights(ModuleOp module) {
  WeightsFile file;
  if (auto fingerprint = module->getAttrOfType<IntegerAttr>(attrs::kFingerprint))
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
