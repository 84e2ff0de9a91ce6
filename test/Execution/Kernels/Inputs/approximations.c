#include "ulp.h"

typedef void Vector(float *x, float *y, int *status);
void vector_exp(float *x, float *y, int *status);
void vector_tanh(float *x, float *y, int *status);
void vector_erf(float *x, float *y, int *status);
void vector_rough_erf(float *x, float *y, int *status);

/* Whether no result is farther away than `most`; below the normal numbers a result may be 0 if
 * `flushes`. */
static int test(const char *name, Vector *vector, double (*right)(double), double most,
                int flushes) {
  static float x[BLOCK], y[BLOCK];
  uint64_t step = get_step();
  struct worst worst = {0, 0};
  for (uint64_t first = 0; first < (1ull << 32); first += BLOCK * step) {
    int status = 0;
    for (int i = 0; i < BLOCK; ++i)
      x[i] = from_bits((uint32_t)(first + i * step));
    vector(x, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      double expected = right(x[i]);
      if (!flushes || y[i] != 0 || fabs(expected) >= FLT_MIN)
        note(&worst, distance(y[i], expected), x[i]);
    }
  }
  return report(name, worst, most);
}

/* The largest difference between erf and its rough form, 0 where that must be exact; NaN stays. */
static int test_rough(void) {
  static float x[BLOCK], y[BLOCK];
  uint64_t step = get_step();
  double worst = 0;
  for (uint64_t first = 0; first < (1ull << 32); first += BLOCK * step) {
    int status = 0;
    for (int i = 0; i < BLOCK; ++i)
      x[i] = from_bits((uint32_t)(first + i * step));
    vector_rough_erf(x, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      double error = fabs(y[i] - erf(x[i]));
      int is_one = fabs(y[i]) == 1 && (y[i] > 0) == (x[i] > 0);
      if (isnan(x[i]) ? !isnan(y[i]) : fabs(x[i]) >= 2.8f && !is_one) {
        printf("rough erf: %a for %a\n", y[i], x[i]);
        return 0;
      }
      if (error > worst) /* not of NaN */
        worst = error;
    }
  }
  printf("rough erf: %g\n", worst);
  return worst < 8e-5;
}

int main(void) {
  int good = test("exp", vector_exp, exp, 1.25, 1);
  good &= test("tanh", vector_tanh, tanh, 2.5, 0);
  good &= test("erf", vector_erf, erf, 2, 0);
  good &= test_rough();
  return !good;
}
