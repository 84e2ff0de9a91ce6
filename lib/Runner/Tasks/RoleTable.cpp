//===- RoleTable.cpp - finds tensors and tasks by the table of roles ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/RoleTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;

static std::string listOf(std::vector<std::string> words, const char *last) {
  std::string end = words.size() > 1 ? last + words.back() : "";
  if (words.size() > 1)
    words.pop_back();
  return llvm::join(words, ", ") + end;
}

std::string TensorPattern::str() const {
  std::vector<std::string> quoted, extents;
  for (const std::string &name : names)
    quoted.push_back("'" + name + "'");
  for (const Dim &dim : shape)
    extents.push_back(dim.size ? std::to_string(dim.size) : dim.word);
  return listOf(quoted, " or ") + (extents.empty() ? "" : " of " + listOf(extents, " and "));
}

static bool fitsDim(const TensorPattern::Dim &dim, int64_t extent, const TextSizes *sizes) {
  if (dim.size)
    return extent == dim.size;
  if (!sizes || (dim.word != "tokens" && dim.word != "vocabulary"))
    return true;
  int64_t size = dim.word == "tokens" ? sizes->tokens : sizes->vocabulary;
  return size > 0 && extent == size;
}

bool TensorPattern::fits(llvm::StringRef name, ElementKind elements,
                         llvm::ArrayRef<int64_t> extents, const TextSizes *sizes) const {
  if (!llvm::is_contained(names, name) || elements != kind || extents.size() != shape.size())
    return false;
  for (auto [dim, extent] : llvm::zip_equal(shape, extents))
    if (!fitsDim(dim, extent, sizes))
      return false;
  return true;
}

const weft_tensor_info *RoleTable::find(const weft_entry_info &entry, InputRole role) const {
  for (const weft_tensor_info &input : inputsOf(entry))
    if (pattern(role).fits(input.name, elementsOf(input).kind, {input.dims, size_t(input.rank)},
                           nullptr))
      return &input;
  return nullptr;
}

/// Whether the entry has as many classes whatever its inputs.
static bool hasFixedClasses(const TensorPattern &pattern, const weft_entry_info &entry,
                            llvm::StringRef name) {
  for (const weft_tensor_info &output : outputsOf(entry))
    if (name == output.name)
      for (auto [i, dim] : llvm::enumerate(pattern.shape))
        if (dim.word == "classes" && output.dims[i] < 0)
          return false;
  return true;
}

static std::optional<FoundTask> match(const TaskRule &rule, const weft_entry_info &entry,
                                      llvm::ArrayRef<OwnedTensor> results, TextSizes sizes) {
  FoundTask found{&rule, {}};
  for (const TensorPattern &pattern : rule.results) {
    const auto *result = llvm::find_if(results, [&](const OwnedTensor &each) {
      return pattern.fits(each.name, infoOf(each.type).kind, each.shape, &sizes) &&
             hasFixedClasses(pattern, entry, each.name);
    });
    if (result == results.end())
      return std::nullopt;
    found.results.push_back(result);
  }
  return found;
}

std::optional<FoundTask> RoleTable::findTask(const weft_entry_info &entry,
                                             llvm::ArrayRef<OwnedTensor> results,
                                             TextSizes sizes) const {
  for (const TaskRule &rule : tasks)
    if (std::optional<FoundTask> found = match(rule, entry, results, sizes))
      return found;
  return std::nullopt;
}
