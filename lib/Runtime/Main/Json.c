/*===- Json.c - the little JSON that a header of tensors is -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#include "Json.h"

static void skipSpace(Json *json) {
  while (json->next < json->end &&
         (*json->next == ' ' || *json->next == '\t' || *json->next == '\n' || *json->next == '\r'))
    ++json->next;
}

int isAtEnd(Json *json) {
  skipSpace(json);
  return json->next == json->end;
}

int readMark(Json *json, char mark) {
  skipSpace(json);
  if (json->next == json->end || *json->next != mark)
    return 0;
  ++json->next;
  return 1;
}

int readNumber(Json *json, int64_t *value) {
  skipSpace(json);
  const char *first = json->next;
  *value = 0;
  for (; json->next < json->end && *json->next >= '0' && *json->next <= '9'; ++json->next) {
    int digit = *json->next - '0';
    if (*value > (INT64_MAX - digit) / 10 || (json->next == first + 1 && *first == '0'))
      return 0;
    *value = 10 * *value + digit;
  }
  /* A fraction, an exponent or a sign makes it another number. */
  char after = json->next < json->end ? *json->next : ' ';
  return json->next > first && after != '.' && after != 'e' && after != 'E';
}

/* Four hexadecimal digits, or -1. */
static int32_t readUnit(Json *json) {
  if (json->end - json->next < 4)
    return -1;
  int32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    char c = *json->next++;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0)
      return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

/* What is behind \u, of which there are two for a character above U+FFFF; 0 if it is none. */
static int32_t readCharacter(Json *json) {
  int32_t unit = readUnit(json);
  if (unit < 0xd800 || unit > 0xdfff)
    return unit < 0 ? 0 : unit;
  if (unit > 0xdbff || json->end - json->next < 2 || json->next[0] != '\\' || json->next[1] != 'u')
    return 0;
  json->next += 2;
  int32_t second = readUnit(json);
  if (second < 0xdc00 || second > 0xdfff)
    return 0;
  return 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
}

/* Writes at most 4 bytes, of a character that took 6 or 12 in the text. */
static char *encodeCharacter(int32_t character, char *into) {
  int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  static const int32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  *into++ = (char)(lead[more] | character >> 6 * more);
  while (more-- > 0)
    *into++ = (char)(0x80 | (character >> 6 * more & 0x3f));
  return into;
}

/* What is behind a backslash; 0 if it is not known. */
static int32_t readEscape(Json *json) {
  static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char c = *json->next++;
  if (c == 'u')
    return readCharacter(json);
  for (int i = 0; escapes[i]; ++i)
    if (c == escapes[i])
      return meant[i];
  return 0;
}

int readString(Json *json, char *into) {
  if (!readMark(json, '"'))
    return 0;
  while (json->next < json->end) {
    unsigned char c = (unsigned char)*json->next++;
    char bytes[4], *end = bytes;
    if (c == '"') {
      if (into)
        *into = '\0';
      return 1;
    }
    if (c < 0x20)
      return 0;
    if (c == '\\') {
      int32_t character = json->next < json->end ? readEscape(json) : 0;
      if (character == 0)
        return 0;
      end = encodeCharacter(character, bytes);
    } else {
      *end++ = (char)c;
    }
    for (const char *byte = bytes; into && byte < end; ++byte)
      *into++ = *byte;
  }
  return 0;
}
