/* Calls the compiled docs/examples/c/tiny.weft with good and bad arguments: a call returns an error
 * code or the same numbers as every other one, through both its interfaces. */

#include "../../Inputs/check.h"
#include "tiny.h"
#include "weft/Runtime/weft_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  weft_weights file;
  char message[256] = "";
  if (weft_weights_open("tiny.weights", &tiny_info, &file, message, sizeof message)) {
    puts(message);
    return 1;
  }
  const void *weights = file.data;
  CHECK(file.size == tiny_weights_bytes && tiny_info.weights_bytes == tiny_weights_bytes);
  CHECK(tiny_info.entry_count == 1 &&
        tiny_info.entries[0].scratch_bytes == tiny_scores_scratch_bytes);
  CHECK(tiny_info.symbol_count == 1 && tiny_info.symbols[0].bound == tiny_T_max);

  /* Exactly as large as promised, so that valgrind sees a step outside. */
  void *scratch = weft_allocate(tiny_scores_scratch_bytes);
  float *scores = malloc(3 * sizeof *scores), first[3];
  for (int64_t T = 1; T <= tiny_T_max; T += T < 20 ? 1 : 36) {
    int32_t *ids = malloc((size_t)T * sizeof *ids);
    for (int64_t t = 0; t < T; ++t)
      ids[t] = (int32_t)(37 * t % 256);
    CHECK(tiny_scores(weights, scratch, T, ids, scores) == WEFT_OK);
    memcpy(first, scores, sizeof first);

    /* What the scratch held before does not matter, and the generic call is the same function. */
    memset(scratch, 0xff, tiny_scores_scratch_bytes);
    void *inputs[] = {ids}, *outputs[] = {scores};
    CHECK(tiny_info.entries[0].call(weights, scratch, &T, inputs, outputs) == WEFT_OK);
    CHECK(!memcmp(first, scores, sizeof first));

    ids[T - 1] = 256;
    CHECK(tiny_scores(weights, scratch, T, ids, scores) == WEFT_ERROR_INDEX);
    ids[T - 1] = -1;
    CHECK(tiny_scores(weights, scratch, T, ids, scores) == WEFT_ERROR_INDEX);
    ids[T - 1] = INT32_MIN;
    CHECK(tiny_scores(weights, scratch, T, ids, scores) == WEFT_ERROR_INDEX);
    free(ids);
  }
  int32_t ids[tiny_T_max + 1] = {0};
  CHECK(tiny_scores(weights, scratch, 0, ids, scores) == WEFT_ERROR_LENGTH);
  CHECK(tiny_scores(weights, scratch, -1, ids, scores) == WEFT_ERROR_LENGTH);
  CHECK(tiny_scores(weights, scratch, INT64_MIN, ids, scores) == WEFT_ERROR_LENGTH);
  CHECK(tiny_scores(weights, scratch, tiny_T_max + 1, ids, scores) == WEFT_ERROR_LENGTH);
  CHECK(tiny_scores(weights, scratch, INT64_MAX, ids, scores) == WEFT_ERROR_LENGTH);
  CHECK(tiny_scores(NULL, scratch, 1, ids, scores) == WEFT_ERROR_ARGUMENT);
  CHECK(tiny_scores(weights, NULL, 1, ids, scores) == WEFT_ERROR_ARGUMENT);
  CHECK(tiny_scores(weights, scratch, 1, NULL, scores) == WEFT_ERROR_ARGUMENT);
  CHECK(tiny_scores(weights, scratch, 1, ids, NULL) == WEFT_ERROR_ARGUMENT);

  free(scores);
  free(scratch);
  weft_weights_close(&file);
  puts("all hold");
  return 0;
}
