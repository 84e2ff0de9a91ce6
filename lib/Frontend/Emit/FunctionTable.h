//===- FunctionTable.h - The functions of a module ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Functions stand in the order in which they are begun, named after what they are made of. The name
// of an entry is part of the compiled interface: a module of that name gives way.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_FUNCTIONTABLE_H
#define WEFT_LIB_FRONTEND_EMIT_FUNCTIONTABLE_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class FunctionTable {
public:
  explicit FunctionTable(Elaboration &shared);

  /// Makes an empty function with `name`, or one like it, for the text at `range`.
  void begin(Function &function, llvm::StringRef name, SourceRange range);
  void nameEntry(Function &function, llvm::StringRef name);

private:
  std::string uniqueSymbol(llvm::StringRef name);

  Elaboration &shared;
  llvm::StringMap<unsigned> symbolNames; ///< with the next free suffix
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_FUNCTIONTABLE_H
