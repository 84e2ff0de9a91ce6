//===- Scalar.h - One element of a formula --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The right side of a formula after names are resolved, functions inlined and compile-time values
// folded: a graph of scalar operations over the formula's indices. It is made first and emitted
// afterwards, because the range of an index follows from all its uses.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_SCALAR_H
#define WEFT_LIB_FRONTEND_SEMA_SCALAR_H

#include "Value.h"
#include <deque>
#include <map>

namespace weft::sema {

/// An index of a formula or of a reduction in it.
struct Index {
  std::string name;
  SourceRange range;
  unsigned order = 0; ///< outputs first, then reductions in the order of the text
  std::optional<Extent> extent;
  bool isExplicit = false; ///< the range was said: `i: N`
  std::string source;      ///< where the range comes from: the tensor's name
  SourceRange sourceRange;
};

enum class ScalarOp {
  Constant,
  Index,
  Size,
  Read,
  Reduce,
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power, ///< of reals
  Min,
  Max,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Select,
  Exp,
  Log,
  Sin,
  Cos,
  Sqrt,
  Rsqrt,
  Tanh,
  Erf,
  Abs,
  Floor,
  ToReal,
  ToInt,
  ShiftRight, ///< of an integer
  BitAnd,
  Half,     ///< a real by its bits: binary16,
  BFloat,   ///< its larger half of a binary32,
  ShortReal ///< E4M3
};

/// A node. Operands of arithmetic have the same type; conversions are nodes of their own.
struct Scalar {
  ScalarOp op = ScalarOp::Constant;
  ast::ElementKind type = ast::ElementKind::Real;
  SourceRange range;
  unsigned depth = 1;
  int64_t integer = 0;                 ///< Constant of type Int or Bool
  double real = 0;                     ///< Constant of type Real
  Index *index = nullptr;              ///< Index
  std::shared_ptr<Extent> symbol;      ///< Size
  Tensor tensor;                       ///< Read
  llvm::SmallVector<Scalar *, 3> args; ///< operands; coordinates of a Read; the body of a Reduce

  // Reduce.
  ast::ReductionKind reduction = ast::ReductionKind::Sum;
  llvm::SmallVector<Index *, 2> binders; ///< of a softmax: its axis, an index of the formula
  Scalar *predicate = nullptr;
  Scalar *rank = nullptr;

  bool isSoftmax() const {
    return op == ScalarOp::Reduce && (reduction == ast::ReductionKind::Softmax ||
                                      reduction == ast::ReductionKind::LogSoftmax);
  }
  bool isInt() const { return type == ast::ElementKind::Int; }
  bool isBool() const { return type == ast::ElementKind::Bool; }
  bool isReal() const { return type == ast::ElementKind::Real; }
};

/// Owns the nodes of one formula; equal nodes are made once. A formula on whole tensors (`x + a`)
/// gets its indices from the first tensor that is met.
struct Formula {
  static constexpr unsigned maxNodes = 200000;
  static constexpr unsigned maxDepth = 1000;

  std::deque<Index> indices;
  llvm::SmallVector<Index *, 4> outputs;
  bool whole = false;
  Tensor shapeSource; ///< whole: the tensor that gave the shape

  Index *addIndex(std::string name, SourceRange range);

  // Each gives null if the formula has grown beyond its limits.

  /// An operation on operands that were checked.
  Scalar *add(ScalarOp op, ast::ElementKind type, SourceRange range, llvm::ArrayRef<Scalar *> args);
  Scalar *addInt(int64_t value, SourceRange range);
  Scalar *addReal(double value, SourceRange range);
  Scalar *addBool(bool value, SourceRange range);
  Scalar *addIndexValue(Index *index, SourceRange range);
  Scalar *addSize(std::shared_ptr<Extent> symbol, SourceRange range);
  Scalar *addRead(Tensor tensor, llvm::ArrayRef<Scalar *> coordinates, SourceRange range);
  /// A reduction whose parts are filled in by the caller.
  Scalar *addReduce(ast::ReductionKind kind, SourceRange range);

private:
  /// What makes two nodes equal: operation, type, a number or an address, operands.
  using Key = std::tuple<ScalarOp, ast::ElementKind, uint64_t, std::vector<Scalar *>>;
  Scalar *find(Key key, SourceRange range);

  std::deque<Scalar> nodes;
  std::map<Key, Scalar *> known;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_SCALAR_H
