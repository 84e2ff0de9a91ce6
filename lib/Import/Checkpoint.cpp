//===- Checkpoint.cpp - A model's tensors by the names the model uses -------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "weft/Import/Checkpoint.h"
#include "weft/Import/NamePattern.h"
#include "llvm/ADT/DenseSet.h"
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

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void Checkpoint::checkRequest(const WeightRequest &request, const StoredTensor *tensor,
                              bool mayBeMissing, std::vector<std::string> &problems) const {
  std::string wanted = (request.isInt ? "int" : "real") + shapeString(request.shape);
  if (!request.location.empty())
    wanted += ", see " + request.location;
  if (!tensor) {
    if (!mayBeMissing)
      problems.push_back("tensor '" + join(request.names, "' or '") + "' is missing (declared as " +
                         wanted + ")");
    return;
  }
  std::string stored = "tensor '" + tensor->name + "' " + tensorTypeName(tensor->type).str() +
                       shapeString(tensor->shape);
  if (request.isInt == isRealType(tensor->type))
    problems.push_back(stored + " has the wrong type (declared as " + wanted + ")");
  else if (!isRowMajorView(tensor->shape, request.shape))
    problems.push_back(stored + " has the wrong shape (declared as " + wanted + ")");
}

Expected<std::vector<const StoredTensor *>>
Checkpoint::match(ArrayRef<WeightRequest> requests, function_ref<bool(size_t)> mayBeMissing) const {
  std::vector<const StoredTensor *> found;
  std::vector<std::string> problems;
  DenseSet<const StoredTensor *> used;
  for (const WeightRequest &request : requests) {
    const StoredTensor *tensor = nullptr;
    for (StringRef name : request.names)
      if (!tensor)
        tensor = find(name);
    checkRequest(request, tensor, mayBeMissing(found.size()), problems);
    found.push_back(tensor);
    used.insert(tensor);
  }
  for (const StoredTensor *tensor : list)
    if (!used.contains(tensor) && !isIgnored(tensor->name) && !isIgnored(renamed(tensor->name)))
      problems.push_back("tensor '" + tensor->name + "' " + tensorTypeName(tensor->type).str() +
                         shapeString(tensor->shape) + " is not used by the model");
  if (problems.empty())
    return found;
  std::string text;
  for (const std::string &problem : problems)
    text += (text.empty() ? "" : "\n") + location + ": error: " + problem;
  return createStringError(text);
}

} // namespace weft
