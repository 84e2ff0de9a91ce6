//===- Execute.h - runs an entry over a batch and compares results -------- -*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_EXECUTE_H
#define WEFT_TOOLS_WEFT_RUN_EXECUTE_H

#include "Binding.h"

namespace weft {

// Calls the entry once per example. The results have the batch in front.
llvm::Expected<std::vector<OwnedTensor>> execute(Model &model, const weft_entry_info &entry,
                                                 const Binding &binding);

// How many positions each call of a step gets: `sizes` again and again, or, if there are none,
// random numbers from the seed.
struct Chunks {
  std::vector<int64_t> sizes;
  uint64_t seed = 0;
};

// The same through the step that continues the entry: only the output that it gives.
llvm::Expected<std::vector<OwnedTensor>> executeInChunks(Model &model, const weft_entry_info &entry,
                                                         const Binding &binding,
                                                         const Chunks &chunks);

// How far a result may be from what is expected: reals agree if
// |got - expected| <= relative * (the largest |expected| of the tensor) + absolute,
// ids and truth values if they are equal.
struct Tolerance {
  double relative = 2e-5;
  double absolute = 1e-5;
};

// Prints one line: the largest difference, where it is, and what is allowed. True if the results
// agree; shapes that differ and NaN never do. A tensor whose dimensions begin with those of `mask`
// is compared where the mask is not 0; `mask` may be null.
bool compare(const StoredTensor &got, const StoredTensor &expected, Tolerance tolerance,
             const StoredTensor *mask, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_EXECUTE_H
