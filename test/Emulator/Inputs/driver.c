// Runs a kernel of scale.ptx by whatever driver $WEFT_CUDA_DRIVER names: driver PTX KERNEL HOW.
#include "driver.h"

enum { count = 1000, bytes = 4 * count };

int main(int argc, char **argv) {
  const char *kernel = argv[2], *how = argv[3];
  if (!openDriver())
    return 1;
  int device, size = strcmp(how, "too-long") == 0 ? count + 1 : count;
  void *context, *module, *function, *stream;
  uint64_t x, y;
  float *host, result;
  if (strcmp(how, "no-init") != 0)
    CALL(cuInit, 0);
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuModuleLoadDataEx, &module, readText(argv[1]), 0, (void *)0, (void *)0);
  CALL(cuModuleGetFunction, &function, module, kernel);
  CALL(cuStreamCreate, &stream, 1);
  CALL(cuMemAlloc_v2, &x, (size_t)bytes);
  CALL(cuMemAlloc_v2, &y, (size_t)bytes);
  CALL(cuMemHostAlloc, (void **)&host, (size_t)bytes, 0);
  for (int i = 0; i < count; ++i)
    host[i] = (float)i;
  CALL(cuMemcpyHtoDAsync_v2, x, host, (size_t)bytes, stream);
  if (strcmp(how, "early") == 0) // the copy has not happened yet
    host[7] = -1;
  void *parameters[] = {&x, &y, &size};
  void *graph = 0, *exec = 0;
  if (strcmp(how, "graph") == 0)
    CALL(cuStreamBeginCapture_v2, stream, 0);
  CALL(cuLaunchKernel, function, 4, 1, 1, 256, 1, 1, 0, stream, parameters, (void *)0);
  if (strcmp(how, "graph") == 0) {
    CALL(cuStreamEndCapture, stream, &graph);
    CALL(cuGraphInstantiateWithFlags, &exec, graph, 0ull);
    CALL(cuGraphLaunch, exec, stream);
  }
  if (strcmp(how, "unsynchronised") != 0)
    CALL(cuStreamSynchronize, stream);
  CALL(cuMemcpyDtoH_v2, &result, y + 4 * 7, (size_t)4);
  printf("y[7] = %g\n", result);
  CALL(cuMemFree_v2, x);
  return 0;
}
