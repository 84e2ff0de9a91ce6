//===- Scalar.cpp - One element of a formula ------------------------------===//

#include "Scalar.h"

using namespace llvm;

namespace weft::sema {

Index *Formula::addIndex(std::string name, SourceRange range) {
  Index &index = indices.emplace_back();
  index.name = std::move(name);
  index.range = range;
  index.order = indices.size() - 1;
  return &index;
}

Scalar *Formula::add(ScalarOp op, ast::ElementKind type, SourceRange range,
                     ArrayRef<Scalar *> args) {
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
  return &node;
}

Scalar *Formula::addInt(int64_t value, SourceRange range) {
  Scalar *node = add(ScalarOp::Constant, ast::ElementKind::Int, range);
  if (node)
    node->integer = value;
  return node;
}

Scalar *Formula::addReal(double value, SourceRange range) {
  Scalar *node = add(ScalarOp::Constant, ast::ElementKind::Real, range);
  if (node)
    node->real = value;
  return node;
}

Scalar *Formula::addBool(bool value, SourceRange range) {
  Scalar *node = add(ScalarOp::Constant, ast::ElementKind::Bool, range);
  if (node)
    node->integer = value;
  return node;
}

Scalar *Formula::addIndexValue(Index *index, SourceRange range) {
  Scalar *node = add(ScalarOp::Index, ast::ElementKind::Int, range);
  if (node)
    node->index = index;
  return node;
}

} // namespace weft::sema
