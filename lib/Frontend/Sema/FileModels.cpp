//===- FileModels.cpp - The models that a file offers ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FileModels.h"
#include "weft/Frontend/Frontend.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

std::vector<std::string> weft::modelNames(const ast::File &file) {
  std::vector<std::string> names;
  for (const ast::StmtPtr &item : file.items)
    if (auto *model = dyn_cast<ast::ModelDecl>(item.get()))
      names.push_back(model->name.text);
  return names;
}

namespace weft::sema {

const ast::ModelDecl *findModel(const ast::File &file, StringRef name, Reporter &reporter) {
  std::vector<std::string> names = modelNames(file);
  SourceRange top(SourceLocation{file.id, 0});
  if (names.empty())
    return reporter.error(top, "the file declares no model"), nullptr;
  for (const ast::StmtPtr &item : file.items)
    if (auto *model = dyn_cast<ast::ModelDecl>(item.get()))
      if (name.empty() || model->name.text == name)
        return model;
  SmallVector<StringRef> candidates(names.begin(), names.end());
  reporter.error(top, "the file declares no model '" + name + "'" + choices(name, candidates));
  return nullptr;
}

const ast::ModelDecl *resolveAlias(const ast::ModelDecl &model, FileScope *&scope,
                                   Reporter &reporter) {
  const ast::ModelDecl *found = &model;
  while (found->isAlias()) { // imports form no cycle
    auto library = scope->imports.find(found->import.text);
    if (library == scope->imports.end())
      return reporter.error(found->import.range,
                            "no imported file has the name '" + found->import.text + "'"),
             nullptr;
    scope = library->second.first;
    std::vector<std::string> names = modelNames(*scope->file);
    SmallVector<StringRef> candidates(names.begin(), names.end());
    const ast::Stmt *declaration = scope->declarations.lookup(found->original.text);
    auto *original = dyn_cast_or_null<ast::ModelDecl>(declaration);
    if (!original)
      return reporter.error(found->original.range,
                            "'" + found->import.text + "' has no model '" + found->original.text +
                                "'" + suggestion(found->original.text, candidates)),
             nullptr;
    found = original;
  }
  return found;
}

std::optional<SmallVector<const ast::EntryStmt *>>
findEntries(const ast::ModelDecl &model, StringRef wanted, Reporter &reporter) {
  SmallVector<const ast::EntryStmt *> entries;
  SmallVector<StringRef> names;
  for (const ast::StmtPtr &stmt : model.body.statements)
    if (auto *entry = dyn_cast<ast::EntryStmt>(stmt.get())) {
      if (is_contained(names, entry->name.text))
        return reporter.error(entry->name.range,
                              "the entry '" + entry->name.text + "' is already declared");
      names.push_back(entry->name.text);
      entries.push_back(entry);
    }
  if (wanted.empty() || entries.empty())
    return entries;
  auto *it = find(names, wanted);
  if (it == names.end())
    return reporter.error(model.name.range,
                          "the model has no entry '" + wanted + "'" + choices(wanted, names));
  return SmallVector<const ast::EntryStmt *>{entries[it - names.begin()]};
}

} // namespace weft::sema
