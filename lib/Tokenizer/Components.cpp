//===- Components.cpp - what every step of a tokenizer is held to ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

using namespace weft;
using namespace weft::text;

llvm::Error Component::checkLength(size_t characters, size_t bytes) const {
  if (characters <= limits::characters(bytes))
    return llvm::Error::success();
  return llvm::createStringError(origin + ": makes " + llvm::Twine(characters) +
                                 " characters of a text of " + llvm::Twine(bytes) +
                                 " bytes, more than " + llvm::Twine(limits::characters(bytes)));
}

llvm::Error Normalizer::run(Text &text) const {
  size_t bytes = text.sourceBytes();
  if (llvm::Error error = apply(text))
    return error;
  return checkLength(text.size(), bytes);
}

llvm::Error PreTokenizer::run(std::vector<Text> &pieces) const {
  Span all = {UINT32_MAX, 0};
  for (const Text &piece : pieces)
    if (!piece.empty())
      all = {std::min(all.begin, piece.span().begin), std::max(all.end, piece.span().end)};
  if (llvm::Error error = apply(pieces))
    return error;
  size_t characters = 0;
  for (const Text &piece : pieces)
    characters += piece.size();
  return checkLength(characters, all.begin < all.end ? all.end - all.begin : 0);
}
