/*===- Write.c - writes results as a safetensors file -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// The bytes are those of weft-run (lib/Import/SafeTensorsWriter.cpp). A file is made under a
// temporary name beside its own and gets that at the end; what is no regular file, a device or a
// pipe, is written to.
//===----------------------------------------------------------------------------------------===*/

#define _XOPEN_SOURCE 700

#include "Program.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that an interruption removes; empty: none. */
static char temporary[PATH_MAX + 16];

static void removeTemporary(int signal) {
  unlink(temporary);
  raise(signal); /* the handler is used once */
}

static void watchInterrupts(void) {
  struct sigaction action = {.sa_handler = removeTemporary, .sa_flags = (int)SA_RESETHAND};
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    sigaction(signals[i], &action, NULL);
}

static void writeString(const char *text, FILE *file) {
  fputc('"', file);
  for (; *text; ++text)
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      fprintf(file, "\\u%04x", *text);
    else
      fputc(*text, file);
  fputc('"', file);
}

/* One tensor's part of the header; returns where its data end. */
static int64_t writeEntry(const FileTensor *tensor, int64_t offset, FILE *file) {
  writeString(tensor->name, file);
  fprintf(file, ":{\"dtype\":\"%s\",\"shape\":[", elementTypes[tensor->type].fileName);
  for (int32_t i = 0; i < tensor->rank; ++i)
    fprintf(file, "%s%" PRId64, i ? "," : "", tensor->shape[i]);
  int64_t end = offset + tensor->count * bytesOfType(tensor->type);
  fprintf(file, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", offset, end);
  return end;
}

/* Writes all tensors' headers, or data: larger types come first, so that every one is aligned. */
static int writeAll(const Binding *binding, int data, FILE *file) {
  int32_t count = binding->entry->output_count, rank = binding->batchRank, written = 0;
  int64_t offset = 0;
  for (int32_t i = 0; i < count; ++i)
    rank = rank > binding->batchRank + binding->entry->outputs[i].rank
               ? rank
               : binding->batchRank + binding->entry->outputs[i].rank;
  int64_t *shape = malloc(((size_t)rank + 1) * sizeof *shape);
  if (!shape)
    return fail("out of memory");
  for (int bytes = 8; bytes > 0; bytes /= 2)
    for (int32_t i = 0; i < count; ++i) {
      FileTensor tensor = resultOf(binding, i, shape);
      if (bytesOfType(tensor.type) != bytes)
        continue;
      if (data) {
        fwrite(tensor.data, (size_t)bytes, (size_t)tensor.count, file);
        continue;
      }
      if (written++)
        fputc(',', file);
      offset = writeEntry(&tensor, offset, file);
    }
  free(shape);
  return Done;
}

/* The header, filled up with spaces to a multiple of 8 bytes. */
static int makeHeader(const Binding *binding, char **text, size_t *size) {
  FILE *file = open_memstream(text, size);
  if (!file)
    return fail("out of memory");
  fputc('{', file);
  int status = writeAll(binding, 0, file);
  fputc('}', file);
  fflush(file);
  for (size_t i = *size; i % 8; ++i)
    fputc(' ', file);
  fclose(file);
  return status;
}

static int writeFile(const Binding *binding, FILE *file) {
  char *text = NULL;
  size_t size = 0;
  int status = makeHeader(binding, &text, &size);
  uint64_t length = size;
  if (!status) {
    fwrite(&length, sizeof length, 1, file);
    fwrite(text, 1, size, file);
    status = writeAll(binding, 1, file);
  }
  free(text);
  return status;
}

static int cannotWrite(const char *path) {
  return fail("%s: cannot write: %s", path, strerror(errno));
}

/* Writes into an open file, which is closed. */
static int finish(const Binding *binding, const char *path, FILE *file) {
  if (!file)
    return cannotWrite(path);
  int status = writeFile(binding, file), bad = ferror(file);
  errno = bad ? errno : 0;
  return (fclose(file) != 0 || bad) && !status ? cannotWrite(path) : status;
}

/* A new file beside `target`, with the permissions that a new file gets. */
static FILE *openTemporary(const char *target) {
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
  int descriptor = mkstemp(temporary);
  if (descriptor < 0) {
    temporary[0] = '\0';
    return NULL;
  }
  watchInterrupts();
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  return fdopen(descriptor, "wb");
}

int writeResults(const Binding *binding, const char *path) {
  struct stat status;
  char target[PATH_MAX];
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return finish(binding, path, fopen(path, "wb"));
  /* A symbolic link stays one: what it leads to is replaced. */
  if (!realpath(path, target) && snprintf(target, sizeof target, "%s", path) >= PATH_MAX)
    return fail("%s: cannot write: the name is too long", path);
  int result = finish(binding, path, openTemporary(target));
  if (!result && rename(temporary, target) != 0)
    result = cannotWrite(path);
  if (result && temporary[0])
    unlink(temporary);
  temporary[0] = '\0';
  return result;
}

int checkOutput(const char *path, const char *input, const char *role) {
  struct stat output, read;
  if (stat(path, &output) != 0 || !S_ISREG(output.st_mode) || stat(input, &read) != 0 ||
      output.st_dev != read.st_dev || output.st_ino != read.st_ino)
    return Done;
  return fail("the output '%s' (results) is the file that is read as %s", path, role);
}
