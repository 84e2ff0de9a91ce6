//===- NamedTables.cpp - tables of codes that are named by what they are made of ------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A table is known by a number everywhere, as an enumerator is, and by its name in printed stages.
// So those that were read are kept, each once.
//
//===----------------------------------------------------------------------------------------===//

#include "NamedTables.h"

#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>
#include <cmath>
#include <deque>
#include <mutex>

using namespace weft;

namespace {

/// A table with its name and numbers.
struct NamedTable {
  std::string name;
  std::array<float, 16> values = {};
  CodeTableInfo info = {};
};

struct NamedTables {
  std::mutex mutex;
  std::deque<NamedTable> list; ///< whose elements stay where they are
};

} // namespace

static NamedTables &getTables() {
  static NamedTables tables;
  return tables;
}

static constexpr std::pair<ElementType, llvm::StringLiteral> types[] = {
    {ElementType::F32, "f32"},
    {ElementType::BF16, "bf16"},
    {ElementType::F16, "f16"},
    {ElementType::I8, "i8"},
};

static std::optional<ElementType> parseType(llvm::StringRef name) {
  for (const auto &[type, own] : types)
    if (own == name)
      return type;
  return std::nullopt;
}

static std::string nameType(ElementType type) {
  return llvm::find_if(types, [&](const auto &one) { return one.first == type; })->second.str();
}

//===----------------------------------------------------------------------------------------===//
// Numbers of codes
//===----------------------------------------------------------------------------------------===//

/// Whole numbers of 4 bits begin with these.
static constexpr std::pair<llvm::StringLiteral, float> shortIntegers[] = {{"int4", -8},
                                                                          {"uint4", 0}};

static bool parseList(llvm::StringRef text, NamedTable &table) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return false;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ');
  if (words.size() > table.values.size())
    return false;
  for (auto [word, value] : llvm::zip(words, table.values)) {
    double number;
    if (word.getAsDouble(number) || !std::isfinite(number))
      return false;
    value = float(number);
  }
  return true;
}

static bool parseNumbers(llvm::StringRef text, NamedTable &table) {
  for (const CodeTableInfo &known : codeTables())
    if (known.name == text) {
      table.info = known;
      if (known.values)
        std::copy_n(known.values, table.values.size(), table.values.begin());
      return true;
    }
  table.info.bits = 4;
  bool isKnown = parseList(text, table);
  for (const auto &[name, first] : shortIntegers)
    for (size_t i = 0; name == text && i != table.values.size(); ++i) {
      table.values[i] = first + float(i);
      isKnown = true;
    }
  for (float value : table.values)
    table.info.largest = std::max(table.info.largest, std::fabs(value));
  return isKnown;
}

/// "f16/8": whose scales have a factor.
static bool parseSpan(llvm::StringRef text, CodeTableInfo &info) {
  auto [type, span] = text.split('/');
  std::optional<ElementType> outer = parseType(type);
  if (!outer || span.getAsInteger(10, info.span) || info.span < 2)
    return false;
  info.outer = *outer;
  return true;
}

/// "int4*f16", or with a shift, or factors.
static bool parseName(llvm::StringRef name, NamedTable &table) {
  bool hasFactors = name.contains(" of ");
  auto [text, factors] = name.split(" of ");
  name = text;
  bool isBefore = name.consume_front("(");
  auto [numbers, rest] = name.split(isBefore ? '+' : '*');
  auto [first, second] = rest.split(isBefore ? ")*" : "+");
  if (!parseNumbers(numbers, table) || first.empty())
    return false;
  std::optional<ElementType> scale = parseType(isBefore ? second : first),
                             shift = parseType(isBefore ? first : second);
  bool hasShift = isBefore || rest.contains('+');
  if (!scale || (hasShift && !shift))
    return false;
  table.info.scale = *scale;
  table.info.shift = !hasShift ? CodeShift::None : isBefore ? CodeShift::Zero : CodeShift::Offset;
  table.info.shiftType = shift.value_or(ElementType::F32);
  return !hasFactors || (!isBefore && parseSpan(factors, table.info));
}

//===----------------------------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------------------------===//

std::optional<size_t> weft::findNamedTable(llvm::StringRef name) {
  NamedTable table;
  if (!parseName(name, table))
    return std::nullopt;
  NamedTables &tables = getTables();
  std::lock_guard<std::mutex> lock(tables.mutex);
  for (auto [number, known] : llvm::enumerate(tables.list))
    if (known.name == name)
      return number;
  table.name = name.str();
  NamedTable &added = tables.list.emplace_back(std::move(table));
  size_t number = tables.list.size() - 1;
  added.info.table = CodeTable(number + codeTables().size() + 1);
  added.info.name = added.name;
  bool hasValues = added.info.bits == 4;
  added.info.values = hasValues ? added.values.data() : nullptr;
  if (hasValues)
    added.info.numbers = added.info.table;
  return number;
}

const CodeTableInfo &weft::getNamedTable(size_t number) {
  NamedTables &tables = getTables();
  std::lock_guard<std::mutex> lock(tables.mutex);
  return tables.list[number].info;
}

static std::string addShared(const std::string &numbers, const SharedTypes &shared) {
  std::string by = "*" + nameType(shared.scale), added = "+" + nameType(shared.shiftType);
  std::string factors;
  if (shared.span)
    factors = " of " + nameType(shared.outer) + "/" + std::to_string(shared.span);
  switch (shared.shift) {
  case CodeShift::None:
    return numbers + by + factors;
  case CodeShift::Zero:
    return "(" + numbers + added + ")" + by;
  case CodeShift::Offset:
    return numbers + by + added + factors;
  }
  llvm_unreachable("no such shift");
}

/// Whether the numbers are those that a name stands for; the name may have more.
static bool isNamed(llvm::ArrayRef<float> values, float first) {
  return llvm::all_of(llvm::enumerate(values),
                      [&](auto one) { return one.value() == first + float(one.index()); });
}

std::string weft::nameCodeTable(llvm::ArrayRef<float> values, const SharedTypes &shared) {
  for (const auto &[name, first] : shortIntegers)
    if (isNamed(values, first))
      return addShared(name.str(), shared);
  for (const CodeTableInfo &known : codeTables())
    if (known.values && std::equal(values.begin(), values.end(), known.values))
      return addShared(known.name.str(), shared);
  std::string list;
  for (float value : values)
    list += fmt::format("{}{}", list.empty() ? "" : " ", value);
  return addShared("[" + list + "]", shared);
}

std::string weft::nameCodeTable(CodeTable numbers, const SharedTypes &shared) {
  return addShared(infoOf(numbers).name.str(), shared);
}
