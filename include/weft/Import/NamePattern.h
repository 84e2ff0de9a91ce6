//===- NamePattern.h - Patterns over tensor names -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A pattern is a name in which `*` stands for any run of characters, dots included.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_NAMEPATTERN_H
#define WEFT_IMPORT_NAMEPATTERN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace weft {

/// What each `*` of `pattern` stands for in `name` (the shortest run, from left to right), or
/// nothing if the pattern does not match all of it. Takes linear time per piece of the pattern.
std::optional<llvm::SmallVector<llvm::StringRef>> matchPattern(llvm::StringRef pattern,
                                                               llvm::StringRef name);

/// `name` rewritten by `pattern` => `replacement`: the i-th `*` of the replacement becomes what the
/// i-th `*` of the pattern stands for. Nothing if the pattern does not match.
std::optional<std::string> rewriteName(llvm::StringRef pattern, llvm::StringRef replacement,
                                       llvm::StringRef name);

} // namespace weft

#endif // WEFT_IMPORT_NAMEPATTERN_H
