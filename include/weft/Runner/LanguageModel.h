//===- LanguageModel.h - ids in, logits of the next token out -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_LANGUAGEMODEL_H
#define WEFT_RUNNER_LANGUAGEMODEL_H

#include "weft/Runner/Binding.h"
#include "weft/Runner/Sequence.h"
#include "weft/Runner/Tensors.h"

namespace weft {

/// The view of a model with a `generate` statement that generation and perplexity need.
class LanguageModel {
public:
  /// Fails if the model does not generate. With `incremental`, positions are computed once if the
  /// model can go on from where it was (Sequence.h); otherwise every call computes all of them.
  static llvm::Expected<LanguageModel> create(CompiledModel &model, bool incremental);

  /// The input that grows: ids [T], or [B, T].
  const weft_tensor_info &idsInput() const { return entry->inputs[model->info().generate_input]; }
  /// Logits [T, vocabulary], or [B, T, vocabulary].
  const weft_tensor_info &logitsOutput() const {
    return entry->outputs[model->info().generate_output];
  }
  llvm::ArrayRef<weft_tensor_info> inputs() const { return inputsOf(*entry); }
  /// The most positions of a call.
  int64_t bound() const { return model->info().symbols[model->info().generate_symbol].bound; }
  int64_t vocabulary() const { return logitsOutput().dims[idsInput().rank]; }
  /// A token is a byte.
  bool isByteLevel() const { return vocabulary() == 256; }

  /// Fails if the model needs more than ids, like the text that an encoder reads.
  llvm::Error checkIdsSuffice() const;
  /// The other inputs, from the tensors of a file (bindInputs).
  llvm::Expected<Binding> bind(llvm::ArrayRef<StoredTensor> tensors) const {
    return bindInputs(model->info(), *entry, tensors);
  }
  /// The following calls see the inputs of one example of `binding` beside their ids; `binding`
  /// outlives them. One without inputs gives none.
  void give(const Binding &binding, int64_t example);

  /// Whether what is far back counts: a text is not cut into windows of bound() tokens.
  bool isEndless() const { return sequence && sequence->isEndless(); }
  /// Whether the last tokens of a text of so many are made from a window of the text.
  bool needsWindows(int64_t length) const { return length > bound() + 1 && !isEndless(); }

  /// Logits of the tokens after each of `ids`, [ids, vocabulary], valid until the next call. At
  /// most bound() ids. They are a text of their own; in an endless model they go on with that of
  /// the calls before.
  llvm::Expected<llvm::ArrayRef<float>> logits(llvm::ArrayRef<int32_t> ids);
  /// Logits of the token after `ids`. Of more than bound() ids the last bound() count, and the
  /// first of them has position 0, unless the model is endless.
  llvm::Expected<llvm::ArrayRef<float>> next(llvm::ArrayRef<int32_t> ids);

private:
  LanguageModel(CompiledModel &model, const weft_entry_info &entry);
  llvm::Expected<llvm::ArrayRef<float>> goOn(llvm::ArrayRef<int32_t> ids, bool last);
  llvm::ArrayRef<float> rows(size_t count) const;

  CompiledModel *model;
  const weft_entry_info *entry;
  llvm::SmallVector<int64_t> sizes;   ///< of the symbols; that of the ids is set by each call
  std::vector<const void *> givens;   ///< the inputs; the ids are set by each call
  std::vector<AlignedBuffer> outputs; ///< of the largest size

  std::unique_ptr<Sequence> sequence; ///< null: every call computes all positions
  std::vector<int32_t> seen;          ///< the ids that it has computed; none: it begins
};

} // namespace weft

#endif // WEFT_RUNNER_LANGUAGEMODEL_H
