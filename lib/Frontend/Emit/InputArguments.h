//===- InputArguments.h - Arguments of entries ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every input is an argument of the entry. `given(name)` reads a condition behind the tensor, one
// more argument that is made when first asked for.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_INPUTARGUMENTS_H
#define WEFT_LIB_FRONTEND_EMIT_INPUTARGUMENTS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class InputArguments {
public:
  explicit InputArguments(Elaboration &shared);

  /// Adds the argument of an input behind the other tensors. `value` is its default, or, if that is
  /// `computed`, what nobody reads.
  void addInputArgument(const std::shared_ptr<TensorValue> &tensor, mlir::TypedAttr value,
                        bool computed, Function &function);
  /// The condition whether the caller has passed the input.
  Tensor presenceOf(Function &function, const std::string &name);

private:
  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_INPUTARGUMENTS_H
