//===- Printer.h - Syntax tree to Weft text -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Prints a tree in the one standard layout: two spaces per level, only the parentheses that are
// needed, comments and single blank lines kept. The text parses back to an equal tree, and printing
// that gives the same text.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_PRINTER_H
#define WEFT_FRONTEND_PRINTER_H

#include "weft/Frontend/AST.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

void print(const ast::File &file, llvm::raw_ostream &out);
/// One expression on one line, for example in a message.
void print(const ast::Expr &expr, llvm::raw_ostream &out);
/// The text that print() writes.
std::string toString(const ast::Expr &expr);

} // namespace weft

#endif // WEFT_FRONTEND_PRINTER_H
