#include "ulp.h"

typedef void Vector(float *x, float *y, int *status);
void vector_exp(float *x, float *y, int *status);
void vector_tanh(float *x, float *y, int *status);
void vector_erf(float *x, float *y, int *status);
void vector_rough_erf(float *x, float *y, int *status);
void vector_sin(float *x, float *y, int *status);
void vector_cos(float *x, float *y, int *status);
void vector_pow(float *x, float *e, float *y, int *status);

/* Of the results so far; NaN is NaN. */
static uint32_t sum_of_bits;
static void add_bits(float y) {
  uint32_t bits = 0;
  if (!isnan(y))
    memcpy(&bits, &y, sizeof(bits));
  sum_of_bits = sum_of_bits * 31 + bits;
}

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
      add_bits(y[i]);
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

/* Of the sizes that positions and angles have, where libm takes over, and -0. */
static int test_turns(const char *name, Vector *vector, double (*right)(double), double most) {
  static float x[BLOCK], y[BLOCK];
  struct worst worst = {0, 0};
  for (int round = 0; round < 32; ++round) {
    int status = 0;
    for (int i = 0; i < BLOCK; ++i)
      x[i] = (float)(i * 32 + round) * (round & 1 ? 1 : 1.5707964f) * (round & 2 ? 1 : -1);
    for (int i = 0; i < 128 && round == 31; ++i)
      x[i] = i & 1 ? 67108864 + 8 * (i - 64) : -0.0f;
    vector(x, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      add_bits(y[i]);
      note(&worst, distance(y[i], right(x[i])), x[i]);
      if (x[i] == 0 && !signbit(y[i]) != !signbit(right(x[i])))
        note(&worst, INFINITY, x[i]);
    }
  }
  return report(name, worst, most);
}

/* Everything special with everything special, or with ordinary exponents. */
static void fill_pow(float *x, float *e, int round) {
  static const float special[] = {0,           1,       0.5f,     2,          3,      0.3f,
                                  100,         1e30f,   16777217, 8388607.5f, 1e-40f, 1.5f,
                                  0.99999994f, FLT_MAX, INFINITY, NAN};
  const int count = sizeof(special) / sizeof(*special);
  static uint32_t state = 1;
  for (int i = 0; i < BLOCK; ++i) {
    state = state * 1664525u + 1013904223u;
    uint32_t size = round & 1 ? 0x7f800000 : 0x04000000;
    x[i] = from_bits((round & 1 ? 0 : 0x3f000000) + (state >> 1) % size); // all, or 0.5 to 2^7
    state = state * 1664525u + 1013904223u;
    e[i] = ((float)(state >> 8) / (1 << 23) - 1) * (round & 1 ? 1 : 20);
    if (round & 2) // near 1, so that what is large is exact
      x[i] = 1 + (float)(int32_t)state / 0x1p35f, e[i] *= 1000;
  }
  for (int i = 0; i < 4 * count * count && round == 0; ++i) {
    x[i] = i & 1 ? -special[i / 4 / count] : special[i / 4 / count];
    e[i] = i & 2 ? -special[i / 4 % count] : special[i / 4 % count];
  }
}

static int test_pow(double most) {
  static float x[BLOCK], e[BLOCK], y[BLOCK];
  struct worst worst = {0, 0};
  for (int round = 0; round < 200; ++round) {
    int status = 0;
    fill_pow(x, e, round);
    vector_pow(x, e, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      double expected = pow(x[i], e[i]);
      add_bits(y[i]);
      note(&worst, distance(y[i], expected), x[i]);
      if (fabs(expected) > 1e-40 ? 0 : !signbit(expected) != !signbit(y[i]) && !isnan(expected))
        note(&worst, INFINITY, x[i]);
    }
  }
  return report("pow", worst, most);
}

int main(void) {
  int good = test("exp", vector_exp, exp, 1.25, 1);
  good &= test("tanh", vector_tanh, tanh, 2.5, 0);
  good &= test("erf", vector_erf, erf, 2, 0);
  good &= test_rough();
  good &= test("sin", vector_sin, sin, 0.52, 0);
  good &= test("cos", vector_cos, cos, 0.52, 0);
  good &= test_turns("sin of angles", vector_sin, sin, 0.52);
  good &= test_turns("cos of angles", vector_cos, cos, 0.52);
  good &= test_pow(0.6);
  printf("bits %08x\n", sum_of_bits);
  return !good;
}
