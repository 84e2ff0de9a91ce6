//===- PrintExpr.h - Expressions to text ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The part of the printer that the statements' part builds on.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SYNTAX_PRINTEXPR_H
#define WEFT_LIB_FRONTEND_SYNTAX_PRINTEXPR_H

#include "weft/Frontend/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

class ExprPrinter {
public:
  explicit ExprPrinter(llvm::raw_ostream &out) : out(out) {}

  /// Prints with parentheses if the expression binds more weakly than `minimum`.
  void print(const ast::Expr &expr, ast::Precedence minimum = ast::Precedence::Choice);
  /// Prints an operand of `op`, with parentheses if needed.
  void printOperand(const ast::Expr &operand, ast::BinaryOp op, bool isRight);
  /// Prints `expr` where a block follows.
  void printHeader(const ast::Expr &expr);
  void print(const ast::Path &path);
  void print(const ast::TensorType &type);
  void printIndices(llvm::ArrayRef<ast::Binder> indices);
  void printPatterns(llvm::ArrayRef<ast::ExprPtr> patterns);
  void printString(llvm::StringRef value);

private:
  void printUnchecked(const ast::Expr &expr);
  void print(const ast::UnaryExpr &unary);
  void print(const ast::BinaryExpr &binary);
  void print(const ast::IfExpr &choice);
  void print(const ast::ReductionExpr &reduction);
  void print(const ast::CallExpr &call);
  void print(const ast::ElementExpr &element);
  void print(const ast::MemberExpr &member);
  void print(const ast::MatchExpr &match);
  void printReal(const ast::RealExpr &real);
  void printBinder(const ast::Binder &binder);
  template <typename List, typename Each> void separated(const List &list, Each each) {
    bool first = true;
    for (const auto &element : list) {
      if (!first)
        out << ", ";
      first = false;
      each(element);
    }
  }

  llvm::raw_ostream &out;
};

} // namespace weft

#endif // WEFT_LIB_FRONTEND_SYNTAX_PRINTEXPR_H
