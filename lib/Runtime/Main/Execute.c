/*===- Execute.c - calls of an entry, and made-up inputs ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#include "Convert.h"

#include <stdlib.h>

int makeResults(Binding *binding) {
  const weft_entry_info *entry = binding->entry;
  for (int32_t i = 0; i < entry->output_count; ++i) {
    const weft_tensor_info *output = &entry->outputs[i];
    int64_t count = countOf(output, binding->sizes, binding->examples);
    int64_t bytes = count < 0 ? -1 : count * bytesOfType(typeOfCode(output->dtype));
    binding->outputs[i] = weft_allocate(bytes);
    if (!binding->outputs[i])
      return fail("out of memory for output '%s'", output->name);
    binding->outputStrides[i] = bytes / binding->examples;
  }
  return Done;
}

FileTensor resultOf(const Binding *binding, int32_t index, int64_t *shape) {
  const weft_tensor_info *output = &binding->entry->outputs[index];
  int32_t rank = 0;
  for (int32_t i = 0; i < binding->batchRank; ++i)
    shape[rank++] = binding->batch[i];
  for (int32_t i = 0; i < output->rank; ++i)
    shape[rank++] = extentOf(output, i, binding->sizes);
  return (FileTensor){output->name,
                      typeOfCode(output->dtype),
                      rank,
                      shape,
                      countOf(output, binding->sizes, binding->examples),
                      binding->outputs[index]};
}

/* The pointers of example `index`. */
static void point(void **pointers, void *const *memory, const int64_t *strides, int32_t count,
                  int64_t index) {
  for (int32_t i = 0; i < count; ++i)
    pointers[i] = memory[i] ? (char *)memory[i] + index * strides[i] : NULL;
}

int runEntry(const Binding *binding, const weft_weights *weights, void *scratch) {
  const weft_entry_info *entry = binding->entry;
  size_t count = (size_t)entry->input_count + (size_t)entry->output_count + 1;
  void **inputs = malloc(count * sizeof *inputs), **outputs = inputs + entry->input_count;
  if (!inputs)
    return fail("out of memory");
  int code = WEFT_OK;
  for (int64_t example = 0; example < binding->examples && code == WEFT_OK; ++example) {
    point(inputs, binding->inputs, binding->inputStrides, entry->input_count, example);
    point(outputs, binding->outputs, binding->outputStrides, entry->output_count, example);
    code = entry->call(weights->data, scratch, binding->sizes, inputs, outputs);
  }
  free(inputs);
  return code == WEFT_OK ? Done : fail("entry '%s': %s", entry->name, weft_error_string(code));
}

/* Reals between -1 and 1, ids that the type holds, truth values 1, other integers 0. */
static void fill(const weft_tensor_info *input, int64_t count, void *memory) {
  int type = typeOfCode(input->dtype), kind = elementTypes[type].kind;
  int64_t bound = input->index_bound;
  for (int64_t i = 0; i < count; ++i)
    if (kind == Real)
      storeReal(type, memory, i, (double)(i % 17) / 8.5 - 1);
    else if (kind == Bool)
      storeInt(type, memory, i, 1);
    else
      storeInt(type, memory, i, bound > 0 ? i % bound % (bytesOfType(type) == 1 ? 128 : bound) : 0);
}

int makeUp(const weft_model_info *info, const char *name, int64_t length, Binding *binding) {
  const weft_entry_info *entry = findEntry(info, name);
  if (!entry || prepareBinding(info, entry, binding))
    return Failed;
  for (int32_t i = 0; i < info->symbol_count; ++i)
    binding->sizes[i] = length < info->symbols[i].bound ? length : info->symbols[i].bound;
  for (int32_t i = 0; i < entry->input_count; ++i) {
    const weft_tensor_info *input = &entry->inputs[i];
    if (input->optional)
      continue;
    int64_t count = countOf(input, binding->sizes, 1);
    binding->inputs[i] =
        weft_allocate(count < 0 ? -1 : count * bytesOfType(typeOfCode(input->dtype)));
    if (!binding->inputs[i])
      return fail("out of memory for input '%s'", input->name);
    fill(input, count, binding->inputs[i]);
  }
  return makeResults(binding);
}
