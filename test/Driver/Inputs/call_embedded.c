/* A model whose weights are in its object: calls find them by themselves, and take others:
 * call_embedded FILE.weights */

#include "../../Inputs/check.h"
#include "lm.h"
#include "weft/Runtime/weft_runtime.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  weft_weights inside, file;
  CHECK(argc == 2);
  CHECK(weft_weights_open(NULL, &lm_info, &inside, NULL, 0) == WEFT_OK);
  CHECK(inside.size == 0 && inside.data && inside.data == lm_info.embedded_weights);
  CHECK((uintptr_t)inside.data % 4096 == 0);
  CHECK(!memcmp(inside.data, WEFT_WEIGHTS_MAGIC, 8));
  CHECK(weft_weights_open("none", &lm_info, &file, NULL, 0) == WEFT_OK && file.data == inside.data);
  CHECK(weft_weights_open_flags(argv[1], &lm_info, WEFT_WEIGHTS_FROM_FILE, &file, NULL, 0) ==
        WEFT_OK);
  CHECK(file.data != inside.data && file.size == lm_info.weights_bytes);
  CHECK(!memcmp(file.data, inside.data, (size_t)file.size));

  weft_weights copy;
  CHECK(weft_weights_open_flags(NULL, &lm_info, WEFT_WEIGHTS_COPY_HUGE, &copy, NULL, 0) == WEFT_OK);
  CHECK(copy.data != inside.data && copy.size == file.size);
  CHECK(!memcmp(copy.data, inside.data, (size_t)copy.size));
  weft_weights_close(&copy);
  CHECK(!copy.data && !copy.size);

  int32_t ids[] = {1, 2, 3};
  const weft_entry_info *entry = lm_info.entries;
  size_t bytes = 3 * sizeof(float) * (size_t)entry->outputs[0].dims[1];
  void *scratch = weft_allocate(entry->scratch_bytes);
  void *logits[] = {malloc(bytes), malloc(bytes), malloc(bytes)};
  const void *weights[] = {inside.data, NULL, file.data};
  int64_t sizes[16];
  for (int i = 0; i < 16; ++i)
    sizes[i] = 3;
  void *inputs[16] = {NULL};
  inputs[lm_info.generate_input] = ids;
  for (int i = 0; i < 3; ++i) {
    CHECK(entry->call(weights[i], scratch, sizes, inputs, &logits[i]) == WEFT_OK);
    CHECK(!memcmp(logits[0], logits[i], bytes));
  }
  weft_weights_close(&file);
  weft_weights_close(&inside);
  for (int i = 0; i < 3; ++i)
    free(logits[i]);
  free(scratch);
  puts("all hold");
  return 0;
}
