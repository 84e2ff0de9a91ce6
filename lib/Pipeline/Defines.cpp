//===- Defines.cpp - whether a -D means anything --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A -D gives a value to a dimension or a parameter of the model, or to what the texts read of the
// configuration. What is read depends on the configuration, so the texts are asked and not the
// elaboration: a value for a branch that is not taken is none too many.
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "weft/Support/NearestName.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace weft;

static bool isNamePart(char c) { return isAlnum(c) || c == '_'; }

/// Adds what stands behind a dot in `text`, `config.NAME`, or in quotes, `has(config, "NAME")`.
static void addMembers(StringRef text, StringSet<> &members) {
  for (size_t at = text.find_first_of(".\""); at != StringRef::npos;
       at = text.find_first_of(".\"", at + 1))
    if (StringRef name = text.substr(at + 1).take_while(isNamePart); !name.empty())
      members.insert(name);
}

/// A definition that is no dimension of the model and that no text reads is a misspelt one.
bool Compilation::checkDefines(const StringSet<> &definable) {
  StringSet<> known = definable;
  if (!input.newDefines.empty())
    for (FileId file : seq<FileId>(1, sources.count() + 1))
      addMembers(sources.text(file), known);
  for (StringRef name : input.newDefines) {
    StringRef first = name.split('.').first;
    if (known.contains(first))
      continue;
    SmallVector<StringRef> candidates(known.keys());
    for (StringRef key : input.config.keys())
      if (!is_contained(input.newDefines, key))
        candidates.push_back(key);
    llvm::sort(candidates); // the order of a StringSet is no order
    std::string hint = suggestion(first, candidates);
    if (StringRef member = name; member.consume_front("config."))
      hint = ("; write '-D " + member + "=...'").str();
    return fail(createStringError("-D " + name +
                                  ": the model has no such dimension and reads no such "
                                  "configuration value" +
                                  hint));
  }
  return true;
}
