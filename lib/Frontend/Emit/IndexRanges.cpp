//===- IndexRanges.cpp - Over what indices run ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "Dimensions.h"
#include "Elaboration.h"

using namespace llvm;

namespace weft::sema {

IndexRanges::IndexRanges(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

bool IndexRanges::bindRange(const ast::Binder &binder, Index *index, Env &env) {
  if (!binder.range)
    return true;
  std::optional<Extent> extent = shared.dimensions->evaluateExtent(*binder.range, env);
  if (!extent)
    return false;
  index->extent = std::move(extent);
  index->isExplicit = true;
  index->sourceRange = binder.range->range;
  return true;
}

bool IndexRanges::unifyRange(Index *index, const Extent &dim, const TensorValue &tensor,
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
      reporter.error(range,
                     "index '" + index->name + "' ranges over " + known.str() + " in '" +
                         index->source + "' but over " + dim.str() + " in '" + tensor.name + "'",
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

/// The dimension that an index of unknown range was most probably meant to run over: the one of its
/// name, T for t, or the only one that is known at run time; otherwise "...".
static std::string likelyRange(const Index &index, const Env &env) {
  auto isDimension = [](const Value &value) {
    return value.is(Value::Kind::Symbol) || (value.is(Value::Kind::Int) && value.extent);
  };
  std::string capital = StringRef(index.name).upper();
  auto named = env.names.find(capital);
  if (named != env.names.end() && isDimension(named->second.value))
    return capital;
  std::string only;
  for (const auto &entry : env.names) {
    const Value &value = entry.second.value;
    if (!value.is(Value::Kind::Symbol) || value.extent->name == only)
      continue;
    if (!only.empty())
      return "...";
    only = value.extent->name;
  }
  return only.empty() ? "..." : only;
}

std::nullopt_t IndexRanges::rangeUnknown(const Index &index, const Twine &before,
                                         ArrayRef<ast::Binder> binders, ArrayRef<Index *> indices,
                                         StringRef after, Env &env) {
  std::string list;
  for (auto [binder, known] : zip(binders, indices)) {
    list += (list.empty() ? "" : ", ") + known->name;
    if (binder.range)
      list += (": " + reporter.text(binder.range->range)).str();
    else if (!known->extent)
      list += ": " + likelyRange(*known, env);
  }
  return reporter.error(index.range, "the range of index '" + index.name +
                                         "' does not follow from its use; write '" + before + list +
                                         after + "'");
}

} // namespace weft::sema
