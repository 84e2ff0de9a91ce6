//===- Ptx.cpp - the names of types ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Emulator/Ptx.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::ptx;

namespace {

struct TypeName {
  llvm::StringLiteral name;
  Type type;
};

} // namespace

static constexpr TypeName typeNames[] = {
    {"b8", {TypeKind::Bits, 8}},
    {"b16", {TypeKind::Bits, 16}},
    {"b32", {TypeKind::Bits, 32}},
    {"b64", {TypeKind::Bits, 64}},
    {"b128", {TypeKind::Bits, 128}},
    {"u8", {TypeKind::Unsigned, 8}},
    {"u16", {TypeKind::Unsigned, 16}},
    {"u32", {TypeKind::Unsigned, 32}},
    {"u64", {TypeKind::Unsigned, 64}},
    {"s8", {TypeKind::Signed, 8}},
    {"s16", {TypeKind::Signed, 16}},
    {"s32", {TypeKind::Signed, 32}},
    {"s64", {TypeKind::Signed, 64}},
    {"f16", {TypeKind::Float, 16}},
    {"f32", {TypeKind::Float, 32}},
    {"f64", {TypeKind::Float, 64}},
    {"bf16", {TypeKind::BFloat, 16}},
    {"tf32", {TypeKind::TFloat, 32}},
    {"pred", {TypeKind::Predicate, 1}},
    {"f16x2", {TypeKind::Float, 16, true}},
    {"bf16x2", {TypeKind::BFloat, 16, true}},
    {"u16x2", {TypeKind::Unsigned, 16, true}},
    {"s16x2", {TypeKind::Signed, 16, true}},
};

std::optional<Type> weft::ptx::findType(llvm::StringRef name) {
  for (const TypeName &row : typeNames)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::string weft::ptx::nameOf(Type type) {
  for (const TypeName &row : typeNames)
    if (row.type == type)
      return row.name.str();
  return "?";
}

std::string Instruction::spelling() const {
  std::string text = opcode;
  for (const std::string &modifier : modifiers)
    text += "." + modifier;
  return text;
}

const Function *Module::findFunction(llvm::StringRef name) const {
  // A declaration may stand before the definition.
  const Function *found = nullptr;
  for (const Function &function : functions)
    if (function.name == name && (!found || function.isDefined))
      found = &function;
  return found;
}
