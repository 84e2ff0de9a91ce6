/*===- Call.c - a call of a model ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// The device's memory for the tensors of a call is one block: [frame | inputs | outputs]. What is
// small is gathered in pinned memory and copied at once.

#include "Graph.h"
#include "Profile.h"
#include "Program.h"
#include "Slots.h"

#include <stdlib.h>
#include <string.h>

/* Of the pinned memory. */
enum { PINNED_BYTES = 1 << 20 };

/* The status of checks, then the values of the symbols. */
enum { SYMBOLS_OFFSET = 8 };

/* The call that runs: there is one at a time. */
static struct {
  WeftProgram *program;
  const weft_cuda_function *function;
  WeftSlot *slot;
  int64_t *state;
  const int64_t *sizes;
  void *const *tensors;
  int code;
} call;

static char *pinned;

/* For each place: the address on the device, and the caller's output, null if that is not copied.
 */
static void **passed, **outputs;
static int room;

static int64_t frameBytes(void) {
  return weft_cuda_align(SYMBOLS_OFFSET + 8 * (int64_t)call.program->source->symbol_count);
}

static int64_t bytesOf(const weft_cuda_place *place) {
  int64_t bytes = place->bytes;
  for (int32_t i = 0; i < place->symbol_count; ++i)
    bytes *= call.sizes[place->symbols[i]];
  return bytes;
}

/* Whether a tensor can be read and written where it is. */
static int isUsable(const void *pointer) {
  return (uintptr_t)pointer % 16 == 0 && weft_cuda_is_on_device(pointer);
}

//===----------------------------------------------------------------------------------------===//
// Before the body
//===----------------------------------------------------------------------------------------===//

/* Pinned memory, and the lists. */
static int prepare(void) {
  if (!pinned) {
    int code = weft_cuda_check(weft_cuda_driver.cuMemHostAlloc((void **)&pinned, PINNED_BYTES, 0),
                               "pin memory");
    if (code != WEFT_OK)
      return code;
  }
  if (room < call.function->place_count) {
    void **lists = realloc(passed, 2 * (size_t)call.function->place_count * sizeof *lists);
    if (!lists)
      return WEFT_ERROR_MEMORY;
    passed = lists;
    room = call.function->place_count;
  }
  outputs = passed + room;
  return frameBytes() > PINNED_BYTES ? WEFT_ERROR_MEMORY : WEFT_OK;
}

/* Tensors that the block has no room for stay where they are. */
static int needsRoom(const weft_cuda_place *place, const void *tensor) {
  return place->kind != WEFT_CUDA_PART && (tensor ? !isUsable(tensor) : place->fills);
}

static int reserveBlock(void) {
  int64_t bytes = frameBytes();
  for (int32_t i = 0; i < call.function->place_count; ++i)
    if (needsRoom(&call.function->places[i], call.tensors[i]))
      bytes += weft_cuda_align(bytesOf(&call.function->places[i]));
  return weft_cuda_reserve(&call.program->tensors, bytes, "inputs and outputs");
}

static int fill(CUdeviceptr to, uint32_t bits, int64_t bytes) {
  return weft_cuda_check(
      weft_cuda_driver.cuMemsetD32Async(to, bits, (size_t)(bytes + 3) / 4, weft_cuda_device.stream),
      "fill an input");
}

/* Copies an input; a small one is noted in pinned memory, which is copied up to `gathered`. */
static int takeInput(const weft_cuda_place *place, const void *tensor, int64_t offset,
                     int64_t *gathered) {
  int64_t bytes = bytesOf(place);
  CUdeviceptr to = call.program->tensors.address + (CUdeviceptr)offset;
  CUstream stream = weft_cuda_device.stream;
  if (!tensor)
    return fill(to, place->fill, bytes);
  if (weft_cuda_is_on_device(tensor))
    return weft_cuda_check(weft_cuda_driver.cuMemcpyDtoDAsync_v2(to, (CUdeviceptr)(uintptr_t)tensor,
                                                                 (size_t)bytes, stream),
                           "copy an input");
  if (offset == *gathered && offset + weft_cuda_align(bytes) <= PINNED_BYTES) {
    memcpy(pinned + offset, tensor, (size_t)bytes);
    *gathered = offset + weft_cuda_align(bytes);
    return WEFT_OK;
  }
  return weft_cuda_check(weft_cuda_driver.cuMemcpyHtoDAsync_v2(to, tensor, (size_t)bytes, stream),
                         "take an input");
}

static int findPart(const weft_cuda_place *place, CUdeviceptr *address) {
  int32_t count = call.function->count_symbol;
  return weft_cuda_find_part(call.slot, place, call.state[0], count < 0 ? 0 : call.sizes[count],
                             address);
}

/* Gives every tensor its address on the device. */
static int passTensors(int64_t *gathered) {
  int64_t offset = frameBytes();
  for (int32_t i = 0; i < call.function->place_count; ++i) {
    const weft_cuda_place *place = &call.function->places[i];
    void *tensor = call.tensors[i];
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)tensor;
    int code = WEFT_OK;
    outputs[i] = NULL;
    if (place->kind == WEFT_CUDA_PART) {
      code = findPart(place, &address);
    } else if (needsRoom(place, tensor)) {
      address = call.program->tensors.address + (CUdeviceptr)offset;
      if (place->kind == WEFT_CUDA_OUTPUT)
        outputs[i] = tensor;
      else
        code = takeInput(place, tensor, offset, gathered);
      offset += weft_cuda_align(bytesOf(place));
    }
    if (code != WEFT_OK)
      return code;
    passed[i] = (void *)(uintptr_t)address;
  }
  return WEFT_OK;
}

static int begin(void) {
  int code = prepare();
  if (code == WEFT_OK)
    code = reserveBlock();
  if (code == WEFT_OK && call.state)
    code = weft_cuda_take_slot(call.program->source, call.function, call.state, &call.slot);
  if (code != WEFT_OK)
    return code;
  int64_t gathered = frameBytes();
  memset(pinned, 0, SYMBOLS_OFFSET);
  memcpy(pinned + SYMBOLS_OFFSET, call.sizes, 8 * (size_t)call.program->source->symbol_count);
  code = passTensors(&gathered);
  if (code != WEFT_OK)
    return code;
  return weft_cuda_check(weft_cuda_driver.cuMemcpyHtoDAsync_v2(call.program->tensors.address,
                                                               pinned, (size_t)gathered,
                                                               weft_cuda_device.stream),
                         "take the inputs");
}

//===----------------------------------------------------------------------------------------===//
// The body, and what comes after it
//===----------------------------------------------------------------------------------------===//

void weft_cuda_launch(int32_t kernel, int64_t blocks, int32_t threads, int32_t shared_bytes,
                      const void *const *arguments, int32_t count, int32_t map_count) {
  if (call.code != WEFT_OK)
    return;
  WeftLaunch launch;
  memset(&launch, 0, sizeof launch); /* lists are compared as bytes */
  launch.kernel = kernel;
  launch.threads = threads;
  launch.shared_bytes = shared_bytes;
  launch.pointer_count = count - map_count;
  launch.map_count = map_count;
  launch.blocks = blocks;
  call.code = weft_cuda_note_launch(&launch, arguments);
  if (call.code == WEFT_OK && weft_cuda_is_timed()) { /* between events, which a graph lacks */
    call.code = weft_cuda_launch_noted(call.program);
    weft_cuda_clear_launches();
  }
}

int32_t weft_cuda_chip(void) { return call.program->image->capability; }
int32_t weft_cuda_processors(void) { return weft_cuda_device.processors; }

void weft_cuda_encode(void *map, const weft_cuda_box *box, const void *address,
                      const int64_t *numbers) {
  enum { RANK = 5, SWIZZLE_128B = 3, L2_256B = 3 };
  uint64_t sizes[RANK], strides[RANK];
  uint32_t boxes[RANK], steps[RANK];
  if (call.code != WEFT_OK)
    return;
  for (int32_t i = 0; i < box->rank; ++i) {
    sizes[i] = (uint64_t)numbers[i];
    strides[i] = i ? (uint64_t)numbers[box->rank + i - 1] : 0;
    boxes[i] = (uint32_t)box->box[i];
    steps[i] = 1;
  }
  call.code = weft_cuda_check(weft_cuda_driver.cuTensorMapEncodeTiled(
                                  map, box->type, (uint32_t)box->rank, (void *)(uintptr_t)address,
                                  sizes, strides + 1, boxes, steps, /*interleave=*/0, SWIZZLE_128B,
                                  L2_256B, /*fill=*/0),
                              "describe a tensor");
}

/* Copies the status and the outputs, and waits for them. */
static int end(void) {
  CUstream stream = weft_cuda_device.stream;
  int32_t *status = (int32_t *)(void *)pinned;
  int result = weft_cuda_driver.cuMemcpyDtoHAsync_v2(status, call.program->tensors.address,
                                                     sizeof *status, stream);
  for (int32_t i = 0; result == CUDA_SUCCESS && i < call.function->place_count; ++i) {
    if (!outputs[i])
      continue;
    CUdeviceptr from = (CUdeviceptr)(uintptr_t)passed[i];
    size_t bytes = (size_t)bytesOf(&call.function->places[i]);
    result = weft_cuda_is_on_device(outputs[i])
                 ? weft_cuda_driver.cuMemcpyDtoDAsync_v2((CUdeviceptr)(uintptr_t)outputs[i], from,
                                                         bytes, stream)
                 : weft_cuda_driver.cuMemcpyDtoHAsync_v2(outputs[i], from, bytes, stream);
  }
  int code = weft_cuda_check(result, "give the outputs");
  if (code == WEFT_OK)
    code = weft_cuda_wait();
  return code == WEFT_OK ? *status : code;
}

static int run(const void *weights) {
  CUdeviceptr onDevice = 0;
  int code = weft_cuda_find_weights(call.program->source, weights, &onDevice);
  if (code == WEFT_OK)
    code = begin();
  if (code != WEFT_OK) {
    weft_cuda_driver.cuStreamSynchronize(weft_cuda_device.stream); /* copies of what was begun */
    return code;
  }
  weft_cuda_clear_launches();
  call.function->body((const void *)(uintptr_t)onDevice,
                      (void *)(uintptr_t)call.program->scratch.address, call.sizes,
                      (void *)(uintptr_t)call.program->tensors.address, passed);
  if (call.code == WEFT_OK)
    call.code = weft_cuda_run_launches(call.program);
  code = end();
  weft_cuda_profile_finish();
  return call.code != WEFT_OK ? call.code : code;
}

int weft_cuda_call(const weft_cuda_program *program, const weft_cuda_function *function,
                   const void *weights, int64_t *state, const int64_t *sizes,
                   void *const *tensors) {
  int code = weft_cuda_enter();
  if (code != WEFT_OK)
    return code;
  call.function = function;
  call.state = state;
  call.sizes = sizes;
  call.tensors = tensors;
  call.code = WEFT_OK;
  code = weft_cuda_find_program(program, &call.program);
  if (code == WEFT_OK)
    code = run(weights);
  weft_cuda_leave();
  return code;
}
