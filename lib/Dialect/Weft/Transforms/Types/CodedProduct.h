//===- CodedProduct.h - products of codes ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// w ~ c * s and x ~ (q - 128) * a, with codes c and q and scales of rows, make of a product
//
//   sum(k) x[t, k] * w[n, k] = (sum(k) q[t, k] * c[n, k] - 128 * sum(k) c[n, k]) * a[t] * s[n]
//
// a product of whole numbers, exact whatever unit computes it. All of this is formulas: the codes
// of an activation a maximum and a map, the scales factors of the epilogue. With two planes of
// codes there are two such sums, which the epilogue adds.
//
// A weight that keeps the checkpoint's codes stays an f32: with q of -127 to 127 the product is
//
//   sum(k) x[t, k] * w[n, k] = sum(k) q[t, k] * w[n, k] * a[t]
//
// of integers with reals, whose kernels multiply the codes that these are stored as.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_CODEDPRODUCT_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_CODEDPRODUCT_H

#include "Types/ActivationCodes.h"

namespace weft {

/// The codes of a weight that is a factor of products.
struct CodedWeight {
  mlir::Value codes, scales, sums;
  llvm::SmallVector<int64_t> kept; ///< the dimensions of the codes that number rows
};

/// Makes the product, whose factor `weight` is that weight in reals, one of codes with
/// `activation`, those of its other factor.
void multiplyCodes(ContractOp op, unsigned weight, const CodedWeight &coded,
                   const CodedActivation &activation);

/// The same of a weight that keeps its codes; those of the activation are signed.
void multiplyKept(ContractOp op, unsigned weight, const CodedActivation &activation);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_CODEDPRODUCT_H
