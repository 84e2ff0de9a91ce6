/* A model written by hand, in the shape that weftc gives to compiled ones, to test weft-run and
 * the runtime. Entry 'logits' says that after byte b comes byte b + 1; entry 'scale' multiplies
 * rows of reals with a weight. FAKE_FINGERPRINT makes it another model. */

#include "weft/Runtime/weft_runtime.h"

#include <math.h>
#include <stddef.h>

#ifndef FAKE_FINGERPRINT
#define FAKE_FINGERPRINT 0x1234
#endif
#ifndef FAKE_VERSION
#define FAKE_VERSION WEFT_ABI_VERSION
#endif

enum { BOUND_T = 8, BOUND_S = 4, VOCABULARY = 256 };

static const float *numbers(const void *weights) {
  return (const float *)((const char *)weights + 64);
}

static int logits(const void *weights, void *scratch, const int64_t *sizes, void *const *inputs,
                  void *const *outputs) {
  const int32_t *ids = inputs[0];
  const uint8_t *mask = inputs[1];
  float *out = outputs[0], *pooled = outputs[1];
  int64_t T = sizes[0];
  (void)scratch;
  if (T < 1 || T > BOUND_T)
    return WEFT_ERROR_LENGTH;
  weft_profile_begin(0);
  float sum = 0;
  for (int64_t t = 0; t < T; ++t) {
    if (ids[t] < 0 || ids[t] >= VOCABULARY)
      return WEFT_ERROR_INDEX;
    for (int v = 0; v < VOCABULARY; ++v)
      out[t * VOCABULARY + v] = v == (ids[t] + 1) % VOCABULARY ? numbers(weights)[0] : 0;
    sum += mask && !mask[t] ? 0 : (float)ids[t];
  }
  for (int i = 0; i < 3; ++i)
    pooled[i] = sum * (float)i;
  weft_profile_end(0);
  return WEFT_OK;
}

struct scale {
  const float *x;
  float *y;
  float factor;
};

static void scaleRow(void *context, int64_t row) {
  struct scale *s = context;
  s->y[row] = s->factor * (s->x[2 * row] + s->x[2 * row + 1]);
}

static int scale(const void *weights, void *scratch, const int64_t *sizes, void *const *inputs,
                 void *const *outputs) {
  struct scale s = {inputs[0], outputs[0], numbers(weights)[1]};
  (void)scratch;
  weft_profile_begin(1);
  weft_parallel_for(scaleRow, &s, sizes[1]);
  weft_profile_end(1);
  return WEFT_OK;
}

static const int64_t perT[] = {-1}, perTV[] = {-1, VOCABULARY}, three[] = {3}, perS2[] = {-1, 2};
static const int32_t symT[] = {0}, symTV[] = {0, -1}, fixed[] = {-1}, symS[] = {1},
                     symS2[] = {1, -1};

static const weft_tensor_info logitsInputs[] = {
    {"input_ids", perT, symT, WEFT_I32, 1, 0, 0, 0, VOCABULARY},
    {"attention_mask", perT, symT, WEFT_BOOL, 1, 1, 0, 1, 0},
};
static const weft_tensor_info logitsOutputs[] = {
    {"logits", perTV, symTV, WEFT_F32, 2, 0, 0, 0, 0},
    {"pooled", three, fixed, WEFT_F32, 1, 0, 0, 0, 0},
};
static const weft_tensor_info scaleInputs[] = {{"x", perS2, symS2, WEFT_F32, 2, 0, 0, 0, 0}};
static const weft_tensor_info scaleOutputs[] = {{"y", perT, symS, WEFT_F32, 1, 0, 0, 0, 0}};

static const weft_symbol_info symbols[] = {{"T", BOUND_T}, {"S", BOUND_S}};
static const weft_entry_info entries[] = {
    {"logits", logits, 256, logitsInputs, logitsOutputs, 2, 2, {100, 1000, 10}, 0, 0},
    {"scale", scale, 0, scaleInputs, scaleOutputs, 1, 1, {0, 4, 0}, 1, 0},
};
static const weft_kernel_info kernels[] = {
    {"next_byte", "fake.weft:3:5", {0, 1000, 10}, 0, 0},
    {"scale_rows", "", {0, 4, 0}, 1, 0},
};

/* 1000 T + 10 T * T operations, no functions, 1028 T bytes of which 4 are weights; of the other
 * kernel nothing is known. */
static const weft_count_step nextByteSteps[] = {
    {WEFT_COUNT_SYMBOL, 0, 0},    {WEFT_COUNT_NUMBER, 0, 10},  {WEFT_COUNT_MULTIPLY, 0, 0},
    {WEFT_COUNT_NUMBER, 0, 1e3},  {WEFT_COUNT_ADD, 0, 0},      {WEFT_COUNT_SYMBOL, 0, 0},
    {WEFT_COUNT_MULTIPLY, 0, 0},  {WEFT_COUNT_NUMBER, 0, 0},   {WEFT_COUNT_SYMBOL, 0, 0},
    {WEFT_COUNT_NUMBER, 0, 1028}, {WEFT_COUNT_MULTIPLY, 0, 0}, {WEFT_COUNT_NUMBER, 0, 4}};
static const weft_kernel_counts counts[] = {{nextByteSteps, 12, WEFT_UNIT_F32, 1, 0},
                                            {NULL, 0, WEFT_UNIT_NONE, 1, 0}};

/* The first one counts as its kernel, of the other nothing is known but its polynomial. */
static const weft_count flops[] = {{nextByteSteps, 5, 0}, {NULL, 0, 0}};

const weft_model_info fake_info = {FAKE_VERSION,
                                   1,
                                   "fake",
                                   "hand 1.0",
                                   "any",
                                   FAKE_FINGERPRINT,
                                   72,
                                   2,
                                   328,
                                   NULL,
                                   symbols,
                                   entries,
                                   kernels,
                                   2,
                                   2,
                                   2,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   NULL,
                                   "",
                                   NULL,
                                   FAKE_VERSION < 5 ? (const weft_kernel_counts *)8 : counts,
                                   FAKE_VERSION < 7 ? (const weft_count *)8 : flops};

const weft_model_info *weft_get_info(void) { return &fake_info; }
