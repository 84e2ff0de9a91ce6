#include "check.h"

typedef int64_t i64;
void causal(float *qkv, float *out, i64 T, i64 S, int *status);
void window(float *q, float *k, float *v, float *bias, float *out, i64 T, i64 S, int *status);
void two(float *q, float *k, float *r, float *kr, float *v, unsigned char *mask, float *out, i64 T,
         i64 S, int *status);
void masked(float *q, float *k, float *v, int *mask, float *out, i64 T, i64 S, int *status);

static double scores[2048];

/* Scores (NAN: masked) become weights; no score at all: no weight. */
static void normalize(int n) {
  double sum = 0;
  for (int s = 0; s < n; ++s)
    sum += scores[s] = isnan(scores[s]) ? 0 : exp(scores[s]);
  for (int s = 0; s < n && sum > 0; ++s)
    scores[s] /= sum;
}

static double dot(const float *a, const float *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (double)a[i] * b[i];
  return sum;
}

/* The weighted sum of the values at v, v + stride, ... */
static double mix(const float *v, int stride, int n) {
  double sum = 0;
  for (int s = 0; s < n; ++s)
    sum += scores[s] * v[s * stride];
  return sum;
}

/* One buffer of queries, keys and values; keys up to the query. */
static void testCausal(int T) {
  int status = 0;
  float *qkv = reals(T * 96), *out = reals(T * 32);
  causal(qkv, out, T, 1, &status);
  for (int row = 0; row < 2 * T; ++row) {
    int t = row / 2, h = row % 2;
    for (int s = 0; s <= t; ++s)
      scores[s] = 0.25 * dot(qkv + t * 96 + h * 16, qkv + s * 96 + 32 + h * 16, 16);
    normalize(t + 1);
    for (int c = 0; c < 16; ++c)
      expect("causal", T, row * 16 + c, out[row * 16 + c], mix(qkv + 64 + h * 16 + c, 96, t + 1));
  }
}

/* Grouped heads, a window, a bias by distance, a predicate on positions. */
static void testWindow(int T, int S) {
  int status = 0;
  float *q = reals(40 * T), *k = reals(20 * S), *v = reals(10 * S), *bias = reals(256);
  float *out = reals(20 * T);
  window(q, k, v, bias, out, T, S, &status);
  for (int row = 0; row < 4 * T; ++row) {
    int h = row / T, t = row % T, group = h / 2;
    for (int s = 0; s < S; ++s)
      scores[s] =
          s >= t - 7 && s < t + 3 && (t + s) % 3
              ? 0.25 * dot(q + row * 10, k + (group * S + s) * 10, 10) + bias[h * 64 + t - s + 9]
              : NAN;
    normalize(S);
    for (int c = 0; c < 5; ++c)
      expect("window", T, row * 5 + c, out[row * 5 + c], mix(v + group * S * 5 + c, 5, S));
  }
}

/* Two dot products, no normaliser, a mask from memory. */
static void testTwo(int T, int S) {
  int status = 0;
  float *q = reals(40 * T), *k = reals(40 * S), *r = reals(7 * T), *kr = reals(7 * S);
  float *v = reals(40 * S), *out = reals(40 * T);
  unsigned char *mask = malloc(S);
  for (int s = 0; s < S; ++s)
    mask[s] = below(2);
  two(q, k, r, kr, v, mask, out, T, S, &status);
  for (int row = 0; row < 2 * T; ++row) {
    int t = row / 2, h = row % 2;
    for (int s = 0; s < S; ++s) {
      double second = 0;
      for (int e = 0; e < 7; ++e)
        second += r[t * 7 + e] * kr[e * S + s];
      scores[s] = mask[s] ? tanh(dot(q + row * 20, k + (s * 2 + h) * 20, 20)) * 0.5 * second : 0;
    }
    for (int c = 0; c < 20; ++c)
      expect("two", T, row * 20 + c, out[row * 20 + c], mix(v + h * 20 + c, 40, S));
  }
}

/* Keys masked by data: all, some, none. */
static void testMasked(int T, int S, int kind) {
  int status = 0;
  float *q = reals(40 * T), *k = reals(40 * S), *v = reals(40 * S), *out = reals(40 * T);
  int *mask = integers(S, 2);
  for (int s = 0; s < S; ++s)
    mask[s] = kind == 2 ? mask[s] : kind;
  masked(q, k, v, mask, out, T, S, &status);
  for (int row = 0; row < 2 * T; ++row) {
    int h = row / T, t = row % T;
    for (int s = 0; s < S; ++s)
      scores[s] = mask[s] ? 0.125 * dot(q + (t * 2 + h) * 20, k + (s * 2 + h) * 20, 20) : NAN;
    normalize(S);
    for (int c = 0; c < 20; ++c)
      expect("masked", T, row * 20 + c, out[row * 20 + c], mix(v + h * 20 + c, 40, S));
  }
}

int main(void) {
  const int queries[] = {1, 13, 97, 300}, keys[] = {1, 20, 33, 290};
  for (int i = 0; i < 4; ++i) {
    testCausal(queries[i]);
    testWindow(queries[i], keys[i]);
    testTwo(queries[i], keys[i]);
    for (int kind = 0; kind < 3; ++kind)
      testMasked(queries[i], keys[i], kind);
  }
  return finish();
}
