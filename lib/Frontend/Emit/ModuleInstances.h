//===- ModuleInstances.h - The functions of modules -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A module is elaborated once for each different set of compile-time arguments and tensor types.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_MODULEINSTANCES_H
#define WEFT_LIB_FRONTEND_EMIT_MODULEINSTANCES_H

#include "ArgumentBinder.h"

#include <map>
#include <memory>

namespace weft::sema {

struct Elaboration;

class ModuleInstances {
public:
  explicit ModuleInstances(Elaboration &shared);

  /// The function of a module for these arguments; null after an error, which may have been an
  /// earlier call's.
  Function *instantiate(const Value &module, const BoundArguments &arguments,
                        const ast::CallExpr &expr);

private:
  struct Instance {
    std::unique_ptr<Function> function;
    bool failed = false;
  };

  bool elaborateModule(const Value &module, const BoundArguments &arguments, SourceRange call,
                       Function &function);
  void finishModule(const ast::ModuleDecl &decl, const BoundArguments &arguments,
                    Function &function);

  Elaboration &shared;
  Reporter &reporter;
  std::map<std::string, Instance> instances;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_MODULEINSTANCES_H
