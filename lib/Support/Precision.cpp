//===- Precision.cpp - in how many bits a model is stored and computed ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

/// The words of the flags, which say f32 where texts say real.
static constexpr std::pair<ElementType, llvm::StringLiteral> types[] = {
    {ElementType::F32, "f32"},
    {ElementType::BF16, "bf16"},
    {ElementType::F16, "f16"},
    {ElementType::I8, "int8"},
};

/// Stored, computed: weights in fewer bits are extended, and both factors are what is multiplied.
static constexpr std::pair<ElementType, ElementType> pairs[] = {
    {ElementType::F32, ElementType::F32}, {ElementType::BF16, ElementType::F32},
    {ElementType::F16, ElementType::F32}, {ElementType::BF16, ElementType::BF16},
    {ElementType::F16, ElementType::F16}, {ElementType::I8, ElementType::I8},
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

std::string weft::precisionNames(bool withCodes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator comma;
  for (const auto &[type, name] : types)
    if (withCodes || infoOf(type).isReal())
      os << llvm::StringRef(comma) << name;
  return text;
}

bool weft::hasProducts(ElementType stored, ElementType compute) {
  return llvm::is_contained(pairs, std::pair(stored, compute));
}

std::string weft::productPairs() {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(pairs, os, [&](auto pair) {
    os << precisionName(pair.first) << " computed in " << precisionName(pair.second);
  });
  return text;
}
