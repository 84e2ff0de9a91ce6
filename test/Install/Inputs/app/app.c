/* Calls the models that CMakeLists.txt has compiled, with the weights where the build put them. */
#include "weft/Runtime/weft_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(ONLY_RUNTIME)

int main(void) {
  printf("%s\n", weft_error_string(WEFT_ERROR_LENGTH));
  return 0;
}

#elif defined(ONLY_GPU)
#include "tiny-gpu.h"

int main(void) {
  printf("%s\n", tiny_gpu_info.name);
  return 0;
}

#else
#include "pair-model.h"
#include "tiny.h"

static const void *openWeights(const char *path, const weft_model_info *info,
                               weft_weights *weights) {
  char message[256];
  if (weft_weights_open(path, info, weights, message, sizeof message) != WEFT_OK) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  return weights->data;
}

static void callTiny(const char *text) {
  weft_weights weights;
  const void *data = openWeights(TINY_WEIGHTS, &tiny_info, &weights);
  int32_t ids[128];
  int64_t length = (int64_t)strlen(text);
  for (int64_t i = 0; i < length; ++i)
    ids[i] = (unsigned char)text[i];
  float scores[3];
  void *scratch = weft_allocate(tiny_scores_scratch_bytes);
  int code = tiny_scores(data, scratch, length, ids, scores);
  printf("%d: %.4f %.4f %.4f\n", code, scores[0], scores[1], scores[2]);
  free(scratch);
  weft_weights_close(&weights);
}

static void callPair(void) {
  weft_weights weights;
  const void *data = openWeights(PAIR_MODEL_WEIGHTS, &pair_model_info, &weights);
  const float x[2] = {1, 10};
  float y[2];
  void *scratch = weft_allocate(64);
  int code = pair_model_y(data, scratch, x, y);
  printf("%d: %g %g\n", code, y[0], y[1]);
  free(scratch);
  weft_weights_close(&weights);
}

int main(int argc, char **argv) {
  callTiny(argc > 1 ? argv[1] : "text");
  callPair();
  return 0;
}

#endif
