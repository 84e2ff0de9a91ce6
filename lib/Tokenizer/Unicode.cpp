//===- Unicode.cpp - what ICU knows about characters ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Unicode.h"

#include "Limits.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>

using namespace weft;
using namespace weft::text;

static bool inCategory(char32_t c, uint32_t mask) {
  return (U_GET_GC_MASK(UChar32(c)) & mask) != 0;
}

bool text::isWhitespace(char32_t c) { return u_isUWhiteSpace(UChar32(c)); }
bool text::isControl(char32_t c) {
  return c != '\t' && c != '\n' && c != '\r' && !isStrayByte(c) &&
         inCategory(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK);
}
bool text::isPunctuation(char32_t c) {
  return inCategory(c, U_GC_P_MASK) || (c < 0x80 && inCategory(c, U_GC_S_MASK));
}
bool text::isNumeric(char32_t c) { return inCategory(c, U_GC_N_MASK); }
bool text::isWordCharacter(char32_t c) {
  return u_isUAlphabetic(UChar32(c)) || inCategory(c, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK) ||
         c == 0x200C || c == 0x200D;
}
bool text::isNonspacingMark(char32_t c) { return inCategory(c, U_GC_MN_MASK); }
bool text::isMark(char32_t c) { return inCategory(c, U_GC_M_MASK); }

bool text::isIdeograph(char32_t c) {
  static constexpr std::pair<char32_t, char32_t> blocks[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(blocks), std::end(blocks),
                     [c](auto block) { return c >= block.first && c <= block.second; });
}

//===----------------------------------------------------------------------------------------===//
// UTF-16, which ICU speaks
//===----------------------------------------------------------------------------------------===//

namespace {

struct Utf16 {
  std::u16string units;
  std::vector<size_t> characters; // per unit and one more: the character it belongs to

  explicit Utf16(std::u32string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      char16_t pair[2];
      int32_t length = 0;
      U16_APPEND_UNSAFE(pair, length, text[i]);
      units.append(pair, size_t(length));
      characters.insert(characters.end(), size_t(length), i);
    }
    characters.push_back(text.size());
  }
};

} // namespace

static std::u32string fromUtf16(llvm::ArrayRef<char16_t> units) {
  std::u32string result;
  for (int32_t at = 0, end = int32_t(units.size()); at < end;) {
    UChar32 c;
    U16_NEXT(units.data(), at, end, c);
    result += char32_t(c);
  }
  return result;
}

std::u32string text::lowercase(char32_t c) {
  if (isStrayByte(c))
    return std::u32string(1, c);
  Utf16 source(std::u32string_view(&c, 1));
  char16_t buffer[16];
  UErrorCode status = U_ZERO_ERROR;
  int32_t length =
      u_strToLower(buffer, 16, source.units.data(), int32_t(source.units.size()), "", &status);
  return U_FAILURE(status) ? std::u32string(1, c) : fromUtf16({buffer, size_t(length)});
}

//===----------------------------------------------------------------------------------------===//
// Normal forms
//===----------------------------------------------------------------------------------------===//

static const UNormalizer2 *normalizer(UnicodeForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2 *result = form == UnicodeForm::NFC    ? unorm2_getNFCInstance(&status)
                               : form == UnicodeForm::NFD  ? unorm2_getNFDInstance(&status)
                               : form == UnicodeForm::NFKC ? unorm2_getNFKCInstance(&status)
                                                           : unorm2_getNFKDInstance(&status);
  if (U_FAILURE(status))
    llvm::report_fatal_error("ICU has no data for normal forms");
  return result;
}

// A segment that no character before or after it can change.
static std::u32string normalizeSegment(std::u32string_view segment, const UNormalizer2 *form) {
  Utf16 source(segment);
  // No character expands to more than 18 units, of 5 each at most here.
  std::u16string buffer(source.units.size() * 18 + 18, 0);
  UErrorCode status = U_ZERO_ERROR;
  int32_t length = unorm2_normalize(form, source.units.data(), int32_t(source.units.size()),
                                    buffer.data(), int32_t(buffer.size()), &status);
  return U_FAILURE(status) ? std::u32string(segment) : fromUtf16({buffer.data(), size_t(length)});
}

Text text::normalized(const Text &source, UnicodeForm form) {
  const UNormalizer2 *data = normalizer(form);
  Text result;
  for (size_t begin = 0, end; begin < source.size(); begin = end) {
    for (end = begin + 1;
         end < source.size() && !unorm2_hasBoundaryBefore(data, UChar32(source[end])); ++end)
      ;
    std::u32string_view segment = source.characters().substr(begin, end - begin);
    std::u32string changed = normalizeSegment(segment, data);
    if (changed == segment)
      for (size_t i = begin; i < end; ++i)
        result.keep(source, i);
    else
      result.replace(source, begin, end, changed);
  }
  return result;
}

std::vector<size_t> text::graphemes(const Text &source) {
  Utf16 utf16(source.characters());
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<UBreakIterator, decltype(&ubrk_close)> breaks(
      ubrk_open(UBRK_CHARACTER, "", utf16.units.data(), int32_t(utf16.units.size()), &status),
      ubrk_close);
  if (U_FAILURE(status))
    llvm::report_fatal_error("ICU has no data for graphemes");
  std::vector<size_t> lengths;
  size_t begin = 0;
  ubrk_first(breaks.get());
  for (int32_t at = ubrk_next(breaks.get()); at != UBRK_DONE; at = ubrk_next(breaks.get())) {
    size_t end = utf16.characters[size_t(at)];
    lengths.push_back(end - begin);
    begin = end;
  }
  return lengths;
}

//===----------------------------------------------------------------------------------------===//
// Regular expressions
//===----------------------------------------------------------------------------------------===//

struct Regex::Handle {
  URegularExpression *regex = nullptr;
  std::string pattern, origin;
  uint64_t characters = 0, steps = 0; // of all texts so far
  ~Handle() { uregex_close(regex); }

  // ICU asks after every unit of work whether to go on.
  static UBool goOn(const void *context, int32_t) {
    auto *handle = static_cast<Handle *>(const_cast<void *>(context));
    return ++handle->steps <= limits::regexSteps(handle->characters);
  }
};

// The pattern as messages have it.
static std::string quoted(llvm::StringRef pattern) {
  return "'" + pattern.take_front(60).str() + (pattern.size() > 60 ? "...'" : "'");
}

llvm::Expected<Regex> Regex::compile(llvm::StringRef pattern, std::string origin) {
  if (pattern.empty())
    return llvm::createStringError("the pattern is empty");
  if (pattern.size() > limits::patternLength)
    return llvm::createStringError("the pattern has " + llvm::Twine(pattern.size()) +
                                   " bytes, more than " + llvm::Twine(limits::patternLength));
  Utf16 source(fromUtf8(pattern));
  auto handle = std::make_shared<Handle>();
  handle->pattern = pattern.str();
  handle->origin = std::move(origin);
  UErrorCode status = U_ZERO_ERROR;
  UParseError place;
  handle->regex =
      uregex_open(source.units.data(), int32_t(source.units.size()), 0, &place, &status);
  uregex_setMatchCallback(handle->regex, Handle::goOn, handle.get(), &status);
  uregex_setStackLimit(handle->regex, limits::regexStack, &status);
  if (status == U_REGEX_INTERNAL_ERROR) // parentheses in parentheses use up a stack of ICU's
    return llvm::createStringError("the regular expression " + quoted(pattern) +
                                   " is nested too deeply");
  if (U_FAILURE(status))
    return llvm::createStringError("the regular expression " + quoted(pattern) +
                                   " is not understood: " + u_errorName(status));
  return Regex(std::move(handle));
}

static std::string reasonOf(UErrorCode status) {
  switch (status) {
  case U_REGEX_STOPPED_BY_CALLER:
    return "takes too many steps on the text";
  case U_REGEX_STACK_OVERFLOW:
    return "would have to keep more than " + std::to_string(limits::regexStack / 1000000) +
           " MB of states for going back in the text";
  default:
    return std::string("does not get through the text: ") + u_errorName(status);
  }
}

llvm::Expected<std::vector<Range>> Regex::matches(std::u32string_view text) const {
  Utf16 source(text);
  URegularExpression *regex = handle->regex;
  handle->characters += text.size();
  UErrorCode status = U_ZERO_ERROR;
  uregex_setText(regex, source.units.data(), int32_t(source.units.size()), &status);
  std::vector<Range> result;
  while (uregex_findNext(regex, &status))
    result.emplace_back(source.characters[size_t(uregex_start(regex, 0, &status))],
                        source.characters[size_t(uregex_end(regex, 0, &status))]);
  // The expression must not point into memory that is gone.
  UErrorCode ignored = U_ZERO_ERROR;
  uregex_setText(regex, u"", 0, &ignored);
  if (U_FAILURE(status))
    return llvm::createStringError((handle->origin.empty() ? "" : handle->origin + ": ") +
                                   "the regular expression " + quoted(handle->pattern) + " " +
                                   reasonOf(status));
  return std::move(result);
}
