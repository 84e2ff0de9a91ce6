//===- Modifiers.h - the words behind an opcode ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Who translates an instruction takes the modifiers that it understands; what is left is an error.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_MODIFIERS_H
#define WEFT_LIB_EMULATOR_TRANSLATE_MODIFIERS_H

#include "weft/Emulator/Ptx.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace weft::emulator {

class Modifiers {
public:
  explicit Modifiers(const ptx::Instruction &instruction) : left(instruction.modifiers) {}

  bool take(llvm::StringRef word) {
    auto found = llvm::find(left, word);
    if (found == left.end())
      return false;
    left.erase(found);
    return true;
  }
  void skip(std::initializer_list<llvm::StringRef> words) {
    for (llvm::StringRef word : words)
      take(word);
  }
  /// What belongs to the first of the words that is there.
  template <typename T>
  std::optional<T> choose(std::initializer_list<std::pair<llvm::StringRef, T>> words) {
    for (auto [word, value] : words)
      if (take(word))
        return value;
    return std::nullopt;
  }
  /// The first type that is left.
  std::optional<ptx::Type> takeType() {
    for (auto at = left.begin(); at != left.end(); ++at)
      if (std::optional<ptx::Type> type = ptx::findType(*at)) {
        left.erase(at);
        return type;
      }
    return std::nullopt;
  }
  bool has(llvm::StringRef word) const { return llvm::is_contained(left, word); }
  llvm::ArrayRef<std::string> rest() const { return left; }

private:
  std::vector<std::string> left;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_MODIFIERS_H
