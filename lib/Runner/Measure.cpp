//===- Measure.cpp - the time of calls on made-up inputs ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Measure.h"

#include "weft/Support/Elements.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <random>

using namespace weft;

/// That an input of ids may hold.
static int64_t largestId(const weft_tensor_info &input) {
  int64_t id = input.index_bound - 1;
  while (wrapInt(elementsOf(input).type, id) != id)
    id /= 2;
  return id;
}

static AlignedBuffer randomInput(const weft_tensor_info &input, int64_t bytes,
                                 std::mt19937 &random) {
  AlignedBuffer buffer(bytes);
  const ElementTypeInfo &elements = elementsOf(input);
  for (int64_t i = 0, e = bytes / elements.bytes(); i != e; ++i)
    if (elements.isReal())
      storeReal(elements.type, buffer.data(), i, double(int32_t(random())) * 0x1p-31);
    else if (elements.kind == ElementKind::Bool)
      storeInt(elements.type, buffer.data(), i, 1);
    else if (input.index_bound > 0)
      storeInt(elements.type, buffer.data(), i, int64_t(random() % uint64_t(largestId(input) + 1)));
  return buffer;
}

llvm::SmallVector<int64_t> weft::sizesAt(const weft_model_info &info, int64_t length) {
  llvm::SmallVector<int64_t> sizes;
  for (const weft_symbol_info &symbol : symbolsOf(info))
    sizes.push_back(std::min(length, symbol.bound));
  return sizes;
}

RandomCall::RandomCall(const weft_entry_info &entry, llvm::ArrayRef<int64_t> values)
    : sizes(values) {
  std::mt19937 random(1);
  for (const weft_tensor_info &input : inputsOf(entry)) {
    buffers.push_back(input.optional ? AlignedBuffer()
                                     : randomInput(input, bytesOf(input, sizes), random));
    inputs.push_back(buffers.back().data());
  }
  for (const weft_tensor_info &output : outputsOf(entry)) {
    buffers.emplace_back(bytesOf(output, sizes));
    outputs.push_back(buffers.back().data());
  }
}

llvm::Expected<Times> weft::measure(CompiledModel &model, const weft_entry_info &entry,
                                    const RandomCall &call, int64_t runs) {
  // The first call reads the weights and starts the threads.
  if (llvm::Error error = model.run(entry, call.sizes, call.inputs, call.outputs))
    return std::move(error);
  model.resetProfile();
  Times times;
  double total = 0;
  for (int64_t run = 0; runs > 0 ? run < runs : run < 5 || (total < 1 && run < 1000); ++run) {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = model.run(entry, call.sizes, call.inputs, call.outputs))
      return std::move(error);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    times.seconds.push_back(seconds.count());
    total += seconds.count();
  }
  llvm::sort(times.seconds);
  return times;
}
