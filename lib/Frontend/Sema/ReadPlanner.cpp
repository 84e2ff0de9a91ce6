//===- ReadPlanner.cpp - How each element is fetched ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReadPlanner.h"

using namespace llvm;

namespace weft::sema {

unsigned ReadPlanner::extend(unsigned context, const Scalar *condition, bool negated) {
  auto [it, added] = extended.try_emplace({context, condition, negated}, contexts.size());
  if (added) {
    Conditions longer = contexts[context];
    longer.push_back({condition, negated});
    contexts.push_back(std::move(longer));
  }
  return it->second;
}

bool ReadPlanner::visitArgs(const Scalar *scalar, unsigned context) {
  for (const Scalar *arg : scalar->args)
    if (!visit(arg, context))
      return false;
  return true;
}

bool ReadPlanner::visit(const Scalar *scalar, unsigned context) {
  constexpr unsigned maxVisits = 50000;
  if (!visited.insert({scalar, context}).second)
    return true;
  if (visited.size() > maxVisits) {
    reporter.error(scalar->range, "the formula has too many different conditions");
    return false;
  }
  switch (scalar->op) {
  case ScalarOp::Select:
    return visit(scalar->args[0], context) &&
           visit(scalar->args[1], extend(context, scalar->args[0], false)) &&
           visit(scalar->args[2], extend(context, scalar->args[0], true));
  case ScalarOp::And:
  case ScalarOp::Or: // the left side guards the right one
    return visit(scalar->args[0], context) &&
           visit(scalar->args[1], extend(context, scalar->args[0], scalar->op == ScalarOp::Or));
  case ScalarOp::Reduce: {
    if (scalar->rank && !visit(scalar->rank, context))
      return false;
    if (!scalar->predicate)
      return visitArgs(scalar, context);
    return visit(scalar->predicate, context) &&
           visitArgs(scalar, extend(context, scalar->predicate, false));
  }
  case ScalarOp::Read:
    return visitArgs(scalar, context) && planRead(scalar, context);
  default:
    return visitArgs(scalar, context);
  }
}

bool ReadPlanner::plan(const Scalar *root) { return visit(root, 0); }

bool ReadPlanner::planRead(const Scalar *read, unsigned context) {
  ReadKind kind = ReadKind::Map;
  for (unsigned dim = 0; dim < read->args.size(); ++dim)
    if (!planCoordinate(read, dim, context, kind))
      return false;
  // The same node may be read under several conditions; in range for all indices is the same in
  // all of them.
  kinds[read] = kind;
  return true;
}

bool ReadPlanner::planCoordinate(const Scalar *read, unsigned dim, unsigned context,
                                 ReadKind &kind) {
  const Scalar *coordinate = read->args[dim];
  Linear low = bounds.linear(coordinate);
  Linear high = BoundsAnalysis::size(read->tensor->dims[dim]); // size - 1 - coordinate
  Linear one;
  one.constant = 1;
  high.add(one, -1);
  high.add(low, -1);
  if (bounds.isNonNegative(low, {}) && bounds.isNonNegative(high, {})) {
    if (kind == ReadKind::Map && !toAffine(coordinate, {}, read->tensor->value.getContext()))
      kind = ReadKind::AtInBounds;
    return true;
  }
  kind = ReadKind::At;
  const Conditions &conditions = contexts[context];
  if (bounds.isNonNegative(low, conditions) && bounds.isNonNegative(high, conditions))
    return true;
  if (conditions.empty() && low.isExact() && high.isExact())
    return reportOutOfRange(read, dim, bounds.extremeText(low, false),
                            bounds.extremeText(low, true));
  Interval range = bounds.interval(coordinate);
  const Extent &extent = read->tensor->dims[dim];
  if (conditions.empty() && !extent.dynamic && bounds.isTight(coordinate) &&
      (range.min < 0 || range.max >= extent.size))
    return reportOutOfRange(read, dim, std::to_string(range.min), std::to_string(range.max));
  PendingCheck check;
  check.read = read;
  check.dim = dim;
  check.conditions = conditions;
  checks.push_back(std::move(check));
  return true;
}

bool ReadPlanner::reportOutOfRange(const Scalar *read, unsigned dim, StringRef low,
                                   StringRef high) {
  const Scalar *coordinate = read->args[dim];
  const TensorValue &tensor = *read->tensor;
  const Extent &extent = tensor.dims[dim];
  std::string text = reporter.text(coordinate->range).str();
  std::string last = extent.dynamic ? extent.name + " - 1" : std::to_string(extent.size - 1);
  std::string of = extent.name.empty() || extent.dynamic ? "" : " (" + extent.str() + ")";
  reporter.error(coordinate->range,
                 "'" + text + "' ranges from " + low + " to " + high + ", outside of dimension " +
                     Twine(dim) + " of '" + tensor.name + "', which goes from 0 to " + last + of,
                 declaredHere(tensor.name, tensor.declared));
  return false;
}

mlir::AffineExpr toAffine(const Scalar *scalar, ArrayRef<const Index *> indices,
                          mlir::MLIRContext *context) {
  auto arg = [&](unsigned i) { return toAffine(scalar->args[i], indices, context); };
  auto constantArg = [&] { return scalar->args[1]->op == ScalarOp::Constant; };
  switch (scalar->op) {
  case ScalarOp::Constant:
    return mlir::getAffineConstantExpr(scalar->integer, context);
  case ScalarOp::Index: {
    auto it = find(indices, scalar->index);
    bool known = it != indices.end();
    return mlir::getAffineDimExpr(known ? it - indices.begin() : scalar->index->order, context);
  }
  case ScalarOp::Negate: {
    mlir::AffineExpr a = arg(0);
    return a ? -a : a;
  }
  case ScalarOp::Add:
  case ScalarOp::Subtract: {
    mlir::AffineExpr a = arg(0), b = a ? arg(1) : a;
    return !b ? b : scalar->op == ScalarOp::Add ? a + b : a - b;
  }
  case ScalarOp::Multiply: {
    if (!constantArg() && scalar->args[0]->op != ScalarOp::Constant)
      return {};
    mlir::AffineExpr a = arg(0), b = a ? arg(1) : a;
    return b ? a * b : b;
  }
  case ScalarOp::FloorDivide:
  case ScalarOp::Modulo: {
    if (!constantArg() || scalar->args[1]->integer <= 0)
      return {};
    mlir::AffineExpr a = arg(0);
    int64_t divisor = scalar->args[1]->integer;
    return !a ? a : scalar->op == ScalarOp::Modulo ? a % divisor : a.floorDiv(divisor);
  }
  default:
    return {};
  }
}

} // namespace weft::sema
