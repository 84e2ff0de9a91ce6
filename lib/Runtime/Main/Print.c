/*===- Print.c - tensors and models as a person reads them --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// As weft-run prints them (tools/weft-run/PrintTensor.cpp, Describe.cpp): all elements of up to 64,
// else of every dimension the first and the last three.
//===----------------------------------------------------------------------------------------===*/

#include "Program.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MostShown = 64, Edge = 3 };

typedef struct {
  const FileTensor *tensor;
  FILE *out; /* null: only the width is found */
  int width; /* of the longest element that is shown */
} Printer;

static int isCut(const FileTensor *tensor, int32_t dim) {
  return tensor->count > MostShown && tensor->shape[dim] > 2 * Edge;
}

static void printElement(Printer *printer, int64_t element) {
  const FileTensor *tensor = printer->tensor;
  char text[32];
  int length =
      elementTypes[tensor->type].kind == Real
          ? snprintf(text, sizeof text, "%.5g", loadReal(tensor->type, tensor->data, element))
          : snprintf(text, sizeof text, "%" PRId64, loadInt(tensor->type, tensor->data, element));
  if (printer->out)
    fprintf(printer->out, "%*s", printer->width, text);
  else if (length > printer->width)
    printer->width = length;
}

/* The elements from `element` on, of dimensions `dim` and behind; `stride` of them for an index. */
static void printFrom(Printer *printer, int32_t dim, int64_t element, int64_t stride) {
  const FileTensor *tensor = printer->tensor;
  if (dim == tensor->rank) {
    printElement(printer, element);
    return;
  }
  FILE *out = printer->out;
  int64_t extent = tensor->shape[dim];
  stride /= extent > 0 ? extent : 1;
  if (out)
    fputc('[', out);
  for (int64_t i = 0; i < extent; ++i) {
    int skips = isCut(tensor, dim) && i == Edge;
    if (skips)
      i = extent - Edge;
    for (int between = (i > 0) + skips; out && between > 0; --between) {
      fputs(dim + 1 == tensor->rank ? ", " : ",\n", out);
      for (int32_t space = 0; dim + 1 < tensor->rank && space <= dim; ++space)
        fputc(' ', out);
      if (between == 2)
        fputs("...", out);
    }
    printFrom(printer, dim + 1, element + i * stride, stride);
  }
  if (out)
    fputc(']', out);
}

void printTensor(const FileTensor *tensor, FILE *out) {
  char shape[ShapeTextSize];
  fprintf(out, "%s: %s %s\n", tensor->name, elementTypes[tensor->type].fileName,
          shapeText(tensor->rank, tensor->shape, shape, sizeof shape));
  Printer printer = {tensor, NULL, 0};
  printFrom(&printer, 0, 0, tensor->count);
  printer.out = out;
  printFrom(&printer, 0, 0, tensor->count);
  fputc('\n', out);
}

/* "163.8 kB" */
static void printSize(int64_t bytes, FILE *out) {
  static const char units[] = "kMGTPE";
  double size = (double)bytes / 1000;
  int unit = 0;
  for (; fabs(size) >= 999.95; ++unit) /* that would be printed as 1000.0 */
    size /= 1000;
  if (bytes < 1000)
    fprintf(out, "%" PRId64 " B", bytes);
  else
    fprintf(out, "%.1f %cB", size, units[unit]);
}

int countsNew(const weft_model_info *info, int32_t symbol) {
  for (int32_t i = 0; i < info->step_count; ++i)
    if (info->steps[i].count_symbol == symbol || info->steps[i].last_symbol == symbol)
      return 1;
  return 0;
}

static void describeTensor(const weft_model_info *info, const weft_tensor_info *tensor,
                           const char *kind, FILE *out) {
  int type = typeOfCode(tensor->dtype);
  fprintf(out, "  %s %s: %s[", kind, tensor->name, type < 0 ? "?" : elementTypes[type].textName);
  for (int32_t i = 0; i < tensor->rank; ++i)
    if (tensor->symbols[i] >= 0)
      fprintf(out, "%s%s", i ? ", " : "", info->symbols[tensor->symbols[i]].name);
    else
      fprintf(out, "%s%" PRId64, i ? ", " : "", tensor->dims[i]);
  fputc(']', out);
  if (tensor->index_bound > 0)
    fprintf(out, ", ids below %" PRId64, tensor->index_bound);
  if (tensor->computed)
    fputs(", default computed", out);
  else if (tensor->optional)
    fprintf(out, ", default %g", tensor->default_value);
  fputc('\n', out);
}

static void describeEntry(const weft_model_info *info, const weft_entry_info *entry, FILE *out) {
  fprintf(out, "entry %s: scratch ", entry->name);
  printSize(entry->scratch_bytes, out);
  fputc('\n', out);
  for (int32_t i = 0; i < entry->input_count; ++i)
    describeTensor(info, &entry->inputs[i], "input", out);
  for (int32_t i = 0; i < entry->output_count; ++i)
    describeTensor(info, &entry->outputs[i], "output", out);
}

void describeModel(const weft_model_info *info, FILE *out) {
  fprintf(out, "model %s: %" PRId64 " parameters, compiled by %s for %s%s\n", info->name,
          info->parameter_count, info->compiler, info->target, info->threaded ? ", threaded" : "");
  for (int32_t i = 0; i < info->symbol_count; ++i)
    if (!countsNew(info, i))
      fprintf(out, "dim %s <= %" PRId64 "\n", info->symbols[i].name, info->symbols[i].bound);
  for (int32_t i = 0; i < info->entry_count; ++i)
    describeEntry(info, &info->entries[i], out);
  fputs("memory: weights ", out);
  printSize(info->weights_bytes, out);
  fputs(", peak of a call ", out);
  printSize(info->peak_bytes, out);
  fputc('\n', out);
}
