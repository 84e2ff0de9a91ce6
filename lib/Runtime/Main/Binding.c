/*===- Binding.c - finds the inputs of an entry among the tensors of a file ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// The rules are those of weft-run (lib/Runner/Binding.cpp): tensors are found by name, run-time
// dimensions follow from shapes, and dimensions before those that the model declares are a batch.
//===----------------------------------------------------------------------------------------===*/

#include "Convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t extentOf(const weft_tensor_info *tensor, int32_t dim, const int64_t *sizes) {
  return tensor->symbols[dim] >= 0 ? sizes[tensor->symbols[dim]] : tensor->dims[dim];
}

int64_t countOf(const weft_tensor_info *tensor, const int64_t *sizes, int64_t examples) {
  int64_t count = examples;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    int64_t extent = extentOf(tensor, i, sizes);
    if (extent > 0 && count > INT64_MAX / 8 / extent)
      return -1;
    count *= extent;
  }
  return count;
}

const weft_entry_info *findEntry(const weft_model_info *info, const char *name) {
  for (int32_t i = 0; name && i < info->entry_count; ++i)
    if (!strcmp(info->entries[i].name, name))
      return &info->entries[i];
  if (!name && info->entry_count == 1)
    return info->entries;
  if (!name && info->generate_entry >= 0)
    return &info->entries[info->generate_entry];
  fail(name ? "no entry '%s' in the model" : "the model has several entries, choose one by --entry",
       name);
  return NULL;
}

static const FileTensor *findTensor(const TensorFile *file, const char *name) {
  for (int64_t i = 0; i < file->count; ++i)
    if (!strcmp(file->tensors[i].name, name))
      return &file->tensors[i];
  return NULL;
}

/* The first name that keeps the entry from taking the tensors, and whether that is one it lacks;
 * null if there is none. */
static const char *findMisfit(const weft_entry_info *entry, const TensorFile *file, int *unknown) {
  for (int64_t i = 0; i < file->count; ++i) {
    int32_t input = 0;
    while (input < entry->input_count &&
           strcmp(entry->inputs[input].name, file->tensors[i].name) != 0)
      ++input;
    *unknown = 1;
    if (input == entry->input_count)
      return file->tensors[i].name;
  }
  *unknown = 0;
  for (int32_t i = 0; i < entry->input_count; ++i)
    if (!entry->inputs[i].optional && !findTensor(file, entry->inputs[i].name))
      return entry->inputs[i].name;
  return NULL;
}

/* Without a name the only entry that takes the tensors, or of several the one that generates. */
static const weft_entry_info *chooseEntry(const weft_model_info *info, const char *name,
                                          const TensorFile *file) {
  if (name || info->entry_count == 1)
    return findEntry(info, name);
  const weft_entry_info *fitting = NULL;
  int unknown, count = 0;
  for (int32_t i = 0; i < info->entry_count; ++i)
    if (!findMisfit(&info->entries[i], file, &unknown)) {
      fitting = count++ && info->generate_entry != i ? fitting : &info->entries[i];
      if (info->generate_entry == i)
        return fitting;
    }
  if (count == 1)
    return fitting;
  fail(count ? "the inputs fit several entries, choose one by --entry"
             : "the inputs fit no entry of the model");
  return NULL;
}

/* The tensors' shapes, read one after another. */
typedef struct {
  const weft_model_info *info;
  Binding *binding;
  const char **sources; /* for each symbol: the tensor that gave its value, or null */
  const char *batchSource;
} ShapeReader;

static int failShape(const ShapeReader *reader, const weft_tensor_info *declared,
                     const FileTensor *tensor) {
  char given[ShapeTextSize], wanted[ShapeTextSize];
  size_t length = 0;
  wanted[0] = '\0';
  for (int32_t i = 0; i < declared->rank && length < sizeof wanted; ++i)
    length +=
        (size_t)(declared->symbols[i] >= 0
                     ? snprintf(wanted + length, sizeof wanted - length, "%s%s", i ? ", " : "",
                                reader->info->symbols[declared->symbols[i]].name)
                     : snprintf(wanted + length, sizeof wanted - length, "%s%" PRId64,
                                i ? ", " : "", declared->dims[i]));
  return fail("input '%s' has shape %s, the model declares [%s] (a batch may come before it)",
              tensor->name, shapeText(tensor->rank, tensor->shape, given, sizeof given), wanted);
}

static int readBatch(ShapeReader *reader, const FileTensor *tensor, int32_t rank) {
  Binding *binding = reader->binding;
  int32_t batchRank = tensor->rank - rank;
  if (batchRank == 0)
    return Done;
  char given[ShapeTextSize], other[ShapeTextSize];
  if (tensor->count == 0)
    return fail("input '%s' has shape %s, which is empty", tensor->name,
                shapeText(tensor->rank, tensor->shape, given, sizeof given));
  int64_t examples = 1; /* no more than elements */
  for (int32_t i = 0; i < batchRank; ++i)
    examples *= tensor->shape[i];
  if (binding->batchRank &&
      (binding->batchRank != batchRank ||
       memcmp(binding->batch, tensor->shape, (size_t)batchRank * sizeof *tensor->shape) != 0))
    return fail("input '%s' has a batch of %s, but input '%s' has %s", tensor->name,
                shapeText(batchRank, tensor->shape, given, sizeof given), reader->batchSource,
                shapeText(binding->batchRank, binding->batch, other, sizeof other));
  reader->batchSource = tensor->name;
  binding->batch = tensor->shape;
  binding->batchRank = batchRank;
  binding->examples = examples;
  return Done;
}

static int readSymbol(ShapeReader *reader, const FileTensor *tensor, int32_t symbol,
                      int64_t extent) {
  const weft_symbol_info *declared = &reader->info->symbols[symbol];
  int64_t *size = &reader->binding->sizes[symbol];
  if (extent < 1)
    return fail("input '%s' has %s = 0, at least 1 is needed", tensor->name, declared->name);
  if (extent > declared->bound)
    return fail("input '%s' has %s = %" PRId64 ", the model is compiled for %s <= %" PRId64,
                tensor->name, declared->name, extent, declared->name, declared->bound);
  if (reader->sources[symbol] && *size != extent)
    return fail("input '%s' has %s = %" PRId64 ", but input '%s' has %s = %" PRId64, tensor->name,
                declared->name, extent, reader->sources[symbol], declared->name, *size);
  reader->sources[symbol] = tensor->name;
  *size = extent;
  return Done;
}

static int readShape(ShapeReader *reader, const weft_tensor_info *declared,
                     const FileTensor *tensor) {
  int32_t before = tensor->rank - declared->rank;
  for (int32_t i = 0; i < declared->rank && before >= 0; ++i)
    if (declared->symbols[i] < 0 && declared->dims[i] != tensor->shape[before + i])
      before = -1;
  if (before < 0)
    return failShape(reader, declared, tensor);
  for (int32_t i = 0; i < declared->rank; ++i)
    if (declared->symbols[i] >= 0 &&
        readSymbol(reader, tensor, declared->symbols[i], tensor->shape[before + i]))
      return Failed;
  return readBatch(reader, tensor, declared->rank);
}

/* Every symbol that the entry uses has a value now. */
static int checkKnown(const ShapeReader *reader, const weft_tensor_info *tensors, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    for (int32_t dim = 0; dim < tensors[i].rank; ++dim) {
      int32_t symbol = tensors[i].symbols[dim];
      if (symbol >= 0 && !reader->sources[symbol])
        return fail("no given input tells the value of %s, needed by '%s'",
                    reader->info->symbols[symbol].name, tensors[i].name);
    }
  return Done;
}

static int bindInput(ShapeReader *reader, int32_t index, const TensorFile *file) {
  Binding *binding = reader->binding;
  const weft_tensor_info *declared = &binding->entry->inputs[index];
  const FileTensor *tensor = findTensor(file, declared->name);
  if (!tensor)
    return Done;
  if (readShape(reader, declared, tensor) ||
      convertInput(declared, tensor, &binding->inputs[index]))
    return Failed;
  if (tensor->rank > declared->rank)
    binding->inputStrides[index] =
        tensor->count / binding->examples * bytesOfType(typeOfCode(declared->dtype));
  return Done;
}

static int bindAll(ShapeReader *reader, const TensorFile *file) {
  const weft_entry_info *entry = reader->binding->entry;
  int unknown;
  const char *misfit = findMisfit(entry, file, &unknown);
  if (misfit)
    return fail(unknown ? "the model has no input '%s'"
                        : "input '%s' is missing; the model needs it",
                misfit);
  for (int32_t i = 0; i < entry->input_count; ++i)
    if (bindInput(reader, i, file))
      return Failed;
  return checkKnown(reader, entry->inputs, entry->input_count) ||
                 checkKnown(reader, entry->outputs, entry->output_count)
             ? Failed
             : makeResults(reader->binding);
}

int bindTensors(const weft_model_info *info, const char *name, const TensorFile *file,
                Binding *binding) {
  const weft_entry_info *entry = chooseEntry(info, name, file);
  if (!entry || prepareBinding(info, entry, binding))
    return Failed;
  ShapeReader reader = {info, binding, calloc((size_t)info->symbol_count + 1, sizeof(char *)),
                        NULL};
  int status = reader.sources ? bindAll(&reader, file) : fail("out of memory");
  free(reader.sources);
  return status;
}
