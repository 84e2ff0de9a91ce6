//===- StoredWeight.h - A weight made of one stored tensor or several -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Checkpoints of mixtures of experts hold a tensor for each expert, where a model has one weight
// with the expert as its first dimension. The name of such a weight has `{N}` where the tensors'
// names have a number: "experts.{8}.w1.weight" is "experts.0.w1.weight" to "experts.7.w1.weight",
// one after another. The weight's leading dimensions, one for each `{N}`, run over the tensors.
// Other files hold all of it as one tensor.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_STOREDWEIGHT_H
#define WEFT_IMPORT_STOREDWEIGHT_H

#include "weft/Import/TensorFile.h"

namespace weft {

/// No weight is made of more tensors.
constexpr int64_t maxStackedTensors = 65536;

/// How many leading dimensions of the weight run over tensors: the number of `{N}` in its name.
unsigned stackedDims(llvm::StringRef name);

/// The names of the weight's tensors, the last number running fastest; a name without `{N}` is its
/// only one.
std::vector<std::string> tensorNames(llvm::StringRef name);

/// What rules call a tensor that is the whole of such a weight: `{}` in the place of each `{N}`.
std::string stackName(llvm::StringRef name);

/// What a checkpoint has for a weight: one tensor as a rule, nothing if it lacks one of them.
struct StoredWeight {
  std::vector<const StoredTensor *> parts;

  /// Whether the checkpoint has the weight.
  explicit operator bool() const { return !parts.empty(); }
  /// The number of elements of all parts.
  int64_t count() const;
  /// What the checkpoint has them in.
  uint64_t storedBytes() const;
  /// The elements `first`, `first + 1`, ... of the weight.
  void readReals(int64_t first, llvm::MutableArrayRef<float> out) const;
  /// If all of it is codes of one kind.
  std::optional<StoredCodes> findCodes() const;
  /// The codes of elements, or what groups share (TensorValues::readCodes).
  void readCodes(CodesPart part, int64_t first, llvm::MutableArrayRef<float> out) const;
  /// What went wrong where they were computed.
  llvm::Error checkValues() const;
  /// All elements; null, or the tensor that has one beyond 32 bits or holds no integers.
  const StoredTensor *readIntegers(llvm::MutableArrayRef<int32_t> out) const;
};

} // namespace weft

#endif // WEFT_IMPORT_STOREDWEIGHT_H
