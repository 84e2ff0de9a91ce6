//===- LanguageModel.h - ids in, logits of the next token out ------------- -*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_LANGUAGEMODEL_H
#define WEFT_TOOLS_WEFT_RUN_LANGUAGEMODEL_H

#include "Model.h"
#include "Tensors.h"

namespace weft {

// The view of a model with a `generate` statement that generation and perplexity need.
class LanguageModel {
public:
  // Fails if the model does not generate, or needs more than ids to do so.
  static llvm::Expected<LanguageModel> create(Model &model);

  const weft_tensor_info &idsInput() const { return entry->inputs[model->info().generate_input]; }
  const weft_tensor_info &logitsOutput() const {
    return entry->outputs[model->info().generate_output];
  }
  int64_t bound() const { return model->info().symbols[model->info().generate_symbol].bound; }
  int64_t vocabulary() const { return logitsOutput().dims[1]; }
  // A token is a byte.
  bool isByteLevel() const { return vocabulary() == 256; }

  // Logits of all positions, [ids, vocabulary], valid until the next call. At most bound() ids.
  llvm::Expected<llvm::ArrayRef<float>> logits(llvm::ArrayRef<int32_t> ids);
  // Logits of the token after `ids`. Of more than bound() ids the last bound() count, and the
  // first of them has position 0.
  llvm::Expected<llvm::ArrayRef<float>> next(llvm::ArrayRef<int32_t> ids);

private:
  LanguageModel(Model &model, const weft_entry_info &entry);

  Model *model;
  const weft_entry_info *entry;
  std::vector<Buffer> outputs; // of the largest size
};

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_LANGUAGEMODEL_H
