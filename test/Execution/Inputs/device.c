/* The state of a model that generates, with its caches on a GPU: copies, shortened sequences, what
 * is lost; tensors on the device; weights that change. The model reads ids and may have windows.
 * usage: device MODEL.so MODEL.weights [windows] */

#include "../../Inputs/check.h"
#include "weft/Runtime/weft_cuda.h"
#include "weft/Runtime/weft_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, WORDS = 256 };

static void *library;
static const weft_model_info *info;
static const weft_step_info *step;
static const void *weights;
static int64_t row; /* elements of the logits of a position */

static void *find(const char *name) {
  void *function = dlsym(library, name);
  CHECK(function);
  return function;
}

static const char *explain(int code) {
  return ((const char *(*)(int))find("weft_error_string"))(code);
}

/* A sequence, as a program has it. */
typedef struct {
  _Alignas(64) int64_t words[WORDS];
} State;

static void start(State *state) {
  int64_t sizes[MOST] = {0};
  memset(state, 0xab, sizeof *state); /* fresh memory is anything */
  CHECK(step->start(weights, state, NULL, sizes, NULL, NULL) == WEFT_OK);
}

/* Continues by `count` ids, wherever these and the logits lie. */
static int advance(State *state, const int32_t *ids, int64_t count, float *logits) {
  int64_t sizes[MOST] = {0};
  void *inputs[MOST] = {(void *)ids}, *outputs[] = {logits};
  sizes[step->count_symbol] = count;
  return step->call(weights, state, NULL, sizes, inputs, outputs);
}

static const int32_t ids[2][MOST] = {{5, 17, 3, 24, 9, 1, 30, 2, 13, 7, 8, 21, 4, 13, 19, 6},
                                     {11, 2, 25, 4, 31, 6, 27, 18, 9, 10, 3, 12, 1, 14, 5, 20}};

/* What a new sequence of `head` ids of text 0 and those of `text` behind them has as its last
 * logits, in pieces of these sizes. */
static void expect(int64_t head, int text, int64_t count, float *logits) {
  State state;
  float all[MOST * 128];
  CHECK(row * MOST <= (int64_t)(sizeof all / sizeof *all));
  start(&state);
  CHECK(advance(&state, ids[0], head, all) == WEFT_OK);
  CHECK(advance(&state, ids[text], count, all) == WEFT_OK);
  memcpy(logits, all + (count - 1) * row, 4 * (size_t)row);
}

/* Continues and compares with such a sequence. */
static void check(State *state, int64_t head, int text, int64_t count) {
  float all[MOST * 128], last[128];
  CHECK(advance(state, ids[text], count, all) == WEFT_OK);
  expect(head, text, count, last);
  CHECK(!memcmp(all + (count - 1) * row, last, 4 * (size_t)row));
}

static void refuse(State *state, const char *why) {
  float all[128];
  int code = advance(state, ids[0], 1, all);
  CHECK(code == WEFT_ERROR_DEVICE);
  CHECK(strstr(explain(code), why));
}

//===----------------------------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------------------------===//

static State begin(int64_t head) {
  State state;
  float all[MOST * 128];
  start(&state);
  CHECK(advance(&state, ids[0], head, all) == WEFT_OK);
  CHECK(state.words[0] == head);
  return state;
}

/* A copy and what it was made of go on by themselves, in either order. */
static void checkCopies(void) {
  for (int first = 0; first < 2; ++first) {
    State states[3] = {begin(6)};
    states[1] = states[0];
    states[2] = states[0];
    check(&states[first], 6, 1, 3);
    check(&states[1 - first], 6, 0, 3);
    check(&states[2], 6, 1, 2);
    /* They went on from where they are, not from where the others are. */
    CHECK(states[0].words[0] == 9 && states[2].words[0] == 8);
  }
  State fresh[2];
  start(&fresh[0]);
  fresh[1] = fresh[0];
  float all[MOST * 128];
  for (int i = 0; i < 2; ++i) {
    CHECK(advance(&fresh[i], ids[0], 4, all) == WEFT_OK);
    check(&fresh[i], 4, i, 3);
  }
}

static void checkShortened(void) {
  State state = begin(6), copy = state, longer;
  float all[MOST * 128];
  CHECK(advance(&state, ids[1], 2, all) == WEFT_OK);
  longer = state;
  state.words[0] = 6;
  check(&state, 6, 0, 3);
  /* A copy that was no longer than what is left is whole. */
  check(&copy, 6, 1, 4);
  refuse(&longer, "shortened below its 8 positions");
  CHECK(longer.words[0] == 8);
  longer.words[0] = 6;
  check(&longer, 6, 1, 1);
}

/* Positions that a window no longer holds cannot be had back. */
static void checkWindows(void) {
  State state = begin(6), copy = state;
  float all[MOST * 128];
  for (int i = 0; i < 120; ++i)
    CHECK(advance(&state, &ids[1][i % 16], 1, all) == WEFT_OK);
  refuse(&copy, "no longer in its window");
  State again = state;
  CHECK(advance(&again, ids[0], 2, all) == WEFT_OK);
  float other[MOST * 128];
  CHECK(advance(&state, ids[0], 2, other) == WEFT_OK);
  CHECK(!memcmp(all, other, 8 * (size_t)row));
}

static void checkStrangers(void) {
  State state = begin(3);
  for (int64_t i = 0; i < step->state_bytes / 8; ++i)
    if (state.words[i] > 1000000) /* the serial number */
      state.words[i] += 1000000;
  refuse(&state, "begun by another process");
}

//===----------------------------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------------------------===//

static void checkDevicePointers(void) {
  int (*allocate)(int64_t, void **) = find("weft_cuda_allocate");
  int (*release)(void *) = find("weft_cuda_release");
  int (*copy)(void *, const void *, int64_t) = find("weft_cuda_copy");
  char *memory;
  float all[128];
  CHECK(allocate(1 << 20, (void **)&memory) == WEFT_OK);
  /* At 4 it is not aligned to 16 bytes. */
  for (int64_t offset = 0; offset <= 4; offset += 4) {
    State state = begin(6);
    char *there = memory + offset, *logits = there + 4096, *second = logits + 65536;
    CHECK(copy(there, ids[1], 8) == WEFT_OK);
    CHECK(advance(&state, (int32_t *)there, 2, (float *)logits) == WEFT_OK);
    CHECK(copy(second, logits, 8 * row) == WEFT_OK);
    float last[128];
    CHECK(copy(all, second + 4 * row, 4 * row) == WEFT_OK);
    expect(6, 1, 2, last);
    CHECK(!memcmp(all, last, 4 * (size_t)row));
  }
  CHECK(copy(all, all, 4) == WEFT_ERROR_DEVICE);
  CHECK(strstr(explain(WEFT_ERROR_DEVICE), "neither pointer"));
  CHECK(release(memory) == WEFT_OK && release(NULL) == WEFT_OK);
  CHECK(release(memory) == WEFT_ERROR_DEVICE);
  CHECK(allocate(INT64_C(1) << 50, (void **)&memory) == WEFT_ERROR_DEVICE && !memory);
  CHECK(strstr(explain(WEFT_ERROR_DEVICE), "no memory left for the program"));
}

/* Weights are what they were when they came, until somebody says otherwise. */
static void checkWeights(void) {
  float before[128], after[128];
  const void *mapped = weights;
  char *mine = weft_allocate(info->weights_bytes);
  memcpy(mine, mapped, (size_t)info->weights_bytes);
  expect(4, 1, 2, before);
  weights = mine;
  expect(4, 1, 2, after);
  CHECK(!memcmp(before, after, 4 * (size_t)row));
  memset(mine + 64, 0, (size_t)info->weights_bytes - 64);
  expect(4, 1, 2, after);
  CHECK(!memcmp(before, after, 4 * (size_t)row));
  ((void (*)(const void *))find("weft_cuda_forget"))(mine);
  expect(4, 1, 2, after);
  CHECK(memcmp(before, after, 4 * (size_t)row));
  weights = mapped;
  expect(4, 1, 2, after);
  CHECK(!memcmp(before, after, 4 * (size_t)row));
  free(mine);
}

static void checkShutdown(void) {
  State state = begin(3);
  ((void (*)(void))find("weft_cuda_shutdown"))();
  refuse(&state, "given to others");
  State fresh = begin(6);
  check(&fresh, 6, 1, 3);
}

static void *runThread(void *text) {
  for (int i = 0; i < 3; ++i) {
    State state = begin(6);
    check(&state, 6, *(int *)text, 2 + i);
  }
  return NULL;
}

static void checkThreads(void) {
  pthread_t threads[2];
  int texts[] = {0, 1};
  for (int i = 0; i < 2; ++i)
    CHECK(!pthread_create(&threads[i], NULL, runThread, &texts[i]));
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
}

static void checkArguments(void) {
  State state = begin(3);
  float all[128];
  int32_t outside = 100000;
  CHECK(advance(&state, &outside, 1, all) == WEFT_ERROR_INDEX);
  CHECK(advance(&state, NULL, 1, all) == WEFT_ERROR_ARGUMENT);
  CHECK(advance(&state, ids[0], 0, all) == WEFT_ERROR_LENGTH);
  CHECK(advance(&state, ids[0], 1000, all) == WEFT_ERROR_LENGTH);
  /* The sequence is where it was. */
  CHECK(state.words[0] == 3);
  check(&state, 3, 1, 2);
}

int main(int argc, char **argv) {
  CHECK(argc >= 3);
  library = dlopen(argv[1], RTLD_NOW);
  CHECK(library);
  info = ((weft_get_info_function)find(WEFT_GET_INFO_NAME))();
  weft_weights file;
  CHECK(weft_weights_open(argv[2], info, &file, NULL, 0) == WEFT_OK);
  weights = file.data;
  CHECK(info->step_count == 1);
  step = info->steps;
  CHECK(step->state_bytes <= (int64_t)sizeof(State) && step->scratch_bytes == 0);
  row = step->last_outputs->dims[step->last_outputs->rank - 1];
  if (argc > 3) {
    checkWindows();
  } else {
    checkCopies();
    checkShortened();
  }
  checkStrangers();
  checkDevicePointers();
  checkWeights();
  checkThreads();
  checkArguments();
  checkShutdown();
  printf("all is as it should be\n");
  return 0;
}
