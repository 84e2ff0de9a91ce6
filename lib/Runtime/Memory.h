/*===- Memory.h - memory on huge pages ---------------------------------------------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_MEMORY_H
#define WEFT_LIB_RUNTIME_MEMORY_H

#include <stddef.h>

/* Fresh memory, on huge pages where the system gives them, to be given back by munmap; or null,
 * with errno. */
__attribute__((visibility("hidden"))) void *weft_map_huge(size_t size);

/* Asks for huge pages for memory that is mapped already. */
__attribute__((visibility("hidden"))) void weft_advise_huge(void *memory, size_t size);

#endif
