/* A model's step and what it computes for the last position only, side by side: the same bits of
 * the last position, and the same state. Nobody reads what lies before a state, nor numbers of it
 * that nobody has written. usage: last MODEL.so MODEL.weights [SEED] */

#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "../../Inputs/check.h"
#include "weft/Runtime/weft_runtime.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 32, PAGES = 1 << 16 };

static const weft_model_info *info;
static int64_t sizes[MOST];

static int64_t elementsOf(const weft_tensor_info *tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    count *= tensor->symbols[i] < 0 ? tensor->dims[i] : sizes[tensor->symbols[i]];
  return count;
}

static size_t bytesOf(const weft_tensor_info *tensor) {
  int32_t type = tensor->dtype;
  size_t each = type == WEFT_F32 || type == WEFT_I32    ? 4
                : type == WEFT_F16 || type == WEFT_BF16 ? 2
                                                        : 1;
  return each * (size_t)elementsOf(tensor);
}

static void fillElement(const weft_tensor_info *tensor, void *data, int64_t i) {
  int64_t bound = tensor->index_bound ? tensor->index_bound : 2;
  if (tensor->dtype == WEFT_F32)
    ((float *)data)[i] = (float)(rand() % 1000) / 500 - 1;
  else if (tensor->dtype == WEFT_I32)
    ((int32_t *)data)[i] = (int32_t)(rand() % bound);
  else if (tensor->dtype == WEFT_F16 || tensor->dtype == WEFT_BF16)
    ((uint16_t *)data)[i] = (uint16_t)(rand() % 2 << 15 | rand() % 0x3c00); /* at most 1 */
  else
    ((uint8_t *)data)[i] = (uint8_t)(rand() % bound);
}

/* Random ids and reals; what may be left out is. */
static void fill(const weft_tensor_info *tensors, int32_t count, void **inputs) {
  for (int32_t i = 0; i < count; ++i) {
    const weft_tensor_info *tensor = &tensors[i];
    inputs[i] = tensor->optional ? NULL : weft_allocate((int64_t)bytesOf(tensor));
    for (int64_t j = 0; inputs[i] && j < elementsOf(tensor); ++j)
      fillElement(tensor, inputs[i], j);
  }
}

static void freeAll(void **inputs, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    free(inputs[i]);
}

/* Numbers that are none, behind pages that nobody may touch. */
static void *makeState(int64_t bytes) {
  size_t size = (size_t)bytes + PAGES;
  char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && mprotect(pages, PAGES, PROT_NONE) == 0);
  return memset(pages + PAGES, 0xff, (size_t)bytes);
}

static void dropState(char *state, int64_t bytes) { munmap(state - PAGES, (size_t)bytes + PAGES); }

/* The pieces of a sequence, each by both. */
static void compare(const weft_step_info *step, const void *weights) {
  void *states[2], *inputs[MOST], *scratch = weft_allocate(step->scratch_bytes);
  CHECK(step->input_count <= MOST && step->output_count == 1);
  fill(step->start_inputs, step->start_input_count, inputs);
  for (int i = 0; i < 2; ++i) {
    states[i] = makeState(step->state_bytes);
    int error = step->start(weights, states[i], scratch, sizes, inputs, NULL);
    CHECK(error != WEFT_ERROR_INDEX); /* which made-up ids may give: nothing to compare */
    CHECK(error == WEFT_OK);
  }
  freeAll(inputs, step->start_input_count);
  int64_t bound = info->symbols[step->length_symbol].bound;
  for (int64_t length = 0, count; length < bound; length += count) {
    int64_t left = bound - length, most = rand() % 4 ? 4 : left;
    count = 1 + rand() % (most < left ? most : left);
    sizes[step->count_symbol] = count;
    fill(step->inputs, step->input_count, inputs);
    size_t row = bytesOf(step->last_outputs), all = bytesOf(step->outputs);
    char *rows = weft_allocate((int64_t)all), *last = weft_allocate((int64_t)row);
    CHECK(step->last_outputs->rank == step->outputs->rank - 1);
    CHECK(step->last_outputs->dtype == step->outputs->dtype && row * (size_t)count == all);
    void *outputs[] = {rows}, *lastOutputs[] = {last};
    int error = step->call(weights, states[0], scratch, sizes, inputs, outputs);
    CHECK(error != WEFT_ERROR_INDEX);
    CHECK(error == WEFT_OK);
    memset(scratch, 0xff, (size_t)step->scratch_bytes);
    CHECK(step->last(weights, states[1], scratch, sizes, inputs, lastOutputs) == WEFT_OK);
    CHECK(!memcmp(last, rows + all - row, row));
    for (int64_t i = 0; step->outputs->dtype == WEFT_F32 && i < elementsOf(step->last_outputs); ++i)
      CHECK(!isnan(((float *)last)[i]));
    CHECK(!memcmp(states[0], states[1], (size_t)step->state_bytes));
    free(rows);
    free(last);
    freeAll(inputs, step->input_count);
  }
  /* There is no room for more. */
  sizes[step->count_symbol] = 1;
  fill(step->inputs, step->input_count, inputs);
  void *last = weft_allocate((int64_t)bytesOf(step->last_outputs));
  void *lastOutputs[] = {last};
  CHECK(step->last(weights, states[1], scratch, sizes, inputs, lastOutputs) == WEFT_ERROR_LENGTH);
  CHECK(step->last(weights, NULL, scratch, sizes, inputs, lastOutputs) == WEFT_ERROR_ARGUMENT);
  free(last);
  freeAll(inputs, step->input_count);
  for (int i = 0; i < 2; ++i)
    dropState(states[i], step->state_bytes);
  free(scratch);
}

int main(int argc, char **argv) {
  CHECK(argc >= 3);
  srand(argc > 3 ? (unsigned)atoi(argv[3]) : 1);
  void *library = dlopen(argv[1], RTLD_NOW);
  CHECK(library);
  info = ((weft_get_info_function)dlsym(library, WEFT_GET_INFO_NAME))();
  weft_weights weights;
  CHECK(weft_weights_open(argv[2], info, &weights, NULL, 0) == WEFT_OK);
  CHECK(info->symbol_count <= MOST && info->step_count > 0);
  for (int round = 0; round < 3; ++round)
    for (int32_t i = 0; i < info->step_count; ++i) {
      for (int32_t s = 0; s < info->symbol_count; ++s)
        sizes[s] = 1 + rand() % info->symbols[s].bound;
      compare(&info->steps[i], weights.data);
    }
  weft_weights_close(&weights);
  puts("all hold");
  return 0;
}
