//===- CodingPlanner.h - which weights become codes -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_CODINGPLANNER_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_CODINGPLANNER_H

#include "Types/FactorTypes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// The dimensions of the input that the product's sum runs over, if it has all of each.
std::optional<llvm::SmallVector<int64_t>> getSummedDims(ContractOp op, unsigned input);

/// Codes whose products have a sum of 32 bits: of a row, or of a group.
inline constexpr int64_t kLongestRow = INT32_MAX / (255 * 127);

/// Whether the model returns the product, or what is made of it element by element: not as state,
/// which is read again.
bool isResult(mlir::Operation *op);

/// How the tensors of a class become codes.
struct Coding {
  llvm::SmallVector<int64_t> along, kept; ///< dimensions: of a row, and those that number rows
  llvm::SmallVector<mlir::OpOperand *> products, reads;
  CodeFormat format;
};

/// Looks at all that reads the tensors of a class.
class CodingPlanner {
public:
  /// `isByHand`: what structure would leave in higher precision becomes codes, too, if it can.
  CodingPlanner(const TensorClasses &classes, FactorTypes &types, CodeFormat wanted, bool isByHand)
      : classes(classes), types(types), wanted(wanted), isByHand(isByHand) {}

  /// Says what keeps the weight from becoming codes ("has no rows"), or "".
  std::string plan(llvm::ArrayRef<mlir::Value> members);
  const Coding &getCoding() const { return coding; }

private:
  std::string addUse(mlir::OpOperand &use);
  CodeFormat chooseFormat(int64_t size) const;
  std::string checkRows(int64_t size) const;

  const TensorClasses &classes;
  FactorTypes &types;
  CodeFormat wanted;
  bool isByHand;
  Coding coding;
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_CODINGPLANNER_H
