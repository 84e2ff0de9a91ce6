//===- Interface.cpp - what a compiled model says about itself ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Interface.h"

#include "weft/Support/TensorSize.h"
#include "weft/Support/WorkCount.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

const weft_tensor_info *weft::findTensor(llvm::ArrayRef<weft_tensor_info> tensors,
                                         llvm::StringRef name) {
  const auto *found =
      llvm::find_if(tensors, [name](const weft_tensor_info &each) { return name == each.name; });
  return found == tensors.end() ? nullptr : found;
}

const ElementTypeInfo &weft::elementsOf(const weft_tensor_info &tensor) {
  return infoOf(*elementTypeOfCode(tensor.dtype));
}

llvm::SmallVector<int64_t> weft::shapeOf(const weft_tensor_info &tensor,
                                         llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> shape;
  for (int32_t i = 0; i < tensor.rank; ++i)
    shape.push_back(tensor.symbols[i] >= 0 ? sizes[tensor.symbols[i]] : tensor.dims[i]);
  return shape;
}

int64_t weft::bytesOf(const weft_tensor_info &tensor, llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> batch) {
  llvm::SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, shapeOf(tensor, sizes));
  return tensorBytes(elementsOf(tensor).bits, shape).value_or(INT64_MAX);
}

int64_t weft::dimsOf(const weft_tensor_info &tensor, int32_t symbol) {
  return llvm::count(llvm::ArrayRef(tensor.symbols, tensor.rank), symbol);
}

const weft_step_info *weft::stepOf(const weft_model_info &info, const weft_entry_info &entry) {
  for (const weft_step_info &step : stepsOf(info))
    if (&info.entries[step.entry] == &entry)
      return &step;
  return nullptr;
}

bool weft::countsNew(const weft_model_info &info, int32_t symbol) {
  return llvm::any_of(stepsOf(info), [symbol](const weft_step_info &step) {
    return step.count_symbol == symbol || step.last_symbol == symbol;
  });
}

double weft::flopsAt(const double (&flops)[3], int32_t symbol, int64_t length) {
  double n = symbol >= 0 ? double(length) : 0;
  return flops[0] + flops[1] * n + flops[2] * n * n;
}

double weft::flopsOf(const weft_model_info &info, const weft_entry_info &entry,
                     llvm::ArrayRef<int64_t> sizes) {
  if (info.abi_version >= 7 && info.entry_flops) {
    const weft_count &count = info.entry_flops[&entry - info.entries];
    auto values = runCount({count.steps, size_t(count.step_count)}, sizes);
    if (values && values->size() == 1)
      return values->front();
  }
  int32_t symbol = entry.flops_symbol;
  return flopsAt(entry.flops, symbol, symbol >= 0 ? sizes[size_t(symbol)] : 0);
}

std::string weft::declaredShape(const weft_model_info &info, const weft_tensor_info &tensor) {
  std::string text = "[";
  for (int32_t i = 0; i < tensor.rank; ++i) {
    text += i ? ", " : "";
    text += tensor.symbols[i] >= 0 ? std::string(info.symbols[tensor.symbols[i]].name)
                                   : std::to_string(tensor.dims[i]);
  }
  return text + "]";
}

static bool haveOneType(const weft_tensor_info &a, const weft_tensor_info &b) {
  return a.dtype == b.dtype && llvm::ArrayRef(a.dims, a.rank) == llvm::ArrayRef(b.dims, b.rank) &&
         llvm::ArrayRef(a.symbols, a.rank) == llvm::ArrayRef(b.symbols, b.rank);
}

llvm::SmallVector<RecurrentPair> weft::recurrentPairs(const weft_model_info &info,
                                                      const weft_entry_info &entry) {
  llvm::SmallVector<RecurrentPair> pairs;
  if (info.generate_entry < 0 || &info.entries[info.generate_entry] != &entry)
    return pairs;
  for (const auto &[index, input] : llvm::enumerate(inputsOf(entry))) {
    const weft_tensor_info *output = findTensor(outputsOf(entry), input.name);
    if (output && haveOneType(input, *output) && dimsOf(input, info.generate_symbol) == 0)
      pairs.push_back({int32_t(index), int32_t(output - entry.outputs)});
  }
  return pairs;
}
