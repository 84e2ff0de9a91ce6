/* Sequences until a small GPU has no room for all of them: the first one makes way, and says so;
 * the last ones go on. usage: sequences MODEL.so MODEL.weights */

#include "../../Inputs/check.h"
#include "weft/Runtime/weft_runtime.h"

#include <dlfcn.h>
#include <string.h>

enum { MOST = 64, SEQUENCES = 24 };

static const weft_step_info *step;
static const void *weights;

static int advance(void *state) {
  static float logits[4096];
  int64_t sizes[MOST] = {0};
  int32_t id = 3;
  void *inputs[MOST] = {&id}, *outputs[] = {logits};
  sizes[step->count_symbol] = 1;
  return step->call(weights, state, NULL, sizes, inputs, outputs);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  void *library = dlopen(argv[1], RTLD_NOW);
  CHECK(library);
  const weft_model_info *info = ((weft_get_info_function)dlsym(library, WEFT_GET_INFO_NAME))();
  const char *(*explain)(int) = (const char *(*)(int))dlsym(library, "weft_error_string");
  weft_weights file;
  CHECK(weft_weights_open(argv[2], info, &file, NULL, 0) == WEFT_OK);
  weights = file.data;
  step = info->steps;
  void *states[SEQUENCES];
  int64_t sizes[MOST] = {0};
  for (int i = 0; i < SEQUENCES; ++i) {
    states[i] = weft_allocate(step->state_bytes);
    CHECK(step->start(weights, states[i], NULL, sizes, NULL, NULL) == WEFT_OK);
    CHECK(advance(states[i]) == WEFT_OK);
  }
  CHECK(advance(states[0]) == WEFT_ERROR_DEVICE);
  CHECK(strstr(explain(WEFT_ERROR_DEVICE), "was given to others"));
  CHECK(advance(states[SEQUENCES - 1]) == WEFT_OK);
  CHECK(advance(states[SEQUENCES - 2]) == WEFT_OK);
  return 0;
}
