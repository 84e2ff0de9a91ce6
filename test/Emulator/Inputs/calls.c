// What else a program asks of the driver, with the answers it must get.
#include "driver.h"

// Calls that must fail so.
#define REFUSED(expected, name, ...)                                                               \
  do {                                                                                             \
    int code = ((int (*)())dlsym(library, #name))(__VA_ARGS__);                                    \
    if (code != expected)                                                                          \
      return printf("%s gives %d instead of %d\n", #name, code, expected), 1;                      \
  } while (0)
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return printf("line %d: not %s\n", __LINE__, #condition), 1;                                 \
  } while (0)

static int checkMemory(void *stream) {
  uint64_t a, b, begin;
  size_t size, available, total;
  int kind = 0;
  uint32_t words[4], copied[4] = {0};
  CALL(cuMemAlloc_v2, &a, (size_t)64);
  CALL(cuMemAlloc_v2, &b, (size_t)64);
  CALL(cuMemGetInfo_v2, &available, &total);
  EXPECT(total - available == 128);
  CALL(cuPointerGetAttribute, &kind, 2, a + 8);
  EXPECT(kind == 2);
  REFUSED(1, cuPointerGetAttribute, &kind, 2, words);
  CALL(cuMemGetAddressRange_v2, &begin, &size, a + 63);
  EXPECT(begin == a && size == 64);
  CALL(cuMemsetD32_v2, a, 7, (size_t)16);
  CALL(cuMemsetD8Async, a + 4, 1, (size_t)4, stream);
  CALL(cuMemcpyDtoDAsync_v2, b, a, (size_t)64, stream);
  CALL(cuMemcpyDtoHAsync_v2, words, b, (size_t)16, stream); // not pinned: it waits
  EXPECT(words[0] == 7 && words[1] == 0x01010101 && words[2] == 7);
  REFUSED(1, cuMemsetD32_v2, a + 60, 0, (size_t)2);
  REFUSED(1, cuMemcpyHtoD_v2, a + 60, words, (size_t)8);
  REFUSED(1, cuMemcpyDtoD_v2, a, a + 8, (size_t)16); // they overlap
  CALL(cuMemcpyHtoD_v2, a, words, (size_t)16);
  CALL(cuMemcpyDtoD_v2, b + 16, a, (size_t)16);
  CALL(cuMemcpyDtoH_v2, copied, b + 16, (size_t)16);
  EXPECT(memcmp(words, copied, 16) == 0);
  CALL(cuMemFree_v2, a);
  REFUSED(1, cuMemFree_v2, a);
  CALL(cuMemFreeAsync, b, stream);
  CALL(cuStreamSynchronize, stream);
  CALL(cuMemGetInfo_v2, &available, &total);
  EXPECT(total == available);
  return 0;
}

static int checkEvents(void *stream) {
  void *start, *end, *other;
  float time = -1;
  uint64_t a;
  CALL(cuStreamCreate, &other, 1);
  CALL(cuMemAlloc_v2, &a, (size_t)64);
  CALL(cuEventCreate, &start, 0);
  CALL(cuEventCreate, &end, 0);
  CALL(cuEventRecord, start, stream);
  CALL(cuMemsetD8Async, a, 5, (size_t)64, stream);
  CALL(cuEventRecord, end, stream);
  REFUSED(600, cuEventElapsedTime, &time, start, end);
  REFUSED(600, cuEventQuery, end);
  CALL(cuEventQuery, end); // who asks again finds it done
  CALL(cuEventElapsedTime, &time, start, end);
  EXPECT(time >= 0);
  // Work of another stream behind an event.
  uint32_t *host;
  CALL(cuMemHostAlloc, (void **)&host, (size_t)4, 0);
  host[0] = 0;
  CALL(cuMemsetD8Async, a, 6, (size_t)64, stream);
  CALL(cuEventRecord, end, stream);
  CALL(cuStreamWaitEvent, other, end, 0);
  CALL(cuMemcpyDtoHAsync_v2, host, a, (size_t)4, other);
  EXPECT(host[0] == 0); // pinned: it has not happened
  CALL(cuStreamSynchronize, other);
  EXPECT(host[0] == 0x06060606);
  CALL(cuMemsetD8Async, a, 7, (size_t)64, stream);
  REFUSED(600, cuStreamQuery, stream);
  CALL(cuStreamQuery, stream);
  CALL(cuMemFreeHost, host);
  REFUSED(1, cuMemFreeHost, host);
  CALL(cuEventDestroy_v2, start);
  REFUSED(400, cuEventSynchronize, start);
  CALL(cuStreamDestroy_v2, other);
  REFUSED(400, cuStreamSynchronize, other);
  CALL(cuMemFree_v2, a);
  return 0;
}

// Maps of tensors: type 9 is bf16, swizzle 3 is of 128 bytes.
static int checkMaps(void) {
  _Alignas(64) char map[192];
  uint64_t address, sizes[] = {100, 40}, strides[] = {208}, odd[] = {200};
  unsigned box[] = {64, 8}, wide[] = {72, 8}, tall[] = {64, 257}, ones[] = {1, 1}, twos[] = {1, 2};
  CALL(cuMemAlloc_v2, &address, (size_t)8320);
#define ENCODE(to, from, strides, box, steps, interleave, swizzle)                                 \
  to, 9, 2, (void *)(from), sizes, strides, box, steps, interleave, swizzle, 2, 0
  CALL(cuTensorMapEncodeTiled, ENCODE(map, address, strides, box, ones, 0, 3));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map + 32, address, strides, box, ones, 0, 3));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map, address + 8, strides, box, ones, 0, 3));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map, address, odd, box, ones, 0, 3));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map, address, strides, wide, ones, 0, 3));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map, address, strides, tall, ones, 0, 3));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map, address, strides, box, ones, 0, 2));
  REFUSED(1, cuTensorMapEncodeTiled, ENCODE(map, address, strides, box, ones, 0, 4));
  REFUSED(801, cuTensorMapEncodeTiled, ENCODE(map, address, strides, box, twos, 0, 3));
  REFUSED(801, cuTensorMapEncodeTiled, ENCODE(map, address, strides, box, ones, 1, 3));
  CALL(cuMemFree_v2, address);
  return 0;
}

static int checkModules(const char *path) {
  void *module, *function, *found;
  int value, status;
  uint64_t address;
  size_t size;
  char log[200] = "";
  int options[] = {5, 6};
  void *values[] = {log, (void *)sizeof log};
  CALL(cuModuleLoadData, &module, readText(path));
  CALL(cuModuleGetFunction, &function, module, "scale");
  CALL(cuFuncGetAttribute, &value, 0, function);
  EXPECT(value == 256);
  CALL(cuFuncSetAttribute, function, 8, 100 << 10);
  REFUSED(1, cuFuncSetAttribute, function, 8, 300 << 10);
  REFUSED(500, cuModuleGetGlobal_v2, &address, &size, module, "none");
  CALL(cuModuleUnload, module);
  REFUSED(400, cuModuleUnload, module);
  REFUSED(218, cuModuleLoadDataEx, &module, ".target sm_80\n.texref x;", 2, options, values);
  EXPECT(strcmp(log, "<ptx>:2: error: unknown directive '.texref'") == 0);
  CALL(cuGetProcAddress_v2, "cuMemAlloc", &found, 12000, (uint64_t)0, &status);
  EXPECT(found == dlsym(library, "cuMemAlloc_v2") && status == 0);
  REFUSED(500, cuGetProcAddress_v2, "cuNothing", &found, 12000, (uint64_t)0, &status);
  return 0;
}

int main(int argc, char **argv) {
  int value;
  size_t size;
  char name[32];
  void *context, *stream;
  if (!openDriver())
    return 1;
  CALL(cuInit, 0);
  CALL(cuDeviceGetCount, &value);
  EXPECT(value == 1);
  REFUSED(101, cuDeviceGet, &value, 1);
  CALL(cuDeviceGetName, name, (int)sizeof name, 0);
  CALL(cuDeviceGetAttribute, &value, 75, 0);
  EXPECT(value == 9);
  REFUSED(1, cuDeviceGetAttribute, &value, 9999, 0);
  REFUSED(201, cuStreamCreate, &stream, 0); // no context yet
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  REFUSED(201, cuCtxPopCurrent_v2, &stream);
  CALL(cuCtxPushCurrent_v2, context);
  CALL(cuCtxPopCurrent_v2, &stream);
  EXPECT(stream == context);
  REFUSED(201, cuStreamCreate, &stream, 0);
  CALL(cuCtxSetCurrent, context);
  CALL(cuCtxPushCurrent_v2, context);
  CALL(cuCtxPopCurrent_v2, &stream); // the one below is current again
  CALL(cuStreamCreate, &stream, 0);
  if (checkMemory(stream) || checkEvents(stream) || checkMaps() || checkModules(argv[1]))
    return 1;
  printf("all is well on the %s\n", name);
  return 0;
}
