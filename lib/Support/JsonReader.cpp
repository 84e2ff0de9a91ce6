//===- JsonReader.cpp - values of a JSON file, with their places ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

llvm::Error JsonReader::File::takeError() {
  return problem.empty() ? llvm::Error::success() : llvm::createStringError(name + ": " + problem);
}

void JsonReader::fail(const llvm::Twine &problem) const {
  if (!failed())
    file->problem = (place.empty() ? problem : place + ": " + problem).str();
}

void JsonReader::failBecause(llvm::Error error) const {
  std::string message = llvm::toString(std::move(error));
  llvm::StringRef rest = message;
  rest.consume_front(file->name + ": ");
  fail(rest);
}

std::string JsonReader::origin() const {
  return place.empty() ? file->name : file->name + ": " + place;
}

std::string JsonReader::kindName() const {
  if (!value)
    return "nothing";
  static const char *const names[] = {"null",     "a bool",   "a number",
                                      "a string", "an array", "an object"};
  static_assert(llvm::json::Value::Null == 0 && llvm::json::Value::Object == 5, "names in order");
  return names[value->kind()];
}

std::string JsonReader::string() const {
  if (value)
    if (std::optional<llvm::StringRef> found = value->getAsString())
      return found->str();
  fail("expected a string, found " + kindName());
  return "";
}

std::string JsonReader::shortString(size_t most) const {
  std::string result = string();
  if (result.size() > most)
    fail("has " + llvm::Twine(result.size()) + " bytes, more than " + llvm::Twine(most));
  return result;
}

bool JsonReader::boolean() const {
  if (value)
    if (std::optional<bool> found = value->getAsBoolean())
      return *found;
  fail("expected true or false, found " + kindName());
  return false;
}

int64_t JsonReader::integer(int64_t least, int64_t most) const {
  std::optional<int64_t> found = value ? value->getAsInteger() : std::nullopt;
  if (found && *found >= least && *found <= most)
    return *found;
  if (found)
    fail(llvm::Twine(*found) + " is not from " + llvm::Twine(least) + " to " + llvm::Twine(most));
  else
    fail("expected an integer, found " + kindName());
  return least;
}

double JsonReader::number() const {
  if (value)
    if (std::optional<double> found = value->getAsNumber())
      return *found;
  fail("expected a number, found " + kindName());
  return 0;
}

std::vector<JsonReader> JsonReader::elements(size_t most) const {
  std::vector<JsonReader> result;
  const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    fail("expected an array, found " + kindName());
  else if (array->size() > most)
    fail("has " + llvm::Twine(array->size()) + " elements, more than " + llvm::Twine(most));
  else
    for (size_t i = 0; i < array->size(); ++i)
      result.emplace_back(&(*array)[i], *file, place + "[" + std::to_string(i) + "]");
  return result;
}

static std::string join(const std::string &place, llvm::StringRef key) {
  return (place.empty() ? "" : place + ".") + key.str();
}

std::vector<std::pair<llvm::StringRef, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<llvm::StringRef, JsonReader>> result;
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object) {
    fail("expected an object, found " + kindName());
    return result;
  }
  for (const auto &member : *object)
    result.emplace_back(member.first, JsonReader(&member.second, *file, join(place, member.first)));
  llvm::sort(result, [](auto &a, auto &b) { return a.first < b.first; });
  return result;
}

std::vector<std::pair<int32_t, llvm::StringRef>> JsonReader::ids() const {
  std::vector<std::pair<int32_t, llvm::StringRef>> result;
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object) {
    fail("expected an object, found " + kindName());
    return result;
  }
  result.reserve(object->size());
  for (const auto &member : *object)
    if (std::optional<int64_t> id = member.second.getAsInteger(); id && *id >= 0 && *id < INT32_MAX)
      result.emplace_back(int32_t(*id), member.first);
  if (result.size() < object->size())
    for (auto &[key, member] : members())
      member.id(); // says what is wrong with the first that is none
  llvm::sort(result);
  return result;
}

JsonReader JsonReader::operator[](llvm::StringRef key) const {
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    fail("expected an object, found " + kindName());
  return {object ? object->get(key) : nullptr, *file, join(place, key)};
}

bool JsonReader::boolean(llvm::StringRef key, bool absent) const {
  JsonReader member = (*this)[key];
  return member.isNull() ? absent : member.boolean();
}

std::string JsonReader::string(llvm::StringRef key, llvm::StringRef absent) const {
  JsonReader member = (*this)[key];
  return member.isNull() ? absent.str() : member.string();
}

std::optional<std::string> JsonReader::optionalString(llvm::StringRef key) const {
  JsonReader member = (*this)[key];
  return member.isNull() ? std::nullopt : std::optional<std::string>(member.string());
}

void JsonReader::onlyMembers(llvm::ArrayRef<llvm::StringRef> keys) const {
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return fail("expected an object, found " + kindName());
  for (auto &[key, member] : members())
    if (key != "type" && !llvm::is_contained(keys, key))
      return member.fail("is not supported");
}
