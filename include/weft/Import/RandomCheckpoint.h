//===- RandomCheckpoint.h - made-up weights -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_RANDOMCHECKPOINT_H
#define WEFT_IMPORT_RANDOMCHECKPOINT_H

#include "weft/Import/Checkpoint.h"

namespace weft {

/// A checkpoint without files, for measurements and tests: an element depends on the weight's name
/// and the element's place in it only. Reals are uniform in [-0.05, 0.05], integers are 0.
class RandomCheckpoint {
public:
  /// Adds the tensors of a weight, by the first of its names, unless they are there.
  void add(const WeightRequest &weight);

  Checkpoint &getCheckpoint() { return checkpoint; }

private:
  Checkpoint checkpoint;
  std::vector<std::vector<uint8_t>> integers; ///< what tensors of these are
};

} // namespace weft

#endif // WEFT_IMPORT_RANDOMCHECKPOINT_H
