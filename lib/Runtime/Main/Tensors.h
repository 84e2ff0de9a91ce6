/*===- Tensors.h - tensors of files, and their elements ---------------------------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_MAIN_TENSORS_H
#define WEFT_LIB_RUNTIME_MAIN_TENSORS_H

#include <stddef.h>
#include <stdint.h>

/* What functions return: an exit status. */
enum { Done = 0, Failed = 1, WrongUsage = 2 };

/* Says on stderr what is wrong, after the program's name, and returns Failed. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* All types of elements, those that only files have, too. */
enum {
#define WEFT_FILE_TYPE(NAME, ...) Type##NAME,
#define WEFT_STORED_TYPE(NAME, ...) Type##NAME,
#include "weft/Support/ElementTypes.def"
  TypeCount
};
enum { Real, Int, Bool };
typedef struct {
  int kind, bits, exponent;
  const char *fileName, *textName;
} ElementType;
extern const ElementType elementTypes[TypeCount];

/* The type with a number of weft_model_info.h, or -1. */
int typeOfCode(int32_t code);
int bytesOfType(int type);

/* Element `index` of an array of any alignment: as a real, of all types; exact, of those that are
 * no reals. */
double loadReal(int type, const void *data, int64_t index);
int64_t loadInt(int type, const void *data, int64_t index);
/* Stores the nearest value that the type has. */
void storeReal(int type, void *data, int64_t index, double value);
void storeInt(int type, void *data, int64_t index, int64_t value);

/* A tensor of a file, or a result. */
typedef struct {
  const char *name;
  int type;
  int32_t rank;
  const int64_t *shape;
  int64_t count; /* of elements */
  const uint8_t *data;
} FileTensor;

/* A safetensors file that was checked. */
typedef struct {
  FileTensor *tensors; /* in the order of their data */
  int64_t count;
  int64_t *extents; /* of all shapes */
  char *names;      /* of all tensors */
  void *map;        /* of the file, or null */
  size_t size;
} TensorFile;

/* Maps and checks a file. */
int openTensors(const char *path, TensorFile *file);
/* Checks a file that lies in memory, as `path`. */
int readTensors(const char *path, const uint8_t *bytes, size_t size, TensorFile *file);
void closeTensors(TensorFile *file);
/* Whether the tensors, which are put in the order of their data, cover it, and have names of their
 * own. */
int checkTensors(const char *path, const uint8_t *data, uint64_t bytes, TensorFile *file);

/* "[2, 3]", cut to the size of `text`. */
const char *shapeText(int32_t rank, const int64_t *shape, char *text, size_t size);
enum { ShapeTextSize = 256 };

#endif /* WEFT_LIB_RUNTIME_MAIN_TENSORS_H */
