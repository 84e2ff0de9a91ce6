/*===- Convert.c - a file's elements in the types of the model ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// A file may hold ids as I64 where the model reads int32, or a mask as numbers where it reads
// truth values. Every value must survive the conversion; only reals are rounded.
//===----------------------------------------------------------------------------------------===*/

#include "Convert.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "[0, 3]": where the element with this row-major number is. */
static const char *positionText(const FileTensor *tensor, int64_t index, char *text, size_t size) {
  int64_t position[32];
  int32_t rank = tensor->rank < 32 ? tensor->rank : 32;
  for (int32_t i = tensor->rank - 1; i >= 0; --i) {
    if (i < rank)
      position[i] = index % tensor->shape[i];
    index /= tensor->shape[i];
  }
  return shapeText(rank, position, text, size);
}

static int failElement(const FileTensor *tensor, int64_t index, const char *reason) {
  char place[ShapeTextSize], value[32];
  if (elementTypes[tensor->type].kind == Real)
    snprintf(value, sizeof value, "%.5g", loadReal(tensor->type, tensor->data, index));
  else
    snprintf(value, sizeof value, "%" PRId64, loadInt(tensor->type, tensor->data, index));
  return fail("input '%s': element %s is %s, %s", tensor->name,
              positionText(tensor, index, place, sizeof place), value, reason);
}

static int toReals(int type, const FileTensor *tensor, void *memory) {
  char reason[64];
  int bits = elementTypes[type].bits, given = elementTypes[tensor->type].kind;
  /* The integers from -exact to exact are. */
  int64_t exact = (int64_t)1 << (bits - elementTypes[type].exponent);
  for (int64_t i = 0; i < tensor->count; ++i) {
    double value = loadReal(tensor->type, tensor->data, i);
    storeReal(type, memory, i, value);
    if (isfinite(value) && !isfinite(loadReal(type, memory, i))) {
      snprintf(reason, sizeof reason, "too large for a %d-bit real", bits);
      return failElement(tensor, i, reason);
    }
    if (given == Real)
      continue;
    int64_t integer = loadInt(tensor->type, tensor->data, i);
    if (integer < -exact || integer > exact) {
      snprintf(reason, sizeof reason, "which a %d-bit real does not hold exactly", bits);
      return failElement(tensor, i, reason);
    }
  }
  return Done;
}

static int toIntegers(int type, int64_t bound, const FileTensor *tensor, void *memory) {
  char reason[64];
  for (int64_t i = 0; i < tensor->count; ++i) {
    int64_t value = loadInt(tensor->type, tensor->data, i);
    if (bound > 0 && (value < 0 || value >= bound)) {
      snprintf(reason, sizeof reason, "out of range: ids go from 0 to %" PRId64, bound - 1);
      return failElement(tensor, i, reason);
    }
    storeInt(type, memory, i, value);
    int isBool = elementTypes[type].kind == Bool;
    if (loadInt(type, memory, i) != value || (isBool && value != 0 && value != 1)) {
      snprintf(reason, sizeof reason, "which an integer of %d bits does not hold",
               elementTypes[type].bits);
      return failElement(tensor, i, isBool ? "which is neither 0 nor 1" : reason);
    }
  }
  return Done;
}

int convertInput(const weft_tensor_info *declared, const FileTensor *tensor, void **memory) {
  int type = typeOfCode(declared->dtype);
  int isReal = elementTypes[type].kind == Real;
  if (!isReal && elementTypes[tensor->type].kind == Real)
    return fail("input '%s' has type %s, the model reads %s", tensor->name,
                elementTypes[tensor->type].fileName, elementTypes[type].textName);
  /* A file of 1 byte an element may need 4. */
  if (tensor->count > INT64_MAX / 8)
    return fail("input '%s' is too large", tensor->name);
  *memory = weft_allocate(tensor->count * bytesOfType(type));
  if (!*memory)
    return fail("out of memory for input '%s'", tensor->name);
  return isReal ? toReals(type, tensor, *memory)
                : toIntegers(type, declared->index_bound, tensor, *memory);
}

static int checkTypes(const weft_tensor_info *tensors, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (typeOfCode(tensors[i].dtype) < 0)
      return fail("tensor '%s' has elements of type %d, which is not known here", tensors[i].name,
                  (int)tensors[i].dtype);
  return Done;
}

int prepareBinding(const weft_model_info *info, const weft_entry_info *entry, Binding *binding) {
  size_t inputs = (size_t)entry->input_count + 1, outputs = (size_t)entry->output_count + 1;
  *binding = (Binding){.entry = entry, .examples = 1};
  if (checkTypes(entry->inputs, entry->input_count) ||
      checkTypes(entry->outputs, entry->output_count))
    return Failed;
  binding->sizes = calloc((size_t)info->symbol_count + 1, sizeof *binding->sizes);
  binding->inputs = calloc(inputs, sizeof *binding->inputs);
  binding->inputStrides = calloc(inputs, sizeof *binding->inputStrides);
  binding->outputs = calloc(outputs, sizeof *binding->outputs);
  binding->outputStrides = calloc(outputs, sizeof *binding->outputStrides);
  return binding->sizes && binding->inputs && binding->inputStrides && binding->outputs &&
                 binding->outputStrides
             ? Done
             : fail("out of memory");
}

void releaseBinding(Binding *binding) {
  for (int32_t i = 0; binding->inputs && i < binding->entry->input_count; ++i)
    free(binding->inputs[i]);
  for (int32_t i = 0; binding->outputs && i < binding->entry->output_count; ++i)
    free(binding->outputs[i]);
  free(binding->sizes);
  free(binding->inputs);
  free(binding->inputStrides);
  free(binding->outputs);
  free(binding->outputStrides);
  *binding = (Binding){0};
}
