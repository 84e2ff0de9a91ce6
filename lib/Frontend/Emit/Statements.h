//===- Statements.h - Statements ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a block says is executed in order. Here are the statements of compile time, `let`, `for`,
// `if`, `match`, `assert`, `checkpoint` and `config`; what declares or defines something has a
// class of its own.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_STATEMENTS_H
#define WEFT_LIB_FRONTEND_EMIT_STATEMENTS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Statements {
public:
  explicit Statements(Elaboration &shared);

  /// False after an error; the names that the statement would have defined are then poisoned.
  bool execute(const ast::Stmt &stmt, Env &env);
  bool executeBlock(const ast::Block &block, Env &env);

private:
  bool dispatch(const ast::Stmt &stmt, Env &env);
  bool executeLet(const ast::LetStmt &stmt, Env &env);
  bool executeCheckpoint(const ast::CheckpointStmt &stmt);
  bool executeConfig(const ast::ConfigStmt &stmt, Env &env);
  bool executeFor(const ast::ForStmt &stmt, Env &env);
  bool unroll(const ast::ForStmt &stmt, int64_t from, int64_t to, Env &env);
  bool executeIf(const ast::IfStmt &stmt, Env &env);
  bool executeMatch(const ast::MatchStmt &stmt, Env &env);
  bool executeAssert(const ast::AssertStmt &stmt, Env &env);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_STATEMENTS_H
