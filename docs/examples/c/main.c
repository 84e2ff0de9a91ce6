/* Scores the bytes of a text with the compiled model of tiny.weft. */
#include "tiny.h"
#include "weft/Runtime/weft_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  weft_weights weights;
  char message[256];
  if (weft_weights_open("tiny.weights", &tiny_info, &weights, message, sizeof message) != WEFT_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }

  const char *text = argc > 1 ? argv[1] : "";
  int64_t length = (int64_t)strlen(text);
  int32_t *ids = malloc((size_t)(length + 1) * sizeof *ids);
  for (int64_t i = 0; i < length; ++i)
    ids[i] = (unsigned char)text[i];

  float scores[3];
  void *scratch = weft_allocate(tiny_scores_scratch_bytes);
  int code = tiny_scores(weights.data, scratch, length, ids, scores);
  if (code == WEFT_OK)
    printf("%.4f %.4f %.4f\n", scores[0], scores[1], scores[2]);
  else
    fprintf(stderr, "%s\n", weft_error_string(code));

  free(scratch);
  free(ids);
  weft_weights_close(&weights);
  return code;
}
