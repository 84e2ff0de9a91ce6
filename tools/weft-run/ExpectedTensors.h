//===- ExpectedTensors.h - results and what is expected of them -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_EXPECTEDTENSORS_H
#define WEFT_TOOLS_WEFT_RUN_EXPECTEDTENSORS_H

#include "weft/Runner/Compare.h"
#include "weft/Runner/CompiledModel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace weft {

/// The file of an option; nothing without the option.
llvm::Expected<std::optional<SafeTensorsFile>> openFile(llvm::StringRef path);

/// The values of --expect. A file may hold those of a call and those of a generation
/// (generated_ids, step_logits); each action compares its own and notes which it leaves out.
using ExpectedTensors = llvm::SmallVector<const StoredTensor *>;
ExpectedTensors expectedOfCall(const CompiledModel &model, const SafeTensorsFile &file);
ExpectedTensors expectedOfGeneration(const CompiledModel &model, const SafeTensorsFile &file);
/// Leaves those out for which there is a reason.
void leaveOut(ExpectedTensors &expected,
              llvm::function_ref<const char *(const StoredTensor &)> reason);

/// Compares every expected tensor with the result of its name and prints a line for each; false if
/// one differs, an error if there is none, or nothing to compare.
llvm::Expected<bool> compareAll(llvm::ArrayRef<OwnedTensor> results,
                                llvm::ArrayRef<const StoredTensor *> expected, Tolerance tolerance,
                                const StoredTensor *mask = nullptr);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_EXPECTEDTENSORS_H
