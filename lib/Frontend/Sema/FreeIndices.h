//===- FreeIndices.h - What an element depends on -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_FREEINDICES_H
#define WEFT_LIB_FRONTEND_SEMA_FREEINDICES_H

#include "Scalar.h"
#include "llvm/ADT/DenseMap.h"
#include <set>

namespace weft::sema {

/// Indices of one op, in the order of the formula.
using IndexList = llvm::SmallVector<const Index *, 6>;

/// The indices on which the nodes of a formula depend: those that stand in a node, without those
/// that its reductions run over. A softmax depends on its axis.
class FreeIndices {
public:
  const std::set<const Index *> &of(const Scalar *scalar);
  IndexList ordered(const Scalar *scalar) { return ordered(of(scalar)); }
  static IndexList ordered(const std::set<const Index *> &indices);

private:
  llvm::DenseMap<const Scalar *, std::set<const Index *>> known;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_FREEINDICES_H
