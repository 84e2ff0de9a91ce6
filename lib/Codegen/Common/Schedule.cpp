//===- Schedule.cpp - the fields of `weft.lowering` as structs -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Schedule.h"

#include "weft/Support/NearestName.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// More than any size of a kernel; products of a few of them with sizes that were checked fit.
static constexpr int64_t kLargest = int64_t(1) << 40;
static constexpr llvm::StringLiteral kNumber = "a number from 1 to 2^40";
/// The widest vectors, and the most copies of a piece of code that are written out.
static constexpr int64_t kMaxWidth = 64, kMaxRepetition = 64;

static InFlightDiagnostic emitError(Operation *anchor, LoweringAttr lowering) {
  return anchor->emitError("lowering \"") << lowering.getEmitter() << "\": ";
}

/// As it stands in the attribute.
static std::string getText(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/number && number.getType().isInteger(64));
  return text;
}

static void emitWrong(Operation *anchor, LoweringAttr lowering, StringRef field,
                      const Twine &expected) {
  Attribute value = lowering.getSchedule().get(field);
  emitError(anchor, lowering) << "'" << field << "' is " << (value ? getText(value) : "missing")
                              << ", expected " << expected;
}

bool weft::isVectorWidth(int64_t width) {
  return width > 0 && width <= kMaxWidth && llvm::isPowerOf2_64(uint64_t(width));
}

//===----------------------------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------------------------===//

void ScheduleRules::require(bool holds, StringRef field, const Twine &expected) {
  if (!holds && !broken)
    emitWrong(anchor, lowering, field, expected);
  broken |= !holds;
}

void ScheduleRules::requireWidth(int64_t width) {
  require(isVectorWidth(width), "width", "a power of 2 up to " + Twine(kMaxWidth));
}

void ScheduleRules::requireRepetition(int64_t times, StringRef field) {
  require(times <= kMaxRepetition, field, "at most " + Twine(kMaxRepetition));
}

void ScheduleRules::requireWhole(bool holds, const Twine &problem) {
  if (!holds && !broken)
    emitError(anchor, lowering) << problem;
  broken |= !holds;
}

//===----------------------------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------------------------===//

static std::optional<int64_t> getNumber(Attribute value, int64_t least = 1) {
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  if (!number || !number.getType().isInteger(64) || number.getInt() < least ||
      number.getInt() > kLargest)
    return std::nullopt;
  return number.getInt();
}

void ScheduleReader::note(StringRef name, StringRef expected) {
  if (!wrong)
    wrong = {name, expected};
}

Attribute ScheduleReader::take(StringRef name, bool needed) {
  known.push_back(name);
  Attribute value = schedule.get(name);
  if (!value && needed)
    note(name, "");
  return value;
}

void ScheduleReader::operator()(StringRef name, int64_t &value) {
  Attribute given = take(name, /*needed=*/true);
  std::optional<int64_t> number = getNumber(given);
  if (given && !number)
    note(name, kNumber);
  value = number.value_or(value);
}

void ScheduleReader::operator()(StringRef name, std::optional<int64_t> &value) {
  Attribute given = take(name, /*needed=*/false);
  value = getNumber(given);
  if (given && !value)
    note(name, kNumber);
}

void ScheduleReader::operator()(StringRef name, std::optional<unsigned> &value) {
  Attribute given = take(name, /*needed=*/false);
  std::optional<int64_t> position = getNumber(given, /*least=*/0);
  if (given && (!position || !llvm::isUInt<32>(*position)))
    note(name, "a position from 0");
  else if (given)
    value = unsigned(*position);
}

void ScheduleReader::operator()(StringRef name, bool &value) {
  Attribute given = take(name, /*needed=*/true);
  if (auto flag = dyn_cast_or_null<BoolAttr>(given))
    value = flag.getValue();
  else if (given)
    note(name, "true or false");
}

void ScheduleReader::operator()(StringRef name, std::optional<std::string> &value) {
  Attribute given = take(name, /*needed=*/false);
  if (auto text = dyn_cast_or_null<StringAttr>(given))
    value = text.str();
  else if (given)
    note(name, "a string");
}

void ScheduleReader::operator()(StringRef name, LoweringAttr &value) {
  Attribute given = take(name, /*needed=*/false);
  value = dyn_cast_or_null<LoweringAttr>(given);
  if (given && !value)
    note(name, "a lowering");
}

void ScheduleReader::operator()(StringRef name, SmallVector<int64_t> &values) {
  Attribute given = take(name, /*needed=*/true);
  if (!given)
    return;
  auto list = dyn_cast<ArrayAttr>(given);
  values.clear();
  for (Attribute element : list ? list.getValue() : ArrayRef<Attribute>())
    if (std::optional<int64_t> number = getNumber(element))
      values.push_back(*number);
  if (!list || values.size() != list.size())
    note(name, "a list of numbers from 1 to 2^40");
}

LogicalResult ScheduleReader::finish(Operation *anchor, LoweringAttr lowering) const {
  for (NamedAttribute field : schedule)
    if (StringRef name = field.getName(); !llvm::is_contained(known, name))
      return emitError(anchor, lowering)
             << "unknown field '" << name << "'" << choices(name, known);
  if (!wrong)
    return success();
  if (wrong->second.empty())
    return emitError(anchor, lowering) << "the field '" << wrong->first << "' is missing";
  emitWrong(anchor, lowering, wrong->first, wrong->second);
  return failure();
}
