/* A sequence in pieces, copied, taken back, and beyond its end. */
#include "m.h"
#include "weft/Runtime/weft_runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  if (!(condition)) {                                                                              \
    printf("%d: " #condition "\n", __LINE__);                                                      \
    return 1;                                                                                      \
  }

enum { V = 97, LENGTH = 12 };

static int same(const float *a, const float *b, int count) {
  for (int i = 0; i < count; ++i)
    if (fabsf(a[i] - b[i]) > 1e-4f)
      return 0;
  return 1;
}

int main(void) {
  weft_weights weights;
  CHECK(weft_weights_open("m.weights", &m_info, &weights, NULL, 0) == WEFT_OK);
  void *scratch = weft_allocate(m_logits_step_scratch_bytes + m_logits_scratch_bytes);
  void *state = weft_allocate(m_logits_step_state_bytes);
  void *copy = weft_allocate(m_logits_step_state_bytes);
  int32_t ids[LENGTH] = {1, 5, 9, 2, 6, 8, 3, 7, 4, 20, 30, 40}, wrong[2] = {3, 97};
  float whole[LENGTH * V], part[LENGTH * V];
  int64_t *positions = state;
  CHECK(m_logits(weights.data, scratch, LENGTH, ids, NULL, NULL, NULL, whole) == WEFT_OK);

  CHECK(m_logits_start(weights.data, NULL, scratch) == WEFT_ERROR_ARGUMENT);
  CHECK(m_logits_start(weights.data, state, scratch) == WEFT_OK);
  CHECK(m_logits_step(weights.data, state, scratch, 0, ids, NULL, NULL, NULL, part) ==
        WEFT_ERROR_LENGTH);
  CHECK(m_logits_step(weights.data, state, scratch, 1, NULL, NULL, NULL, NULL, part) ==
        WEFT_ERROR_ARGUMENT);
  CHECK(m_logits_step(weights.data, state, scratch, 7, ids, NULL, NULL, NULL, part) == WEFT_OK);
  CHECK(same(part, whole, 7 * V) && *positions == 7);

  /* An id that is none leaves the sequence as long as it was. */
  CHECK(m_logits_step(weights.data, state, scratch, 2, wrong, NULL, NULL, NULL, part) ==
        WEFT_ERROR_INDEX);
  CHECK(*positions == 7);
  memcpy(copy, state, m_logits_step_state_bytes);
  CHECK(m_logits_step(weights.data, state, scratch, 1, wrong, NULL, NULL, NULL, part) == WEFT_OK);
  CHECK(m_logits_step(weights.data, copy, scratch, 5, ids + 7, NULL, NULL, NULL, part) == WEFT_OK);
  CHECK(same(part, whole + 7 * V, 5 * V));
  *positions = 4;
  CHECK(m_logits_step(weights.data, state, scratch, 8, ids + 4, NULL, NULL, NULL, part) == WEFT_OK);
  CHECK(same(part, whole + 4 * V, 8 * V));

  for (int i = LENGTH; i < m_T_max; ++i)
    CHECK(m_logits_step(weights.data, state, scratch, 1, ids, NULL, NULL, NULL, part) == WEFT_OK);
  CHECK(m_logits_step(weights.data, state, scratch, 1, ids, NULL, NULL, NULL, part) ==
        WEFT_ERROR_LENGTH);
  CHECK(*positions == m_T_max);
  weft_weights_close(&weights);
  free(scratch);
  free(state);
  free(copy);
  return 0;
}
