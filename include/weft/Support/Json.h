//===- Json.h - Reading JSON that nobody vouches for, and writing it ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM's JSON parser recurses without a limit and silently keeps one of several equal keys. Files
// from strangers pass through here instead: nesting is bounded and a repeated key is an error.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_JSON_H
#define WEFT_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

/// Parses `text`. Errors read `fileName:line:column: error: ...`. Fails on invalid syntax or UTF-8,
/// on more than `maxDepth` nested arrays and objects, and on a key that an object has twice.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text, llvm::StringRef fileName,
                                            unsigned maxDepth = 64);

/// Writes a value for people and programs: indented, keys in alphabetical order, a line break at
/// the end.
void printJson(const llvm::json::Value &value, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_SUPPORT_JSON_H
