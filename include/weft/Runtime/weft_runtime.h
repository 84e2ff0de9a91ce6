/*===- weft_runtime.h - what a program that calls a compiled model may need ---------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Opening a weights file, scratch memory, threads, error texts, profiles. All of it is in
// libweft_runtime.a, and in every shared library that weftc makes. The functions are independent:
// an application may map weights, allocate memory and run threads in its own way instead.
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_RUNTIME_WEFT_RUNTIME_H
#define WEFT_RUNTIME_WEFT_RUNTIME_H

#include "weft/Runtime/weft_model_info.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One line that explains a WEFT_ERROR_ code; never null. For WEFT_ERROR_DEVICE it is what the last
 * call on this thread met with; the library that made the call knows it. */
const char *weft_error_string(int code);

/* A weights file in memory. `data` is what entries take as `weights`. */
typedef struct {
  const void *data;
  int64_t size; /* bytes that are mapped; 0 if the weights are in the model or there are none */
} weft_weights;

/* Maps the weights file at `path` for the model and checks that it is that model's: magic, size
 * and fingerprint; and that this machine can run the model. Pages are read when they are first used
 * and shared with other processes. `path` is not looked at if the model has its weights inside or
 * has none. On failure returns an error code, leaves `weights` empty and, unless `message` is null,
 * writes a full sentence (naming the file) of at most `message_size` bytes, NUL included. */
int weft_weights_open(const char *path, const weft_model_info *info, weft_weights *weights,
                      char *message, size_t message_size);

/* The same with flags. Copied into memory of this process alone, on huge pages where the system
 * gives them: opening reads the whole file then; calls take a few hundredths less time. */
#define WEFT_WEIGHTS_COPY_HUGE 1
/* The file at `path` also if the model has its weights inside. */
#define WEFT_WEIGHTS_FROM_FILE 2
int weft_weights_open_flags(const char *path, const weft_model_info *info, int flags,
                            weft_weights *weights, char *message, size_t message_size);

/* Gives the memory back. Harmless on empty or already closed weights. */
void weft_weights_close(weft_weights *weights);

/* `bytes` bytes aligned to 64, or null if there is not so much memory; many are on huge pages where
 * the system gives them. Free with free(). */
void *weft_allocate(int64_t bytes);

/* Calls fn(context, 0) ... fn(context, n - 1), each exactly once, on the threads set below, and
 * returns when all are done. Which thread makes a call, and whether two are made at the same time,
 * is not said: calls must not depend on one another, and so results do not depend on the number of
 * threads. A call from inside of another, or beside that of another thread of the program, is done
 * by its caller alone. This is the only function that compiled code calls; a program may define its
 * own, in which no call may wait for another either. */
void weft_parallel_for(void (*fn)(void *context, int64_t index), void *context, int64_t n);

/* Number of threads for weft_parallel_for, at most 1024; n < 1 restores the default: the
 * environment variable WEFT_THREADS, or else the processors that this process may run on (its
 * affinity mask). Not to be called while a model runs. */
void weft_set_threads(int n);
/* What weft_set_threads set, or the default. */
int weft_get_threads(void);

/* Profiles. Objects compiled with --profile call begin and end, with the kernel's index in
 * weft_model_info, around each kernel on the calling thread. Totals are kept for the first
 * WEFT_PROFILE_KERNELS kernels, for one thread that calls models at a time. */
#define WEFT_PROFILE_KERNELS 4096
void weft_profile_begin(int32_t kernel);
void weft_profile_end(int32_t kernel);
/* Adds one call of a kernel that was timed in another way. */
void weft_profile_add(int32_t kernel, double seconds);
/* Totals since the last reset; both are 0 for a kernel that did not run. */
void weft_profile_read(int32_t kernel, int64_t *calls, double *seconds);
/* Sets all totals to 0. */
void weft_profile_reset(void);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_WEFT_RUNTIME_H */
