//===- SentencePiece.h - SentencePiece's own files as a model -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_SENTENCEPIECE_H
#define WEFT_LIB_TOKENIZER_SENTENCEPIECE_H

#include "Components.h"

namespace weft::text {

// How the ids of a model follow from those of the SentencePiece file.
struct PieceIds {
  llvm::StringMap<int32_t> first; // pieces with an id of their own
  int32_t offset = 0;             // all others: SentencePiece's id plus this
  std::string unknown;            // what stands for a piece that is none
  // "9,9" is cut into "9", ",", "9", even if "9," is a piece.
  bool splitNumberCommas = false;
  Vocabulary byName; // if not empty: ids by the names of the pieces, and nothing else
};

llvm::Expected<std::unique_ptr<Model>> loadSentencePiece(llvm::StringRef path, PieceIds ids);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_SENTENCEPIECE_H
