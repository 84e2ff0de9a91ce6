//===- Compare.h - results and what is expected of them -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_COMPARE_H
#define WEFT_TOOLS_WEFT_RUN_COMPARE_H

#include "Model.h"
#include "Tensors.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace weft {

/// How far a result may be from what is expected: reals agree if
/// |got - expected| <= relative * (the largest |expected| of the tensor) + absolute,
/// ids and truth values if they are equal.
struct Tolerance {
  double relative = 2e-5;
  double absolute = 1e-5;
};

/// Prints one line: the largest difference, where it is, and what is allowed. True if the results
/// agree; shapes that differ and NaN never do. A tensor whose dimensions begin with those of `mask`
/// is compared where the mask is not 0; `mask` may be null.
bool compare(const StoredTensor &got, const StoredTensor &expected, Tolerance tolerance,
             const StoredTensor *mask, llvm::raw_ostream &os);

/// The file of an option; nothing without the option.
llvm::Expected<std::optional<SafeTensorsFile>> openFile(llvm::StringRef path);

/// The values of --expect. A file may hold those of a call and those of a generation
/// (generated_ids, step_logits); each action compares its own and notes which it leaves out.
using ExpectedTensors = llvm::SmallVector<const StoredTensor *>;
ExpectedTensors expectedOfCall(const Model &model, const SafeTensorsFile &file);
ExpectedTensors expectedOfGeneration(const Model &model, const SafeTensorsFile &file);
/// Leaves those out for which there is a reason.
void leaveOut(ExpectedTensors &expected,
              llvm::function_ref<const char *(const StoredTensor &)> reason);

/// Compares every expected tensor with the result of its name; an error if there is none, or
/// nothing to compare.
llvm::Expected<bool> compareAll(llvm::ArrayRef<OwnedTensor> results,
                                llvm::ArrayRef<const StoredTensor *> expected, Tolerance tolerance,
                                const StoredTensor *mask = nullptr);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_COMPARE_H
