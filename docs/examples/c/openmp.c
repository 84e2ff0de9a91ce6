/* Kernels on the threads of an OpenMP program, in place of the runtime's. */

#include <stdint.h>

void weft_parallel_for(void (*fn)(void *context, int64_t index), void *context, int64_t n) {
#pragma omp parallel for schedule(dynamic)
  for (int64_t index = 0; index < n; ++index)
    fn(context, index);
}
