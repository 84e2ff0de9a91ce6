/*===- Slots.c - the sequences' memory on the device ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include "Slots.h"

#include <stdlib.h>
#include <time.h>

/* More sequences than these are not kept: callers free states without saying so. */
enum { MOST_SLOTS = 1024 };

/* A call that wrote to a slot, from position `begin` on. */
typedef struct {
  int64_t serial, begin;
} Write;

struct WeftSlot {
  const weft_cuda_program *program;
  int64_t number;
  int64_t serial; /* of the last call */
  WeftBuffer memory;
  /* Calls that wrote: each began behind all that are listed before it, so that the first one after
   * a serial number is the one that began first. */
  Write *writes;
  int64_t writeCount, writeRoom;
  int64_t *firsts; /* of each window: the first position that it holds */
  WeftSlot *older; /* a list, from the one that was used last */
};

static WeftSlot *newest;
static WeftSlot *inUse;
static int64_t slotCount, lastNumber, lastSerial;
/* For what is moved within a window. */
static WeftBuffer moved;

/* States of another process, or of one before, must not match: the numbers begin anywhere. */
static int64_t nextSerial(void) {
  if (lastSerial == 0) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    lastSerial = (now.tv_sec ^ (int64_t)now.tv_nsec << 30) & INT64_C(0x3fffffffffffffff);
  }
  return ++lastSerial;
}

static WeftSlot *findSlot(const weft_cuda_program *program, int64_t number) {
  WeftSlot *slot = newest;
  while (slot && (slot->number != number || slot->program != program))
    slot = slot->older;
  return slot;
}

static void unlinkSlot(WeftSlot *slot) {
  WeftSlot **link = &newest;
  while (*link && *link != slot)
    link = &(*link)->older;
  if (*link)
    *link = slot->older;
}

static void makeNewest(WeftSlot *slot) {
  unlinkSlot(slot);
  slot->older = newest;
  newest = slot;
}

static void dropSlot(WeftSlot *slot) {
  unlinkSlot(slot);
  weft_cuda_give_back(&slot->memory);
  free(slot->writes);
  free(slot->firsts);
  free(slot);
  --slotCount;
}

int weft_cuda_drop_oldest_slot(void) {
  WeftSlot *oldest = NULL;
  for (WeftSlot *slot = newest; slot; slot = slot->older)
    if (slot != inUse)
      oldest = slot;
  if (oldest)
    dropSlot(oldest);
  return oldest != NULL;
}

void weft_cuda_drop_slots(void) {
  while (newest)
    dropSlot(newest);
  inUse = NULL;
  weft_cuda_give_back(&moved);
}

static int makeSlot(const weft_cuda_program *program, const weft_cuda_function *function,
                    WeftSlot **made) {
  if (slotCount >= MOST_SLOTS)
    weft_cuda_drop_oldest_slot();
  WeftSlot *slot = calloc(1, sizeof *slot);
  if (!slot)
    return WEFT_ERROR_MEMORY;
  slot->program = program;
  slot->number = ++lastNumber;
  slot->firsts = calloc((size_t)function->window_count + 1, sizeof *slot->firsts);
  ++slotCount;
  int code = slot->firsts ? weft_cuda_reserve(&slot->memory, function->state_bytes, "a sequence")
                          : WEFT_ERROR_MEMORY;
  if (code != WEFT_OK) {
    dropSlot(slot);
    return code;
  }
  *made = slot;
  return WEFT_OK;
}

//===----------------------------------------------------------------------------------------===//
// Who continues where
//===----------------------------------------------------------------------------------------===//

/* Notes that the call `serial` writes from `begin` on. */
static int noteWrite(WeftSlot *slot, int64_t serial, int64_t begin) {
  while (slot->writeCount > 0 && slot->writes[slot->writeCount - 1].begin >= begin)
    --slot->writeCount;
  if (slot->writeCount == slot->writeRoom) {
    int64_t room = slot->writeRoom ? 2 * slot->writeRoom : 16;
    Write *writes = realloc(slot->writes, (size_t)room * sizeof *writes);
    if (!writes)
      return WEFT_ERROR_MEMORY;
    slot->writes = writes;
    slot->writeRoom = room;
  }
  slot->writes[slot->writeCount++] = (Write){serial, begin};
  slot->serial = serial;
  return WEFT_OK;
}

/* Whether calls after `serial` left the first `length` positions as they were. */
static int isWhole(const WeftSlot *slot, int64_t serial, int64_t length) {
  for (int64_t i = 0; i < slot->writeCount; ++i)
    if (slot->writes[i].serial > serial)
      return slot->writes[i].begin >= length;
  return 1;
}

/* How many of the first `length` positions the next ones see through a window. */
static int64_t inReach(const weft_cuda_place *place, int64_t length) {
  return length < place->reach ? length : place->reach;
}

/* Whether windows still hold them, looked at before anything is changed: a call that is refused
 * leaves the sequence as it was. */
static int checkWindows(const WeftSlot *slot, const weft_cuda_function *function, int64_t length) {
  for (int32_t i = 0; i < function->place_count; ++i) {
    const weft_cuda_place *place = &function->places[i];
    if (place->window < 0)
      continue;
    int64_t first = slot->firsts[place->window], kept = first < length ? length - first : 0;
    if (kept < inReach(place, length))
      return weft_cuda_fail("the sequence was shortened to %lld positions: those before it are no "
                            "longer in its window",
                            (long long)length);
  }
  return WEFT_OK;
}

/* A slot with the same content. */
static int forkSlot(WeftSlot *slot, const weft_cuda_function *function, WeftSlot **fork) {
  inUse = slot; /* making the other one must not take it */
  int code = makeSlot(slot->program, function, fork);
  if (code != WEFT_OK)
    return code;
  for (int i = 0; i < function->window_count; ++i)
    (*fork)->firsts[i] = slot->firsts[i];
  return weft_cuda_check(
      weft_cuda_driver.cuMemcpyDtoDAsync_v2((*fork)->memory.address, slot->memory.address,
                                            (size_t)function->state_bytes, weft_cuda_device.stream),
      "copy a sequence");
}

int weft_cuda_take_slot(const weft_cuda_program *program, const weft_cuda_function *function,
                        int64_t *state, WeftSlot **taken) {
  int64_t length = state[0], *number = &state[function->slot_word], *serial = number + 1;
  WeftSlot *slot = NULL;
  int code = WEFT_OK;
  if (*serial == 0) {
    code = makeSlot(program, function, &slot);
  } else {
    slot = findSlot(program, *number);
    if (!slot || *serial > slot->serial)
      return weft_cuda_fail("the memory of this sequence on the GPU was given to others, or it "
                            "was begun by another process: begin it again");
    if (*serial != slot->serial && !isWhole(slot, *serial, length))
      return weft_cuda_fail("this state is a copy of one that was shortened below its %lld "
                            "positions and continued: on a GPU these are lost",
                            (long long)length);
    code = checkWindows(slot, function, length);
    if (code == WEFT_OK && *serial != slot->serial)
      code = forkSlot(slot, function, &slot);
  }
  if (code == WEFT_OK)
    code = noteWrite(slot, nextSerial(), length);
  if (code != WEFT_OK)
    return code;
  *number = slot->number;
  *serial = slot->serial;
  makeNewest(slot);
  *taken = inUse = slot;
  return WEFT_OK;
}

//===----------------------------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------------------------===//

/* Moves `bytes` bytes to the front of a window; they may overlap. */
static int moveToFront(CUdeviceptr front, CUdeviceptr from, int64_t bytes) {
  int code = weft_cuda_reserve(&moved, bytes, "a window");
  if (code != WEFT_OK)
    return code;
  CUstream stream = weft_cuda_device.stream;
  int result = weft_cuda_driver.cuMemcpyDtoDAsync_v2(moved.address, from, (size_t)bytes, stream);
  if (result == CUDA_SUCCESS)
    result = weft_cuda_driver.cuMemcpyDtoDAsync_v2(front, moved.address, (size_t)bytes, stream);
  return weft_cuda_check(result, "move a window");
}

int weft_cuda_find_part(WeftSlot *slot, const weft_cuda_place *place, int64_t length, int64_t rows,
                        CUdeviceptr *address) {
  CUdeviceptr start = slot->memory.address + (CUdeviceptr)place->offset;
  *address = start;
  if (place->window < 0)
    return WEFT_OK;
  int64_t *first = &slot->firsts[place->window];
  if (*first > length) /* shortened, and nothing of what lies before is needed */
    *first = length / place->step * place->step;
  int code = WEFT_OK;
  if (length - *first + rows > place->rows) {
    int64_t from = (length - inReach(place, length)) / place->step * place->step;
    code = moveToFront(start, start + (CUdeviceptr)((from - *first) * place->bytes),
                       (length - from) * place->bytes);
    *first = from;
  }
  *address = start - (CUdeviceptr)(*first * place->bytes);
  return code;
}
