/* Stands in for cuBLASLt: it looks at what it is asked, and computes nothing. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  int type;
  uint64_t rows, columns;
  int64_t distance;
} Layout;
typedef struct {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} Proposal;

static Layout layouts[4096];
static int made, isTransposed;
static char handle;

int cublasLtCreate(void **result) { return *result = &handle, 0; }
int cublasLtMatmulDescCreate(void **result, int compute, int scale) {
  return *result = &handle, compute != 68 || scale != 0;
}
int cublasLtMatmulDescSetAttribute(void *operation, int attribute, const int *value, size_t size) {
  isTransposed = attribute == 3 && *value == 1 && size == 4;
  return operation != &handle;
}
int cublasLtMatmulPreferenceCreate(void **result) { return *result = &handle, 0; }
int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value,
                                         size_t size) {
  return preference != &handle || attribute != 1 || size != 8 || !value;
}
int cublasLtMatrixLayoutCreate(void **result, int type, uint64_t rows, uint64_t columns,
                               int64_t distance) {
  layouts[made] = (Layout){type, rows, columns, distance};
  return *result = &layouts[made++], 0;
}
static int disagree(const Layout *w, const Layout *x, const Layout *y) {
  return !isTransposed || w->rows != x->rows || w->columns != y->rows || x->columns != y->columns ||
         w->type != y->type;
}
/* The second of three is one that cannot run. */
int cublasLtMatmulAlgoGetHeuristic(void *lt, void *operation, Layout *w, Layout *x, Layout *c,
                                   Layout *y, void *preference, int most, Proposal *proposals,
                                   int *count) {
  memset(proposals, 0, 3 * sizeof *proposals);
  for (uint64_t i = 0; i < 3; ++i)
    proposals[i].algorithm[0] = i;
  proposals[1].state = 15;
  *count = 3;
  return lt != &handle || operation != preference || most < 3 || c != y || disagree(w, x, y);
}
int cublasLtMatmul(void *lt, void *operation, const float *alpha, const void *a, Layout *w,
                   const void *b, Layout *x, const float *beta, const void *c, Layout *old, void *d,
                   Layout *y, const Proposal *proposal, void *space, size_t bytes, void *stream) {
  int isWrong = lt != operation || *alpha != 1 || *beta != 0 || !a || !b || c != d || old != y ||
                !space || !bytes || stream;
  return isWrong || disagree(w, x, y) || proposal->algorithm[0] == 1;
}
