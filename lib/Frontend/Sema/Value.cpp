//===- Value.cpp - What an expression can stand for -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Value.h"
#include "weft/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace weft::sema {

std::string Extent::str() const {
  if (name.empty())
    return std::to_string(size);
  return name + (dynamic ? " <= " : " = ") + std::to_string(size);
}

Value Value::makeBool(bool value) {
  Value result(Kind::Bool);
  result.integer = value;
  return result;
}

Value Value::makeInt(int64_t value) {
  Value result(Kind::Int);
  result.integer = value;
  return result;
}

Value Value::makeReal(double value) {
  Value result(Kind::Real);
  result.real = value;
  return result;
}

Value Value::makeString(std::string value) {
  Value result(Kind::String);
  result.text = std::move(value);
  return result;
}

Value Value::makeTensor(Tensor tensor) {
  Value result(Kind::Tensor);
  result.tensor = std::move(tensor);
  return result;
}

Value Value::makeScalar(Scalar *scalar) {
  Value result(Kind::Scalar);
  result.scalar = scalar;
  return result;
}

Value Value::makeSymbol(Extent extent) {
  Value result(Kind::Symbol);
  result.extent = std::make_shared<Extent>(std::move(extent));
  return result;
}

Value Value::makeConfig(const ConfigValue &config, StringRef name) {
  switch (config.kind()) {
  case ConfigValue::Kind::Null: {
    Value null;
    null.text = name.str();
    return null;
  }
  case ConfigValue::Kind::Bool:
    return makeBool(config.asBool());
  case ConfigValue::Kind::Int:
    return makeInt(config.asInt());
  case ConfigValue::Kind::Real:
    return makeReal(config.asReal());
  case ConfigValue::Kind::String:
    return makeString(config.asString().str());
  case ConfigValue::Kind::Array: {
    Value list(Kind::List);
    for (auto [i, element] : enumerate(config.elements()))
      list.items.push_back(makeConfig(element, (name + "[" + Twine(i) + "]").str()));
    return list;
  }
  case ConfigValue::Kind::Object: {
    Value object(Kind::Config);
    object.config = &config;
    object.text = name.str();
    return object;
  }
  }
  return Value();
}

ConfigValue toConfigValue(const Value &value) {
  switch (value.kind) {
  case Value::Kind::Bool:
    return ConfigValue::makeBool(value.integer != 0);
  case Value::Kind::Int:
    return ConfigValue::makeInt(value.integer);
  case Value::Kind::Real:
    return ConfigValue::makeReal(value.real);
  case Value::Kind::String:
    return ConfigValue::makeString(value.text);
  case Value::Kind::Config:
    return *value.config;
  case Value::Kind::List: {
    std::vector<ConfigValue> elements;
    elements.reserve(value.items.size());
    for (const Value &item : value.items)
      elements.push_back(toConfigValue(item));
    return ConfigValue::makeArray(std::move(elements));
  }
  default:
    return ConfigValue();
  }
}

SmallVector<std::string, 4> indexNames(ArrayRef<Extent> dims) {
  SmallVector<std::string, 4> names;
  for (auto [i, dim] : enumerate(dims)) {
    std::string name = StringRef(dim.name).lower();
    if (name.empty() || is_contained(names, name))
      name = "i" + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

std::string typeText(const TensorValue &tensor) {
  std::string text = tensor.element == ElementType::F32 ? "" : infoOf(tensor.element).name.str();
  text += "[";
  for (auto [i, dim] : enumerate(tensor.dims))
    text += (i ? ", " : "") + (dim.name.empty() ? std::to_string(dim.size) : dim.name);
  return text + "]";
}

std::string Value::describe() const {
  switch (kind) {
  case Kind::Poison:
    return "an error";
  case Kind::Null:
    return "null";
  case Kind::Bool:
    return integer ? "true" : "false";
  case Kind::Int:
    return "the integer " + std::to_string(integer);
  case Kind::Real:
    return fmt::format("the real number {:g}", real);
  case Kind::String:
    return "the string \"" + text + "\"";
  case Kind::List:
    return "a list";
  case Kind::Config:
    return "a part of the configuration";
  case Kind::Symbol:
    return "the run-time dimension '" + extent->name + "'";
  case Kind::Tensor:
    return "a tensor " + typeText(*tensor);
  case Kind::Tuple:
    return std::to_string(items.size()) + " tensors";
  case Kind::Scalar:
    return "an element of a formula";
  case Kind::Fn:
    return "a function";
  case Kind::Module:
    return "a module";
  case Kind::Library:
    return "an imported file";
  }
  return "";
}

void Value::printKey(raw_ostream &os) const {
  os << int(kind) << ":";
  switch (kind) {
  case Kind::Bool:
  case Kind::Int:
    os << integer << (extent && extent->fixed ? "!" : "");
    break;
  case Kind::Real:
    os << bit_cast<uint64_t>(real);
    break;
  case Kind::String:
    os << text.size() << ":" << text;
    break;
  case Kind::List:
  case Kind::Tuple:
    os << items.size();
    for (const Value &item : items) {
      os << ",";
      item.printKey(os);
    }
    break;
  case Kind::Config:
    os << config;
    break;
  case Kind::Symbol:
    os << extent->name;
    break;
  case Kind::Tensor:
    os << int(tensor->element);
    for (const Extent &dim : tensor->dims) {
      os << "," << dim.size << (dim.fixed ? "!" : "");
      if (dim.dynamic) // names of other dimensions matter to messages only
        os << dim.name;
    }
    os << tensor->constant;
    if (tensor->bounds)
      os << "," << tensor->bounds->min << ".." << tensor->bounds->max;
    if (tensor->below)
      os << "<" << tensor->below->name;
    os << (tensor->weights.empty() ? "" : "w");
    break;
  case Kind::Fn:
  case Kind::Module:
    os << declaration;
    break;
  default:
    break;
  }
}

bool Value::equals(const Value &other) const {
  if (isNumber() && other.isNumber())
    return kind == Kind::Int && other.kind == Kind::Int ? integer == other.integer
                                                        : asReal() == other.asReal();
  if (kind != other.kind)
    return false;
  if (kind == Kind::List && items.size() == other.items.size()) {
    for (auto [a, b] : zip(items, other.items))
      if (!a.equals(b))
        return false;
    return true;
  }
  return kind == Kind::Null || (kind == Kind::Bool && integer == other.integer) ||
         (kind == Kind::String && text == other.text) ||
         (kind == Kind::Config && config == other.config);
}

} // namespace weft::sema
