//===- FilePrinter.h - Statements and files to text -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A statement is one line unless that is longer than 100 columns: then a sum is broken before its
// operators, a `match` and a list of parameters after their commas.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SYNTAX_FILEPRINTER_H
#define WEFT_LIB_FRONTEND_SYNTAX_FILEPRINTER_H

#include "PrintExpr.h"
#include "weft/Frontend/AST.h"

namespace weft {

class FilePrinter {
public:
  explicit FilePrinter(llvm::raw_ostream &out) : out(out) {}
  void print(const ast::File &file);

private:
  void printStatement(const ast::Stmt &stmt, bool first);
  void printBody(const ast::Stmt &stmt);
  bool printDeclaration(const ast::Stmt &stmt);
  bool printValue(const ast::Stmt &stmt);
  void printBlock(const ast::Block &block);
  void printIf(const ast::IfStmt &choice);
  void printMatch(const ast::MatchStmt &match);
  void printGguf(const ast::GgufDecl &gguf);
  void printStorage(const ast::StorageDecl &storage);
  void printCheckpoint(const ast::CheckpointStmt &checkpoint);
  void printArm(const ast::MatchStmt::Arm &arm, bool first);
  void printLeading(const ast::Comments &comments, bool first);
  void printLines(const std::vector<std::string> &lines);
  void printDefinition(llvm::StringRef word, const ast::Definition &definition,
                       llvm::StringRef type = "");
  void printAssigned(const std::string &prefix, const ast::Expr &value);
  void printSum(llvm::StringRef prefix, const ast::BinaryExpr &sum);
  void printList(llvm::StringRef word, const std::vector<std::string> &elements);
  template <typename Decl> void printContainer(llvm::StringRef word, const Decl &decl) {
    out << word << ' ' << decl.name.text << parameters(decl.parameters) << ' ';
    printBlock(decl.body);
  }
  void printModel(const ast::ModelDecl &model);
  static std::string parameters(const std::vector<ast::Parameter> &parameters);

  /// What `print` writes to an expression printer.
  template <typename Print> static std::string text(Print print) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    ExprPrinter printer(stream);
    print(printer, stream);
    return result;
  }

  unsigned indentation() const { return 2 * level; }
  llvm::raw_ostream &indented() { return out.indent(indentation()); }

  llvm::raw_ostream &out;
  unsigned level = 0;
};

} // namespace weft

#endif // WEFT_LIB_FRONTEND_SYNTAX_FILEPRINTER_H
