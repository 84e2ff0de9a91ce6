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

#ifndef WEFT_TOOLS_WEFT_RUN_ANSWER_H
#define WEFT_TOOLS_WEFT_RUN_ANSWER_H

#include "Companions.h"
#include "Execute.h"

namespace weft {

/// What was asked, as the answer needs it.
struct Question {
  std::string text, pair; ///< `pair`: the second text
  Encoding encoding;      ///< of the texts; empty if there are none
  int64_t vocabulary = 0; ///< ids that the model knows
  int64_t top = 5;        ///< so many classes, candidates or answers
};

/// Prints labels and scores, the best first.
llvm::Error printAnswer(llvm::ArrayRef<OwnedTensor> results, const Question &question,
                        const Companions &companions, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_ANSWER_H
