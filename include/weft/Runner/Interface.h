//===- Interface.h - what a compiled model says about itself --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_INTERFACE_H
#define WEFT_RUNNER_INTERFACE_H

#include "weft/Runtime/weft_model_info.h"
#include "weft/Support/ElementType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weft {

/// The arrays of the description.
inline llvm::ArrayRef<weft_symbol_info> symbolsOf(const weft_model_info &info) {
  return {info.symbols, size_t(info.symbol_count)};
}
inline llvm::ArrayRef<weft_entry_info> entriesOf(const weft_model_info &info) {
  return {info.entries, size_t(info.entry_count)};
}
inline llvm::ArrayRef<weft_step_info> stepsOf(const weft_model_info &info) {
  return {info.steps, size_t(info.step_count)};
}
inline llvm::ArrayRef<weft_tensor_info> inputsOf(const weft_entry_info &entry) {
  return {entry.inputs, size_t(entry.input_count)};
}
inline llvm::ArrayRef<weft_tensor_info> outputsOf(const weft_entry_info &entry) {
  return {entry.outputs, size_t(entry.output_count)};
}

/// The tensor of a name; null if there is none.
const weft_tensor_info *findTensor(llvm::ArrayRef<weft_tensor_info> tensors, llvm::StringRef name);

/// What the elements of a tensor are. A model with others is not loaded.
const ElementTypeInfo &elementsOf(const weft_tensor_info &tensor);

/// The shape of a tensor for the given values of the model's symbols.
llvm::SmallVector<int64_t> shapeOf(const weft_tensor_info &tensor, llvm::ArrayRef<int64_t> sizes);
/// The bytes of `batch` such tensors; INT64_MAX, which no AlignedBuffer has, if they are beyond
/// counting.
int64_t bytesOf(const weft_tensor_info &tensor, llvm::ArrayRef<int64_t> sizes,
                llvm::ArrayRef<int64_t> batch = {});

/// How many dimensions of a tensor have the extent of a symbol.
int64_t dimsOf(const weft_tensor_info &tensor, int32_t symbol);

/// The step that continues an entry by new positions; null if there is none.
const weft_step_info *stepOf(const weft_model_info &info, const weft_entry_info &entry);

/// Whether a symbol counts the new positions of a step, and no dimension of an entry.
bool countsNew(const weft_model_info &info, int32_t symbol);

/// The polynomial of weft_entry_info and weft_kernel_info.
double flopsAt(const double (&flops)[3], int32_t symbol, int64_t length);

/// The arithmetic of a call of `entry`, which is one of the model's; of models before version 7
/// with all symbols but one at their bounds. 0: it is not known.
double flopsOf(const weft_model_info &info, const weft_entry_info &entry,
               llvm::ArrayRef<int64_t> sizes);

/// "[T, 768]"
std::string declaredShape(const weft_model_info &info, const weft_tensor_info &tensor);

/// An input of an entry and the output that takes its place in the next call, by their numbers.
struct RecurrentPair {
  int32_t input, output;
};

/// The state that a sequence carries from call to call: the inputs of the entry that generates with
/// the name and the type of an output, of a shape that does not depend on the number of positions.
llvm::SmallVector<RecurrentPair> recurrentPairs(const weft_model_info &info,
                                                const weft_entry_info &entry);

} // namespace weft

#endif // WEFT_RUNNER_INTERFACE_H
