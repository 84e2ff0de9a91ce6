/*===- Weights.c - maps a weights file and checks that it is the model's -===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// The file is mapped, not read, unless the caller asks for a copy: start-up costs a page, and
// processes share the memory.

#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "Memory.h"

#include "weft/Runtime/weft_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of libweft_cuda.a, where that is linked: weights that lie on a GPU, too. */
extern void weft_cuda_forget(const void *weights) __attribute__((weak));

typedef struct {
  char *text;
  size_t size;
} Message;

/* Writes the sentence and returns `code`, so that a check is one statement. */
static int fail(Message message, int code, const char *format, ...) {
  if (message.text && message.size) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message.text, message.size, format, arguments);
    va_end(arguments);
  }
  return code;
}

static int checkHeader(const weft_weights_header *header, const char *path,
                       const weft_model_info *info, int64_t size, Message message) {
  if (memcmp(header->magic, WEFT_WEIGHTS_MAGIC, sizeof header->magic) != 0)
    return fail(message, WEFT_ERROR_WEIGHTS, "%s: not a Weft weights file", path);
  if (header->fingerprint != info->fingerprint)
    return fail(message, WEFT_ERROR_WEIGHTS,
                "%s: made for another model: its fingerprint is %016" PRIx64
                ", model '%s' needs %016" PRIx64,
                path, header->fingerprint, info->name, info->fingerprint);
  if (header->total_bytes != (uint64_t)size || size != info->weights_bytes)
    return fail(message, WEFT_ERROR_WEIGHTS,
                "%s: damaged: the file has %" PRId64 " bytes, its header says %" PRIu64
                ", model '%s' needs %" PRId64,
                path, size, header->total_bytes, info->name, info->weights_bytes);
  return WEFT_OK;
}

/* The file, read into memory on huge pages; MAP_FAILED if that cannot be. */
static void *copyFile(int file, size_t size) {
  char *data = weft_map_huge(size);
  for (size_t done = 0; data && done < size;) {
    ssize_t count = pread(file, data + done, size - done, (off_t)done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      int error = count < 0 ? errno : EIO; /* it became shorter meanwhile */
      munmap(data, size);
      errno = error;
      return MAP_FAILED;
    }
    done += (size_t)count;
  }
  return data ? data : MAP_FAILED;
}

/* Maps or copies the open file, and checks it. */
static int readFile(int file, const char *path, const weft_model_info *info, int flags,
                    weft_weights *weights, Message message) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return fail(message, WEFT_ERROR_FILE, "%s: cannot read: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail(message, WEFT_ERROR_FILE, "%s: not a regular file", path);
  int64_t size = (int64_t)status.st_size;
  if (size < (int64_t)sizeof(weft_weights_header))
    return fail(message, WEFT_ERROR_WEIGHTS, "%s: not a Weft weights file: only %" PRId64 " bytes",
                path, size);

  int copies = flags & WEFT_WEIGHTS_COPY_HUGE;
  void *data = copies ? copyFile(file, (size_t)size)
                      : mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED)
    return fail(message, errno == ENOMEM ? WEFT_ERROR_MEMORY : WEFT_ERROR_FILE, "%s: cannot %s: %s",
                path, copies ? "copy" : "map", strerror(errno));
  /* A file that is read for this mapping, or was written in such pieces, is kept in huge pages by
     systems that can. */
  weft_advise_huge(data, (size_t)size);
  int code = checkHeader(data, path, info, size, message);
  if (code != WEFT_OK) {
    munmap(data, (size_t)size);
    return code;
  }
  weights->data = data;
  weights->size = size;
  return WEFT_OK;
}

/* The weights in the model, where they are or as a copy on huge pages. */
static int takeInside(const weft_model_info *info, int flags, weft_weights *weights,
                      Message message) {
  weights->data = info->embedded_weights;
  if (!(flags & WEFT_WEIGHTS_COPY_HUGE) || info->weights_bytes == 0)
    return WEFT_OK;
  void *copy = weft_map_huge((size_t)info->weights_bytes);
  if (!copy)
    return fail(message, WEFT_ERROR_MEMORY, "model '%s': cannot copy its weights: %s", info->name,
                strerror(errno));
  memcpy(copy, info->embedded_weights, (size_t)info->weights_bytes);
  weights->data = copy;
  weights->size = info->weights_bytes;
  return WEFT_OK;
}

int weft_weights_open(const char *path, const weft_model_info *info, weft_weights *weights,
                      char *text, size_t textSize) {
  return weft_weights_open_flags(path, info, 0, weights, text, textSize);
}

int weft_weights_open_flags(const char *path, const weft_model_info *info, int flags,
                            weft_weights *weights, char *text, size_t textSize) {
  Message message = {text, textSize};
  weights->data = NULL;
  weights->size = 0;
  if (message.text && message.size)
    message.text[0] = '\0';
  if (!info)
    return fail(message, WEFT_ERROR_ARGUMENT, "no model is given: info is null");
  if (info->abi_version < WEFT_ABI_OLDEST || info->abi_version > WEFT_ABI_VERSION)
    return fail(message, WEFT_ERROR_VERSION,
                "model compiled for interface version %" PRId32
                ", this runtime knows versions %d to %d",
                info->abi_version, WEFT_ABI_OLDEST, WEFT_ABI_VERSION);
  if (info->processor && info->processor() != WEFT_OK)
    return fail(message, WEFT_ERROR_PROCESSOR,
                "model '%s' was compiled for %s; this machine lacks some of what that has: %s",
                info->name, info->target, info->features);
  int inside = info->embedded_weights && !(flags & WEFT_WEIGHTS_FROM_FILE);
  if (inside || info->weights_bytes == 0)
    return takeInside(info, flags, weights, message);
  if (!path)
    return fail(message, WEFT_ERROR_ARGUMENT, "model '%s' needs a weights file", info->name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return fail(message, WEFT_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
  int code = readFile(file, path, info, flags, weights, message);
  close(file);
  return code;
}

void weft_weights_close(weft_weights *weights) {
  if (weft_cuda_forget && weights->data)
    weft_cuda_forget(weights->data);
  if (weights->size)
    munmap((void *)(uintptr_t)weights->data, (size_t)weights->size);
  weights->data = NULL;
  weights->size = 0;
}
