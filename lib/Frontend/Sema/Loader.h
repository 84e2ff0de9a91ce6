//===- Loader.h - Files and what they import ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Resolves `import`: a bare name is a file of the library compiled into the program
// (`import models.bert` is models/bert.weft), a path in quotes is relative to the importing file.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_LOADER_H
#define WEFT_LIB_FRONTEND_SEMA_LOADER_H

#include "weft/Frontend/AST.h"
#include "weft/Frontend/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace weft::sema {

/// The declarations of one file by name.
struct FileScope {
  const ast::File *file = nullptr;
  bool library = false;                            ///< compiled into the program
  llvm::StringMap<const ast::Stmt *> declarations; ///< fn, module, model
  llvm::StringMap<std::pair<FileScope *, SourceRange>> imports;
};

class Loader {
public:
  Loader(SourceManager &sources, DiagnosticEngine &diagnostics)
      : sources(sources), diagnostics(diagnostics) {}

  /// Collects the declarations of `file` and loads what it imports; null after an error.
  FileScope *load(const ast::File &file, bool library = false);

private:
  FileScope *import(const ast::ImportDecl &decl, const FileScope &importer);
  FileId findText(const ast::ImportDecl &decl, const FileScope &importer, bool &library);
  bool declare(FileScope &scope, const ast::Stmt &item);

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  llvm::DenseMap<FileId, std::unique_ptr<FileScope>> scopes;
  std::vector<std::unique_ptr<ast::File>> parsed;
  /// The files being loaded and the import that asked for each, outermost first.
  std::vector<std::pair<FileId, const ast::ImportDecl *>> stack;
};

/// The name of a declaration (fn, module, model).
const ast::Identifier &declaredName(const ast::Stmt &item);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_LOADER_H
