//===- NibbleVector.h - vectors of codes of 4 bits ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_NIBBLEVECTOR_H
#define WEFT_LIB_CODEGEN_CPU_NIBBLEVECTOR_H

#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// Rows of the two steps whose codes share bytes.
inline constexpr int64_t kNibblePair = 8;

/// Writes the code of one vector of columns of a group: four bytes in each lane.
class NibbleVector {
public:
  NibbleVector(LaneBuilder &lanes) : lanes(lanes), b(lanes.b), loc(lanes.loc) {}

  /// Factors and zeros of the columns whose bytes are at `pointer`.
  void loadGroup(mlir::Value pointer) {
    mlir::Type memory = lanes.vectorOf(b.getI8Type());
    mlir::Value shared = mlir::LLVM::LoadOp::create(b, loc, memory, pointer, /*alignment=*/1);
    shared = mlir::arith::ExtUIOp::create(b, loc, words(), shared);
    factors = getHalf(shared, /*isUpper=*/false);
    zeros = toBytes(repeat(getHalf(shared, /*isUpper=*/true)));
  }

  /// The factors, a number in each lane.
  mlir::Value getFactors() { return factors; }
  /// The same in each byte.
  mlir::Value getByteFactors() { return toBytes(repeat(factors)); }

  /// Numbers of two steps.
  mlir::Value loadNumbers(mlir::Value pointer) {
    return mlir::LLVM::LoadOp::create(b, loc, words(), pointer, /*alignment=*/4);
  }
  /// Those of one of them without the zero, in bytes.
  mlir::Value getNumbers(mlir::Value both, bool isUpper) {
    return mlir::arith::SubIOp::create(b, loc, toBytes(getHalf(both, isUpper)), zeros);
  }

private:
  mlir::Type words() { return lanes.vectorOf(b.getI32Type()); }
  mlir::Value getHalf(mlir::Value words, bool isUpper) {
    if (isUpper)
      words = mlir::arith::ShRUIOp::create(b, loc, words, lanes.intVector(4));
    return mlir::arith::AndIOp::create(b, loc, words, lanes.intVector(0x0f0f0f0f));
  }
  mlir::Value repeat(mlir::Value words) {
    return mlir::arith::MulIOp::create(b, loc, words, lanes.intVector(0x01010101));
  }
  mlir::Value toBytes(mlir::Value words) {
    auto bytes = mlir::VectorType::get({4 * lanes.width}, b.getI8Type());
    return mlir::LLVM::BitcastOp::create(b, loc, bytes, words);
  }

  LaneBuilder &lanes;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value factors, zeros;
};

/// Where the groups of a block of rows are, and how many pairs of steps one has.
struct NibbleGroups {
  NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, mlir::Value source,
               const Lanes &firstK, const Lanes &sizeK);

  /// Calls `body` for each group with its number in the block and its vectors, and the values that
  /// are carried from one to the next.
  llvm::SmallVector<mlir::Value>
  loop(mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           const Lanes &group, llvm::MutableArrayRef<NibbleVector>, mlir::ValueRange)>
           body);
  /// The pair number `iv` of a group, counted from the block's first.
  Lanes getPair(const Lanes &group, const Lanes &iv);

  LaneBuilder &lanes;
  const NibblePanel &panel;
  mlir::Value numbers; ///< of the block's first pair
  Lanes numGroups, numPairs;

private:
  mlir::Value shared;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_NIBBLEVECTOR_H
