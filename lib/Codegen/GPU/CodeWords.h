//===- CodeWords.h - what the codes of a word stand for -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A word of four bytes has four or eight codes of a table, neighbours along k. All of them become
// f32 at once, in fewer steps than each by itself:
//
//   codes that count    their bits, where they are in half of a word, are the last ones of 2^23
//   E4M3                the bits of two f16, but for the bias of the exponent
//   other tables        each thread of a warp has an entry, and is asked for it
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_CODEWORDS_H
#define WEFT_LIB_CODEGEN_GPU_CODEWORDS_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Support/CodeTable.h"

namespace weft {

/// All threads of a warp are there.
class CodeWords {
public:
  /// Writes what is done once.
  CodeWords(LaneBuilder &lanes, CodeTable table);

  int64_t getNumCodes() const;
  /// The first numbers of a word in the order of k, up to powers of two: number i times
  /// 2^getExponent(i), and what `scaleDecoded` makes part of the scale.
  llvm::SmallVector<mlir::Value> decode(mlir::Value word, int64_t count);
  int64_t getExponent(int64_t i) const;

private:
  llvm::SmallVector<mlir::Value> decodeCounted(mlir::Value word, int64_t count);
  llvm::SmallVector<mlir::Value> decodeE4M3(mlir::Value word);
  llvm::SmallVector<mlir::Value> lookUp(mlir::Value word, int64_t count);

  LaneBuilder &lanes;
  const CodeTableInfo &info;
  std::optional<int64_t> first; ///< the number of the lowest code, where codes count from it on
  mlir::Value entry;            ///< of the table, that this thread has
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_CODEWORDS_H
