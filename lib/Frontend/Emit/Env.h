//===- Env.h - The names that a text can see ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_ENV_H
#define WEFT_LIB_FRONTEND_EMIT_ENV_H

#include "Function.h"
#include "Sema/Loader.h"
#include "Sema/Reporter.h"

namespace weft::sema {

/// What an expression gives; nothing after an error.
using Result = std::optional<Value>;

/// The names a text can see. Blocks of compile-time statements share the names of the body they
/// stand in; the body of a fn sees its parameters and its file only.
struct Env {
  struct Binding {
    Value value;
    SourceRange range;
  };
  FileScope *file = nullptr;
  Function *function = nullptr; ///< null in a fn
  llvm::StringMap<Binding> names;
  llvm::SmallVector<Index *> indices; ///< of the formula being read, innermost last
  Formula *mapping = nullptr;         ///< over whose indices the next module call is mapped

  void bind(llvm::StringRef name, Value value, SourceRange range) {
    names[name] = Binding{std::move(value), range};
  }
  /// Makes `name` mean the tensor.
  Tensor bindTensor(const Tensor &tensor, const ast::Identifier &name);
  /// After an error `name` is unknown, not wrong; what it means already, it goes on to mean.
  void poisonNew(llvm::StringRef name, SourceRange range) {
    names.try_emplace(name, Binding{Value(Value::Kind::Poison), range});
  }
  void poison(llvm::StringRef name, SourceRange range) {
    bind(name, Value(Value::Kind::Poison), range);
  }
  /// False, after an error, if the name is something else than a tensor. Only tensors may be
  /// defined again: a later line sees the new one.
  bool canDefine(const ast::Identifier &name, Reporter &reporter) const;
  /// False, after an error, if the name is known already.
  bool canDeclare(const ast::Identifier &name, Reporter &reporter) const;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_ENV_H
