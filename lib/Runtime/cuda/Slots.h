/*===- Slots.h - the sequences' memory on the device ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// The state of a sequence, which the caller owns and may copy, holds on the host what is counted:
// its length, the values of symbols. Its caches lie on the device, in a slot. Two words of the
// state name it: its number, and the serial number of the call that wrote to it last.
//
// A state whose serial number is that of its slot continues there. One that is behind is a copy of
// a state that went on, or was copied and not used: it gets a copy of the slot. What it needs is
// still there unless the other one was cut below the copy's length and went on from there. A slot
// keeps what is needed to know that: at which positions calls began to write.

#ifndef WEFT_LIB_RUNTIME_CUDA_SLOTS_H
#define WEFT_LIB_RUNTIME_CUDA_SLOTS_H

#include "weft/Runtime/weft_cuda_program.h"

#include "Device.h"

typedef struct WeftSlot WeftSlot;

/* The slot for a call that continues `state` at its length, a fresh one for a new sequence. The
 * state gets its number and the serial number of this call. */
WEFT_HIDDEN int weft_cuda_take_slot(const weft_cuda_program *program,
                                    const weft_cuda_function *function, int64_t *state,
                                    WeftSlot **slot);

/* Where a part of the state lies. A window, which gets room for `rows` positions behind `length`
 * (those in reach are moved to its front when it is full), is named by the address at which
 * position 0 would lie. */
WEFT_HIDDEN int weft_cuda_find_part(WeftSlot *slot, const weft_cuda_place *place, int64_t length,
                                    int64_t rows, CUdeviceptr *address);

/* Gives back the slot that was used longest ago, but for that of the call that runs. 0 if there is
 * none. */
WEFT_HIDDEN int weft_cuda_drop_oldest_slot(void);

/* Gives back all slots. */
WEFT_HIDDEN void weft_cuda_drop_slots(void);

#endif
