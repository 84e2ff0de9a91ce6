/*===- Profile.h - the times of kernels ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_CUDA_PROFILE_H
#define WEFT_LIB_RUNTIME_CUDA_PROFILE_H

#include "Device.h"

/* Whether a kernel is launched between two events. */
WEFT_HIDDEN int weft_cuda_is_timed(void);

/* Adds the times between events, all of which have happened, to the profile. */
WEFT_HIDDEN void weft_cuda_profile_finish(void);

#endif
