//===- Precision.cpp - in how many bits a model is stored and computed ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

using namespace weft;

/// The words of the flags, which say f32 where texts say real.
static constexpr std::pair<ElementType, llvm::StringLiteral> types[] = {
    {ElementType::F32, "f32"},
    {ElementType::BF16, "bf16"},
    {ElementType::F16, "f16"},
    {ElementType::I8, "int8"},
};

/// Factors that are sums of numbers of bf16: how many these are, and the word for the products.
static constexpr std::pair<int, llvm::StringLiteral> splits[] = {{2, "bf16x3"}, {3, "bf16x6"}};

/// Of factors that are rounded where they are multiplied, by a GPU.
static constexpr llvm::StringLiteral kTF32 = "tf32";

/// Stored, computed: weights in fewer bits are extended, and both factors are what is multiplied.
static constexpr std::pair<ElementType, ElementType> pairs[] = {
    {ElementType::F32, ElementType::F32}, {ElementType::BF16, ElementType::F32},
    {ElementType::F16, ElementType::F32}, {ElementType::BF16, ElementType::BF16},
    {ElementType::F16, ElementType::F16}, {ElementType::I8, ElementType::F32},
    {ElementType::I8, ElementType::I8},
};

llvm::StringRef weft::precisionName(ElementType type) {
  return llvm::find_if(types, [&](const auto &entry) { return entry.first == type; })->second;
}

std::optional<ElementType> weft::parsePrecision(llvm::StringRef text, bool withCodes) {
  for (const auto &[type, name] : types)
    if (name == text && (withCodes || infoOf(type).isReal()))
      return type;
  return std::nullopt;
}

/// The tables that are words of --store; whole numbers have products of their own.
static auto getTables() {
  return llvm::make_filter_range(
      codeTables(), [](const CodeTableInfo &info) { return info.table != CodeTable::Int8; });
}

/// Sets the group from "group=32", 64, 128 or "row"; whether it is one of them.
static bool parseGroup(llvm::StringRef word, CodeFormat &codes) {
  if (!word.consume_front("group="))
    return false;
  if (word == "32" || word == "64" || word == "128")
    word.getAsInteger(10, codes.group);
  else if (word == "row")
    codes.group = 0;
  else
    return false;
  return true;
}

/// What follows "int4,", or "int8,", which has a scale for each row and no zeros; returns what is
/// wrong, or "".
static std::string parseGroups(llvm::StringRef flag, llvm::StringRef name, llvm::StringRef words,
                               CodeFormat &codes) {
  llvm::SmallVector<llvm::StringRef> list;
  words.split(list, ',');
  bool hasGroup = false, hasZero = false;
  for (llvm::StringRef word : list) {
    bool isGroup = word.starts_with("group=");
    if (std::exchange(isGroup ? hasGroup : hasZero, true))
      return flag.str() + " says twice how codes are grouped";
    bool isKnown = isGroup ? parseGroup(word, codes) : word == "sym" || word == "asym";
    codes.asymmetric = isGroup ? codes.asymmetric : word == "asym";
    bool isByte = codes.bits == 8;
    if (!isKnown || (isByte && (codes.group != 0 || codes.asymmetric)))
      return "unknown '" + word.str() + "' in " + flag.str() + ": " + name.str() +
             (isByte ? " has group=row and sym alone"
                     : " has group=32, 64, 128 or row, and sym or asym");
  }
  return "";
}

std::string weft::parseStore(llvm::StringRef flag, llvm::StringRef text, StoredAs &stored) {
  stored = StoredAs();
  auto [name, words] = text.split(',');
  if (name == "int4") {
    stored = {ElementType::I8, {4, 32, false}};
    return text == name ? "" : parseGroups(flag, name, words, stored.codes);
  }
  for (const CodeTableInfo &info : getTables())
    if (name == info.name) {
      stored = {ElementType::I8, CodeFormat(info.table, info.group)};
      if (text == name || parseGroup(words, stored.codes))
        return "";
      return "unknown '" + words.str() + "' in " + flag.str() + ": " + name.str() +
             " has group=32, 64, 128 or row";
    }
  stored.type = parsePrecision(name, /*withCodes=*/true);
  if (text == name && (stored.type || name == "keep"))
    return "";
  if (stored.isCodes())
    return parseGroups(flag, name, words, stored.codes);
  if (stored.type || name == "keep")
    return "unknown '" + words.str() + "' in " + flag.str() + ": " + name.str() + " has no groups";
  std::string known = "keep, " + precisionNames(true) + ", int4";
  for (const CodeTableInfo &info : getTables())
    known += ", " + info.name.str();
  return "unknown type '" + text.str() + "' in " + flag.str() + ": " + known + " are known";
}

std::string weft::storeName(const StoredAs &stored) {
  if (stored.isKept())
    return "keep";
  std::string group = stored.codes.group ? std::to_string(stored.codes.group) : "row";
  if (stored.codes.table != CodeTable::None)
    return infoOf(stored.codes.table).name.str() + ",group=" + group;
  if (stored.codes.bits != 4)
    return precisionName(*stored.type).str();
  return "int4,group=" + group + (stored.codes.asymmetric ? ",asym" : ",sym");
}

std::string weft::precisionNames(bool withCodes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator comma;
  for (const auto &[type, name] : types)
    if (withCodes || infoOf(type).isReal())
      os << llvm::StringRef(comma) << name;
  return text;
}

bool weft::parseCompute(llvm::StringRef text, Precision &precision) {
  std::optional<ElementType> type = parsePrecision(text, /*withCodes=*/true);
  const auto *split =
      llvm::find_if(splits, [&](const auto &entry) { return entry.second == text; });
  bool isSplit = split != std::end(splits);
  if (!type && !isSplit && text != kTF32)
    return false;
  precision.compute = type.value_or(ElementType::F32);
  precision.parts = isSplit ? split->first : 1;
  precision.tf32 = text == kTF32;
  return true;
}

llvm::StringRef weft::computeName(const Precision &precision) {
  if (precision.tf32)
    return kTF32;
  for (const auto &[parts, name] : splits)
    if (parts == precision.parts)
      return name;
  return precisionName(precision.compute);
}

std::string weft::computeNames() {
  std::string text = precisionNames(/*withCodes=*/true);
  for (const auto &[parts, name] : splits)
    text += ", " + name.str();
  return text + ", " + kTF32.str();
}

bool weft::hasProducts(const StoredAs &stored, const Precision &precision) {
  if (stored.codes.table != CodeTable::None)
    return precision.compute == ElementType::F32 && precision.parts == 1;
  if (precision.tf32)
    return !stored.type || stored.type == ElementType::F32;
  return !stored.type || hasProducts(*stored.type, precision.compute, precision.parts);
}

bool weft::hasKeptProducts(CodeTable table, const Precision &precision) {
  if (precision.compute == ElementType::I8)
    return findWholeNumbers(table).has_value();
  return precision.compute == ElementType::F32 && precision.parts == 1;
}

bool weft::hasProducts(ElementType stored, ElementType compute, int parts) {
  if (parts > 1)
    return infoOf(stored).isReal() && compute == ElementType::F32;
  return llvm::is_contained(pairs, std::pair(stored, compute));
}

std::string weft::productPairs(bool forGPU) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(pairs, os, [&](auto pair) {
    os << precisionName(pair.first) << " computed in " << precisionName(pair.second);
  });
  for (const CodeTableInfo &info : getTables())
    os << ", " << info.name << " computed in " << precisionName(ElementType::F32);
  os << ", codes of a checkpoint computed in " << precisionName(ElementType::F32)
     << ", whole numbers of a checkpoint computed in " << precisionName(ElementType::I8);
  auto add = [&](ElementType stored, llvm::StringRef name) {
    os << ", " << precisionName(stored) << " computed in " << name;
  };
  if (forGPU)
    add(ElementType::F32, kTF32);
  else
    for (const auto &[parts, name] : splits)
      for (ElementType stored : {ElementType::F32, ElementType::BF16, ElementType::F16})
        add(stored, name);
  return text;
}

//===----------------------------------------------------------------------------------------===//
// What is said of single weights
//===----------------------------------------------------------------------------------------===//

bool StoreRules::Rule::matches(llvm::StringRef name) const {
  return llvm::cantFail(llvm::GlobPattern::create(pattern)).match(name);
}

std::string StoreRules::add(llvm::StringRef text) {
  static constexpr llvm::StringLiteral flag = "--store-tensor";
  auto [pattern, word] = text.split('=');
  if (pattern.empty() || word.empty() || pattern.contains(';'))
    return (flag + " wants PATTERN=TYPE, not '" + text + "'").str();
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob)
    return (flag + ": '" + pattern + "': " + llvm::toString(glob.takeError())).str();
  Rule rule{pattern.str(), {}};
  std::string problem = parseStore(flag, word, rule.as);
  if (problem.empty())
    rules.push_back(std::move(rule));
  return problem;
}

const StoreRules::Rule *StoreRules::find(llvm::StringRef name) const {
  for (const Rule &rule : llvm::reverse(rules))
    if (rule.matches(name))
      return &rule;
  return nullptr;
}

std::string StoreRules::getText() const {
  return llvm::join(
      llvm::map_range(rules,
                      [](const Rule &rule) { return rule.pattern + "=" + storeName(rule.as); }),
      ";");
}

std::string StoreRules::addAll(llvm::StringRef text) {
  std::string problem;
  for (llvm::StringRef rule : llvm::split(text, ';'))
    if (problem.empty() && !text.empty())
      problem = add(rule);
  return problem;
}

bool Precision::hasCodes() const {
  return store.isCodes() || llvm::any_of(tensors.getRules(), [](const StoreRules::Rule &rule) {
           return rule.as.isCodes();
         });
}

bool Precision::hasKept() const {
  return store.isKept() || llvm::any_of(tensors.getRules(), [](const StoreRules::Rule &rule) {
           return rule.as.isKept();
         });
}
