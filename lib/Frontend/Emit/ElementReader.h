//===- ElementReader.h - Elements of tensors and lists --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `x[i, j + 1]`: a read of a tensor is a node of the formula, and an index that stands alone takes
// its range from the dimension; an element of a list is known at compile time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_ELEMENTREADER_H
#define WEFT_LIB_FRONTEND_EMIT_ELEMENTREADER_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class ElementReader {
public:
  explicit ElementReader(Elaboration &shared);

  Result evaluateElement(const ast::ElementExpr &expr, Env &env, Formula *formula);
  /// What elements are read of.
  Result evaluateBase(const ast::ElementExpr &expr, Env &env, Formula *formula);

private:
  Result chooseElement(const Value &list, Scalar *index, const ast::ElementExpr &expr,
                       Formula &formula);
  Result evaluateRead(const Tensor &tensor, const ast::ElementExpr &expr, Env &env,
                      Formula *formula);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_ELEMENTREADER_H
