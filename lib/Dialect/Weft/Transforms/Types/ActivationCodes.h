//===- ActivationCodes.h - activations as whole numbers with scales -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_ACTIVATIONCODES_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_ACTIVATIONCODES_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include <map>

namespace weft {

/// The code of zero: codes of activations have no sign, as the units that multiply them with signed
/// codes of weights want it.
inline constexpr int64_t kZeroCode = 128;

/// Whether codes of activations have one.
enum class CodeSign { Unsigned, Signed };

/// A tensor x as codes: x ~ (codes - kZeroCode) * largest / kLargest, a row at a time; signed ones
/// are those less kZeroCode. With two planes the second one has codes of what the first leaves,
/// which are kFiner times as fine; where rows are the last dimensions, both of a row are
/// neighbours.
struct CodedActivation {
  static constexpr float kLargest = 127, kFiner = 254;
  mlir::Value codes;                   ///< ui8 or i8, of the tensor's shape and, maybe, planes
  std::optional<unsigned> planes;      ///< the dimension that numbers planes
  mlir::Value largest;                 ///< f32, of the kept dimensions: the row's largest magnitude
  llvm::SmallVector<int64_t> keptDims; ///< those that number rows
};

/// Writes the formulas that make codes of activations, once for all who read them.
class ActivationCodes {
public:
  explicit ActivationCodes(bool hasPlanes = false, CodeSign sign = CodeSign::Unsigned)
      : hasPlanes(hasPlanes), sign(sign) {}

  /// The codes of `source`, whose rows run along the dimensions `along`.
  const CodedActivation &get(mlir::Value source, llvm::ArrayRef<int64_t> along);

private:
  mlir::Value emitCodes(mlir::OpBuilder &b, mlir::Value source, const CodedActivation &coded);

  bool hasPlanes;
  CodeSign sign;
  std::map<std::pair<void *, std::vector<int64_t>>, CodedActivation> known;
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_ACTIVATIONCODES_H
