/*===- Program.h - a model that is compiled to a program --------------------------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The parts of the program, which are C and stand on the runtime alone. They take tensors, print
and
// write them as weft-run does (lib/Runner, tools/weft-run), and end with the same exit statuses.
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_MAIN_PROGRAM_H
#define WEFT_LIB_RUNTIME_MAIN_PROGRAM_H

#include "Tensors.h"

#include "weft/Runtime/weft_runtime.h"

#include <stdio.h>

/* What the command line asks for. */
typedef struct {
  const char *inputs, *outputs; /* safetensors files, or null */
  const char *entry;            /* or null */
  const char *weights;          /* or null: where they are by default */
  const char *lengths;          /* of a bench: "16,128", or null */
  int threads;                  /* 0: the default */
  int bench;                    /* 1: measure */
  int64_t runs;                 /* calls to measure; 0: as many as a second holds */
} Options;

/* Reads the command line. Returns Failed, after it has said what is wrong or shown the help, with
 * the status to end with. */
int readOptions(int argc, char **argv, Options *options, int *status);

/* The inputs of one entry, converted and checked, ready for one call for each example. */
typedef struct {
  const weft_entry_info *entry;
  int64_t *sizes;        /* of all symbols of the model */
  const int64_t *batch;  /* the dimensions that tensors have before those of the model */
  int32_t batchRank;     /* 0: there is no batch */
  int64_t examples;      /* 1 without one */
  void **inputs;         /* all examples one after another; null: left out */
  int64_t *inputStrides; /* bytes from one example to the next; 0: one tensor for all */
  void **outputs;        /* the same of the results */
  int64_t *outputStrides;
} Binding;

/* Chooses the entry that takes the tensors, finds its inputs among them, derives the values of
 * symbols and makes room for the results. */
int bindTensors(const weft_model_info *info, const char *entry, const TensorFile *file,
                Binding *binding);
/* The same with made-up inputs, every run-time dimension being `length` or its bound. */
int makeUp(const weft_model_info *info, const char *entry, int64_t length, Binding *binding);
void releaseBinding(Binding *binding);

/* The entry of a name; without one the only entry, or the one that generates. Null after an error.
 */
const weft_entry_info *findEntry(const weft_model_info *info, const char *name);
/* Calls the entry once for each example. */
int runEntry(const Binding *binding, const weft_weights *weights, void *scratch);

/* Makes room for the results of a binding with sizes and batch. */
int makeResults(Binding *binding);
/* Output `index` as a tensor, whose shape has room for `rank` and batch dimensions. */
FileTensor resultOf(const Binding *binding, int32_t index, int64_t *shape);

/* What the program prints: the model's interface, results, times. */
void describeModel(const weft_model_info *info, FILE *out);
int countsNew(const weft_model_info *info, int32_t symbol);
void printTensor(const FileTensor *tensor, FILE *out);
int benchModel(const weft_model_info *info, const weft_weights *weights, void *scratch,
               const Options *options, FILE *out);

/* Writes the results as a safetensors file that appears whole or not at all. */
int writeResults(const Binding *binding, const char *path);
/* Fails if the file at `path` is one of those that are read (`role`). */
int checkOutput(const char *path, const char *input, const char *role);

/* The number of elements of a tensor of a batch; -1 if their bytes are beyond counting. */
int64_t countOf(const weft_tensor_info *tensor, const int64_t *sizes, int64_t examples);
int64_t extentOf(const weft_tensor_info *tensor, int32_t dim, const int64_t *sizes);

#endif /* WEFT_LIB_RUNTIME_MAIN_PROGRAM_H */
