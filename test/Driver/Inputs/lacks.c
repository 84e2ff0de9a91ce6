/* A model that is compiled for another processor: each of its functions says so. */

#include "model.h"
#include "weft/Runtime/weft_runtime.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  /* Nothing of it is looked at before. */
  const weft_step_info *step = model_info.steps;
  int codes[] = {model_logits(NULL, NULL, 1, NULL, NULL),
                 model_logits_start(NULL, NULL, NULL),
                 model_logits_step(NULL, NULL, NULL, 1, NULL, NULL),
                 model_logits_step_last(NULL, NULL, NULL, 1, NULL, NULL),
                 model_info.entries[0].call(NULL, NULL, NULL, NULL, NULL),
                 step->start(NULL, NULL, NULL, NULL, NULL, NULL),
                 step->call(NULL, NULL, NULL, NULL, NULL, NULL),
                 step->last(NULL, NULL, NULL, NULL, NULL, NULL),
                 weft_weights_open("model.weights", &model_info, &(weft_weights){0}, NULL, 0),
                 model_info.processor()};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    if (codes[i] != WEFT_ERROR_PROCESSOR)
      return printf("call %zu returned %d\n", i, codes[i]), 1;
  printf("%s (%s)\n", weft_error_string(codes[0]), model_info.features);
  return 0;
}
