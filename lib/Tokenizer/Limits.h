//===- Limits.h - what a tokenizer may ask for ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A tokenizer.json is written by strangers. None may cost more time and memory than the sizes of
// the file and of the text explain, so everything that could multiply them has a bound here, some
// ten times what known files have. docs/Running.md lists them.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_LIMITS_H
#define WEFT_LIB_TOKENIZER_LIMITS_H

#include <cstddef>
#include <cstdint>

namespace weft::text::limits {

/// Parts of a sequence.
constexpr size_t parts = 64;
/// Texts and special tokens in a template, and ids that a special token in it stands for.
constexpr size_t templateItems = 64;
/// Added tokens of a file.
constexpr size_t addedTokens = 65536;
/// Bytes of an added token, of a piece with a score, of a prefix or a suffix; characters of a word
/// that WordPiece cuts.
constexpr size_t tokenLength = 1024;
/// Bytes of a regular expression.
constexpr size_t patternLength = 16384;
/// Magnitude of a piece's score, so that no sum of scores is infinite.
constexpr double score = 1e6;

/// Characters that a text of so many bytes may have after any step of normaliser and pre-tokenizer.
/// A normal form makes up to 6 of a byte, and the characters of its bytes are 12.
constexpr size_t characters(size_t bytes) { return 4096 + 16 * bytes; }
/// Bytes that a decoder's Replace may make of a token; one that would become longer stays.
constexpr size_t decodedBytes = 1 << 18;

/// Steps of a regular expression, in units of ICU (10,000 states that are kept for going back): on
/// all texts so far, of so many characters.
constexpr uint64_t regexSteps(uint64_t characters) { return 500 + characters / 100; }
/// Bytes of the states that a match keeps at once.
constexpr int32_t regexStack = 8000000;

} // namespace weft::text::limits

#endif // WEFT_LIB_TOKENIZER_LIMITS_H
