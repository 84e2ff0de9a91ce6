//===- FormulaEmitter.cpp - A formula becomes ops -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaEmitter.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace weft::sema {

//===----------------------------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------------------------===//

/// Names in an op are unique; inlined functions may bring the same one twice.
mlir::ArrayAttr FormulaEmitter::indexAttrs(ArrayRef<const Index *> indices) {
  mlir::MLIRContext &context = *function.builder.getContext();
  SmallVector<mlir::Attribute> attributes;
  StringSet<> used;
  for (const Index *index : indices) {
    std::string name = index->name;
    for (unsigned i = 1; !used.insert(name).second; ++i)
      name = index->name + "_" + std::to_string(i);
    attributes.push_back(indexOver(context, name, *index->extent));
  }
  return mlir::ArrayAttr::get(&context, attributes);
}

static mlir::RankedTensorType resultType(mlir::ArrayAttr indices, size_t count,
                                         mlir::Type element) {
  SmallVector<IndexAttr> output(indices.getAsRange<IndexAttr>());
  output.truncate(count);
  return getTensorType(output, element);
}

//===----------------------------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------------------------===//

void FormulaEmitter::addInput(const Scalar *scalar, mlir::Value value, mlir::AffineMap map,
                              OpBody &body) {
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    if (body.inputs[i] == value && body.maps[i] == map) {
      body.inputOf[scalar] = i;
      return;
    }
  body.inputOf[scalar] = body.inputs.size();
  body.inputs.push_back(value);
  body.maps.push_back(map);
}

/// Finds what `scalar` reads through maps; emits the reductions in it.
void FormulaEmitter::collect(const Scalar *scalar, OpBody &body) {
  if (!body.seen.insert(scalar).second)
    return;
  mlir::MLIRContext *context = function.builder.getContext();
  SmallVector<mlir::AffineExpr> coordinates;
  if (scalar->op == ScalarOp::Reduce) {
    Emitted emitted = emitReduction(scalar, /*isRoot=*/false);
    for (const Index *index : emitted.indices)
      coordinates.push_back(
          mlir::getAffineDimExpr(find(body.indices, index) - body.indices.begin(), context));
    return addInput(scalar, emitted.value,
                    mlir::AffineMap::get(body.indices.size(), 0, coordinates, context), body);
  }
  if (scalar->op == ScalarOp::Read && planner.kind(scalar) == ReadKind::Map) {
    for (const Scalar *arg : scalar->args)
      coordinates.push_back(toAffine(arg, body.indices, context));
    return addInput(scalar, scalar->tensor->value,
                    mlir::AffineMap::get(body.indices.size(), 0, coordinates, context), body);
  }
  for (const Scalar *arg : scalar->args)
    collect(arg, body);
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

void FormulaEmitter::finish(mlir::Operation *op, const Twine &name) {
  attrs::Label::set(op, name);
  if (constant)
    attrs::Constant::set(op);
}

BodyEmitter FormulaEmitter::regionEmitter(const OpBody &body, mlir::Region &region) {
  return BodyEmitter(reporter, planner, bounds, body, region);
}

void FormulaEmitter::emitPredicate(const Scalar *predicate, const OpBody &body,
                                   mlir::Region &region, mlir::Location loc) {
  if (!predicate)
    return;
  BodyEmitter emitter = regionEmitter(body, region);
  YieldOp::create(emitter.builder, loc, emitter.element(predicate));
}

mlir::Value FormulaEmitter::emitSoftmax(const Scalar *node, OpBody &body, mlir::Type element,
                                        mlir::Location loc) {
  mlir::OpBuilder &builder = function.builder;
  mlir::ArrayAttr indices = indexAttrs(body.indices);
  auto normalizer =
      node->reduction == ast::ReductionKind::Softmax ? Normalizer::Softmax : Normalizer::LogSoftmax;
  uint64_t axis = find(body.indices, node->binders[0]) - body.indices.begin();
  auto op = SoftmaxOp::create(builder, loc, resultType(indices, indices.size(), element),
                              normalizer, body.inputs, mlir::Value(), axis, indices,
                              builder.getAffineMapArrayAttr(body.maps), mlir::ArrayAttr());
  BodyEmitter region = regionEmitter(body, op.getBody());
  YieldOp::create(region.builder, loc, region.element(node->args[0]));
  emitPredicate(node->predicate, body, op.getPredicate(), loc);
  return op.getResult();
}

static ReduceKind reduceKind(ast::ReductionKind kind) {
  switch (kind) {
  case ast::ReductionKind::Mean:
    return ReduceKind::Mean;
  case ast::ReductionKind::Max:
    return ReduceKind::Max;
  case ast::ReductionKind::Min:
    return ReduceKind::Min;
  case ast::ReductionKind::Prod:
    return ReduceKind::Prod;
  case ast::ReductionKind::ArgMax:
    return ReduceKind::ArgMax;
  case ast::ReductionKind::ArgTop:
    return ReduceKind::ArgTop;
  default:
    return ReduceKind::Sum;
  }
}

mlir::Value FormulaEmitter::emitReduce(const Scalar *node, OpBody &body, mlir::Type element,
                                       mlir::Location loc) {
  mlir::OpBuilder &builder = function.builder;
  mlir::ArrayAttr indices = indexAttrs(body.indices);
  size_t outputs = body.indices.size() - node->binders.size();
  auto op = ReduceOp::create(builder, loc, resultType(indices, outputs, element),
                             reduceKind(node->reduction), body.inputs, mlir::Value(), indices,
                             builder.getAffineMapArrayAttr(body.maps), mlir::ArrayAttr());
  BodyEmitter region = regionEmitter(body, op.getBody());
  SmallVector<mlir::Value> yielded{region.element(node->args[0])};
  if (node->rank)
    yielded.push_back(region.value(node->rank));
  YieldOp::create(region.builder, loc, yielded);
  emitPredicate(node->predicate, body, op.getPredicate(), loc);
  return op.getResult();
}

FormulaEmitter::Emitted FormulaEmitter::emitReduction(const Scalar *node, bool isRoot) {
  auto it = reductions.find(node);
  if (it != reductions.end())
    return it->second;
  Emitted emitted;
  emitted.indices = free.ordered(node);
  OpBody body;
  body.indices = emitted.indices;
  if (!node->isSoftmax())
    body.indices.append(node->binders.begin(), node->binders.end());
  collect(node->args[0], body);
  if (node->predicate)
    collect(node->predicate, body);
  if (node->rank)
    collect(node->rank, body);
  mlir::Type element = elementType(*function.builder.getContext(), node->type);
  mlir::Location loc = reporter.location(node->range);
  emitted.value = node->isSoftmax() ? emitSoftmax(node, body, element, loc)
                                    : emitReduce(node, body, element, loc);
  finish(emitted.value.getDefiningOp(),
         isRoot ? Twine(label) : label + "." + ast::spelling(node->reduction));
  reductions[node] = emitted;
  return emitted;
}

mlir::Value FormulaEmitter::emitMap(const Scalar *root, SourceRange range) {
  mlir::OpBuilder &builder = function.builder;
  mlir::Location loc = reporter.location(range);
  OpBody body;
  body.indices.assign(formula.outputs.begin(), formula.outputs.end());
  collect(root, body);
  mlir::ArrayAttr indices = indexAttrs(body.indices);
  mlir::Type element = elementType(*builder.getContext(), root->type);
  auto op = MapOp::create(builder, loc, resultType(indices, indices.size(), element), body.inputs,
                          mlir::Value(), indices, builder.getAffineMapArrayAttr(body.maps),
                          mlir::ArrayAttr());
  BodyEmitter region = regionEmitter(body, op.getBody());
  YieldOp::create(region.builder, loc, region.element(root));
  finish(op, label);
  return op.getResult();
}

//===----------------------------------------------------------------------------------------===//
// The formula
//===----------------------------------------------------------------------------------------===//

/// A buffer is computed before there is any input.
bool FormulaEmitter::checkConstant(const Scalar *root) {
  DenseSet<const Scalar *> seen;
  SmallVector<const Scalar *> work{root};
  while (!work.empty()) {
    const Scalar *scalar = work.pop_back_val();
    if (!scalar || !seen.insert(scalar).second)
      continue;
    if (scalar->op == ScalarOp::Read && !scalar->tensor->constant) {
      reporter.error(scalar->range,
                     "a buffer is made of compile-time values, and '" + scalar->tensor->name +
                         "' is known only at run time",
                     declaredHere(scalar->tensor->name, scalar->tensor->declared));
      return false;
    }
    work.append(scalar->args.begin(), scalar->args.end());
    work.push_back(scalar->predicate);
    work.push_back(scalar->rank);
  }
  return true;
}

Tensor FormulaEmitter::emit(const Scalar *root, SourceRange range) {
  auto tensor = std::make_shared<TensorValue>();
  for (const Index *index : formula.outputs) {
    tensor->dims.push_back(*index->extent);
    tensor->indexNames.push_back(index->name);
  }
  if (!elementCount(tensor->dims)) {
    reporter.error(range, "'" + label + "' has too many elements");
    return nullptr;
  }
  if ((constant && !checkConstant(root)) || !planner.plan(root))
    return nullptr;
  for (const PendingCheck &check : planner.checks)
    emitChecks(check);
  bool direct = root->op == ScalarOp::Reduce &&
                free.ordered(root) == IndexList(formula.outputs.begin(), formula.outputs.end());
  tensor->value = direct ? emitReduction(root, /*isRoot=*/true).value : emitMap(root, range);
  for (mlir::Operation *check : checks)
    function.checked[check].push_back(tensor->value);
  tensor->element = computeType(root->type);
  tensor->name = label;
  tensor->declared = range;
  tensor->constant = constant;
  if (Interval interval = bounds.interval(root); root->isInt() && isKnown(interval))
    tensor->bounds = interval;
  if (const Extent *extent = BoundsAnalysis::positionsIn(root))
    tensor->below = *extent;
  return tensor;
}

Tensor emitFormula(Reporter &reporter, Function &function, Formula &formula, Scalar *root,
                   StringRef label, SourceRange range, bool constant) {
  return FormulaEmitter(reporter, function, formula, label, constant).emit(root, range);
}

} // namespace weft::sema
