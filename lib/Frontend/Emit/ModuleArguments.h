//===- ModuleArguments.h - What a module gets from its caller -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A tensor becomes an argument of the module's function, and its type binds the names of its
// dimensions; everything else is known at compile time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_MODULEARGUMENTS_H
#define WEFT_LIB_FRONTEND_EMIT_MODULEARGUMENTS_H

#include "ArgumentBinder.h"

namespace weft::sema {

struct Elaboration;

class ModuleArguments {
public:
  explicit ModuleArguments(Elaboration &shared);

  /// Binds every parameter of a module in the names of its body.
  bool bindModuleArguments(const ast::ModuleDecl &decl, const BoundArguments &arguments,
                           Function &function, Env &env);

private:
  bool bindModuleTensor(const ast::Parameter &parameter, const Tensor &tensor, SourceRange range,
                        Function &function, Env &env);
  bool bindDimensions(const ast::Parameter &parameter, const TensorValue &tensor, SourceRange range,
                      Env &env, TensorValue &local);
  bool bindDimension(const ast::Parameter &parameter, unsigned dim, SourceRange range, Env &env,
                     Extent &extent);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_MODULEARGUMENTS_H
