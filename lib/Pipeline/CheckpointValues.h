//===- CheckpointValues.h - what weights are, for the interpreter ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_CHECKPOINTVALUES_H
#define WEFT_LIB_PIPELINE_CHECKPOINTVALUES_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Import/Checkpoint.h"
#include "weft/Reference/Tensor.h"

#include "llvm/ADT/StringMap.h"

namespace weft {

/// The interpreter's view of a checkpoint. What a stage stores as codes is for the one it is
/// compared with what the codes stand for: rounding weights is no difference between stages.
class CheckpointValues {
public:
  /// `stored` says which weights are coded.
  CheckpointValues(const Checkpoint &checkpoint, mlir::ModuleOp stored);

  llvm::Expected<TensorRef> operator()(WeightOp op) const;

private:
  const Checkpoint &checkpoint;
  llvm::StringMap<CodedAttr> coded;
};

} // namespace weft

#endif // WEFT_LIB_PIPELINE_CHECKPOINTVALUES_H
