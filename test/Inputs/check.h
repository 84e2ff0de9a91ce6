/* What C programs of tests share: a condition that has to hold, else the program says which does
 * not and ends. */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(CONDITION)                                                                           \
  do {                                                                                             \
    if (!(CONDITION)) {                                                                            \
      printf("line %d: %s\n", __LINE__, #CONDITION);                                               \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
