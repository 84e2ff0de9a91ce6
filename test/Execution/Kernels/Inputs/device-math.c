/* Numbers that are not normal count as 0 on a GPU: they are left out as arguments, and as results
 * count as 0 here, too. */
#include "ulp.h"

typedef void Vector(float *x, float *y, int *status);
#define DECLARE(name) void device_##name(float *x, float *y, int *status);
DECLARE(exp)
DECLARE(tanh)
DECLARE(erf)
DECLARE(log)
DECLARE(log1p)
DECLARE(sin)
DECLARE(cos)
DECLARE(rsqrt)
void device_pow(float *x, float *e, float *y, int *status);

static float flush(float x) { return fabsf(x) < FLT_MIN ? copysignf(0, x) : x; }
static int is_normal(double x) { return x == 0 || !(fabs(x) < FLT_MIN); }

/* Compares; for arguments from `limit` on, if there is one, the result is NaN. */
static int test(const char *name, Vector *vector, double (*right)(double), double most,
                double limit) {
  static float x[BLOCK], y[BLOCK];
  uint64_t step = get_step();
  struct worst worst = {0, 0};
  for (uint64_t first = 0; first < (1ull << 32); first += BLOCK * step) {
    int status = 0;
    for (int i = 0; i < BLOCK; ++i)
      x[i] = from_bits((uint32_t)(first + i * step));
    vector(x, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      double expected = limit && fabs(x[i]) >= limit ? NAN : right(x[i]);
      if (is_normal(x[i]) && is_normal(expected))
        note(&worst, distance(flush(y[i]), expected), x[i]);
    }
  }
  return report(name, worst, most);
}

static double inverse_root(double x) { return 1 / sqrt(x); }

/* Ordinary bases with all exponents, and everything special with everything special. */
static int test_pow(double most) {
  static float x[BLOCK], e[BLOCK], y[BLOCK];
  static const float special[] = {0, 1, 0.5f, 2, 3, 0.3f, 100, 1e30f, 16777217, 8388607.5f};
  const int count = sizeof(special) / sizeof(*special);
  struct worst worst = {0, 0};
  uint32_t state = 1;
  for (int round = 0; round < 500; ++round) {
    int status = 0;
    for (int i = 0; i < BLOCK; ++i) {
      state = state * 1664525u + 1013904223u;
      x[i] = from_bits(0x3f000000 + (state >> 6) % 0x04000000); // 0.5 to 2^7
      state = state * 1664525u + 1013904223u;
      e[i] = ((float)(state >> 8) / (1 << 23) - 1) * 20;
    }
    for (int i = 0; i < 4 * (count + 2) * (count + 2) && round == 0; ++i) {
      int a = i / 4 / (count + 2), b = i / 4 % (count + 2);
      x[i] = a < count ? special[a] : a == count ? INFINITY : NAN;
      e[i] = b < count ? special[b] : b == count ? INFINITY : NAN;
      x[i] = i & 1 ? -x[i] : x[i];
      e[i] = i & 2 ? -e[i] : e[i];
    }
    device_pow(x, e, y, &status);
    for (int i = 0; i < BLOCK; ++i) {
      double expected = pow(x[i], e[i]);
      if (is_normal(expected))
        note(&worst, distance(flush(y[i]), expected), x[i]);
      if (expected == 0 && !signbit(expected) != !signbit(y[i]))
        note(&worst, INFINITY, x[i]);
    }
  }
  return report("pow", worst, most);
}

int main(void) {
  int good = test("exp", device_exp, exp, 2, 0);
  good &= test("tanh", device_tanh, tanh, 2.5, 0);
  good &= test("erf", device_erf, erf, 2, 0);
  good &= test("log", device_log, log, 2, 0);
  good &= test("log1p", device_log1p, log1p, 2.5, 0);
  good &= test("sin", device_sin, sin, 1, 0x1p52);
  good &= test("cos", device_cos, cos, 1, 0x1p52);
  good &= test("rsqrt", device_rsqrt, inverse_root, 2, 0);
  good &= test_pow(1);
  return !good;
}
