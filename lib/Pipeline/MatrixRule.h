//===- MatrixRule.h - a storage rule as machine code ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A storage rule for matrices of one size is compiled like a model, for this processor, and called
// for blocks of rows. A block is the same code as the first one where each tensor that is read lies
// so many elements further on that the rule cannot tell: for every access, the distance between the
// places that it reads for row r + n and for row r is one number for all rows and columns. Where
// that cannot be shown (rows of a table that data choose, for instance) all rows are one block.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_MATRIXRULE_H
#define WEFT_LIB_PIPELINE_MATRIXRULE_H

#include "CompiledModule.h"

#include "weft/Frontend/Storage.h"

namespace weft {

/// The code of a rule, made when it is first needed.
class MatrixRule {
public:
  /// `function` has arguments of the types that the tensors are stored in.
  explicit MatrixRule(StorageFunction function);

  /// The elements `first`, `first + 1`, ... of the matrix that is made of these tensors; null is
  /// one that is not read. The block that was computed last is kept.
  llvm::Error read(llvm::ArrayRef<const StoredTensor *> parts, int64_t first,
                   llvm::MutableArrayRef<float> out);
  /// The whole of it, by the reference interpreter.
  llvm::Expected<std::vector<double>> interpret(llvm::ArrayRef<const StoredTensor *> parts);

private:
  llvm::Error prepare();
  llvm::Error compile();
  llvm::Error computeBlock(llvm::ArrayRef<const StoredTensor *> parts, int64_t block);

  StorageFunction function;
  mlir::OwningOpRef<mlir::ModuleOp> reference; ///< what it was before it was compiled
  int64_t blockSize = 0;                       ///< elements of some rows
  llvm::SmallVector<int64_t> distances;        ///< of each tensor, in bytes, from block to block
  std::unique_ptr<CompiledModule> compiled;    ///< null: not yet
  std::string problem;                         ///< why it could not be compiled

  llvm::SmallVector<const StoredTensor *> owner; ///< the tensors of the block's matrix
  int64_t blockNumber = -1;
  std::vector<float> values;
};

} // namespace weft

#endif // WEFT_LIB_PIPELINE_MATRIXRULE_H
