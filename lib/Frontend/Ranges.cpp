//===- Ranges.cpp - Over what an index runs -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The range of an index is said (`i: N`) or follows from the dimensions in which it stands alone.
// All of them must agree, but for one case: an index over a bounded dimension may read a longer
// static one (`wpe[t, d]` with T <= 1024 and 1024 positions).
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"

using namespace llvm;

namespace weft::sema {

bool Elaborator::bindRange(const ast::Binder &binder, Index *index, Env &env) {
  if (!binder.range)
    return true;
  std::optional<Extent> extent = evaluateExtent(*binder.range, env);
  if (!extent)
    return false;
  index->extent = std::move(extent);
  index->isExplicit = true;
  index->sourceRange = binder.range->range;
  return true;
}

bool Elaborator::unifyRange(Index *index, const Extent &dim, const TensorValue &tensor,
                            SourceRange range) {
  if (index->isExplicit)
    return true; // the bounds proof decides
  bool replace = !index->extent;
  if (!replace) {
    const Extent &known = *index->extent;
    if (known.same(dim)) {
      replace = known.name.empty() && !dim.name.empty();
    } else if (dim.isBounded() && !known.isBounded() && known.size >= dim.size) {
      replace = true;
    } else if (!(known.isBounded() && !dim.isBounded() && dim.size >= known.size)) {
      error(range,
            "index '" + index->name + "' ranges over " + known.str() + " in '" + index->source +
                "' but over " + dim.str() + " in '" + tensor.name + "'",
            {declaredHere(tensor.name, tensor.declared),
             {index->sourceRange, "the range " + known.str() + " comes from here"}});
      return false;
    }
  }
  if (!replace)
    return true;
  index->extent = dim;
  index->source = tensor.name;
  index->sourceRange = range;
  return true;
}

} // namespace weft::sema
