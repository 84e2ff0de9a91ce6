//===- RuleCodes.h - the codes of a matrix that a storage rule gives ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A storage rule whose formula is a table's number of a code with a scale and a shift of groups
// (weft-factor-matrix) becomes a function for each, which are run as the rule itself is.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_RULECODES_H
#define WEFT_LIB_PIPELINE_RULECODES_H

#include "MatrixRule.h"

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The parts of a rule.
class RuleCodes {
public:
  /// Null if the rule's numbers are no codes that panels can have.
  static std::unique_ptr<RuleCodes> create(const StorageFunction &function);

  const StoredCodes &get() const { return codes; }
  llvm::Error read(CodesPart part, llvm::ArrayRef<const StoredTensor *> parts, int64_t first,
                   llvm::MutableArrayRef<float> out);

private:
  bool chooseTable(llvm::ArrayRef<float> values, const SharedTypes &shared);

  StoredCodes codes;
  std::vector<float> byteOf;            ///< for each value of the rule's code
  float added = 0;                      ///< to shifts
  std::unique_ptr<MatrixRule> rules[5]; ///< by part; null: there is none
};

/// Gives weights that the checkpoint has as codes the attribute that says so.
void takeStoredCodes(mlir::ModuleOp module, const Checkpoint &checkpoint);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_RULECODES_H
