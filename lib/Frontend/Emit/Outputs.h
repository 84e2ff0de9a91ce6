//===- Outputs.h - What leaves a function ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `return` of a module, `output` and `generate` of a model.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_OUTPUTS_H
#define WEFT_LIB_FRONTEND_EMIT_OUTPUTS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Outputs {
public:
  explicit Outputs(Elaboration &shared);

  bool executeReturn(const ast::ReturnStmt &stmt, Env &env);
  bool executeOutput(const ast::OutputStmt &stmt, Env &env);
  bool executeGenerate(const ast::GenerateStmt &stmt, Env &env);
  /// The elements of a tensor in one of their own, stored in the type.
  Tensor storeAs(ElementType element, const Tensor &tensor, const ast::Identifier &name,
                 Function &function);

private:
  bool canOutput(const ast::OutputStmt &stmt, const Function &function);
  Tensor outputTensor(const ast::OutputStmt &stmt, const ast::Identifier &name, Env &env);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_OUTPUTS_H
