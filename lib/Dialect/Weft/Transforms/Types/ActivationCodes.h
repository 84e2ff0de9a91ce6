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

/// A tensor x as codes: x ~ (codes - kZeroCode) * largest / kLargest, a row at a time.
struct CodedActivation {
  static constexpr float kLargest = 127;
  mlir::Value codes;                   ///< ui8, of the tensor's shape
  mlir::Value largest;                 ///< f32, of the kept dimensions: the row's largest magnitude
  llvm::SmallVector<int64_t> keptDims; ///< those that number rows
};

/// Writes the formulas that make codes of activations, once for all who read them.
class ActivationCodes {
public:
  /// The codes of `source`, whose rows run along the dimensions `along`.
  const CodedActivation &get(mlir::Value source, llvm::ArrayRef<int64_t> along);

private:
  std::map<std::pair<void *, std::vector<int64_t>>, CodedActivation> known;
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_ACTIVATIONCODES_H
