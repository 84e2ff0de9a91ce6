/* A sequence whose positions are taken back: as far as its windows reach it goes on as if they had
 * never been, from 0 as a new one; further it is refused, and can go on where it was. The model
 * reads ids and has windows that forget. usage: shorten MODEL.so MODEL.weights ERROR */

#include "../../Inputs/check.h"
#include "weft/Runtime/weft_runtime.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 72, MOST = 64, ROWS = 8, ALL = 200 };

static const weft_model_info *info;
static const weft_step_info *step;
static const void *weights;
static void *scratch;
static int32_t ids[ALL];
static int64_t row; /* bytes of a position's logits */

static int64_t *begin(void) {
  int64_t sizes[MOST] = {0}, *state = weft_allocate(step->state_bytes);
  CHECK(state && step->start(weights, state, scratch, sizes, NULL, NULL) == WEFT_OK);
  return state;
}

/* Continues by `count` ids from number `first` on. */
static int advance(int64_t *state, int64_t first, int64_t count, void *logits) {
  int64_t sizes[MOST] = {0};
  void *inputs[MOST] = {ids + first}, *outputs[] = {logits};
  sizes[step->count_symbol] = count;
  return step->call(weights, state, scratch, sizes, inputs, outputs);
}

/* A sequence of so many positions, one after the other, with the logits of all. */
static int64_t *grow(int64_t length, char *logits) {
  int64_t *state = begin();
  for (int64_t i = 0; i < length; ++i)
    CHECK(advance(state, i, 1, logits + i * row) == WEFT_OK);
  return state;
}

/* Goes on from `length` with the same ids. */
static void repeat(int64_t *state, int64_t length, const char *expected) {
  char *again = weft_allocate(row);
  state[0] = length;
  for (int64_t i = length; i < length + ROWS; ++i) {
    CHECK(advance(state, i, 1, again) == WEFT_OK);
    CHECK(!memcmp(again, expected + i * row, (size_t)row));
  }
  free(again);
}

/* Takes back what one call has added, but for the first `kept`. */
static void addAndTakeBack(int64_t *state, int64_t kept, const char *expected) {
  char *logits = weft_allocate(ROWS * row);
  int64_t length = state[0];
  CHECK(advance(state, length, ROWS, logits) == WEFT_OK);
  free(logits);
  state[0] = length + kept;
  repeat(state, length + kept, expected);
}

static void refuse(int64_t *state, int64_t length, int error, const char *expected) {
  char *logits = weft_allocate(row);
  int64_t before = state[0];
  state[0] = length;
  CHECK(advance(state, 0, 1, logits) == error);
  CHECK(state[0] == length);
  free(logits);
  state[0] = before;
  addAndTakeBack(state, 0, expected);
}

/* Whether a copy that is taken back goes on, as the sequence did. */
static int goesOn(const int64_t *state, int64_t length, int error, const char *expected) {
  int64_t *copy = weft_allocate(step->state_bytes);
  char *logits = weft_allocate(row);
  memcpy(copy, state, (size_t)step->state_bytes);
  copy[0] = length;
  int code = advance(copy, length, 1, logits);
  CHECK(code == WEFT_OK || code == error);
  CHECK(code == error || !memcmp(logits, expected + length * row, (size_t)row));
  free(logits);
  free(copy);
  return code == WEFT_OK;
}

/* To all lengths from the first one that windows reach on; refused calls change nothing. */
static void checkCopies(int64_t *state, int error, const char *expected) {
  int64_t length = 40;
  while (!goesOn(state, length, error, expected))
    if (++length % 16 == 0)
      addAndTakeBack(state, 0, expected);
  CHECK(length > 40 && length < state[0]);
  if (error != WEFT_ERROR_LENGTH) /* on a GPU a copy that is shortened takes from its original */
    return;
  for (; length < state[0]; ++length)
    CHECK(goesOn(state, length, error, expected));
  addAndTakeBack(state, 0, expected);
}

int main(int argc, char **argv) {
  CHECK(argc == 4);
  void *library = dlopen(argv[1], RTLD_NOW);
  CHECK(library);
  const weft_model_info *(*get)(void) =
      (const weft_model_info *(*)(void))dlsym(library, "weft_get_info");
  info = get();
  CHECK(info->step_count == 1);
  step = info->steps;
  weft_weights mapped;
  char message[300];
  CHECK(weft_weights_open(argv[2], info, &mapped, message, sizeof message) == WEFT_OK);
  weights = mapped.data;
  scratch = weft_allocate(step->scratch_bytes + 64);
  int error = atoi(argv[3]);
  row = 4 * 32;
  for (int i = 0; i < ALL; ++i)
    ids[i] = (7 * i + i * i / 3) % 32;

  char *logits = weft_allocate(ALL * row);
  free(grow(ALL, logits));
  char *same = weft_allocate(ALL * row);
  int64_t *state = grow(LENGTH, same);
  CHECK(!memcmp(logits, same, (size_t)(LENGTH * row)));
  addAndTakeBack(state, 0, logits);
  if (error == WEFT_ERROR_LENGTH) /* on a GPU rows of one call have other bits */
    addAndTakeBack(state, 3, logits);
  for (int64_t length = 1; length < 6; length += 4)
    refuse(state, length, error, logits);
  refuse(state, -1, WEFT_ERROR_LENGTH, logits);
  checkCopies(state, error, logits);
  free(state);
  state = grow(LENGTH, same);
  repeat(state, 0, logits);
  repeat(state, ROWS, logits);
  puts("as if they had never been");
  return 0;
}
