/*===- Memory.c - scratch memory, and memory on huge pages ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// A processor finds its way to few pages at once: what is read from end to end, like weights, or
// again and again, like scratch, is faster on pages of 2 MiB than on pages of 4 KiB.

#define _GNU_SOURCE /* MADV_HUGEPAGE */

#include "Memory.h"

#include "weft/Runtime/weft_runtime.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static const size_t hugePage = (size_t)2 << 20;

/* A system that has no huge pages, or none left, says no, and nothing is lost. */
void weft_advise_huge(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
  madvise(memory, size, MADV_HUGEPAGE);
#else
  (void)memory, (void)size;
#endif
}

void *weft_map_huge(size_t size) {
  if (size > SIZE_MAX - hugePage)
    return NULL;
  /* Only whole pages at their own alignment are huge. */
  char *all =
      mmap(NULL, size + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return NULL;
  size_t before = (hugePage - (uintptr_t)all % hugePage) % hugePage;
  char *memory = all + before, *end = memory + (size + 4095) / 4096 * 4096;
  if (before)
    munmap(all, before);
  if (end < all + size + hugePage)
    munmap(end, (size_t)(all + size + hugePage - end));
  weft_advise_huge(memory, size);
  return memory;
}

void *weft_allocate(int64_t bytes) {
  if (bytes < 0)
    return NULL;
  size_t size = bytes ? (size_t)bytes : 64;
  int isLarge = size >= 2 * hugePage;
  void *memory = NULL;
  if (posix_memalign(&memory, isLarge ? hugePage : 64, size) != 0)
    return NULL;
  if (isLarge)
    weft_advise_huge(memory, size / hugePage * hugePage);
  return memory;
}
