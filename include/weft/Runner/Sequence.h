//===- Sequence.h - a text that is computed piece by piece ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Two kinds of models go on from where they were: those for which weftc derived a step, which holds
// the caches of a sequence, and those that carry a state of their own, such as the memory of
// Transformer-XL: an output of one call is the input of its name in the next (recurrentPairs). Both
// are called with the new positions only.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_SEQUENCE_H
#define WEFT_RUNNER_SEQUENCE_H

#include "weft/Runner/CompiledModel.h"

namespace weft {

/// A text that goes on from call to call.
class Sequence {
public:
  /// Null if `entry` can be called for all positions at once only. `sizes`: the largest values of
  /// the symbols.
  static std::unique_ptr<Sequence> create(CompiledModel &model, const weft_entry_info &entry,
                                          llvm::ArrayRef<int64_t> sizes);
  virtual ~Sequence() = default;

  /// The tensors of a call for some positions. Symbol `countSymbol` is the number of these, symbol
  /// `lengthSymbol` that of all so far.
  llvm::ArrayRef<weft_tensor_info> inputs, outputs;
  int32_t lengthSymbol, countSymbol;
  int64_t mostPositions; ///< of a call

  /// Whether it goes on for ever; otherwise it ends with the bound of the positions.
  virtual bool isEndless() const = 0;
  /// Begins anew. `given`: the entry's inputs.
  virtual llvm::Error begin(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<const void *> given) = 0;
  /// Those of a call, from the entry's.
  virtual std::vector<const void *> pick(llvm::ArrayRef<const void *> given) const = 0;
  /// Computes the next sizes[countSymbol] positions. `results` have room for the outputs; that of a
  /// state may be exchanged for another. With `last`, the outputs are of the last of them alone.
  virtual llvm::Error advance(llvm::ArrayRef<int64_t> sizes, std::vector<const void *> inputs,
                              llvm::MutableArrayRef<AlignedBuffer> results, bool last = false) = 0;
  /// Whether it can be asked for these.
  virtual bool canGiveLast() const = 0;
  /// The number of the entry's output that output `index` has a piece of.
  virtual int32_t wholeOf(int32_t index) const = 0;
  /// Output `index` is no piece, but the state after the last call: this one; or null.
  virtual const AlignedBuffer *stateOf(int32_t index) const = 0;

protected:
  Sequence(const weft_model_info &info, llvm::ArrayRef<weft_tensor_info> inputs,
           llvm::ArrayRef<weft_tensor_info> outputs, int32_t lengthSymbol, int32_t countSymbol)
      : inputs(inputs), outputs(outputs), lengthSymbol(lengthSymbol), countSymbol(countSymbol),
        mostPositions(info.symbols[countSymbol].bound) {}
};

} // namespace weft

#endif // WEFT_RUNNER_SEQUENCE_H
