//===- WeightsReport.h - what the weights of a model are stored as --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_WEIGHTSREPORT_H
#define WEFT_IMPORT_WEIGHTSREPORT_H

#include "weft/Import/WeightPacker.h"

namespace weft {

/// A tensor of the checkpoint, in all forms in which the weights file has it.
struct WeightReport {
  std::string name;
  std::vector<int64_t> shape;
  std::string type;     ///< "bf16", "int8"
  int64_t elements = 0; ///< of the tensor
  uint64_t bytes = 0;   ///< of all forms, with scales and sums
  /// Of what is stored, relative to the tensor: the root of the quotient of the sums of squares,
  /// over finite numbers; infinite if another one becomes something else. Nothing without a
  /// checkpoint, or for what is none of its reals.
  std::optional<double> error;
  int64_t notFinite = 0; ///< numbers of the tensor that are infinite or none
  std::string format;    ///< "Q4_K, 4.5 bits": of what blocks the checkpoint has; or empty

  double bitsPerWeight() const { return 8.0 * double(bytes) / double(elements); }
};

/// In the order of the file. `checkpoint` may be null.
std::vector<WeightReport> reportWeights(const WeightsFile &file, const Checkpoint *checkpoint);

/// A line for each, and one for all.
void printWeights(llvm::ArrayRef<WeightReport> weights, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_IMPORT_WEIGHTSREPORT_H
