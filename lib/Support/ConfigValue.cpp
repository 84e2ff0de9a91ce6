//===- ConfigValue.cpp - The value `config` of the language ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/ConfigValue.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Json.h"
#include <algorithm>
#include <charconv>

using namespace llvm;

namespace weft {

ConfigValue ConfigValue::makeBool(bool value) {
  ConfigValue result;
  result.tag = Kind::Bool;
  result.integer = value;
  return result;
}

ConfigValue ConfigValue::makeInt(int64_t value) {
  ConfigValue result;
  result.tag = Kind::Int;
  result.integer = value;
  return result;
}

ConfigValue ConfigValue::makeReal(double value) {
  ConfigValue result;
  result.tag = Kind::Real;
  result.real = value;
  return result;
}

ConfigValue ConfigValue::makeString(StringRef value) {
  ConfigValue result;
  result.tag = Kind::String;
  result.text = value.str();
  return result;
}

ConfigValue ConfigValue::makeArray(std::vector<ConfigValue> values) {
  ConfigValue result;
  result.tag = Kind::Array;
  result.items = std::move(values);
  return result;
}

ConfigValue ConfigValue::makeObject() {
  ConfigValue result;
  result.tag = Kind::Object;
  return result;
}

/// A configuration that writes 1.0 means a real number, but LLVM's getAsInteger takes it for an
/// integer. getAsUINT64 does not; it leaves open only negative whole numbers, taken for integers.
static ConfigValue fromNumber(const json::Value &value) {
  std::optional<int64_t> integer = value.getAsInteger();
  if (integer && (*integer < 0 || value.getAsUINT64()))
    return ConfigValue::makeInt(*integer);
  return ConfigValue::makeReal(*value.getAsNumber());
}

ConfigValue ConfigValue::fromJson(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return ConfigValue();
  case json::Value::Boolean:
    return makeBool(*value.getAsBoolean());
  case json::Value::Number:
    return fromNumber(value);
  case json::Value::String:
    return makeString(*value.getAsString());
  case json::Value::Array: {
    std::vector<ConfigValue> items;
    for (const json::Value &item : *value.getAsArray())
      items.push_back(fromJson(item));
    return makeArray(std::move(items));
  }
  case json::Value::Object: {
    std::vector<std::pair<StringRef, const json::Value *>> members;
    for (const auto &member : *value.getAsObject())
      members.push_back({member.first, &member.second});
    llvm::sort(members, [](auto &a, auto &b) { return a.first < b.first; });
    ConfigValue result = makeObject();
    for (auto &[key, member] : members) {
      result.names.push_back(key.str());
      result.items.push_back(fromJson(*member));
    }
    return result;
  }
  }
  llvm_unreachable("all kinds of JSON are handled");
}

Expected<ConfigValue> ConfigValue::parse(StringRef text, StringRef fileName) {
  Expected<json::Value> value = parseJson(text, fileName);
  if (!value)
    return value.takeError();
  return fromJson(*value);
}

Expected<ConfigValue> ConfigValue::parseFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  Expected<ConfigValue> value = parse((*buffer)->getBuffer(), path);
  if (value && !value->isObject())
    return createStringError(path + ":1:1: error: expected an object, found " + value->kindName());
  return value;
}

ConfigValue ConfigValue::fromCommandLine(StringRef text) {
  Expected<ConfigValue> value = parse(text, "-D");
  if (value)
    return std::move(*value);
  consumeError(value.takeError());
  return makeString(text);
}

StringRef ConfigValue::kindName() const {
  static const char *const kindNames[] = {"null",   "bool",  "int",   "real",
                                          "string", "array", "object"};
  return kindNames[unsigned(tag)];
}

const ConfigValue *ConfigValue::get(StringRef key) const {
  auto found = std::lower_bound(names.begin(), names.end(), key);
  return found != names.end() && *found == key ? &items[found - names.begin()] : nullptr;
}

void ConfigValue::set(StringRef key, ConfigValue value) {
  assert(isObject());
  auto place = std::lower_bound(names.begin(), names.end(), key);
  size_t index = place - names.begin();
  if (place != names.end() && *place == key) {
    items[index] = std::move(value);
    return;
  }
  names.insert(place, key.str());
  items.insert(items.begin() + index, std::move(value));
}

Error ConfigValue::setPath(StringRef path, ConfigValue value) {
  ConfigValue *object = this;
  StringRef rest = path;
  while (true) {
    auto [key, tail] = rest.split('.');
    if (key.empty())
      return createStringError("'" + path + "' is not a configuration name");
    if (!object->isObject())
      return createStringError("cannot set '" + path + "': '" +
                               path.drop_back(rest.size()).rtrim('.') + "' is " +
                               object->kindName() + ", not an object");
    if (!rest.contains('.')) {
      object->set(key, std::move(value));
      return Error::success();
    }
    const ConfigValue *next = object->get(key);
    if (!next || next->isNull())
      object->set(key, makeObject());
    object = const_cast<ConfigValue *>(object->get(key));
    rest = tail;
  }
}

/// The shortest text that reads back as the same real number, with a point or an exponent.
static std::string realText(double value) {
  char buffer[32];
  std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  StringRef text(buffer, end.ptr - buffer);
  return text.find_first_of(".en") == StringRef::npos ? (text + ".0").str() : text.str();
}

static void printJson(json::OStream &json, const ConfigValue &value) {
  switch (value.kind()) {
  case ConfigValue::Kind::Null:
    return json.value(nullptr);
  case ConfigValue::Kind::Bool:
    return json.value(value.asBool());
  case ConfigValue::Kind::Int:
    return json.value(value.asInt());
  case ConfigValue::Kind::Real:
    return json.rawValue(realText(value.asReal()));
  case ConfigValue::Kind::String:
    return json.value(value.asString());
  case ConfigValue::Kind::Array:
    return json.array([&] {
      for (const ConfigValue &item : value.elements())
        printJson(json, item);
    });
  case ConfigValue::Kind::Object:
    return json.object([&] {
      for (auto [key, item] : llvm::zip_equal(value.keys(), value.elements())) {
        json.attributeBegin(key);
        printJson(json, item);
        json.attributeEnd();
      }
    });
  }
}

void ConfigValue::print(raw_ostream &os) const {
  json::OStream json(os);
  printJson(json, *this);
}

std::string ConfigValue::str() const {
  std::string result;
  raw_string_ostream os(result);
  print(os);
  return result;
}

bool ConfigValue::operator==(const ConfigValue &other) const {
  return tag == other.tag && integer == other.integer && real == other.real && text == other.text &&
         names == other.names && items == other.items;
}

} // namespace weft
