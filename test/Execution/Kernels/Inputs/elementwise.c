#include "check.h"

#define D 97
typedef int64_t i64;
void add(float *a, float *b, float *out, i64 T, int *status);
void gather(int *ids, float *w, float *out, i64 T, int *status);
void mean(float *a, float *out, i64 T, int *status);
void colmax(float *a, float *out, i64 T, int *status);
void amax(float *a, int *out, i64 T, int *status);
void top(float *a, int *out, i64 T, int *status);
void norm(float *a, float *w, float *out, float *means, i64 T, int *status);
void columns(float *a, float *out, float *mins, i64 T, int *status);
void softmax(float *a, float *out, i64 T, int *status);
void lsoft(float *a, float *out, i64 T, int *status);
void mm(float *a, float *w, float *bias, float *out, i64 T, int *status);
void check(int *ids, i64 T, int *status);
void inner(float *a, float *out, i64 T, int *status);

static void testMaps(int T, float *a) {
  int status = 0;
  float *b = reals(D), *out = reals(T * D), *table = reals(1300);
  int *ids = integers(T, 110);
  add(a, b, out, T, &status);
  for (int i = 0; i < T * D; ++i)
    expect("add", T, i, out[i], a[i] + b[i % D]);
  gather(ids, table, out, T, &status);
  for (int i = 0; i < 13 * T; ++i)
    expect("gather", T, i, out[i], ids[i % T] < 100 ? table[ids[i % T] * 13 + i / T] : 0);
  inner(a, out, T, &status);
  for (int i = 0; i < T * D; ++i) {
    double sum = i % D / 7;
    for (int d = i % D - 2; d <= i % D + 2; ++d)
      sum += d >= 0 && d < D ? a[i / D * D + d] : 0;
    expect("inner", T, i, out[i], sum);
  }
  check(ids, T, &status);
  int wanted = 0;
  for (int t = 0; t < T; ++t)
    wanted |= ids[t] >= 100 ? 2 : 0;
  expect("check", T, 0, status, wanted);
}

static void testStatistics(int T, float *a) {
  int status = 0;
  float *out = reals(T * D), *numbers = reals(T + D), *w = reals(D);
  norm(a, w, out, numbers, T, &status);
  for (int t = 0; t < T; ++t) {
    const float *row = a + t * D;
    double mean = 0, variance = 0, largest = -1e30;
    for (int d = 0; d < D; ++d)
      mean += row[d] / D, largest = fmax(largest, row[d]);
    for (int d = 0; d < D; ++d)
      variance += (row[d] - mean) * (row[d] - mean) / D;
    expect("means", T, t, numbers[t], mean);
    for (int d = 0; d < D; ++d)
      expect("norm", T, t * D + d, out[t * D + d],
             (row[d] - mean) / (variance + 1) * w[d] + largest);
  }
  columns(a, out, numbers, T, &status);
  for (int d = 0; d < D; ++d) {
    double least = 1e30;
    for (int t = 0; t < T; ++t)
      least = fmin(least, a[t * D + d]);
    expect("mins", T, d, numbers[d], least);
    for (int t = 0; t < T; ++t)
      expect("columns", T, t * D + d, out[t * D + d], a[t * D + d] - least);
  }
}

static void testReductions(int T, float *a) {
  int status = 0;
  float *out = reals(T * D), *w = reals(13 * D), *bias = reals(13);
  int *indices = integers(2 * T, 1);
  mean(a, out, T, &status);
  for (int t = 0; t < T; ++t) {
    double sum = 0, count = 0;
    for (int d = 0; d < D; ++d)
      if (a[t * D + d] > 0)
        sum += a[t * D + d], ++count;
    expect("mean", T, t, out[t], count ? sum / count : 0);
  }
  colmax(a, out, T, &status);
  for (int d = 0; d < D; ++d) {
    double largest = -1e30;
    for (int t = 0; t < T; ++t)
      largest = fmax(largest, a[t * D + d]);
    expect("colmax", T, d, out[d], largest);
  }
  amax(a, indices, T, &status);
  for (int t = 0; t < T; ++t) {
    int best = 0;
    for (int d = 1; d < D; ++d)
      best = a[t * D + d] > a[t * D + best] ? d : best;
    expect("amax", T, t, indices[t], best);
  }
  top(a, indices, T, &status);
  for (int i = 0; i < 2 * T; ++i) {
    const float *row = a + i / 2 * D;
    int rank = 0, d = indices[i];
    for (int e = 0; e < D; ++e)
      rank += row[e] > row[d] || (row[e] == row[d] && e < d);
    expect("top", T, i, rank, i % 2);
  }
  mm(a, w, bias, out, T, &status);
  for (int i = 0; i < 13 * T; ++i) {
    double sum = bias[i % 13];
    for (int d = 0; d < D; ++d)
      sum += (double)a[i / 13 * D + d] * w[i % 13 * D + d];
    expect("mm", T, i, out[i], sum);
  }
}

static void testRows(int T, float *a) {
  int status = 0;
  float *out = reals(T * D);
  softmax(a, out, T, &status);
  for (int t = 0; t < T; ++t) {
    double sum = 0;
    for (int d = 0; d < D && d < t; ++d)
      sum += exp(a[t * D + d]);
    for (int d = 0; d < D; ++d)
      expect("softmax", T, t * D + d, out[t * D + d], d < t ? exp(a[t * D + d]) / sum : 0);
  }
  lsoft(a, out, T, &status);
  for (int t = 0; t < T; ++t) {
    double sum = 0;
    for (int d = 0; d < D; ++d)
      sum += exp(a[t * D + d]);
    for (int d = 0; d < D; ++d)
      expect("lsoft", T, d * T + t, out[d * T + t], a[t * D + d] - log(sum));
  }
}

int main(void) {
  const int sizes[] = {1, 13, 97, 1000};
  for (int i = 0; i < 4; ++i) {
    float *a = reals(sizes[i] * D);
    testMaps(sizes[i], a);
    testReductions(sizes[i], a);
    testStatistics(sizes[i], a);
    testRows(sizes[i], a);
  }
  return finish();
}
