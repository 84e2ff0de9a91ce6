//===- Entries.h - Entries of a model -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An entry executes the statements that the entries share, then its own block; what it does not
// need of the shared ones is dropped at the end.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_ENTRIES_H
#define WEFT_LIB_FRONTEND_EMIT_ENTRIES_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Entries {
public:
  explicit Entries(Elaboration &shared);

  /// `entry` is null if the model itself is the only one.
  bool elaborateEntry(const ast::ModelDecl &model, const ast::EntryStmt *entry, FileScope *file);

private:
  bool bindModelParameters(const ast::ModelDecl &model, Env &env);
  bool bindEntryParameters(const ast::EntryStmt &entry, Env &env);
  bool finishEntry(Function &function, const ast::ModelDecl &model, const ast::EntryStmt *entry);
  std::optional<std::string> chooseName(const Function &function, const ast::ModelDecl &model,
                                        const ast::EntryStmt *entry);
  bool finishGenerate(Function &function);
  bool finishOutputs(Function &function, llvm::SmallVectorImpl<mlir::Value> &values);
  void setInterface(Function &function, mlir::ValueRange values);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_ENTRIES_H
