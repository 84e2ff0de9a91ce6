/*===- TensorFile.c - files of tensors, mapped and checked --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include "Tensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int byPlace(const void *a, const void *b) {
  const FileTensor *x = a, *y = b;
  if (x->data != y->data)
    return x->data < y->data ? -1 : 1;
  return x->count != y->count ? (x->count < y->count ? -1 : 1) : strcmp(x->name, y->name);
}

static int byName(const void *a, const void *b) {
  return strcmp((*(const FileTensor *const *)a)->name, (*(const FileTensor *const *)b)->name);
}

/* The ranges lie one after another. */
static int checkRanges(const char *path, const uint8_t *data, uint64_t bytes, TensorFile *file) {
  qsort(file->tensors, (size_t)file->count, sizeof *file->tensors, byPlace);
  const uint8_t *covered = data;
  for (int64_t i = 0; i < file->count; ++i) {
    const FileTensor *tensor = &file->tensors[i];
    if (tensor->data != covered)
      return fail("%s: tensor '%s': %s", path, tensor->name,
                  tensor->data < covered ? "its data overlaps that of another tensor"
                                         : "unused bytes lie before its data");
    covered += tensor->count * bytesOfType(tensor->type);
  }
  if (covered != data + bytes)
    return fail("%s: the tensors cover %td of %" PRIu64 " bytes of data", path, covered - data,
                bytes);
  return Done;
}

static int checkNames(const char *path, const TensorFile *file) {
  size_t count = (size_t)file->count;
  const FileTensor **names = malloc((count + 1) * sizeof *names);
  if (!names)
    return fail("%s: out of memory", path);
  for (size_t i = 0; i < count; ++i)
    names[i] = &file->tensors[i];
  qsort(names, count, sizeof *names, byName);
  int status = Done;
  for (size_t i = 1; i < count && !status; ++i)
    if (!strcmp(names[i - 1]->name, names[i]->name))
      status = fail("%s: tensor '%s': there are two of this name", path, names[i]->name);
  free(names);
  return status;
}

int checkTensors(const char *path, const uint8_t *data, uint64_t bytes, TensorFile *file) {
  return checkRanges(path, data, bytes, file) || checkNames(path, file) ? Failed : Done;
}

/* Maps a regular file that is not empty. */
static int mapFile(const char *path, int descriptor, void **map, size_t *size) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return fail("%s: cannot read: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail("%s: not a regular file", path);
  *size = (size_t)status.st_size;
  if (*size < 8)
    return fail("%s: not a safetensors file: it has %zu bytes", path, *size);
  *map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  return *map == MAP_FAILED ? fail("%s: cannot map: %s", path, strerror(errno)) : Done;
}

int openTensors(const char *path, TensorFile *file) {
  *file = (TensorFile){0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail("%s: cannot open: %s", path, strerror(errno));
  void *map = NULL;
  size_t size = 0;
  int status = mapFile(path, descriptor, &map, &size);
  close(descriptor);
  if (status)
    return status;
  if (readTensors(path, map, size, file)) {
    munmap(map, size);
    return Failed;
  }
  file->map = map;
  file->size = size;
  return Done;
}

void closeTensors(TensorFile *file) {
  free(file->tensors);
  free(file->extents);
  free(file->names);
  if (file->map)
    munmap(file->map, file->size);
  *file = (TensorFile){0};
}
