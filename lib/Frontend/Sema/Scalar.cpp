//===- Scalar.cpp - One element of a formula ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Scalar.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace weft::sema {

Index *Formula::addIndex(std::string name, SourceRange range) {
  Index &index = indices.emplace_back();
  index.name = std::move(name);
  index.range = range;
  index.order = indices.size() - 1;
  return &index;
}

Scalar *Formula::find(Key key, SourceRange range) {
  auto it = known.find(key);
  if (it != known.end())
    return it->second;
  const auto &[op, type, what, args] = key;
  unsigned depth = 1;
  for (const Scalar *arg : args)
    depth = std::max(depth, arg->depth + 1);
  if (nodes.size() >= maxNodes || depth > maxDepth)
    return nullptr;
  Scalar &node = nodes.emplace_back();
  node.op = op;
  node.type = type;
  node.range = range;
  node.depth = depth;
  node.args.assign(args.begin(), args.end());
  known.emplace(std::move(key), &node);
  return &node;
}

Scalar *Formula::add(ScalarOp op, ast::ElementKind type, SourceRange range,
                     ArrayRef<Scalar *> args) {
  return find({op, type, 0, args.vec()}, range);
}

Scalar *Formula::addInt(int64_t value, SourceRange range) {
  Scalar *node = find({ScalarOp::Constant, ast::ElementKind::Int, uint64_t(value), {}}, range);
  if (node)
    node->integer = value;
  return node;
}

Scalar *Formula::addReal(double value, SourceRange range) {
  Scalar *node =
      find({ScalarOp::Constant, ast::ElementKind::Real, bit_cast<uint64_t>(value), {}}, range);
  if (node)
    node->real = value;
  return node;
}

Scalar *Formula::addBool(bool value, SourceRange range) {
  Scalar *node = find({ScalarOp::Constant, ast::ElementKind::Bool, value, {}}, range);
  if (node)
    node->integer = value;
  return node;
}

static uint64_t address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

Scalar *Formula::addIndexValue(Index *index, SourceRange range) {
  Scalar *node = find({ScalarOp::Index, ast::ElementKind::Int, address(index), {}}, range);
  if (node)
    node->index = index;
  return node;
}

Scalar *Formula::addSize(std::shared_ptr<Extent> symbol, SourceRange range) {
  Scalar *node = find({ScalarOp::Size, ast::ElementKind::Int, address(symbol.get()), {}}, range);
  if (node)
    node->symbol = std::move(symbol);
  return node;
}

Scalar *Formula::addRead(Tensor tensor, ArrayRef<Scalar *> coordinates, SourceRange range) {
  Scalar *node =
      find({ScalarOp::Read, tensor->kind(), address(tensor.get()), coordinates.vec()}, range);
  if (node)
    node->tensor = std::move(tensor);
  return node;
}

Scalar *Formula::addReduce(ast::ReductionKind kind, SourceRange range) {
  if (nodes.size() >= maxNodes)
    return nullptr;
  Scalar &node = nodes.emplace_back();
  node.op = ScalarOp::Reduce;
  node.range = range;
  node.reduction = kind;
  return &node;
}

} // namespace weft::sema
