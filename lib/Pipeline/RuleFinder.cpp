//===- RuleFinder.cpp - the storage rules of a configuration --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RuleFinder.h"

#include "weft/Frontend/Parser.h"
#include "weft/Library/Library.h"

using namespace llvm;
using namespace weft;

static Error takeDiagnostics(const DiagnosticEngine &found) {
  std::string text;
  raw_string_ostream os(text);
  found.print(os);
  return createStringError(StringRef(text).rtrim());
}

Error RuleFinder::read(const ast::File &file, const ConfigValue &quantisation,
                       std::vector<StorageRule> &rules) {
  DiagnosticEngine found(sources);
  auto list = findStorageRules(context, sources, file, quantisation, found);
  if (!list)
    return takeDiagnostics(found);
  for (const ast::StorageDecl *rule : *list)
    rules.push_back({&file, rule});
  return Error::success();
}

/// Those whose conditions hold.
Expected<ArrayRef<StorageRule>> RuleFinder::find(const ConfigValue &quantisation) {
  auto [known, isNew] = rulesOf.try_emplace(quantisation.str());
  std::vector<StorageRule> &rules = known->second;
  if (!isNew)
    return ArrayRef(rules);
  if (!library) {
    DiagnosticEngine found(sources);
    FileId id = sources.addText("<library>/storage.weft", *findLibraryFile("storage.weft"));
    library = parseText(sources, id, found);
    if (!library || found.hasErrors())
      return takeDiagnostics(found);
  }
  for (const ast::File *file : {own, static_cast<const ast::File *>(library.get())})
    if (file)
      if (Error error = read(*file, quantisation, rules))
        return std::move(error);
  return ArrayRef(rules);
}
