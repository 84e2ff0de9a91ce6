//===- Access.h - elements of a tensor at an affine map of the indices ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_ACCESS_H
#define WEFT_LIB_REFERENCE_ACCESS_H

#include "weft/Reference/Tensor.h"

#include "mlir/IR/AffineMap.h"

namespace weft::reference {

/// The value of `expr` for the dimensions `dims` and the symbols `symbols`.
int64_t evaluate(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dims,
                 llvm::ArrayRef<int64_t> symbols = {});

/// Calls `visit` for all values of indices 0 <= point[i] < extents[i], the last one fastest.
/// `fixed` leading indices of `point` are left alone.
void forEachPoint(llvm::ArrayRef<int64_t> extents, unsigned fixed,
                  llvm::MutableArrayRef<int64_t> point, llvm::function_ref<void()> visit);

/// Where `map` lands in a tensor. A map that is linear in the indices is kept as strides; what one
/// index adds otherwise, as `h floordiv 2` does, is kept for each of its values.
class Access {
public:
  /// An error if some value of the indices (0 <= index < extent) leaves the tensor, or if the map
  /// does not fit it.
  static llvm::Expected<Access> create(const Tensor &tensor, mlir::AffineMap map,
                                       llvm::ArrayRef<int64_t> extents);

  /// The offset of the element for these values of the indices.
  int64_t offset(llvm::ArrayRef<int64_t> indices) const {
    int64_t result = base;
    for (auto [i, stride] : llvm::enumerate(linear))
      result += stride * indices[i];
    for (const auto &[i, offsets] : tables)
      result += offsets[indices[i]];
    for (const auto &[expr, stride] : others)
      result += stride * evaluate(expr, indices);
    return result;
  }

  /// How far the offset moves with index `i`; nothing if that is not constant.
  std::optional<int64_t> stride(unsigned i) const;
  /// Whether the element depends on index `i`.
  bool uses(unsigned i) const;

private:
  void add(mlir::AffineExpr expr, int64_t stride, llvm::ArrayRef<int64_t> extents);
  void addOther(mlir::AffineExpr expr, int64_t stride, llvm::ArrayRef<int64_t> extents);

  int64_t base = 0;
  llvm::SmallVector<int64_t> linear;
  /// An index and what each of its values adds.
  llvm::SmallVector<std::pair<unsigned, std::vector<int64_t>>> tables;
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>> others;
};

} // namespace weft::reference

#endif
