/* The runtime from C: the layout that compiled code relies on, memory, weights,
 * profiles. Prints the first condition that does not hold. */

#include "../../Inputs/check.h"
#include "weft/Runtime/weft_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET(TYPE, FIELD, VALUE)                                                                 \
  _Static_assert(offsetof(TYPE, FIELD) == VALUE, "offset of " #FIELD " in " #TYPE)
OFFSET(weft_symbol_info, bound, 8);
OFFSET(weft_tensor_info, dims, 8);
OFFSET(weft_tensor_info, symbols, 16);
OFFSET(weft_tensor_info, dtype, 24);
OFFSET(weft_tensor_info, optional, 32);
OFFSET(weft_tensor_info, default_value, 40);
OFFSET(weft_tensor_info, index_bound, 48);
OFFSET(weft_entry_info, call, 8);
OFFSET(weft_entry_info, scratch_bytes, 16);
OFFSET(weft_entry_info, inputs, 24);
OFFSET(weft_entry_info, input_count, 40);
OFFSET(weft_entry_info, flops, 48);
OFFSET(weft_entry_info, flops_symbol, 72);
OFFSET(weft_kernel_info, flops, 16);
OFFSET(weft_model_info, name, 8);
OFFSET(weft_model_info, fingerprint, 32);
OFFSET(weft_model_info, embedded_weights, 64);
OFFSET(weft_model_info, symbols, 72);
OFFSET(weft_model_info, symbol_count, 96);
OFFSET(weft_model_info, generate_input, 120);
OFFSET(weft_model_info, steps, 128);
OFFSET(weft_model_info, features, 136);
OFFSET(weft_model_info, processor, 144);
OFFSET(weft_model_info, kernel_counts, 152);
OFFSET(weft_model_info, entry_flops, 160);
OFFSET(weft_count, step_count, 8);
OFFSET(weft_kernel_counts, unit, 12);
OFFSET(weft_count_step, number, 8);
OFFSET(weft_step_info, count_symbol, 84);
OFFSET(weft_step_info, last, 88);
OFFSET(weft_step_info, last_symbol, 104);
_Static_assert(sizeof(weft_symbol_info) == 16 && sizeof(weft_tensor_info) == 56 &&
                   sizeof(weft_entry_info) == 80 && sizeof(weft_kernel_info) == 48 &&
                   sizeof(weft_model_info) == 168 && sizeof(weft_step_info) == 112 &&
                   sizeof(weft_kernel_counts) == 24 && sizeof(weft_count) == 16 &&
                   sizeof(weft_count_step) == 16 && sizeof(weft_weights_header) == 64,
               "sizes");

static void testMemory(void) {
  for (int64_t bytes = 0; bytes < 200; bytes += 50) {
    void *memory = weft_allocate(bytes);
    CHECK(memory && (uintptr_t)memory % 64 == 0);
    free(memory);
  }
  char *large = weft_allocate((8 << 20) + 1);
  CHECK(large && (uintptr_t)large % 64 == 0);
  memset(large, 1, (8 << 20) + 1);
  free(large);
  CHECK(!weft_allocate(-1));
  CHECK(!weft_allocate(INT64_MAX - 64));
}

static int lacking(void) { return WEFT_ERROR_PROCESSOR; }

static void testWeights(const char *path) {
  weft_model_info info = {.abi_version = WEFT_ABI_VERSION, .name = "fake"};
  weft_weights weights = {"", 7};
  CHECK(weft_weights_open(NULL, &info, &weights, NULL, 0) == WEFT_OK);
  CHECK(!weights.data && !weights.size);
  weft_weights_close(&weights);

  info.embedded_weights = "embedded";
  info.weights_bytes = 72;
  CHECK(weft_weights_open(NULL, &info, &weights, NULL, 0) == WEFT_OK);
  CHECK(weights.data == info.embedded_weights);
  weft_weights_close(&weights);

  info.embedded_weights = NULL;
  CHECK(weft_weights_open(NULL, &info, &weights, NULL, 0) == WEFT_ERROR_ARGUMENT);
  CHECK(weft_weights_open(path, NULL, &weights, NULL, 0) == WEFT_ERROR_ARGUMENT);
  CHECK(weft_weights_open("/nowhere", &info, &weights, NULL, 0) == WEFT_ERROR_FILE);
  CHECK(weft_weights_open(path, &info, &weights, NULL, 0) == WEFT_ERROR_WEIGHTS);
  char message[8];
  CHECK(weft_weights_open(path, &info, &weights, message, sizeof message) == WEFT_ERROR_WEIGHTS);
  CHECK(strlen(message) == 7 && !weights.data);

  info.fingerprint = 0x1234;
  CHECK(weft_weights_open(path, &info, &weights, message, sizeof message) == WEFT_OK);
  CHECK(!*message && weights.size == 72 && (uintptr_t)weights.data % 64 == 0);
  CHECK(!memcmp(weights.data, WEFT_WEIGHTS_MAGIC, 8));
  weft_weights_close(&weights);
  weft_weights_close(&weights);
  CHECK(!weights.data && !weights.size);
  CHECK(weft_weights_open_flags(path, &info, WEFT_WEIGHTS_COPY_HUGE, &weights, NULL, 0) == WEFT_OK);
  CHECK(weights.size == 72 && (uintptr_t)weights.data % 64 == 0);
  CHECK(!memcmp(weights.data, WEFT_WEIGHTS_MAGIC, 8));
  weft_weights_close(&weights);
  CHECK(!weights.data && !weights.size);

  info.processor = lacking;
  info.target = "a machine", info.features = "wings";
  char sentence[200];
  CHECK(weft_weights_open(path, &info, &weights, sentence, sizeof sentence) ==
        WEFT_ERROR_PROCESSOR);
  CHECK(!strcmp(sentence,
                "model 'fake' was compiled for a machine; this machine lacks some of what "
                "that has: wings"));
  info.processor = NULL;
  info.abi_version = WEFT_ABI_OLDEST;
  CHECK(weft_weights_open(path, &info, &weights, NULL, 0) == WEFT_OK);
  weft_weights_close(&weights);
  info.abi_version = WEFT_ABI_OLDEST - 1;
  CHECK(weft_weights_open(path, &info, &weights, NULL, 0) == WEFT_ERROR_VERSION);
  info.abi_version = WEFT_ABI_VERSION + 1;
  CHECK(weft_weights_open(path, &info, &weights, NULL, 0) == WEFT_ERROR_VERSION);
}

/* Whether the system was asked to keep the mapping with this address in huge pages; -1 if it does
 * not say so. */
static int isAdvisedHuge(const void *address) {
  FILE *maps = fopen("/proc/self/smaps", "r");
  FILE *enabled = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  int found = -1, here = 0;
  char line[512];
  while (maps && enabled && fgets(line, sizeof line, maps)) {
    unsigned long first, end;
    if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
      here = first <= (uintptr_t)address && (uintptr_t)address < end;
    else if (here && !strncmp(line, "VmFlags:", 8))
      found = strstr(line, " hg") != NULL;
  }
  if (maps)
    fclose(maps);
  if (enabled)
    fclose(enabled);
  return found;
}

static char manyWeights[9 << 20];

/* Weights that are copied, and large scratch memory: at multiples of 2 MB, on huge pages. */
static void testHugePages(void) {
  weft_model_info info = {.abi_version = WEFT_ABI_VERSION, .name = "large"};
  weft_weights weights;
  for (size_t i = 0; i != sizeof manyWeights; ++i)
    manyWeights[i] = (char)(i * 7 >> 3);
  info.embedded_weights = manyWeights;
  info.weights_bytes = sizeof manyWeights;
  CHECK(weft_weights_open_flags(NULL, &info, WEFT_WEIGHTS_COPY_HUGE, &weights, NULL, 0) == WEFT_OK);
  CHECK(weights.data != manyWeights && (uintptr_t)weights.data % (2 << 20) == 0);
  CHECK(!memcmp(weights.data, manyWeights, sizeof manyWeights));
  CHECK(isAdvisedHuge(weights.data) != 0);
  weft_weights_close(&weights);
  CHECK(!weights.data);

  char *scratch = weft_allocate(sizeof manyWeights);
  CHECK(scratch && (uintptr_t)scratch % (2 << 20) == 0 && isAdvisedHuge(scratch) != 0);
  free(scratch);
}

static void testProfile(void) {
  int64_t calls;
  double seconds;
  weft_profile_begin(3);
  weft_profile_end(3);
  weft_profile_begin(3);
  weft_profile_end(3);
  weft_profile_begin(-1);
  weft_profile_end(-1);
  weft_profile_begin(WEFT_PROFILE_KERNELS);
  weft_profile_end(WEFT_PROFILE_KERNELS);
  weft_profile_read(3, &calls, &seconds);
  CHECK(calls == 2 && seconds >= 0);
  weft_profile_read(WEFT_PROFILE_KERNELS, &calls, &seconds);
  CHECK(calls == 0 && seconds == 0);
  weft_profile_reset();
  weft_profile_read(3, &calls, &seconds);
  CHECK(calls == 0 && seconds == 0);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  for (int code = WEFT_OK; code < WEFT_ERROR_PROCESSOR; ++code)
    CHECK(strcmp(weft_error_string(code), weft_error_string(code + 1)));
  CHECK(weft_error_string(-1) && weft_error_string(1000));
  testMemory();
  testWeights(argv[1]);
  testHugePages();
  testProfile();
  puts("all hold");
  return 0;
}
