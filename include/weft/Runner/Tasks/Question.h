//===- Question.h - texts and images as a model reads them ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TASKS_QUESTION_H
#define WEFT_RUNNER_TASKS_QUESTION_H

#include "weft/Image/Image.h"
#include "weft/Runner/Binding.h"
#include "weft/Runner/Tasks/ModelFolder.h"

namespace weft {

/// What a model is asked about: a text, a second one, an image; at least one of them.
struct Question {
  std::optional<std::string> text, pair; ///< `pair` only beside a text
  std::string image;                     ///< path of a PNG or JPEG file; empty: none
};

/// A question as an entry reads it.
struct QuestionInputs {
  const weft_entry_info *entry = nullptr;
  Encoding encoding;         ///< of the texts; empty if there are none
  std::vector<int32_t> ones; ///< one for each token, if the model asks which of them count
  int64_t vocabulary = 0;    ///< ids that the model knows
  Planes pixels;
  std::vector<StoredTensor> tensors; ///< point into the above
};

/// The entry called `name`; if that is empty, the one that reads what is asked about and needs
/// nothing else.
llvm::Expected<const weft_entry_info *> chooseEntry(const CompiledModel &model,
                                                    llvm::StringRef name, const ModelFolder &folder,
                                                    const Question &question);

/// The tensors of a question. The error says what the entry does not read, or which file is missing
/// beside the model.
llvm::Expected<QuestionInputs> prepareInputs(const weft_entry_info &entry,
                                             const ModelFolder &folder, const Question &question);

} // namespace weft

#endif // WEFT_RUNNER_TASKS_QUESTION_H
