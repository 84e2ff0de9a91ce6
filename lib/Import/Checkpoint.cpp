//===- Checkpoint.cpp - A model's tensors by the names the model uses -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/Checkpoint.h"

#include "CheckpointProblems.h"
#include "weft/Import/NamePattern.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft {

bool isRowMajorView(ArrayRef<int64_t> stored, ArrayRef<int64_t> view) {
  if (!elementCount(stored) || elementCount(stored) != elementCount(view))
    return false;
  if (elementCount(view) == 0)
    return true;
  // Both are cut at the same places into runs of equal size; in each run one side must be a single
  // dimension (which the other side splits). Dimensions of 1 do not matter.
  auto notOne = [](int64_t size) { return size != 1; };
  SmallVector<int64_t> a(make_filter_range(stored, notOne)), b(make_filter_range(view, notOne));
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    size_t beginA = i, beginB = j;
    int64_t sizeA = a[i++], sizeB = b[j++];
    while (sizeA != sizeB && (sizeA < sizeB ? i < a.size() : j < b.size()))
      sizeA < sizeB ? sizeA *= a[i++] : sizeB *= b[j++];
    if (sizeA != sizeB || (i - beginA > 1 && j - beginB > 1))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------------------------===//

StringRef Checkpoint::withoutPrefix(StringRef name) const {
  for (StringRef prefix : rules.prefixes)
    if (name.size() > prefix.size() && name.starts_with(prefix))
      return name.drop_front(prefix.size());
  return name;
}

std::string Checkpoint::renamed(StringRef name) const {
  std::string result = name.str();
  for (const auto &[pattern, replacement] : rules.renames)
    if (std::optional<std::string> next = rewriteName(pattern, replacement, result))
      result = *next;
    else if (std::optional<std::string> next =
                 rewriteName(pattern, replacement, withoutPrefix(result)))
      result = *next;
  return result;
}

bool Checkpoint::isIgnored(StringRef name) const {
  return any_of(rules.ignores, [&](StringRef pattern) {
    return matchPattern(pattern, name) || matchPattern(pattern, withoutPrefix(name));
  });
}

Error Checkpoint::nameTensors() {
  for (const StoredTensor *tensor : list) {
    std::string name = renamed(tensor->name);
    auto [place, isNew] = byName.try_emplace(name, tensor);
    if (!isNew)
      return createStringError(location + ": error: tensors '" + place->second->name + "' and '" +
                               tensor->name + "' are both '" + name + "' to the model");
    byShortName.try_emplace(withoutPrefix(name), tensor);
  }
  return Error::success();
}

const StoredTensor *Checkpoint::find(StringRef name) const {
  if (const StoredTensor *tensor = byName.lookup(name))
    return tensor;
  return byShortName.lookup(withoutPrefix(name));
}

bool Checkpoint::hasMatch(StringRef pattern) const {
  return any_of(byName.keys(),
                [&](StringRef name) { return matchPattern(pattern, name).has_value(); });
}

void Checkpoint::addComputed(StoredTensor tensor, ArrayRef<const StoredTensor *> from) {
  const StoredTensor *added =
      computed.emplace_back(std::make_unique<StoredTensor>(std::move(tensor))).get();
  byName[added->name] = added;
  usedByComputed.insert_range(from);
}

//===----------------------------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------------------------===//

StoredWeight Checkpoint::findWeight(StringRef name) const {
  StoredWeight weight;
  if (stackedDims(name) != 0)
    if (const StoredTensor *whole = find(stackName(name)))
      return {{whole}};
  for (const std::string &part : tensorNames(name)) {
    const StoredTensor *tensor = find(part);
    if (!tensor)
      return {};
    weight.parts.push_back(tensor);
  }
  return weight;
}

static std::string declaredText(const WeightRequest &request, ArrayRef<int64_t> shape) {
  std::string text = "declared as " + infoOf(request.type).name.str() + shapeString(shape);
  return request.location.empty() ? text : text + ", see " + request.location;
}

/// The shape of each tensor of a weight under this name.
static ArrayRef<int64_t> partShape(const WeightRequest &request, StringRef name, size_t parts) {
  if (parts == 1) // the whole stack, or a stack of one
    return request.shape;
  return ArrayRef(request.shape)
      .drop_front(std::min<size_t>(stackedDims(name), request.shape.size()));
}

/// Says which tensors are missing: the weight itself, or those that the others of a stack lack.
void Checkpoint::reportMissing(const WeightRequest &request, CheckpointProblems &problems) const {
  for (StringRef name : request.names) {
    std::vector<std::string> parts = tensorNames(name);
    if (parts.size() == 1 || none_of(parts, [&](const std::string &part) { return find(part); }))
      continue;
    ArrayRef<int64_t> shape = partShape(request, name, parts.size());
    for (const std::string &part : parts)
      if (!find(part))
        problems.missing.push_back("tensor '" + part + "' is missing (" +
                                   declaredText(request, shape) + ")");
    return;
  }
  problems.missing.push_back("tensor '" + join(request.names, "' or '") + "' is missing (" +
                             declaredText(request, request.shape) + ")");
}

void Checkpoint::checkTensor(const WeightRequest &request, ArrayRef<int64_t> shape,
                             const StoredTensor &tensor, CheckpointProblems &problems) const {
  std::string stored =
      "tensor '" + tensor.name + "' " + tensor.storedAs().str() + shapeString(tensor.shape);
  if (!tensor.format.empty() && !tensor.values)
    problems.unfit.push_back("tensor '" + tensor.name + "' is stored as " + tensor.format +
                             ", which no storage rule describes (" + declaredText(request, shape) +
                             ")");
  else if (infoOf(request.type).isReal() != infoOf(tensor.type).isReal())
    problems.unfit.push_back(stored + " has the wrong type (" + declaredText(request, shape) + ")");
  else if (!isRowMajorView(tensor.shape, shape))
    problems.unfit.push_back(stored + " has the wrong shape (" + declaredText(request, shape) +
                             ")");
}

std::vector<StoredWeight> Checkpoint::findRequested(ArrayRef<WeightRequest> requests,
                                                    function_ref<bool(size_t)> mayBeMissing,
                                                    CheckpointProblems &problems) const {
  std::vector<StoredWeight> found;
  for (const WeightRequest &request : requests) {
    StoredWeight weight;
    for (StringRef name : request.names) {
      weight = findWeight(name);
      if (!weight)
        continue;
      for (const StoredTensor *tensor : weight.parts)
        checkTensor(request, partShape(request, name, weight.parts.size()), *tensor, problems);
      break;
    }
    if (!weight && !mayBeMissing(found.size()))
      reportMissing(request, problems);
    found.push_back(std::move(weight));
  }
  return found;
}

Expected<std::vector<StoredWeight>> Checkpoint::matchSome(ArrayRef<WeightRequest> requests) const {
  CheckpointProblems problems;
  std::vector<StoredWeight> found = findRequested(requests, [](size_t) { return false; }, problems);
  if (problems.empty())
    return found;
  return problems.report(location);
}

Expected<std::vector<StoredWeight>>
Checkpoint::match(ArrayRef<WeightRequest> requests, function_ref<bool(size_t)> mayBeMissing) const {
  CheckpointProblems problems;
  std::vector<StoredWeight> found = findRequested(requests, mayBeMissing, problems);
  DenseSet<const StoredTensor *> used;
  for (const StoredWeight &weight : found)
    used.insert(weight.parts.begin(), weight.parts.end());
  for (StringRef name : rules.declared) {
    StoredWeight weight = findWeight(name);
    used.insert(weight.parts.begin(), weight.parts.end());
  }
  for (const StoredTensor *tensor : list)
    if (!used.contains(tensor) && !usedByComputed.contains(tensor) && !isIgnored(tensor->name) &&
        !isIgnored(renamed(tensor->name)))
      problems.unused.push_back("tensor '" + tensor->name + "' " + tensor->storedAs().str() +
                                shapeString(tensor->shape) + " is not used by the model");
  if (problems.empty())
    return found;
  return problems.report(location);
}

} // namespace weft
