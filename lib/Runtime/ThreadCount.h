/*===- ThreadCount.h - how many threads kernels may use --------------------------------*- C
-*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_THREADCOUNT_H
#define WEFT_LIB_RUNTIME_THREADCOUNT_H

enum { WEFT_MAX_THREADS = 1024 };

/* The processors that this process may run on. */
__attribute__((visibility("hidden"))) int weft_count_processors(void);

#endif
