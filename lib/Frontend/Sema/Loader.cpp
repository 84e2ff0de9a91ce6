//===- Loader.cpp - Files and what they import ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Loader.h"
#include "weft/Frontend/Parser.h"
#include "weft/Library/Library.h"
#include "weft/Support/NearestName.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weft::sema {

const ast::Identifier &declaredName(const ast::Stmt &item) {
  if (auto *fn = dyn_cast<ast::FnDecl>(&item))
    return fn->name;
  if (auto *module = dyn_cast<ast::ModuleDecl>(&item))
    return module->name;
  return cast<ast::ModelDecl>(item).name;
}

bool Loader::declare(FileScope &scope, const ast::Stmt &item) {
  const ast::Identifier &name = declaredName(item);
  auto [it, added] = scope.declarations.try_emplace(name.text, &item);
  if (added)
    return true;
  diagnostics.error(name.range, "'" + name.text + "' is already declared in this file")
      .note(declaredName(*it->second).range, "the first declaration is here");
  return false;
}

FileScope *Loader::load(const ast::File &file, bool library) {
  auto &slot = scopes[file.id];
  if (slot)
    return slot.get();
  slot = std::make_unique<FileScope>();
  FileScope *scope = slot.get(); // loading imports may move the slot
  scope->file = &file;
  scope->library = library;
  bool good = true;
  if (stack.empty())
    stack.emplace_back(file.id, nullptr);
  for (const ast::StmtPtr &item : file.items) {
    auto *decl = dyn_cast<ast::ImportDecl>(item.get());
    if (isa<ast::GgufDecl, ast::StorageDecl>(item.get()))
      continue; // which no formula names
    if (!decl) {
      good &= declare(*scope, *item);
      continue;
    }
    FileScope *target = import(*decl, *scope);
    if (!target) {
      good = false;
      continue;
    }
    StringRef name = decl->alias.text;
    if (name.empty())
      name = decl->isPath ? sys::path::stem(decl->target.text)
                          : StringRef(decl->target.text).rsplit('.').second;
    if (name.empty())
      name = decl->target.text;
    auto [it, added] = scope->imports.try_emplace(name, target, decl->range);
    if (!added) {
      diagnostics
          .error(decl->range, "'" + name +
                                  "' is already imported; give one of the two "
                                  "another name with 'as'")
          .note(it->second.second, "the first import is here");
      good = false;
    }
  }
  return good ? scope : nullptr;
}

/// The number of the text that `decl` asks for; 0 after an error.
FileId Loader::findText(const ast::ImportDecl &decl, const FileScope &importer, bool &library) {
  SmallString<128> path;
  StringRef target = decl.target.text;
  StringRef directory = sys::path::parent_path(sources.name(importer.file->id));
  library = !decl.isPath || importer.library;
  if (directory.consume_front("<library>"))
    directory.consume_front("/");
  if (decl.isPath) {
    if (!sys::path::is_absolute(target))
      path = directory;
    sys::path::append(path, target);
    sys::path::remove_dots(path, /*remove_dot_dot=*/!sys::path::is_absolute(path));
  } else {
    path = target;
    std::replace(path.begin(), path.end(), '.', '/');
    path += ".weft";
  }
  if (!library) {
    std::string reason;
    FileId id = sources.addFile(path, reason);
    if (!id)
      diagnostics.error(decl.target.range, "cannot read '" + path.str() + "': " + reason);
    return id;
  }
  std::optional<StringRef> text = findLibraryFile(path);
  if (!text) {
    std::vector<std::string> known;
    for (const LibraryFile &file : libraryFiles()) {
      known.push_back(file.name.drop_back(5).str());
      std::replace(known.back().begin(), known.back().end(), '/', '.');
    }
    SmallVector<StringRef> names(known.begin(), known.end());
    diagnostics.error(decl.target.range,
                      "the library has no '" + target + "'" + suggestion(target, names) +
                          " (a file of your own is imported by its path, in quotes)");
    return 0;
  }
  // A user's file of the same name must not stand in for the library's.
  std::string name = ("<library>/" + path).str();
  FileId id = sources.find(name);
  return id ? id : sources.addText(name, *text);
}

FileScope *Loader::import(const ast::ImportDecl &decl, const FileScope &importer) {
  bool library = false;
  FileId id = findText(decl, importer, library);
  if (!id)
    return nullptr;
  for (auto it = stack.begin(); it != stack.end(); ++it) {
    if (it->first != id)
      continue;
    Diagnostic &error =
        diagnostics.error(decl.range, "the import of '" + sources.name(id) + "' closes a cycle");
    for (++it; it != stack.end(); ++it)
      error.note(it->second->range, "'" + sources.name(it->first) + "' is imported here");
    return nullptr;
  }
  auto known = scopes.find(id);
  if (known != scopes.end())
    return known->second.get();
  constexpr size_t maxImportDepth = 50;
  if (stack.size() > maxImportDepth) {
    diagnostics.error(decl.range,
                      "imports are nested more than " + Twine(maxImportDepth) + " deep");
    return nullptr;
  }
  unsigned errors = diagnostics.errorCount();
  std::unique_ptr<ast::File> file = parseText(sources, id, diagnostics);
  if (!file || diagnostics.errorCount() != errors)
    return nullptr;
  parsed.push_back(std::move(file));
  stack.emplace_back(id, &decl);
  FileScope *scope = load(*parsed.back(), library);
  stack.pop_back();
  return scope;
}

} // namespace weft::sema
