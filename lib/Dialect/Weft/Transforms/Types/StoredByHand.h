//===- StoredByHand.h - what is said of single weights --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_STOREDBYHAND_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_STOREDBYHAND_H

#include "weft/Dialect/Weft/Transforms/TensorClasses.h"
#include "weft/Support/Precision.h"

#include "llvm/ADT/MapVector.h"

namespace weft {

/// What keeps a class of tensors from being stored in another type ("has no real numbers"), or "".
std::string getObstacle(const TensorClasses &classes, unsigned id);

/// What --store-tensor says of weights, and whether it can be done. A pattern may match weights
/// that cannot be stored so beside those that can; one that matches none that can is an error.
class StoredByHand {
public:
  explicit StoredByHand(const StoreRules &rules) : rules(rules) {}

  /// What is said of a class of tensors; null if nothing is.
  const StoreRules::Rule *find(llvm::ArrayRef<mlir::Value> members) const;

  void obey(const StoreRules::Rule &rule) { outcomes[&rule].isObeyed = true; }
  /// `why` continues a sentence about the weight: "is a vector".
  void refuse(const StoreRules::Rule &rule, llvm::ArrayRef<mlir::Value> members, std::string why);

  /// Fails for a rule of which nothing could be obeyed.
  mlir::LogicalResult verify() const;

private:
  struct Outcome {
    bool isObeyed = false;
    WeightOp refused; ///< the first one
    std::string why;
  };

  const StoreRules &rules;
  llvm::MapVector<const StoreRules::Rule *, Outcome> outcomes;
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_STOREDBYHAND_H
