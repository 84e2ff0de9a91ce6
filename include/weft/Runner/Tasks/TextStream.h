//===- TextStream.h - tokens to a text that is written as it comes --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TASKS_TEXTSTREAM_H
#define WEFT_RUNNER_TASKS_TEXTSTREAM_H

#include "weft/Runner/Generate.h"
#include "weft/Tokenizer/Tokenizer.h"

#include "llvm/Support/raw_ostream.h"

namespace weft {

/// How tokens are written.
enum class TokenText { Words, Bytes, Numbers };

/// Writes tokens until one that ends the text, or until a stop string has come. A beginning of a
/// stop string is kept back until it is known what becomes of it; the stop string is not written.
class TextStream : public TokenSink {
public:
  /// `tokenizer` is needed for words only.
  TextStream(TokenText kind, const Tokenizer *tokenizer, llvm::raw_ostream &os);
  /// The text ends at one of these tokens, or before one of these strings.
  void stopAt(std::vector<int32_t> ids, std::vector<std::string> strings);

  /// Written in the place of a prompt.
  void openWith(std::string text) { opening = std::move(text); }

  void begin(llvm::ArrayRef<int32_t> prompt) override;
  bool push(int32_t id) override;
  /// Ends the line.
  void finish() override;

private:
  std::string textOf(int32_t id);
  void write(llvm::StringRef text);

  TokenText kind;
  const Tokenizer *tokenizer;
  std::optional<StreamDecoder> decoder; ///< of words
  llvm::raw_ostream &os;
  std::vector<int32_t> stopIds;
  std::vector<std::string> stopStrings;
  std::optional<std::string> opening;
  std::string kept;  ///< not written yet
  bool first = true; ///< no number was written
  bool stopped = false;
};

} // namespace weft

#endif // WEFT_RUNNER_TASKS_TEXTSTREAM_H
