//===- Dimensions.cpp - Dimensions ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dimensions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "Types.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

Dimensions::Dimensions(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

std::optional<Extent> Dimensions::evaluateExtent(const ast::Expr &expr, Env &env) {
  Result value = shared.evaluator->evaluate(expr, env, nullptr);
  if (!value || value->is(Value::Kind::Poison))
    return std::nullopt;
  if (value->is(Value::Kind::Symbol))
    return *value->extent;
  if (!value->is(Value::Kind::Int))
    return reporter.unusable(*value, expr.range, "a dimension (an integer)");
  if (value->integer < 1)
    return reporter.error(expr.range,
                          "a dimension must be at least 1, but this is " + Twine(value->integer));
  if (value->integer >= maxElements)
    return reporter.error(expr.range, "the dimension " + Twine(value->integer) + " is too large");
  Extent extent;
  if (value->extent && value->extent->fixed)
    extent = *value->extent;
  extent.size = value->integer;
  auto *name = dyn_cast<ast::NameExpr>(&expr);
  if (name && name->path.isIdentifier())
    extent.name = name->path.str();
  else if (value->extent)
    extent.name = value->extent->name;
  return extent;
}

bool Dimensions::evaluateDims(const ast::TensorType &type, Env &env,
                              SmallVectorImpl<Extent> &dims) {
  for (const ast::ExprPtr &dim : type.dims) {
    std::optional<Extent> extent = evaluateExtent(*dim, env);
    if (!extent)
      return false;
    dims.push_back(std::move(*extent));
  }
  return true;
}

bool Dimensions::checkSize(ArrayRef<Extent> dims, SourceRange range, StringRef name) {
  if (elementCount(dims))
    return true;
  reporter.error(range, "'" + name + "' has too many elements");
  return false;
}

//===----------------------------------------------------------------------------------------===//
// dim
//===----------------------------------------------------------------------------------------===//

/// Applies what -D says to a dimension of the model.
bool Dimensions::fixDim(Extent &extent, bool bounded, SourceRange range, Function &function) {
  if (!function.isEntry)
    return true;
  shared.result.definable.insert(extent.name);
  auto given = shared.options.defines.find(extent.name);
  if (given == shared.options.defines.end())
    return true;
  int64_t size, largest = bounded ? extent.size : maxElements - 1;
  if (!to_integer(given->second, size, 10) || size < 1 || size > largest) {
    reporter.error(range, "'" + given->second + "', given for '" + extent.name +
                              "', is not a whole number from 1 to " + Twine(largest));
    return false;
  }
  extent.fixed = bounded;
  extent.size = size;
  return true;
}

/// Run-time dimensions are the module's: entries that declare one must agree on its bound.
bool Dimensions::declareSymbol(const Extent &extent, SourceRange range) {
  auto [it, added] =
      symbols.insert({symbolRanges.try_emplace(extent.name, range).first->getKey(), extent});
  if (added || it->second.size == extent.size)
    return true;
  reporter.error(range,
                 "the bound of '" + extent.name + "' is " + Twine(extent.size) + " here but " +
                     Twine(it->second.size) + " in another entry",
                 {{symbolRanges[extent.name], "the other declaration is here"}});
  return false;
}

bool Dimensions::declareDim(const ast::DimStmt::Dimension &dimension, Env &env) {
  const auto &[name, range] = dimension.name;
  std::optional<Extent> extent = evaluateExtent(*dimension.value, env);
  if (!extent || !env.canDeclare(dimension.name, reporter))
    return false;
  if (dimension.bounded && !env.function->isEntry)
    return reporter.error(range, "a run-time dimension belongs to the model, not to a module"),
           false;
  extent->name = name;
  extent->fixed = false;
  if (!fixDim(*extent, dimension.bounded, range, *env.function))
    return false;
  extent->dynamic = dimension.bounded && !extent->fixed;
  if (extent->dynamic && !declareSymbol(*extent, range))
    return false;
  Value value = extent->dynamic ? Value::makeSymbol(*extent) : Value::makeInt(extent->size);
  if (!extent->dynamic)
    value.extent = std::make_shared<Extent>(*extent);
  env.bind(name, value, range);
  return true;
}

bool Dimensions::executeDim(const ast::DimStmt &stmt, Env &env) {
  bool good = true;
  for (const ast::DimStmt::Dimension &dimension : stmt.dimensions)
    if (!declareDim(dimension, env)) {
      good = false;
      env.poisonNew(dimension.name.text, dimension.name.range);
    }
  return good;
}

} // namespace weft::sema
