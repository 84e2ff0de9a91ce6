//===- ModuleCalls.h - Calls of modules -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The call of a module is a call of a function. The parameters below the module become arguments
// after its tensors; their full names are known here, so that all layers of a model share one
// function.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_MODULECALLS_H
#define WEFT_LIB_FRONTEND_EMIT_MODULECALLS_H

#include "ModuleInstances.h"

namespace weft::sema {

struct Elaboration;

class ModuleCalls {
public:
  explicit ModuleCalls(Elaboration &shared);

  /// `scope` goes before the names of the module's parameters.
  Result callModule(const Value &module, const ast::CallExpr &expr, llvm::StringRef scope,
                    Env &env);

private:
  Result emitCall(const Function &callee, const ast::ModuleDecl &decl,
                  const BoundArguments &arguments, llvm::StringRef scope, SourceRange range,
                  Function &caller, Formula *mapping);
  bool addOperands(const Function &callee, llvm::ArrayRef<Tensor> tensors, llvm::StringRef scope,
                   Function &caller, llvm::SmallVectorImpl<mlir::Value> &operands);

  Elaboration &shared;
  Reporter &reporter;
  ModuleInstances instances;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_MODULECALLS_H
