/*===- SafeTensors.c - reads safetensors files --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// An 8-byte little-endian length, that many bytes of JSON, and the data, as
// lib/Import/SafeTensors.cpp reads it, and as strictly: the header has at most 100 MB, type times
// shape is the size of the range, the ranges lie one after another and cover the data to its end,
no
// name appears twice. What is allocated is counted in the header first.
//===----------------------------------------------------------------------------------------===*/

#include "Json.h"
#include "Tensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t mostHeaderBytes = 100000000;

/* The state of a reader: what is made, and where the next name and extent go. */
typedef struct {
  const char *path;
  Json json;
  const uint8_t *data;
  uint64_t dataBytes;
  TensorFile *file;
  char *name;
  int64_t *extent;
} Reader;

static int failTensor(const Reader *reader, const FileTensor *tensor, const char *what) {
  return fail("%s: tensor '%s': %s", reader->path, tensor->name, what);
}

/* Whether a whole header can be read: names and extents are counted, nothing is kept. */
static int countHeader(const char *text, const char *end, int64_t *strings, int64_t *numbers,
                       size_t *nameBytes) {
  Json json = {text, end};
  *strings = *numbers = 0;
  *nameBytes = 0;
  while (!isAtEnd(&json)) {
    const char *first = json.next;
    int64_t value;
    if (*first == '"') {
      if (!readString(&json, NULL))
        return 0;
      ++*strings;
      *nameBytes += (size_t)(json.next - first);
    } else if (*first >= '0' && *first <= '9') {
      if (!readNumber(&json, &value))
        return 0;
      ++*numbers;
    } else if (strchr("{}[]:,", *first) && *first) {
      ++json.next;
    } else {
      return 0;
    }
  }
  return 1;
}

static int readType(Reader *reader, FileTensor *tensor) {
  /* A type's name is short; a longer string is read where the next tensor's name will be. */
  if (!readString(&reader->json, reader->name))
    return failTensor(reader, tensor, "dtype is not a string");
  for (int type = 0; type < TypeCount; ++type)
    if (!strcmp(elementTypes[type].fileName, reader->name)) {
      tensor->type = type;
      return Done;
    }
  return fail("%s: tensor '%s': element type '%s' is not supported", reader->path, tensor->name,
              reader->name);
}

static int readShape(Reader *reader, FileTensor *tensor) {
  Json *json = &reader->json;
  tensor->shape = reader->extent;
  if (!readMark(json, '['))
    return failTensor(reader, tensor, "shape is not an array");
  if (readMark(json, ']'))
    return Done;
  do {
    if (!readNumber(json, reader->extent++))
      return failTensor(reader, tensor,
                        "a dimension of its shape is not a whole number below 2^63");
    ++tensor->rank;
  } while (readMark(json, ','));
  return readMark(json, ']') ? Done : failTensor(reader, tensor, "shape is not an array");
}

static int readOffsets(Reader *reader, FileTensor *tensor, int64_t *bytes) {
  Json *json = &reader->json;
  int64_t begin, end;
  if (!readMark(json, '[') || !readNumber(json, &begin) || !readMark(json, ',') ||
      !readNumber(json, &end) || !readMark(json, ']'))
    return failTensor(reader, tensor, "data_offsets is not an array of two numbers");
  if (begin > end || (uint64_t)end > reader->dataBytes)
    return fail("%s: tensor '%s': data_offsets [%" PRId64 ", %" PRId64
                "] do not lie in the %" PRIu64 " bytes of data",
                reader->path, tensor->name, begin, end, reader->dataBytes);
  tensor->data = reader->data + begin;
  *bytes = end - begin;
  return Done;
}

/* Type and shape say as many bytes as the range has. */
static int checkBytes(const Reader *reader, FileTensor *tensor, int64_t bytes) {
  int64_t count = 1, each = bytesOfType(tensor->type);
  int empty = 0;
  for (int32_t i = 0; i < tensor->rank; ++i)
    empty |= tensor->shape[i] == 0;
  for (int32_t i = 0; i < tensor->rank && !empty; ++i)
    if (count > INT64_MAX / each / tensor->shape[i])
      return failTensor(reader, tensor, "its shape is too large");
    else
      count *= tensor->shape[i];
  tensor->count = empty ? 0 : count;
  if (tensor->count * each != bytes)
    return fail("%s: tensor '%s': type and shape need %" PRId64
                " bytes, but its range has %" PRId64,
                reader->path, tensor->name, tensor->count * each, bytes);
  return Done;
}

/* {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, in any order, each once. */
static int readTensor(Reader *reader, FileTensor *tensor) {
  enum { Type = 1, Shape = 2, Offsets = 4 };
  Json *json = &reader->json;
  int64_t bytes = 0;
  int seen = 0;
  if (!readMark(json, '{'))
    return failTensor(reader, tensor, "expected an object");
  do {
    if (!readString(json, reader->name) || !readMark(json, ':'))
      return failTensor(reader, tensor, "expected fields with names");
    int field = !strcmp(reader->name, "dtype")          ? Type
                : !strcmp(reader->name, "shape")        ? Shape
                : !strcmp(reader->name, "data_offsets") ? Offsets
                                                        : 0;
    if (!field || seen & field)
      return failTensor(reader, tensor, field ? "a field appears twice" : "unknown field");
    seen |= field;
    if ((field == Type && readType(reader, tensor)) ||
        (field == Shape && readShape(reader, tensor)) ||
        (field == Offsets && readOffsets(reader, tensor, &bytes)))
      return Failed;
  } while (readMark(json, ','));
  if (!readMark(json, '}') || seen != (Type | Shape | Offsets))
    return failTensor(reader, tensor, "dtype, shape or data_offsets is missing");
  return checkBytes(reader, tensor, bytes);
}

/* The texts of __metadata__ say nothing that is needed. */
static int skipMetadata(Reader *reader) {
  Json *json = &reader->json;
  int ok = readMark(json, '{');
  if (ok && readMark(json, '}'))
    return Done;
  do {
    ok = ok && readString(json, NULL) && readMark(json, ':') && readString(json, NULL);
  } while (ok && readMark(json, ','));
  return ok && readMark(json, '}')
             ? Done
             : fail("%s: __metadata__ is not an object of strings", reader->path);
}

static int readHeader(Reader *reader) {
  Json *json = &reader->json;
  if (!readMark(json, '{'))
    return fail("%s: not a safetensors file: its header does not start with '{'", reader->path);
  if (readMark(json, '}'))
    return isAtEnd(json) ? Done : fail("%s: the header has something behind its end", reader->path);
  do {
    FileTensor *tensor = &reader->file->tensors[reader->file->count];
    tensor->name = reader->name;
    if (!readString(json, reader->name) || !readMark(json, ':'))
      return fail("%s: the header is not an object of tensors", reader->path);
    if (!strcmp(reader->name, "__metadata__")) {
      if (skipMetadata(reader))
        return Failed;
      continue;
    }
    reader->name += strlen(reader->name) + 1;
    if (readTensor(reader, tensor))
      return Failed;
    ++reader->file->count;
  } while (readMark(json, ','));
  return readMark(json, '}') && isAtEnd(json)
             ? Done
             : fail("%s: the header is not an object of tensors", reader->path);
}

/* The length of the header; Failed if it cannot be. */
static int findHeader(const char *path, const uint8_t *bytes, size_t size, uint64_t *length) {
  if (size < 8)
    return fail("%s: not a safetensors file: it has %zu bytes", path, size);
  memcpy(length, bytes, 8);
  if (*length > mostHeaderBytes)
    return fail("%s: not a safetensors file: its header would have %" PRIu64
                " bytes, more than 100 MB",
                path, *length);
  if (*length > size - 8)
    return fail("%s: the file ends within its header: %" PRIu64 " bytes announced, %zu present",
                path, *length, size - 8);
  return Done;
}

int readTensors(const char *path, const uint8_t *bytes, size_t size, TensorFile *file) {
  *file = (TensorFile){0};
  uint64_t length = 0;
  if (findHeader(path, bytes, size, &length))
    return Failed;
  const char *text = (const char *)bytes + 8;
  int64_t strings, numbers;
  size_t nameBytes;
  if (!countHeader(text, text + length, &strings, &numbers, &nameBytes))
    return fail("%s: the header is not an object of tensors", path);
  /* A tensor has five strings: its name, its type, and what its fields are called. */
  file->tensors = calloc((size_t)strings / 5 + 1, sizeof *file->tensors);
  file->extents = calloc((size_t)numbers + 1, sizeof *file->extents);
  file->names = malloc(nameBytes + 1);
  if (!file->tensors || !file->extents || !file->names) {
    closeTensors(file);
    return fail("%s: out of memory", path);
  }
  Reader reader = {path, {text, text + length}, bytes + 8 + length, size - 8 - length,
                   file, file->names,           file->extents};
  if (readHeader(&reader) || checkTensors(path, reader.data, reader.dataBytes, file)) {
    closeTensors(file);
    return Failed;
  }
  return Done;
}
