//===- AST.h - The syntax tree of a Weft file -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Plain classes with a kind and LLVM-style casts (llvm::isa, dyn_cast). A node owns its children;
// every node has the range of text it was read from. The tree says what was written: names are not
// resolved. Parentheses are no nodes, only a mark on what they hold; the printer puts back those
// that are needed. The tree's height is limited by the parser (maxTreeHeight), so recursive walks
// are safe.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_AST_H
#define WEFT_FRONTEND_AST_H

#include "weft/Frontend/Stmt.h"

namespace weft::ast {

/// A parsed text.
struct File {
  FileId id = 0;
  std::vector<StmtPtr> items; ///< ImportDecl, FnDecl, ModuleDecl, ModelDecl, GgufDecl, StorageDecl
  std::vector<std::string> endComments;
};

/// An unambiguous text of the tree without locations and comments: for tests and for equality.
std::string dump(const File &file);
/// The tree of an expression, in the same form.
std::string dump(const Expr &expr);

/// Same structure: names, values, operators; not locations, comments or the spelling of a number.
bool equal(const File &a, const File &b);
/// The same of two expressions.
bool equal(const Expr &a, const Expr &b);

} // namespace weft::ast

#endif // WEFT_FRONTEND_AST_H
