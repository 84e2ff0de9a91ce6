//===- RegionEmitter.h - scalar regions of formulas, for several lanes ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_REGIONEMITTER_H
#define WEFT_CODEGEN_COMMON_REGIONEMITTER_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Dialect/Weft/IR/Product.h"

namespace weft {

/// Writes the ops of a region for all lanes. What does not depend on the lane index stays scalar.
class RegionEmitter {
public:
  /// `indices` are the values of the formula's indices (null values for those that are not fixed
  /// here), `mask` the lanes that exist (null: all): no memory is read for others.
  RegionEmitter(LaneBuilder &lanes, const Kernel &kernel, llvm::ArrayRef<Lanes> indices,
                mlir::Value mask)
      : lanes(lanes), kernel(kernel), indices(indices), mask(mask) {}

  /// The yielded values of the region for these arguments.
  llvm::SmallVector<Lanes> emit(mlir::Region &region, llvm::ArrayRef<Lanes> arguments);

  /// A value in a region that no arguments decide but those that were given, and no other values
  /// of it.
  Lanes emitValue(mlir::Value value) { return lookup(value); }
  void give(mlir::Value argument, const Lanes &value) { values[argument] = value; }

  /// The element of `buffer` at the map of the indices.
  Lanes load(mlir::Value buffer, mlir::AffineMap map);
  /// The elements of the inputs `first, first + 1, ...` of a formula.
  llvm::SmallVector<Lanes> loadInputs(mlir::OperandRange inputs, mlir::ArrayAttr maps,
                                      unsigned first = 0);

  /// Reads that are known to be within their buffers here.
  void setInside(const llvm::SmallPtrSetImpl<mlir::Operation *> &reads) { inside = &reads; }
  /// Gives the chosen index of a contraction its value; without a choice, nothing.
  void setChosen(ContractOp op);
  const Lanes &getIndex(unsigned position) const { return indices[position]; }

  /// The product of two f32 values, which may be fused with an addition, unless it may be the value
  /// of a formula (`LaneBuilder::multiplyValue`), or of two integers.
  Lanes multiply(const Lanes &a, const Lanes &b, bool isValue = false);
  /// What a contraction makes of its sum, or sums: scale and epilogue. What that reads through maps
  /// may have been loaded before.
  Lanes emitEpilogue(ContractOp op, llvm::ArrayRef<Lanes> sums) {
    return emitEpilogue(op, sums, loadExtras(op));
  }
  Lanes emitEpilogue(ContractOp op, llvm::ArrayRef<Lanes> sums, llvm::ArrayRef<Lanes> extras);
  llvm::SmallVector<Lanes> loadExtras(ContractOp op) {
    return loadInputs(op.getInputs(), op.getMaps(), op.getFirstElementInput());
  }
  /// Writes `value` to an output of the formula at the indices.
  void storeOutput(FormulaOpInterface op, Lanes value, unsigned number = 0);

private:
  Lanes lookup(mlir::Value value);
  void emitBlock(mlir::Block &block);
  Lanes emitOp(mlir::Operation &op);
  Lanes emitElementwise(mlir::Operation &op, llvm::ArrayRef<Lanes> operands);
  Lanes emitAt(AtOp op);
  Lanes emitInner(InnerOp op);
  bool dependsOnLane(mlir::Block &block);
  // Index values and divisions (RegionArithmetic.cpp).
  Lanes emitIndexOp(mlir::Operation &op, llvm::ArrayRef<Lanes> operands);
  Lanes emitDivision(mlir::Operation &op, llvm::ArrayRef<Lanes> operands);
  Lanes emitCast(mlir::Operation &op, const Lanes &operand);
  Lanes emitSelect(llvm::ArrayRef<Lanes> operands, bool isIndex);
  mlir::Value emitToInteger(mlir::Value real, mlir::Type type);

  LaneBuilder &lanes;
  const Kernel &kernel;
  llvm::SmallVector<Lanes> indices;
  mlir::Value mask;
  const llvm::SmallPtrSetImpl<mlir::Operation *> *inside = nullptr;
  llvm::DenseMap<mlir::Value, Lanes> values;
};

/// The matrix that a row of a product chooses; `indices` has those of the batch.
Lanes getChoice(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const Product &product,
                llvm::ArrayRef<Lanes> indices, const Lanes &row);

} // namespace weft

#endif
