//===- Precision.cpp - in how many bits a model is stored and computed ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

static constexpr ElementType types[] = {ElementType::F32, ElementType::BF16, ElementType::F16};

/// Stored, computed: weights in fewer bits are extended, and both factors are what is multiplied.
static constexpr std::pair<ElementType, ElementType> pairs[] = {
    {ElementType::F32, ElementType::F32}, {ElementType::BF16, ElementType::F32},
    {ElementType::F16, ElementType::F32}, {ElementType::BF16, ElementType::BF16},
    {ElementType::F16, ElementType::F16},
};

/// The flags say f32 where texts say real.
llvm::StringRef weft::storedName(ElementType type) {
  return type == ElementType::F32 ? "f32" : llvm::StringRef(infoOf(type).name);
}

std::optional<ElementType> weft::parseStored(llvm::StringRef text) {
  for (ElementType type : types)
    if (storedName(type) == text)
      return type;
  return std::nullopt;
}

std::string weft::storedNames() {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(types, os, [&](ElementType type) { os << storedName(type); });
  return text;
}

bool weft::hasProducts(ElementType stored, ElementType compute) {
  return llvm::is_contained(pairs, std::pair(stored, compute));
}

std::string weft::productPairs() {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(pairs, os, [&](auto pair) {
    os << storedName(pair.first) << " computed in " << storedName(pair.second);
  });
  return text;
}
