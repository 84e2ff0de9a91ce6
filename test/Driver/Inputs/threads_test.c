/* The loop over threads: every index once, whoever calls. Prints the first condition that does not
 * hold. usage: threads_test [THREADS]: what weft_get_threads is expected to say at first. */

#define _GNU_SOURCE

#include "../../Inputs/check.h"
#include "weft/Runtime/weft_runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 100000 };

static void count(void *context, int64_t index) { ++((int *)context)[index]; }

static void nested(void *context, int64_t index) {
  weft_parallel_for(count, (int *)context + 10 * index, 10);
}

/* Calls for 0 ... n - 1, no others. */
static void testLength(int64_t n) {
  static int calls[MANY + 1];
  memset(calls, 0, sizeof calls);
  weft_parallel_for(count, calls, n);
  for (int64_t i = 0; i <= MANY; ++i)
    CHECK(calls[i] == (i < n));
}

static void testLengths(void) {
  static const int64_t lengths[] = {0, 1, 2, 7, 64, 65, 1000, 1021, MANY};
  for (int threads = 1; threads <= 5; ++threads) {
    weft_set_threads(threads);
    CHECK(weft_get_threads() == threads);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
      testLength(lengths[i]);
    int calls[100] = {0};
    weft_parallel_for(nested, calls, 10);
    for (int i = 0; i < 100; ++i)
      CHECK(calls[i] == 1);
  }
  weft_set_threads(1 << 20);
  CHECK(weft_get_threads() == 1024);
}

static void testManyRegions(int threads, int regions) {
  weft_set_threads(threads);
  int calls[33] = {0};
  for (int i = 0; i < regions; ++i)
    weft_parallel_for(count, calls, 33);
  for (int i = 0; i < 33; ++i)
    CHECK(calls[i] == regions);
}

static void *call(void *unused) {
  (void)unused;
  int calls[100] = {0};
  for (int i = 0; i < 5000; ++i)
    weft_parallel_for(count, calls, 100);
  for (int i = 0; i < 100; ++i)
    CHECK(calls[i] == 5000);
  return NULL;
}

/* Several threads of the program call at once. */
static void testCallers(void) {
  weft_set_threads(3);
  pthread_t others[3];
  for (int i = 0; i < 3; ++i)
    CHECK(pthread_create(&others[i], NULL, call, NULL) == 0);
  call(NULL);
  for (int i = 0; i < 3; ++i)
    CHECK(pthread_join(others[i], NULL) == 0);
}

static pthread_t first;
static atomic_int elsewhere;

static void rest(void *context, int64_t index) {
  (void)context, (void)index;
  usleep(1000);
  elsewhere |= !pthread_equal(pthread_self(), first);
}

/* Somebody helps, if the machine lets him. */
static void testHelp(void) {
  weft_set_threads(2);
  first = pthread_self();
  for (int i = 0; i < 1000 && !elsewhere; ++i)
    weft_parallel_for(rest, NULL, 20);
  CHECK(elsewhere);
}

static cpu_set_t allowed;
static atomic_int kept, helped;

static void compareProcessors(void *context, int64_t index) {
  cpu_set_t now;
  (void)context, (void)index;
  usleep(100);
  kept &= sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &allowed);
  helped |= !pthread_equal(pthread_self(), first);
}

/* Who was kept off a processor to be woken may be everywhere again. */
static void testProcessors(void) {
  weft_set_threads(2);
  first = pthread_self();
  kept = 1;
  CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  for (int i = 0; i < 1000 && !(helped && i >= 100); ++i) {
    usleep(1000); /* until the worker sleeps */
    weft_parallel_for(compareProcessors, NULL, 8);
  }
  CHECK(helped && kept);
}

/* The child has the memory of the pool but none of its threads. */
static void testFork(void) {
  testManyRegions(3, 10);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(100);
    testManyRegions(3, 100);
    exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  testManyRegions(3, 10);
}

/* Four threads on one processor: they have nothing to wait for but the one that runs. */
static void testCrowd(void) {
  cpu_set_t before, one;
  CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before))
      CPU_SET(i, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  weft_set_threads(0);
  CHECK(getenv("WEFT_THREADS") || weft_get_threads() == 1);
  testManyRegions(4, 20000);
  CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
}

int main(int argc, char **argv) {
  alarm(300); /* instead of waiting for ever */
  CHECK(weft_get_threads() >= 1);
  CHECK(argc == 1 || weft_get_threads() == atoi(argv[1]));
  testLengths();
  testManyRegions(2, 20000);
  testCallers();
  testHelp();
  testProcessors();
  testFork();
  testCrowd();
  puts("all hold");
  return 0;
}
