//===- ModuleMapping.cpp - Modules over an index --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModuleMapping.h"

#include "Elaboration.h"
#include "ElementReader.h"
#include "Evaluator.h"
#include "IndexRanges.h"
#include "Names.h"
#include "Types.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace weft::sema {

ModuleMapping::ModuleMapping(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

bool ModuleMapping::isMappedCall(const ast::Expr &expr, Env &env) {
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
  auto segments = shared.names->evaluatePath(call->callee, env);
  if (!segments || callsBuiltin(*segments, env))
    return false;
  Result callee = shared.names->lookupCallee(*segments, call->callee.range, env);
  return callee && callee->is(Value::Kind::Module);
}

Result ModuleMapping::evaluateMapped(const ast::Expr &expr, Formula &formula, Env &env) {
  // Names of indices mean something in slices only.
  SaveAndRestore indices(env.indices, {});
  SaveAndRestore mapping(env.mapping, &formula);
  return shared.evaluator->evaluate(expr, env, nullptr);
}

/// Adds the index that `expr`, the next one of a slice, names.
bool ModuleMapping::bindSliceIndex(const ast::Expr &expr, TensorValue &slice, const Extent &dim,
                                   const Formula &mapping) {
  auto *variable = dyn_cast<ast::NameExpr>(&expr);
  std::string text = variable && variable->path.isIdentifier() ? variable->path.str() : "";
  auto *place = find_if(mapping.outputs, [&](Index *index) { return index->name == text; });
  if (place == mapping.outputs.end())
    return reporter.error(expr.range,
                          "what a module is mapped over are the indices on the left side; other "
                          "elements need a formula before the call"),
           false;
  if (!slice.mapped.empty() && slice.mapped.back()->order >= (*place)->order)
    return reporter.error(expr.range,
                          "the indices of the argument must have the order of the left side; a "
                          "formula before the call can give the tensor another order"),
           false;
  if (!shared.ranges->unifyRange(*place, dim, slice, expr.range))
    return false;
  slice.mapped.push_back(*place);
  return true;
}

Result ModuleMapping::evaluateSlice(const ast::ElementExpr &expr, Env &env, Formula &mapping) {
  Result base = shared.elements->evaluateBase(expr, env, nullptr);
  if (!base || base->is(Value::Kind::Poison))
    return std::nullopt;
  if (base->is(Value::Kind::List))
    return shared.elements->evaluateElement(expr, env, nullptr);
  if (!base->is(Value::Kind::Tensor))
    return reporter.unusable(*base, expr.base->range, "a tensor or a list");
  const TensorValue &tensor = *base->tensor;
  if (expr.indices.size() > tensor.rank())
    return reporter.error(expr.range,
                          "'" + tensor.name + "' has " + counted(tensor.rank(), "dimension") + " " +
                              typeText(tensor) + ", but is read with " +
                              Twine(expr.indices.size()) + " indices",
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
bool ModuleMapping::coversDimension(const Index &index, const TensorValue &argument) {
  auto *place = find(argument.mapped, &index);
  if (place == argument.mapped.end())
    return true;
  auto type = argument.type();
  unsigned dim = place - argument.mapped.begin();
  if (index.extent->dynamic ? getSymbol(type, dim) == index.extent->name
                            : type.getDimSize(dim) == index.extent->size)
    return true;
  reporter.error(index.range, "the index '" + index.name + "' ranges over " + index.extent->str() +
                                  ", but dimension " + Twine(dim) + " of '" + argument.name +
                                  "' is another; a module is mapped over whole dimensions");
  return false;
}

mlir::func::FuncOp ModuleMapping::mapFunction(const Function &callee, StringRef name,
                                              ArrayRef<Tensor> arguments, const Formula &mapping) {
  mlir::func::FuncOp function = callee.op;
  for (Index *index : reverse(mapping.outputs)) {
    FunctionMapper::Flags flags;
    for (const Tensor &argument : arguments)
      flags.push_back(is_contained(argument->mapped, index));
    if (!is_contained(flags, true))
      return reporter.error(index->range, "no argument of '" + name + "' depends on the index '" +
                                              index->name + "'"),
             nullptr;
    for (const Tensor &argument : arguments)
      if (!coversDimension(*index, *argument))
        return nullptr;
    flags.append(callee.parameters.size(), false);
    IndexAttr attribute = indexOver(shared.context, index->name, *index->extent);
    FunctionMapper &mapper =
        mappers.try_emplace(attribute.getAsOpaquePointer(), shared.module, attribute).first->second;
    function = mapper.getVariant(function, flags, /*allResults=*/true).function;
  }
  return function;
}

} // namespace weft::sema
