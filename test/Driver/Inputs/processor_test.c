// A thread leaves the processor that is taken, may be wherever it might before, and stays where
// there is no other.
#define _GNU_SOURCE
#include "Processor.h"

#include <stdio.h>

int main(void) {
  cpu_set_t before, after;
  int moves = 0, processors;
  sched_getaffinity(0, sizeof before, &before);
  processors = CPU_COUNT(&before);
  for (int i = 0; i < 100; ++i) { // the system may move it, too
    int taken = currentProcessor();
    leaveProcessor(taken);
    moves += currentProcessor() != taken;
  }
  leaveProcessor(-1);
  sched_getaffinity(0, sizeof after, &after);
  if (!CPU_EQUAL(&before, &after))
    return puts("other processors are allowed"), 1;
  if (processors > 1 ? moves < 50 : moves > 0)
    return printf("%d moves among %d processors\n", moves, processors), 1;
  return puts("all hold"), 0;
}
