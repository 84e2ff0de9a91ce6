//===- Answer.h - results as a person reads them --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a model says about a text or an image follows from the names and shapes of its outputs:
// classes of the whole or of every token, candidates for masked tokens, the span of an answer.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TASKS_ANSWER_H
#define WEFT_RUNNER_TASKS_ANSWER_H

#include "weft/Runner/Tasks/Question.h"
#include "weft/Runner/Tensors.h"

namespace weft {

/// A label, a word or a piece of the text, and how likely it is.
struct Candidate {
  double score;
  std::string text;
};

/// What a model says, the best first.
struct Answer {
  /// About the whole, or, with a title, about one mask of several.
  struct Part {
    std::string title;
    std::vector<Candidate> candidates;
  };
  std::vector<Part> parts;
};

/// What results say about a question, `top` candidates at most; nothing if they have no meaning
/// that is known here. The error says what the question lacks.
llvm::Expected<std::optional<Answer>> findAnswer(llvm::ArrayRef<OwnedTensor> results,
                                                 const Question &question,
                                                 const QuestionInputs &inputs,
                                                 const ModelFolder &folder, int64_t top);

} // namespace weft

#endif // WEFT_RUNNER_TASKS_ANSWER_H
