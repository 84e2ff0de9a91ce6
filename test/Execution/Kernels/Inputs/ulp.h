/* What the drivers of functions share: how far results are from what is right, in units in the last
 * place of f32. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096

static double distance(float computed, double right) {
  if (isnan(right) || isnan(computed))
    return isnan(right) && isnan(computed) ? 0 : INFINITY;
  if (isinf(computed) && fabs(right) >= FLT_MAX)
    return !signbit(computed) == !signbit(right) ? 0 : INFINITY;
  int exponent;
  frexp(fmax(fabs(right), FLT_MIN), &exponent);
  return fabs(computed - right) / ldexp(1, exponent - FLT_MANT_DIG);
}

/* The distance of every step-th float from the one before; MATH_STEP=1 takes every float. */
static uint64_t get_step(void) {
  const char *text = getenv("MATH_STEP");
  return text ? strtoull(text, NULL, 10) : 997;
}

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(float));
  return value;
}

/* The worst of some results. */
struct worst {
  double distance;
  float where;
};
static void note(struct worst *worst, double distance, float where) {
  if (!(distance <= worst->distance)) {
    worst->distance = distance;
    worst->where = where;
  }
}
static int report(const char *name, struct worst worst, double most) {
  printf("%s: %.2f ulp at %.9g\n", name, worst.distance, worst.where);
  return worst.distance <= most;
}
