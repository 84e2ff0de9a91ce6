//===- Mapping.cpp - A module called for every value of an index ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `y[n] = M(x[n], w)` calls the module for every n. It is elaborated once, for what it is given at
// one n, and the function is then mapped over the index as a model is over a batch.
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace weft::sema {

/// A module call with an argument that is read at indices.
bool Elaborator::isMappedCall(const ast::Expr &expr, Env &env) {
  auto *call = dyn_cast<ast::CallExpr>(&expr);
  auto *scoped = dyn_cast<ast::ScopedCallExpr>(&expr);
  if (scoped)
    call = scoped->call.get();
  if (!call || none_of(call->arguments, [](const ast::Argument &argument) {
        return isa<ast::ElementExpr>(argument.value.get());
      }))
    return false;
  if (scoped)
    return true;
  auto segments = evaluatePath(call->callee, env);
  if (!segments || callsBuiltin(*segments, env))
    return false;
  Result callee = lookupCallee(*segments, call->callee.range, env);
  return callee && callee->is(Value::Kind::Module);
}

Result Elaborator::evaluateMapped(const ast::Expr &expr, Formula &formula, Env &env) {
  // Names of indices mean something in slices only.
  SaveAndRestore indices(env.indices, {});
  SaveAndRestore mapping(env.mapping, &formula);
  return evaluate(expr, env, nullptr);
}

/// Adds the index that `expr`, the next one of a slice, names.
bool Elaborator::bindSliceIndex(const ast::Expr &expr, TensorValue &slice, const Extent &dim,
                                const Formula &mapping) {
  auto *variable = dyn_cast<ast::NameExpr>(&expr);
  std::string text = variable && variable->path.isIdentifier() ? variable->path.str() : "";
  auto *place = find_if(mapping.outputs, [&](Index *index) { return index->name == text; });
  if (place == mapping.outputs.end())
    return error(expr.range, "what a module is mapped over are the indices on the left side; other "
                             "elements need a formula before the call"),
           false;
  if (!slice.mapped.empty() && slice.mapped.back()->order >= (*place)->order)
    return error(expr.range, "the indices of the argument must have the order of the left side; a "
                             "formula before the call can give the tensor another order"),
           false;
  if (!unifyRange(*place, dim, slice, expr.range))
    return false;
  slice.mapped.push_back(*place);
  return true;
}

/// `x[n]`: what a module that is mapped over n gets of x.
Result Elaborator::evaluateSlice(const ast::ElementExpr &expr, Env &env, Formula &mapping) {
  Result base = evaluateBase(expr, env, nullptr);
  if (!base || base->is(Value::Kind::Poison))
    return std::nullopt;
  if (base->is(Value::Kind::List))
    return evaluateElement(expr, env, nullptr);
  if (!base->is(Value::Kind::Tensor))
    return unusable(*base, expr.base->range, "a tensor or a list");
  const TensorValue &tensor = *base->tensor;
  if (expr.indices.size() > tensor.rank())
    return error(expr.range,
                 "'" + tensor.name + "' has " + counted(tensor.rank(), "dimension") + " " +
                     typeText(tensor) + ", but is read with " + Twine(expr.indices.size()) +
                     " indices",
                 declaredHere(tensor.name, tensor.declared));
  auto slice = std::make_shared<TensorValue>(tensor);
  for (auto [index, dim] : zip(expr.indices, tensor.dims))
    if (!bindSliceIndex(*index, *slice, dim, mapping))
      return std::nullopt;
  size_t count = slice->mapped.size();
  slice->dims.erase(slice->dims.begin(), slice->dims.begin() + count);
  slice->indexNames.erase(slice->indexNames.begin(), slice->indexNames.begin() + count);
  slice->weights.clear();
  slice->passed = nullptr;
  return Value::makeTensor(slice);
}

/// An index with a range of its own must run over whole dimensions.
bool Elaborator::coversDimension(const Index &index, const TensorValue &argument) {
  auto *place = find(argument.mapped, &index);
  if (place == argument.mapped.end())
    return true;
  auto type = argument.type();
  unsigned dim = place - argument.mapped.begin();
  if (index.extent->dynamic ? getSymbol(type, dim) == index.extent->name
                            : type.getDimSize(dim) == index.extent->size)
    return true;
  error(index.range, "the index '" + index.name + "' ranges over " + index.extent->str() +
                         ", but dimension " + Twine(dim) + " of '" + argument.name +
                         "' is another; a module is mapped over whole dimensions");
  return false;
}

/// The function of a module for all values of the indices, the first of which comes first in the
/// results; null after an error.
mlir::func::FuncOp Elaborator::mapFunction(const Function &callee, StringRef name,
                                           ArrayRef<Tensor> arguments, const Formula &mapping) {
  mlir::func::FuncOp function = callee.op;
  for (Index *index : reverse(mapping.outputs)) {
    FunctionMapper::Flags flags;
    for (const Tensor &argument : arguments)
      flags.push_back(is_contained(argument->mapped, index));
    if (!is_contained(flags, true))
      return error(index->range,
                   "no argument of '" + name + "' depends on the index '" + index->name + "'"),
             nullptr;
    for (const Tensor &argument : arguments)
      if (!coversDimension(*index, *argument))
        return nullptr;
    flags.append(callee.parameters.size(), false);
    IndexAttr attribute = indexOver(context, index->name, *index->extent);
    FunctionMapper &mapper =
        mappers.try_emplace(attribute.getAsOpaquePointer(), module, attribute).first->second;
    function = mapper.getVariant(function, flags, /*allResults=*/true).function;
  }
  return function;
}

} // namespace weft::sema
