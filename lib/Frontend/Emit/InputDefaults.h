//===- InputDefaults.h - Defaults of inputs -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The default of an input is one value for all elements, or a formula. A value becomes an attribute
// of the argument: whoever calls the entry without the tensor gets a tensor of it. A formula is
// part of the entry, which learns from one more argument, the condition of `given(name)`, whether
// the tensor was passed: the input is `if given then tensor[...] else formula`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_INPUTDEFAULTS_H
#define WEFT_LIB_FRONTEND_EMIT_INPUTDEFAULTS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class InputDefaults {
public:
  explicit InputDefaults(Elaboration &shared);

  /// Adds an input with a default; its elements, or null after an error.
  Tensor addOptionalInput(std::shared_ptr<TensorValue> tensor, llvm::ArrayRef<ast::Binder> indices,
                          const ast::Expr &defaultValue, Env &env);
  /// The indices that are written name the dimensions of the input's type.
  bool checkInputIndices(llvm::ArrayRef<ast::Binder> binders, const TensorValue &tensor);

private:
  Result evaluateDefault(const ast::Expr &expr, bool hasIndices, const TensorValue &tensor,
                         Formula &formula, Env &env);
  mlir::TypedAttr defaultAttribute(const Value &value, ElementType element, SourceRange range);
  Scalar *defaultElement(const Value &value, ast::ElementKind element, SourceRange range,
                         Formula &formula);
  Tensor chooseInput(const std::string &name, Scalar *fallback, Formula &formula,
                     Function &function);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_INPUTDEFAULTS_H
