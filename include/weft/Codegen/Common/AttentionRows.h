//===- AttentionRows.h - the rows of an attention ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ATTENTIONROWS_H
#define WEFT_CODEGEN_COMMON_ATTENTIONROWS_H

#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/Kernel.h"

namespace weft {

/// The rows with the same keys, queries and the heads of each that share them, and the outer
/// indices, of which a task has one value each: of a group of heads its number.
class AttentionRows {
public:
  AttentionRows(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op,
                const AttentionRoles &roles)
      : lanes(lanes), kernel(kernel), formula(op), roles(roles) {}

  Lanes getCount();
  /// How many values of each outer index tasks have.
  llvm::SmallVector<Lanes> getOuterExtents();
  /// All indices, the outer ones as a task has them: of a group the first.
  llvm::SmallVector<Lanes> getOuterIndices(llvm::ArrayRef<Lanes> values);
  /// The indices of a row, the outer ones being given; rows past the end are the last one.
  llvm::SmallVector<Lanes> getIndices(llvm::ArrayRef<Lanes> outer, const Lanes &row);

private:
  LaneBuilder &lanes;
  const Kernel &kernel;
  FormulaOpInterface formula;
  const AttentionRoles &roles;
};

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_ATTENTIONROWS_H
