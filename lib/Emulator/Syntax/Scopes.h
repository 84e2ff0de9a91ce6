//===- Scopes.h - which names a place in a function sees ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Braces in a body (calls, inline assembly) have registers, variables and labels of their own.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_SYNTAX_SCOPES_H
#define WEFT_LIB_EMULATOR_SYNTAX_SCOPES_H

#include "weft/Emulator/Ptx.h"

#include "llvm/ADT/StringMap.h"

namespace weft::ptx {

class Scopes {
public:
  Scopes() { open(); }
  void open();
  /// False if only the function's own scope is open.
  bool close();
  size_t depth() const { return chain.size(); }
  /// Of the innermost scope; it stays valid, for labels that are looked for later.
  uint32_t current() const { return chain.back(); }

  /// False if the scope has such a name.
  bool addName(llvm::StringRef name, OperandKind kind, uint32_t index);
  /// %r0, %r1, ..., `count` of them, with the indices from `first` on.
  bool addRange(llvm::StringRef prefix, uint32_t count, uint32_t first);
  bool addLabel(llvm::StringRef name, uint32_t index);

  /// The register or variable that a name means here.
  std::optional<std::pair<OperandKind, uint32_t>> find(llvm::StringRef name) const;
  /// The label that a name means in a scope, once all of the function is read.
  std::optional<uint32_t> findLabel(llvm::StringRef name, uint32_t scope) const;

private:
  struct Range {
    uint32_t count, first;
  };
  struct Scope {
    uint32_t parent;
    llvm::StringMap<std::pair<OperandKind, uint32_t>> names;
    llvm::StringMap<Range> ranges;
    llvm::StringMap<uint32_t> labels;
  };

  std::vector<Scope> scopes;
  std::vector<uint32_t> chain; // of those that are open
};

} // namespace weft::ptx

#endif // WEFT_LIB_EMULATOR_SYNTAX_SCOPES_H
