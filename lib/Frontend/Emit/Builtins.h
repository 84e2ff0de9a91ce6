//===- Builtins.h - The functions of the language -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Most functions have the same meaning for compile-time numbers, which are folded, and for elements
// of a formula, which become nodes.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_BUILTINS_H
#define WEFT_LIB_FRONTEND_EMIT_BUILTINS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

/// `exp`, `max`, `len`, `given`, ...: names that mean a function unless the text declares them.
llvm::ArrayRef<llvm::StringRef> builtinNames();

bool isBuiltin(llvm::StringRef name);

class BuiltinCalls {
public:
  explicit BuiltinCalls(Elaboration &shared);

  /// The value of a call of the function `name`.
  Result callBuiltin(llvm::StringRef name, const ast::CallExpr &expr, Env &env, Formula *formula);

private:
  std::optional<llvm::SmallVector<Value>>
  evaluateArguments(const ast::CallExpr &expr, llvm::StringRef name, Env &env, Formula *formula);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_BUILTINS_H
