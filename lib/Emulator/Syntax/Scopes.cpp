//===- Scopes.cpp - which names a place in a function sees ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Syntax/Scopes.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::ptx;

void Scopes::open() {
  scopes.emplace_back();
  scopes.back().parent = chain.empty() ? 0 : chain.back();
  chain.push_back(uint32_t(scopes.size() - 1));
}

bool Scopes::close() {
  if (chain.size() == 1)
    return false;
  chain.pop_back();
  return true;
}

bool Scopes::addName(llvm::StringRef name, OperandKind kind, uint32_t index) {
  return scopes[chain.back()].names.insert({name, {kind, index}}).second;
}

bool Scopes::addRange(llvm::StringRef prefix, uint32_t count, uint32_t first) {
  return scopes[chain.back()].ranges.insert({prefix, Range{count, first}}).second;
}

bool Scopes::addLabel(llvm::StringRef name, uint32_t index) {
  return scopes[chain.back()].labels.insert({name, index}).second;
}

std::optional<std::pair<OperandKind, uint32_t>> Scopes::find(llvm::StringRef name) const {
  llvm::StringRef prefix = name.rtrim("0123456789"), digits = name.substr(prefix.size());
  uint32_t number = 0;
  bool numbered = !digits.empty() && !digits.getAsInteger(10, number) &&
                  (digits.size() == 1 || digits.front() != '0');
  for (uint32_t id : llvm::reverse(chain)) {
    const Scope &scope = scopes[id];
    if (auto found = scope.names.find(name); found != scope.names.end())
      return found->second;
    if (!numbered)
      continue;
    auto range = scope.ranges.find(prefix);
    if (range != scope.ranges.end() && number < range->second.count)
      return std::pair(OperandKind::Register, range->second.first + number);
  }
  return std::nullopt;
}

std::optional<uint32_t> Scopes::findLabel(llvm::StringRef name, uint32_t scope) const {
  for (;;) {
    auto found = scopes[scope].labels.find(name);
    if (found != scopes[scope].labels.end())
      return found->second;
    if (scope == scopes[scope].parent)
      return std::nullopt;
    scope = scopes[scope].parent;
  }
}
