//===- NibbleGroups.h - the groups of a panel of codes of 4 bits ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_NIBBLEGROUPS_H
#define WEFT_LIB_CODEGEN_CPU_NIBBLEGROUPS_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// Rows of the two steps whose codes share bytes.
inline constexpr int64_t kNibblePair = 8;

/// Bytes that a column has in them.
inline constexpr int64_t kPairBytes = 4;

/// Writes the codes of one vector of columns of a group: four bytes in each lane.
class NibbleVector {
public:
  explicit NibbleVector(LaneBuilder &lanes) : lanes(lanes), b(lanes.b), loc(lanes.loc) {}

  /// Factors and zeros of the columns whose bytes are at `pointer`.
  void loadGroup(mlir::Value pointer);

  /// The factors: a number in each lane, in both its words.
  mlir::Value getFactors() { return factors; }
  mlir::Value getWordFactors();
  /// The zeros times the factors, in all bytes of a lane.
  mlir::Value getZeroCodes();

  /// The zeros, a number in each lane.
  mlir::Value getZeros() { return zeros; }

  /// Numbers of two steps.
  mlir::Value loadNumbers(mlir::Value pointer);
  /// Those of one of them without the zero, in bytes.
  mlir::Value getNumbers(mlir::Value both, bool isUpper);
  /// The same times the factors, with what `getWordFactors` and `getZeroCodes` return.
  mlir::Value getCodes(mlir::Value both, bool isUpper, mlir::Value wordFactors,
                       mlir::Value zeroCodes);
  /// Numbers `u` of the first step as bytes `u`, those of the second as `16 (u - 8)`: what takes
  /// the fewest instructions.
  mlir::Value getLower(mlir::Value both) { return getHalf(both, /*isUpper=*/false); }
  mlir::Value getUpperTimes16(mlir::Value both);

private:
  mlir::Type words() { return lanes.vectorOf(b.getI32Type()); }
  mlir::Value getHalf(mlir::Value words, bool isUpper);
  /// The first bytes of each lane in all of it.
  mlir::Value repeatBytes(mlir::Value words, int64_t bytes);
  mlir::Value toShorts(mlir::Value words);
  mlir::Value toBytes(mlir::Value words);

  LaneBuilder &lanes;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value factors, zeros, zeroBytes;
};

/// The groups of a block of rows, and how many pairs of steps one has.
struct NibbleGroups {
  NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, mlir::Value source,
               const Lanes &firstK, const Lanes &sizeK);

  /// What a group is: its number in the panel, its first pair, counted from the block's, its
  /// numbers and their vectors.
  struct Group {
    Lanes place, firstPair;
    mlir::Value numbers, shared;
    llvm::SmallVector<NibbleVector> vectors;
  };
  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Group &, mlir::ValueRange carried)>;
  /// Calls `body` for each group with the values that are carried from one to the next.
  llvm::SmallVector<mlir::Value> loop(mlir::ValueRange inits, Body body);

  /// Fetches the line that lies so many bytes ahead of a vector's, if it begins one, unless 0:
  /// between those in hand, as lines that are asked for all at once take the buffers that loads
  /// need.
  void fetchLine(mlir::Value place, size_t vector, int64_t ahead);

  LaneBuilder &lanes;
  const NibblePanel &panel;
  Lanes numGroups, numPairs;

private:
  mlir::Value getByte(const Lanes &place);
  Lanes times(const Lanes &number, int64_t bytes) {
    return lanes.mul(number, lanes.constant(bytes));
  }
  void find(Group &group, const Lanes &number);

  mlir::Value source;
  Lanes firstGroup, firstRow; ///< of the panel; the row's pair, of the only group
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_NIBBLEGROUPS_H
