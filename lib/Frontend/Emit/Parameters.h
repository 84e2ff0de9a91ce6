//===- Parameters.h - Parameters ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `param`: a weight in an entry, an argument in a module, whose callers have the weight under a
// longer name.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_PARAMETERS_H
#define WEFT_LIB_FRONTEND_EMIT_PARAMETERS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Parameters {
public:
  explicit Parameters(Elaboration &shared);

  bool executeParam(const ast::ParamStmt &stmt, Env &env);
  /// The value of a parameter inside `function`; null after an error.
  Parameter *addParameter(Function &function, Parameter parameter);

private:
  bool declareParam(const ast::ParamStmt::Param &param, Env &env);
  bool readParam(const ast::ParamStmt::Param &param, Parameter &parameter, Env &env);
  bool declareTied(const ast::Expr &tied, Parameter &parameter, Env &env);
  bool checkStacks(const ast::ParamStmt::Param &param, llvm::ArrayRef<Extent> stacks,
                   llvm::ArrayRef<Extent> dims);
  mlir::Value createWeight(Function &function, const Parameter &parameter,
                           mlir::RankedTensorType type);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_PARAMETERS_H
