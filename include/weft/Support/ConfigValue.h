//===- ConfigValue.h - The value `config` of the language -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A model's configuration (config.json) as an immutable-by-default tree of values that semantic
// analysis reads at compile time. Copies are deep.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_CONFIGVALUE_H
#define WEFT_SUPPORT_CONFIGVALUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

namespace llvm::json {
class Value;
} // namespace llvm::json

namespace weft {

/// A value of JSON: null, a bool, a number, a string, an array or an object.
class ConfigValue {
public:
  /// What a value is. A number without fraction and exponent that fits 64 bits is an Int.
  enum class Kind { Null, Bool, Int, Real, String, Array, Object };

  /// Null. An object is made by makeObject().
  ConfigValue() = default;
  /// A value of each kind; an array takes its elements, an object is empty.
  static ConfigValue makeBool(bool value);
  static ConfigValue makeInt(int64_t value);
  static ConfigValue makeReal(double value);
  static ConfigValue makeString(llvm::StringRef value);
  static ConfigValue makeArray(std::vector<ConfigValue> values);
  static ConfigValue makeObject();

  /// Reads JSON. Errors read `fileName:line:column: error: ...`.
  static llvm::Expected<ConfigValue> parse(llvm::StringRef text, llvm::StringRef fileName);
  /// Reads the JSON file `path`, whose root must be an object.
  static llvm::Expected<ConfigValue> parseFile(llvm::StringRef path);
  /// The value of `-D NAME=text`: text as JSON if it is valid JSON, otherwise as a string.
  static ConfigValue fromCommandLine(llvm::StringRef text);
  /// The same value.
  static ConfigValue fromJson(const llvm::json::Value &value);

  /// What this is.
  Kind kind() const { return tag; }
  /// Whether this is of the kind.
  bool isNull() const { return tag == Kind::Null; }
  bool isBool() const { return tag == Kind::Bool; }
  bool isInt() const { return tag == Kind::Int; }
  bool isReal() const { return tag == Kind::Real; }
  /// An integer or a real.
  bool isNumber() const { return isInt() || isReal(); }
  bool isString() const { return tag == Kind::String; }
  bool isArray() const { return tag == Kind::Array; }
  bool isObject() const { return tag == Kind::Object; }
  /// "null", "bool", "int", "real", "string", "array" or "object", for messages.
  llvm::StringRef kindName() const;

  /// The value of a bool, an integer or a string; the kind must be that.
  bool asBool() const { return assert(isBool()), integer != 0; }
  int64_t asInt() const { return assert(isInt()), integer; }
  /// The value of an integer or a real.
  double asReal() const { return assert(isNumber()), isInt() ? double(integer) : real; }
  llvm::StringRef asString() const { return assert(isString()), text; }

  /// Elements of an array, or the values of an object in the order of keys().
  llvm::ArrayRef<ConfigValue> elements() const { return items; }
  /// Keys of an object in alphabetical order.
  llvm::ArrayRef<std::string> keys() const { return names; }
  /// The value of `key` in an object; nullptr if there is none or this is not an object. A key
  /// whose value is null gives a Null value, which `??` of the language treats like an absent key.
  const ConfigValue *get(llvm::StringRef key) const;

  /// Sets one key of an object.
  void set(llvm::StringRef key, ConfigValue value);
  /// Sets "a.b.c", making the objects on the way; an error if something on the way is a value that
  /// is not an object.
  llvm::Error setPath(llvm::StringRef path, ConfigValue value);

  /// Prints compact JSON.
  void print(llvm::raw_ostream &os) const;
  /// What print() writes.
  std::string str() const;

  bool operator==(const ConfigValue &other) const;
  bool operator!=(const ConfigValue &other) const { return !(*this == other); }

private:
  Kind tag = Kind::Null;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<std::string> names; // sorted; one per item of an object
  std::vector<ConfigValue> items;
};

} // namespace weft

#endif // WEFT_SUPPORT_CONFIGVALUE_H
