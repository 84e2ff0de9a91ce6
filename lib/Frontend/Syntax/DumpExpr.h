//===- DumpExpr.h - Expressions to S-expressions --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The part of the dump that the statements' part builds on.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SYNTAX_DUMPEXPR_H
#define WEFT_LIB_FRONTEND_SYNTAX_DUMPEXPR_H

#include "weft/Frontend/Expr.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

class ExprDumper {
public:
  explicit ExprDumper(llvm::raw_ostream &out) : out(out) {}
  void dump(const ast::Expr &expr);

protected:
  // Parts of a node, each after a space.
  void dump(const ast::ExprPtr &expr);
  void dump(const ast::Path &path);
  void dump(const ast::Binder &binder);
  void dump(const ast::Argument &argument);
  void dump(const ast::TensorType &type);
  void string(llvm::StringRef text);
  template <typename T> void dumpAll(const std::vector<T> &list) {
    out << " [";
    for (const T &element : list)
      dump(element);
    out << ']';
  }

  llvm::raw_ostream &out;

private:
  bool dumpLiteral(const ast::Expr &expr);
  bool dumpOperation(const ast::Expr &expr);
};

} // namespace weft

#endif // WEFT_LIB_FRONTEND_SYNTAX_DUMPEXPR_H
