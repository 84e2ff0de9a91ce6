#define _GNU_SOURCE
#include "check.h"

#include <sys/mman.h>

enum { ROWS = 11, COLUMNS = 13, WIDTH = 9, C = 5, NR = 16, T = ROWS };
static const int64_t kStride = 300000000;

void product(float *a, float *w, float *out, int *status);
void largest(float *a, float *out, int *status);
void weights(float *a, float *out, int *status);
void turned(float *a, float *out, int *status);
void gathered(float *a, int *rows, int *columns, float *out, int *status);
void attend(float *q, float *a, float *out, int *status);

static float *a;
/* The last columns of a row. */
static float *last(int row) { return a + (row + 1) * kStride - COLUMNS; }

static void testProduct(void) {
  int status = 0;
  float *w = reals(ROWS * WIDTH), panel[ROWS * NR] = {0}, out[COLUMNS * WIDTH];
  for (int i = 0; i < ROWS * WIDTH; ++i)
    panel[i / WIDTH * NR + i % WIDTH] = w[i];
  product(a, panel, out, &status);
  for (int i = 0; i < COLUMNS * WIDTH; ++i) {
    double sum = 0;
    for (int k = 0; k < ROWS; ++k)
      sum += (double)last(k)[i / WIDTH] * w[k * WIDTH + i % WIDTH];
    expect("product", 0, i, out[i], sum);
  }
}

static void testColumns(void) {
  int status = 0;
  float greatest[COLUMNS], rows[COLUMNS * ROWS], copy[COLUMNS * ROWS];
  largest(a, greatest, &status);
  weights(a, rows, &status);
  turned(a, copy, &status);
  for (int m = 0; m < COLUMNS; ++m) {
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < ROWS; ++k) {
      most = fmax(most, last(k)[m]);
      sum += exp(last(k)[m]);
    }
    expect("largest", 0, m, greatest[m], most);
    for (int k = 0; k < ROWS; ++k) {
      expect("weights", k, m, rows[m * ROWS + k], exp(last(k)[m]) / sum);
      expect("turned", k, m, copy[m * ROWS + k], last(k)[m]);
    }
  }
}

static void testGather(void) {
  int status = 0, columns[COLUMNS], *rows = integers(COLUMNS, ROWS);
  float out[COLUMNS];
  for (int m = 0; m < COLUMNS; ++m)
    columns[m] = (int)(kStride - COLUMNS + below(COLUMNS));
  gathered(a, rows, columns, out, &status);
  for (int m = 0; m < COLUMNS; ++m)
    expect("gathered", 0, m, out[m], a[rows[m] * kStride + columns[m]]);
}

static void testAttention(void) {
  int status = 0;
  float *q = reals(T * C), out[T * COLUMNS];
  attend(q, a, out, &status);
  for (int i = 0; i < T * COLUMNS; ++i) {
    double total = 0, sum = 0;
    for (int s = 0; s < T; ++s) {
      double score = 0;
      for (int c = 0; c < C; ++c)
        score += (double)q[i / COLUMNS * C + c] * a[s * kStride + c];
      total += exp(score / 2);
      sum += exp(score / 2) * last(s)[i % COLUMNS];
    }
    expect("attend", 0, i, out[i], sum / total);
  }
}

int main(void) {
  a = mmap(NULL, ROWS * kStride * sizeof(float), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (a == MAP_FAILED)
    return 1;
  for (int row = 0; row < ROWS; ++row)
    for (int m = 0; m < COLUMNS; ++m) {
      last(row)[m] = real();
      a[row * kStride + m] = real();
    }
  testProduct();
  testColumns();
  testGather();
  testAttention();
  return failures != 0;
}
