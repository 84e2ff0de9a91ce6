#include "check.h"

#define NR 16
typedef int64_t i64;
void g1(float *a, float *w, float *bias, float *rest, float *out, i64 T, int *status);
void g2(float *a, float *w, float *out, i64 T, int *status);
void g3(float *a, float *w, float *out, i64 T, int *status);

/* A K x N matrix as panels [ceil(N / NR)][K][NR], padded with zeros. */
static float *pack(const float *w, int K, int N) {
  float *panels = calloc((N + NR - 1) / NR * NR * K, sizeof(float));
  for (int k = 0; k < K; ++k)
    for (int n = 0; n < N; ++n)
      panels[(n / NR * K + k) * NR + n % NR] = w[k * N + n];
  return panels;
}

/* Rows and columns with remainders, a scale, a bias and a residual. */
static void testPlain(int T) {
  int status = 0;
  float *a = reals(T * 97), *w = reals(9700), *bias = reals(100), *rest = reals(T * 100);
  float *out = reals(T * 100);
  g1(a, pack(w, 97, 100), bias, rest, out, T, &status);
  for (int i = 0; i < T * 100; ++i) {
    double sum = 0;
    for (int k = 0; k < 97; ++k)
      sum += (double)a[i / 100 * 97 + k] * w[k * 100 + i % 100];
    expect("g1", T, i, out[i], 0.5 * sum + bias[i % 100] + rest[i]);
  }
}

/* Reduced dimensions apart in memory, an output of several column dimensions in another order. */
static void testSplit(int T) {
  int status = 0;
  float *a = reals(T * 15), *w = reals(15 * 24), *out = reals(T * 24);
  g2(a, pack(w, 15, 24), out, T, &status);
  for (int n = 0; n < 24; ++n)
    for (int t = 0; t < T; ++t) {
      double sum = 0;
      for (int k = 0; k < 15; ++k)
        sum += (double)a[(k / 5 * T + t) * 5 + k % 5] * w[k * 24 + n];
      int i = (n / 8 * T + t) * 8 + n % 8;
      expect("g2", T, i, out[i], sum);
    }
}

/* The packed factor first, rows of two dimensions, an index value in the epilogue. */
static void testRows(int T) {
  int status = 0;
  float *a = reals(3 * T * 64), *w = reals(64 * 128), *out = reals(3 * T * 128);
  float *panels = pack(w, 64, 128);
  g3(a, panels, out, T, &status);
  for (int i = 0; i < 3 * T * 128; ++i) {
    double sum = i % 64;
    for (int k = 0; k < 64; ++k)
      sum += (double)a[i / 128 * 64 + k] * w[k * 128 + i % 128];
    expect("g3", T, i, out[i], sum);
  }
}

int main(void) {
  const int sizes[] = {1, 2, 7, 13, 97, 128, 1000};
  for (int i = 0; i < 7; ++i) {
    testPlain(sizes[i]);
    testSplit(sizes[i]);
    testRows(sizes[i]);
  }
  return finish();
}
