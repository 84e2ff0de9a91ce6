//===- FreeIndices.cpp - What an element depends on -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FreeIndices.h"

using namespace llvm;

namespace weft::sema {

const std::set<const Index *> &FreeIndices::of(const Scalar *scalar) {
  auto it = known.find(scalar);
  if (it != known.end())
    return it->second;
  std::set<const Index *> indices;
  if (scalar->op == ScalarOp::Index)
    indices.insert(scalar->index);
  auto merge = [&](const Scalar *part) {
    if (!part)
      return;
    const std::set<const Index *> &inner = of(part);
    indices.insert(inner.begin(), inner.end());
  };
  for (const Scalar *arg : scalar->args)
    merge(arg);
  merge(scalar->predicate);
  for (const Index *binder : scalar->binders)
    if (scalar->isSoftmax())
      indices.insert(binder);
    else
      indices.erase(binder);
  merge(scalar->rank);
  return known[scalar] = std::move(indices);
}

IndexList FreeIndices::ordered(const std::set<const Index *> &indices) {
  IndexList list(indices.begin(), indices.end());
  llvm::sort(list, [](const Index *a, const Index *b) { return a->order < b->order; });
  return list;
}

} // namespace weft::sema
