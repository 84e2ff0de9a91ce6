/*===- Json.h - the little JSON that a header of tensors is -----------------------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_MAIN_JSON_H
#define WEFT_LIB_RUNTIME_MAIN_JSON_H

#include <stddef.h>
#include <stdint.h>

/* A text that is read from `next` to `end`. Readers return 1, or 0 if it is something else; then
 * `next` says where. White space before what is read is passed over. */
typedef struct {
  const char *next, *end;
} Json;

/* One of the characters of structure, { } [ ] : , if it is the next one. */
int readMark(Json *json, char mark);
/* A string in UTF-8, with a NUL behind, which is not in it. It takes no more room than in the text.
 * With a null `into` it is passed over. */
int readString(Json *json, char *into);
/* A whole number from 0 to INT64_MAX. */
int readNumber(Json *json, int64_t *value);
/* Nothing but white space is left. */
int isAtEnd(Json *json);

#endif /* WEFT_LIB_RUNTIME_MAIN_JSON_H */
