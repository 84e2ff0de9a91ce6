#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096
typedef void Vector(float *x, float *y, int *status);
void vector_exp(float *x, float *y, int *status);
void vector_tanh(float *x, float *y, int *status);
void vector_erf(float *x, float *y, int *status);

/* Units in the last place of f32 between a result and what is right. */
static double distance(float computed, double right) {
  if (isnan(right) || isnan(computed))
    return isnan(right) && isnan(computed) ? 0 : INFINITY;
  if (isinf(computed) && fabs(right) >= FLT_MAX)
    return signbit(computed) == signbit(right) ? 0 : INFINITY;
  int exponent;
  frexp(fmax(fabs(right), FLT_MIN), &exponent);
  return fabs(computed - right) / ldexp(1, exponent - FLT_MANT_DIG);
}

/* Whether no result is farther away than `most`; below the normal numbers a result may be 0 if
 * `flushes`. */
static int test(const char *name, Vector *vector, double (*right)(double), double most,
                int flushes) {
  static float x[BLOCK], y[BLOCK];
  const char *text = getenv("MATH_STEP");
  uint64_t step = text ? strtoull(text, NULL, 10) : 997;
  double worst = 0;
  float where = 0;
  for (uint64_t first = 0; first < (1ull << 32); first += BLOCK * step) {
    int status = 0;
    for (int i = 0; i < BLOCK; ++i) {
      uint32_t bits = (uint32_t)(first + i * step);
      memcpy(&x[i], &bits, sizeof(float));
    }
    vector(x, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      double expected = right(x[i]), error = distance(y[i], expected);
      if (flushes && y[i] == 0 && fabs(expected) < FLT_MIN)
        continue;
      if (error > worst) {
        worst = error;
        where = x[i];
      }
    }
  }
  printf("%s: %.2f ulp at %.9g\n", name, worst, where);
  return worst <= most;
}

int main(void) {
  int good = test("exp", vector_exp, exp, 1.25, 1);
  good &= test("tanh", vector_tanh, tanh, 2.5, 0);
  good &= test("erf", vector_erf, erf, 2, 0);
  return !good;
}
