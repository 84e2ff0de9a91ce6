//===- Generate.h - text from a model, one token at a time ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_GENERATE_H
#define WEFT_RUNNER_GENERATE_H

#include "weft/Runner/LanguageModel.h"
#include "weft/Runner/Sampler.h"

namespace weft {

/// Sees the tokens of texts as they come.
class TokenSink {
public:
  virtual ~TokenSink() = default;
  /// A new text, which begins with a prompt.
  virtual void begin(llvm::ArrayRef<int32_t> prompt) = 0;
  /// False if the text is at its end.
  virtual bool push(int32_t id) = 0;
  /// No token follows.
  virtual void finish() = 0;
};

/// What is to be generated.
struct Generation {
  bool batched = false;                      ///< results have the batch in front
  std::vector<std::vector<int32_t>> prompts; ///< one per example, of one length
  Binding given;     ///< the other inputs, the same in every step: an encoder's text, an image
  int64_t count = 0; ///< tokens to generate
  Sampling sampling;
  /// If not empty: per example, prompt and tokens. Each step then sees these tokens and not its
  /// own choices, so that one different choice does not change all later logits.
  std::vector<std::vector<int32_t>> forced;
  bool keepLogits = false;   ///< otherwise step_logits stays empty
  TokenSink *sink = nullptr; ///< where tokens go as they come, until it has enough

  /// Of each text: the prompt and the tokens.
  int64_t length() const { return int64_t(prompts.front().size()) + count; }
};

/// What was.
struct Generated {
  OwnedTensor ids;    ///< generated_ids I64 [batch, prompt + count]: the prompt and the choices
  OwnedTensor logits; ///< step_logits F32 [batch, count, vocabulary]
  int64_t tokens = 0; ///< made before the texts ended
  double seconds = 0; ///< of all of them
};

/// Errors are those of the model, and tokens to see that it does not have.
llvm::Expected<Generated> generate(LanguageModel &model, const Generation &generation);

/// Sets the prompts from a file: its tensor of ids, and tensors for other inputs that do not grow
/// with them.
llvm::Error promptFromTensors(const LanguageModel &model, llvm::ArrayRef<StoredTensor> tensors,
                              Generation &into);
/// Makes the steps see the tokens of a tensor [batch, prompt + count], if it has that shape.
void forceTokens(const StoredTensor &ids, Generation &generation);

} // namespace weft

#endif // WEFT_RUNNER_GENERATE_H
