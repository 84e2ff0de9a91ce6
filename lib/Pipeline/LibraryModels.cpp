//===- LibraryModels.cpp - the models that the library describes ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Pipeline/LibraryModels.h"

#include "weft/Frontend/Parser.h"
#include "weft/Library/Library.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace weft;

namespace {

/// The trees of the library's model files.
class LibraryTexts {
public:
  LibraryTexts();

  struct Text {
    std::string type;
    std::unique_ptr<ast::File> file;
  };
  ArrayRef<Text> texts() const { return list; }
  /// What stands behind other names of a model of `file`.
  const ast::ModelDecl *resolve(const ast::File *file, const ast::ModelDecl *model) const;

private:
  const ast::File *findImport(const ast::File &file, StringRef name) const;

  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::vector<Text> list;
};

} // namespace

LibraryTexts::LibraryTexts() {
  for (const LibraryFile &file : libraryFiles()) {
    StringRef type = file.name;
    if (type.consume_front("models/") && type.consume_back(".weft"))
      list.push_back(
          {type.str(), parseText(sources, sources.addText(file.name, file.text), diagnostics)});
  }
}

const ast::File *LibraryTexts::findImport(const ast::File &file, StringRef name) const {
  for (const ast::StmtPtr &item : file.items) {
    auto *import = dyn_cast<ast::ImportDecl>(item.get());
    if (!import)
      continue;
    StringRef target = import->target.text;
    bool isModel = target.consume_front("models.");
    if (isModel && (import->alias.text.empty() ? target : import->alias.text) == name)
      for (const Text &text : list)
        if (text.type == target)
          return text.file.get();
  }
  return nullptr;
}

const ast::ModelDecl *LibraryTexts::resolve(const ast::File *file,
                                            const ast::ModelDecl *model) const {
  while (model && model->isAlias()) {
    file = findImport(*file, model->import.text);
    StringRef original = model->original.text;
    model = nullptr;
    for (const ast::StmtPtr &item : file ? ArrayRef(file->items) : ArrayRef<ast::StmtPtr>())
      if (auto *other = dyn_cast<ast::ModelDecl>(item.get()); other && other->name.text == original)
        model = other;
  }
  return model;
}

/// Adds what a body says, whatever the configuration.
static void addBody(const ast::Block &body, LibraryModel &model) {
  for (const ast::StmtPtr &stmt : body.statements) {
    if (auto *output = dyn_cast<ast::OutputStmt>(stmt.get())) {
      std::string name = output->definition.name.str();
      if (!is_contained(model.outputs, name))
        model.outputs.push_back(name);
    } else if (auto *entry = dyn_cast<ast::EntryStmt>(stmt.get())) {
      model.entries.push_back(entry->name.text);
      addBody(entry->body, model);
    } else if (isa<ast::GenerateStmt>(stmt.get())) {
      model.generates = true;
    } else if (auto *loop = dyn_cast<ast::ForStmt>(stmt.get())) {
      addBody(loop->body, model);
    } else if (auto *branch = dyn_cast<ast::IfStmt>(stmt.get())) {
      addBody(branch->thenBlock, model);
      addBody(branch->elseBlock, model);
    } else if (auto *match = dyn_cast<ast::MatchStmt>(stmt.get())) {
      for (const ast::MatchStmt::Arm &arm : match->arms)
        addBody(arm.body, model);
    }
  }
}

std::vector<LibraryModel> weft::listLibraryModels() {
  std::vector<LibraryModel> models;
  LibraryTexts library;
  for (const LibraryTexts::Text &text : library.texts())
    for (const ast::StmtPtr &item : text.file->items) {
      auto *declared = dyn_cast<ast::ModelDecl>(item.get());
      if (!declared)
        continue;
      LibraryModel &model = models.emplace_back();
      model.type = text.type;
      model.name = declared->name.text;
      if (const ast::ModelDecl *original = library.resolve(text.file.get(), declared))
        addBody(original->body, model);
    }
  return models;
}

void weft::printModels(ArrayRef<LibraryModel> models, raw_ostream &os) {
  for (const LibraryModel &model : models)
    print(os, "{:<24} {:<40} {}{}{}\n", model.type, model.name,
          model.entries.empty() ? "" : "entries " + join(model.entries, ", ") + ": ",
          join(model.outputs, ", "), model.generates ? "; generates" : "");
}

json::Array weft::modelsAsJson(ArrayRef<LibraryModel> models) {
  json::Array list;
  for (const LibraryModel &model : models)
    list.push_back(json::Object{{"model_type", model.type},
                                {"class", model.name},
                                {"entries", json::Array(model.entries)},
                                {"outputs", json::Array(model.outputs)},
                                {"generates", model.generates}});
  return list;
}
