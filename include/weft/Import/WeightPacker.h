//===- WeightPacker.h - From a checkpoint to the weights file -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The compiled model reads its weights from one file (see weft_weights_header), in the order and
// layout that its code was compiled for. The packer streams the checkpoint into that file: it holds
// one panel in memory, whatever the size of the model.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_WEIGHTPACKER_H
#define WEFT_IMPORT_WEIGHTPACKER_H

#include "weft/Import/Checkpoint.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// Which part of a tensor that is stored as codes (weft/Import/Codes.h), and along which of its
/// dimensions a scale is shared.
struct WeightCoding {
  enum Part { Codes, Scales, Sums, Reals } part = Codes;
  std::vector<unsigned> along;
  CodeFormat format = {};
};

/// One tensor of the weights file.
struct PackedWeight {
  /// Where its values come from, and in which type they are stored.
  WeightRequest source;
  /// nr = 0: row-major. Otherwise the view is a list of matrices K x N, where `batchDims` are the
  /// dimensions of the view that count them, `kDims` and `nDims` those that make up K and N (the
  /// last one varies fastest; together every dimension once), and element (k, n) of a matrix lies
  /// at panel[n / nr][k / kr][n % nr][k % kr] of `[ceil(N / nr)][ceil(K / kr)][nr][kr]`, filled up
  /// with zeros.
  std::vector<unsigned> batchDims, kDims, nDims;
  int64_t nr = 0, kr = 1;
  /// Not 0: of codes of 4 bits, whose panels are NibblePanel with groups of so many.
  int64_t nibbles = 0;
  /// Place in the file: a multiple of 64, at least 64 (the header comes first).
  uint64_t offset = 0;
  /// Of a part of a coded tensor: i8 codes, stored as the fields above say, or f32 scales and i32
  /// sums, row-major; or the whole of it, whose panels are ScaledPanel. The source is the whole
  /// tensor, of reals.
  std::optional<WeightCoding> coded;
  /// If the checkpoint has none of the names: every element has this value.
  std::optional<double> fill;

  /// Size in the file.
  uint64_t bytes() const;
};

/// The contents of a weights file.
struct WeightsFile {
  /// Ties the file to the object that was compiled for it.
  uint64_t fingerprint = 0;
  /// In the order of their offsets, without overlap.
  std::vector<PackedWeight> weights;

  /// Size of the file, a multiple of 64.
  uint64_t totalBytes() const;
};

/// Whether the checkpoint has all that the file needs: the errors of Checkpoint::match().
llvm::Error checkWeights(const WeightsFile &file, const Checkpoint &checkpoint);

/// Called now and then with the bytes that were written so far.
using PackingProgress = llvm::function_ref<void(uint64_t written)>;

/// Writes the bytes of the file. Errors are those of checkWeights(), found before the first byte,
/// and an integer that does not fit its type.
llvm::Error packWeights(llvm::raw_ostream &os, const WeightsFile &file,
                        const Checkpoint &checkpoint, PackingProgress progress = nullptr);

} // namespace weft

#endif // WEFT_IMPORT_WEIGHTPACKER_H
