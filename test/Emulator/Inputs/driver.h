// The functions of the driver that $WEFT_CUDA_DRIVER names, called without a header of CUDA.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

// What a function returned, 0 being good.
#define CALL(name, ...)                                                                            \
  do {                                                                                             \
    int (*called)() = (int (*)())dlsym(library, #name);                                            \
    int code = called ? called(__VA_ARGS__) : -1;                                                  \
    if (code != 0)                                                                                 \
      return printf("%s: %s\n", #name, say(code)), 1;                                              \
  } while (0)

static const char *say(int result) {
  const char *text = "no such function";
  int (*function)(int, const char **) =
      (int (*)(int, const char **))dlsym(library, "cuGetErrorString");
  if (result > 0 && function)
    function(result, &text);
  return text;
}

static char *readText(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 16);
  if (!file || fread(text, 1, (1 << 16) - 1, file) == 0)
    exit(9);
  return text;
}

static int openDriver(void) {
  library = dlopen(getenv("WEFT_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return library ? 1 : (printf("%s\n", dlerror()), 0);
}
