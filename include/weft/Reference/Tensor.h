//===- Tensor.h - the values of the reference interpreter -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A dense row-major array of real numbers (float64), integers or booleans. Precision is the
// interpreter's: a tensor of f32 in the IR is held in float64. Elements of smaller types are
// rounded where they are stored, as the compiled code does it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_REFERENCE_TENSOR_H
#define WEFT_REFERENCE_TENSOR_H

#include "weft/Support/ElementType.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace weft {

/// One scalar; which member counts is said by its type. A boolean is the integer 0 or 1.
union Scalar {
  double real;     ///< of a real
  int64_t integer; ///< of an integer or a boolean
};

/// A dense row-major tensor of the interpreter: reals in float64, integers and booleans in 64 bits.
class Tensor {
public:
  /// What the elements are.
  using Kind = ElementKind;

  /// A tensor of zeros. Its number of elements must pass `checkSize`.
  Tensor(Kind kind, llvm::ArrayRef<int64_t> shape);
  /// A tensor of the given elements, as many as the shape has.
  Tensor(llvm::ArrayRef<int64_t> shape, std::vector<double> reals);
  /// The same for integers, or booleans as 0 and 1.
  Tensor(Kind kind, llvm::ArrayRef<int64_t> shape, std::vector<int64_t> integers);

  /// What the elements are.
  Kind kind() const { return elementKind; }
  /// The extents; none for a scalar.
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  /// Elements from one value of each dimension to the next.
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  /// Number of elements.
  int64_t size() const { return isReal() ? reals.size() : integers.size(); }
  /// Whether the elements are in `reals`.
  bool isReal() const { return elementKind == Kind::Real; }

  /// The elements of a tensor of reals, else empty.
  std::vector<double> reals;
  /// The elements of a tensor of integers or booleans, else empty.
  std::vector<int64_t> integers;

  /// Element number `offset` in row-major order.
  Scalar load(int64_t offset) const {
    Scalar scalar;
    if (isReal())
      scalar.real = reals[offset];
    else
      scalar.integer = integers[offset];
    return scalar;
  }
  /// Sets element number `offset` in row-major order.
  void store(int64_t offset, Scalar scalar) {
    if (isReal())
      reals[offset] = scalar.real;
    else
      integers[offset] = scalar.integer;
  }

  /// What holds an element of a storage type; an error for others.
  static llvm::Expected<Kind> kindOf(mlir::Type type);
  /// An error if a tensor of this shape is negative or too large for an interpreter.
  static llvm::Error checkSize(llvm::ArrayRef<int64_t> shape);
  /// The tensor of a constant of a program.
  static llvm::Expected<Tensor> fromAttribute(mlir::DenseElementsAttr attribute);
  /// The constant of static type `type`; reals are rounded to its element type.
  mlir::DenseElementsAttr toAttribute(mlir::RankedTensorType type) const;

  /// Gives every element a value of the type.
  void round(ElementType type);
  /// The elements as they are stored in the type, whose kind is the tensor's.
  std::vector<uint8_t> toBytes(ElementType type) const;

private:
  Kind elementKind;
  llvm::SmallVector<int64_t> dims, steps;
};

/// A number as it is read from a tensor of the type: f32 keeps float64's precision.
Scalar roundScalar(ElementType type, Scalar scalar);

/// Tensors are shared and never change once they are made.
using TensorRef = std::shared_ptr<const Tensor>;

/// `tensor 2x2 real [[1, 2], [3, 4]]`; reals with six significant digits.
void print(llvm::raw_ostream &os, const Tensor &tensor);

} // namespace weft

#endif
