//===- Storage.h - How matrices follow from the tensors of a checkpoint ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A `storage` declaration says by a formula what a matrix of a model is where a checkpoint has
// other tensors in its place: codes of some bits, scales, zeros (docs/Language.md, 4.15). For a
// matrix of some size it becomes a function of these tensors.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_STORAGE_H
#define WEFT_FRONTEND_STORAGE_H

#include "weft/Frontend/AST.h"
#include "weft/Frontend/Diagnostics.h"
#include "weft/Support/ConfigValue.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weft {

/// What a rule is asked for.
struct StorageRequest {
  int64_t rows = 0, columns = 0;
  std::string tensor;                  ///< the last part of the matrix's name
  const ConfigValue *config = nullptr; ///< the value of the parameter `config`
};

/// A rule for a matrix of some size.
struct StorageFunction {
  /// One entry, whose arguments are the tensors and whose result is the matrix.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The tensors' names behind the scope of the matrix.
  std::vector<std::string> parts;
};

/// The rules of `file` whose conditions hold for `config`, in order. Nothing after errors.
std::optional<std::vector<const ast::StorageDecl *>>
findStorageRules(mlir::MLIRContext &context, SourceManager &sources, const ast::File &file,
                 const ConfigValue &config, DiagnosticEngine &diagnostics);

/// What it is for the request; nothing after errors.
std::optional<StorageFunction> emitStorage(mlir::MLIRContext &context, SourceManager &sources,
                                           const ast::File &file, const ast::StorageDecl &rule,
                                           const StorageRequest &request,
                                           DiagnosticEngine &diagnostics);

} // namespace weft

#endif // WEFT_FRONTEND_STORAGE_H
