//===- ColumnBlock.h - columns of a product that a block has --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of few rows a block has all, and some columns of one matrix.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_COLUMNBLOCK_H
#define WEFT_LIB_CODEGEN_GPU_COLUMNBLOCK_H

#include "MmaSchedule.h"

namespace weft {

/// What the tasks of such a product have in common.
class ColumnBlock {
public:
  Lanes getNumTasks();

protected:
  ColumnBlock(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const Product &product,
              int64_t ofBlock);
  void setBlock(const Lanes &task);

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  Lanes sizeM, sizeN;               ///< of one matrix
  llvm::SmallVector<Lanes> indices; ///< those of the batch are set
  Lanes batch;                      ///< the number of the matrix
  Lanes blockColumn;                ///< the first of the block

private:
  const Product &product;
  int64_t ofBlock; ///< columns
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_COLUMNBLOCK_H
