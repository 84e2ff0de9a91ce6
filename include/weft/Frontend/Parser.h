//===- Parser.h - Weft text to syntax tree --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Recursive descent with precedence climbing. An error skips to the next statement, so one run
// reports several; a text that is not even text (NUL byte, invalid UTF-8, more than 64 MiB,
// brackets nested beyond reason) is one error.
//
// Imports are not followed here: File::items holds ImportDecls. The elaboration resolves each one
// to a text (SourceManager::addFile for a path relative to the importing file, addText for the
// library inside weftc), parses it with parseText and keeps the stack of files it is in the middle
// of; a FileId that is already on the stack is a cycle.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_PARSER_H
#define WEFT_FRONTEND_PARSER_H

#include "weft/Frontend/AST.h"
#include "weft/Frontend/Diagnostics.h"

namespace weft {

/// Reads and parses a file. Always returns a tree (of what could be understood) unless the file
/// cannot be read or is not text, which gives null; in both cases `diagnostics.hasErrors()` tells
/// whether the tree may be used further.
std::unique_ptr<ast::File> parseFile(SourceManager &sources, llvm::StringRef path,
                                     DiagnosticEngine &diagnostics);

/// Parses a text that was already added.
std::unique_ptr<ast::File> parseText(const SourceManager &sources, FileId file,
                                     DiagnosticEngine &diagnostics);

} // namespace weft

#endif // WEFT_FRONTEND_PARSER_H
