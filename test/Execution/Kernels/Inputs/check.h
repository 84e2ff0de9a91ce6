/* What the drivers of kernels share: random data, and a comparison that counts failures. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
static uint32_t state = 12345;

static float real(void) {
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / (1 << 23) - 1;
}
static int below(int n) { return (int)((real() + 1) / 2 * n * 0.999f); }

static float *reals(int n) {
  float *values = malloc(sizeof(float) * (n + 1));
  for (int i = 0; i < n; ++i)
    values[i] = real();
  return values;
}
static int *integers(int n, int limit) {
  int *values = malloc(sizeof(int) * (n + 1));
  for (int i = 0; i < n; ++i)
    values[i] = below(limit);
  return values;
}

static void expect(const char *name, int size, int i, double actual, double expected) {
  if (fabs(actual - expected) <= 2e-5 * (1 + fabs(expected)) || actual == expected)
    return;
  if (failures++ < 10)
    printf("%s, size %d, element %d: %g instead of %g\n", name, size, i, actual, expected);
}

/* Tasks in the wrong order, so that none can depend on an earlier one. */
void weft_parallel_for(void (*fn)(void *context, int64_t index), void *context, int64_t n) {
  while (n-- > 0)
    fn(context, n);
}

static int finish(void) {
  printf(failures ? "%d wrong elements\n" : "all elements agree\n", failures);
  return failures != 0;
}
