/*===- Options.c - the command line of a program ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// A part of weft-run's: what needs neither a tokenizer nor a comparison.
//===----------------------------------------------------------------------------------------===*/

#include "Program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: %s [--inputs IN.safetensors [--outputs OUT.safetensors]] [--bench[=N]]\n"
    "\n"
    "Without flags: what the model offers.\n"
    "  --inputs FILE     run an entry on the tensors of a safetensors file and print the results:\n"
    "                    all of up to 64 elements, else of every dimension the first and last "
    "three\n"
    "  --outputs FILE    ... and write them into a safetensors file instead\n"
    "  --bench[=N]       measure N calls (default: for a second) on made-up inputs\n"
    "  --length N,...    lengths to measure (default: the bound, at most 128)\n"
    "  --entry NAME      the entry to call, if there are several\n"
    "  --weights FILE    the weights (default: those in the program, or PROGRAM.weights)\n"
    "  --threads N       number of threads (default: WEFT_THREADS, or the processors it may use)\n"
    "\n"
    "Exit status: 0 done, 1 an error in the input, 2 wrong usage.\n";

enum { MostThreads = 1024 };
static const int64_t mostRuns = 1000000;

static int usage(const char *format, const char *what) {
  fail(format, what);
  return WrongUsage;
}

/* A whole argument from 1 to `most`, or 0. */
static int64_t readCount(const char *text, int64_t most) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return errno || end == text || *end || value < 1 || value > most ? 0 : value;
}

/* Numbers above 0 with commas between them. */
static int areCounts(const char *text) {
  for (;;) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || strtoll(text, NULL, 10) < 1)
      return 0;
    if (!text[digits])
      return 1;
    if (text[digits] != ',')
      return 0;
    text += digits + 1;
  }
}

/* What the numbers must be, and what flags need of one another. */
static int check(Options *options, const char *threads, const char *runs) {
  options->threads = threads ? (int)readCount(threads, MostThreads) : 0;
  options->runs = runs ? readCount(runs, mostRuns) : 0;
  if (threads && !options->threads)
    return usage("--threads takes a number from 1 to %s", "1024");
  if (runs && !options->runs)
    return usage("--bench takes a number from 1 to %s", "1000000");
  if (options->lengths && !options->bench)
    return usage("%s belongs to --bench", "--length");
  if (options->lengths && !areCounts(options->lengths))
    return usage("%s takes numbers above 0", "--length");
  if (options->outputs && !options->inputs)
    return usage("%s needs --inputs", "--outputs");
  return options->bench && options->inputs ? usage("--inputs and %s exclude each other", "--bench")
                                           : Done;
}

int readOptions(int argc, char **argv, Options *options, int *status) {
  const char *threads = NULL, *runs = NULL;
  const struct {
    const char *name, **value;
  } flags[] = {{"inputs", &options->inputs},  {"outputs", &options->outputs},
               {"entry", &options->entry},    {"weights", &options->weights},
               {"length", &options->lengths}, {"threads", &threads}};
  *options = (Options){0};
  *status = Done;
  for (int i = 1; i < argc && !*status; ++i) {
    const char *name = argv[i] + strspn(argv[i], "-"), *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name), flag = 0;
    size_t count = sizeof flags / sizeof *flags;
    if (name == argv[i] || name > argv[i] + 2) {
      *status = usage("'%s' is no flag (--help lists them)", argv[i]);
    } else if (!strcmp(name, "help") || !strcmp(name, "h")) {
      printf(help, argv[0]);
      return Failed; /* with the status of success */
    } else if (length == 5 && !strncmp(name, "bench", length)) {
      options->bench = 1;
      runs = value ? value + 1 : NULL;
    } else {
      while (flag < count &&
             (strlen(flags[flag].name) != length || strncmp(flags[flag].name, name, length) != 0))
        ++flag;
      if (flag == count)
        *status = usage("unknown flag '%s' (--help lists all)", argv[i]);
      else if (!value && i + 1 == argc)
        *status = usage("'%s' needs a value", argv[i]);
      else
        *flags[flag].value = value ? value + 1 : argv[++i];
    }
  }
  if (!*status)
    *status = check(options, threads, runs);
  return *status ? Failed : Done;
}
