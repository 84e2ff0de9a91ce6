//===- Execute.h - runs an entry over a batch -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_EXECUTE_H
#define WEFT_RUNNER_EXECUTE_H

#include "weft/Runner/Binding.h"

namespace weft {

/// Memory for an output of all examples, with the batch in front.
OwnedTensor makeResult(const weft_tensor_info &output, const Binding &binding);

/// Calls the entry once per example. The results have the batch in front.
llvm::Expected<std::vector<OwnedTensor>> execute(CompiledModel &model, const weft_entry_info &entry,
                                                 const Binding &binding);

/// How many positions each call gets: `sizes` again and again, or, if there are none, random
/// numbers from the seed.
struct Chunks {
  std::vector<int64_t> sizes;
  uint64_t seed = 0;
};

/// The same piece by piece (Sequence.h). Results are the outputs with one dimension of positions
/// and the state after the last piece; by a step, only the output that it gives.
llvm::Expected<std::vector<OwnedTensor>> executeInChunks(CompiledModel &model,
                                                         const weft_entry_info &entry,
                                                         const Binding &binding,
                                                         const Chunks &chunks);

} // namespace weft

#endif // WEFT_RUNNER_EXECUTE_H
