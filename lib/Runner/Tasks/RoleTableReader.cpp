//===- RoleTableReader.cpp - reads and checks the table of roles ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/RoleTable.h"
#include "weft/Support/Json.h"
#include "weft/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace weft;

static const char rolesText[] =
#include "Roles.inc"
    ;

// How the table spells what the code knows, in the order of the enumerations.
static const llvm::StringRef inputNames[] = {"token_ids", "token_types", "attention_mask",
                                             "pixels"};
static const llvm::StringRef taskNames[] = {"spans", "classes", "masks", "token_classes",
                                            "token_scores"};
static const llvm::StringRef tokenNames[] = {"begin", "end", "mask", "decoder_start",
                                             "decoder_second"};
static const llvm::StringRef kindNames[] = {"real", "int", "bool"};

namespace weft {

class RoleTableReader {
public:
  RoleTable read(const JsonReader &root);

private:
  TensorPattern readTensor(const JsonReader &value);
  TensorPattern::Dim readDim(const JsonReader &value);
  TaskRule readTask(const JsonReader &value);
  static void checkNames(const JsonReader &inputs, const RoleTable &table);
  void readNotExclusive(const JsonReader &value, TaskRule &into);
  static std::vector<std::string> readNames(const JsonReader &value);
  static size_t readChoice(const JsonReader &value, llvm::ArrayRef<llvm::StringRef> known);
};

} // namespace weft

// The place of a word among those that are known.
size_t RoleTableReader::readChoice(const JsonReader &value, llvm::ArrayRef<llvm::StringRef> known) {
  std::string name = value.string();
  const auto *found = llvm::find(known, name);
  if (found != known.end())
    return size_t(found - known.begin());
  value.fail("'" + name + "' is none of " + llvm::join(known, ", "));
  return 0;
}

std::vector<std::string> RoleTableReader::readNames(const JsonReader &value) {
  std::vector<std::string> names;
  for (const JsonReader &element : value.elements())
    if (names.emplace_back(element.string()).empty())
      element.fail("is empty");
  if (names.empty())
    value.fail("names nothing");
  return names;
}

TensorPattern::Dim RoleTableReader::readDim(const JsonReader &value) {
  static const llvm::StringRef words[] = {"tokens",   "vocabulary", "classes",
                                          "channels", "height",     "width"};
  if (value.isString())
    return {0, words[readChoice(value, words)].str()};
  return {value.integer(1, INT32_MAX), ""};
}

TensorPattern RoleTableReader::readTensor(const JsonReader &value) {
  value.onlyMembers({"names", "type", "shape"});
  TensorPattern pattern;
  pattern.names = readNames(value["names"]);
  pattern.kind = ElementKind(readChoice(value["type"], kindNames));
  for (const JsonReader &dim : value["shape"].elements())
    pattern.shape.push_back(readDim(dim));
  return pattern;
}

void RoleTableReader::readNotExclusive(const JsonReader &value, TaskRule &into) {
  auto members = value.members();
  if (members.size() != 1)
    return value.fail("expected one setting and its value");
  into.notExclusiveKey = members.front().first.str();
  into.notExclusiveValue = members.front().second.string();
}

TaskRule RoleTableReader::readTask(const JsonReader &value) {
  TaskRule rule;
  rule.task = Task(readChoice(value["task"], taskNames));
  llvm::SmallVector<llvm::StringRef> results = {"scores"};
  if (rule.task == Task::Spans)
    results = {"starts", "ends"};
  JsonReader tensors = value["results"];
  tensors.onlyMembers(results);
  for (llvm::StringRef result : results)
    rule.results.push_back(readTensor(tensors[result]));
  llvm::SmallVector<llvm::StringRef> members = {"task", "results"};
  if (rule.task == Task::Spans) {
    members.push_back("most_tokens");
    rule.mostTokens = value["most_tokens"].integer(1, INT32_MAX);
  }
  if (rule.task == Task::Classes) {
    members.push_back("not_exclusive");
    if (JsonReader setting = value["not_exclusive"]; !setting.isNull())
      readNotExclusive(setting, rule);
  }
  value.onlyMembers(members);
  return rule;
}

// An input has one role.
void RoleTableReader::checkNames(const JsonReader &inputs, const RoleTable &table) {
  std::set<std::string> seen;
  for (auto [role, pattern] : llvm::zip_equal(inputNames, table.inputs))
    for (const std::string &name : pattern.names)
      if (!seen.insert(name).second)
        inputs[role]["names"].fail("'" + name + "' has another role already");
}

RoleTable RoleTableReader::read(const JsonReader &root) {
  RoleTable table;
  root.onlyMembers({"inputs", "tasks", "special_tokens"});
  JsonReader inputs = root["inputs"], tokens = root["special_tokens"];
  inputs.onlyMembers(inputNames);
  for (auto [role, pattern] : llvm::zip_equal(inputNames, table.inputs))
    pattern = readTensor(inputs[role]);
  checkNames(inputs, table);
  for (const JsonReader &task : root["tasks"].elements())
    table.tasks.push_back(readTask(task));
  tokens.onlyMembers(tokenNames);
  for (auto [role, names] : llvm::zip_equal(tokenNames, table.tokens))
    names = readNames(tokens[role]);
  return table;
}

llvm::Expected<RoleTable> RoleTable::parse(llvm::StringRef json, llvm::StringRef name) {
  llvm::Expected<llvm::json::Value> value = parseJson(json, name);
  if (!value)
    return value.takeError();
  JsonReader::File file{name.str(), ""};
  RoleTable table = RoleTableReader().read(JsonReader(&*value, file));
  if (llvm::Error error = file.takeError())
    return std::move(error);
  return table;
}

const RoleTable &RoleTable::standard() {
  static const RoleTable table = llvm::cantFail(parse(rolesText, "Roles.json"));
  return table;
}
