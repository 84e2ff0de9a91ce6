//===- ModelDescription.h - the interface of a compiled model -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the outside may know of a compiled model: entries, tensors, sizes. The C header and the
// constant `weft_model_info` in the object are both written from this description, so that they
// cannot disagree. The fields mean what their namesakes in weft/Runtime/weft_model_info.h mean.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TARGET_MODELDESCRIPTION_H
#define WEFT_TARGET_MODELDESCRIPTION_H

#include "weft/Support/ElementType.h"
#include "weft/Support/WorkCount.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// A run-time dimension: 1 <= value <= bound.
struct SymbolDescription {
  std::string name;  ///< as in the text: "T"
  int64_t bound = 1; ///< its largest value
};

/// An input or an output of an entry, dense and row-major.
struct TensorDescription {
  std::string name;                    ///< as in the text: "ids"
  ElementType type = ElementType::F32; ///< of its elements
  std::vector<int64_t> dims;           ///< -1: the value of the symbol of the same position
  std::vector<int32_t> symbols;        ///< -1: a static dimension
  bool optional = false;               ///< an input: a null pointer stands for what follows
  double defaultValue = 0;             ///< every element of an optional input that is left out
  int64_t indexBound = 0;              ///< 0 <= id < indexBound; 0: the elements are not ids
  bool computed = false; ///< an optional input: left out, the entry computes its elements
  bool asked = false;    ///< an optional input: the entry asks whether it is left out
};

/// Arithmetic, a multiplication and an addition counted as 2: a polynomial in the value n of one
/// symbol, coefficients[0] + coefficients[1] n + coefficients[2] n^2, with others at their bounds.
struct FlopCount {
  std::array<double, 3> coefficients = {0, 0, 0}; ///< all 0: not known
  int32_t symbol = -1;                            ///< -1: only the first coefficient counts

  /// The count for n = `n`.
  double at(int64_t n) const {
    return coefficients[0] + coefficients[1] * double(n) + coefficients[2] * double(n) * double(n);
  }
};

/// A function of the model.
struct EntryDescription {
  std::string name;                       ///< as in the text: "logits"
  int64_t scratchBytes = 0;               ///< of its arena
  std::vector<TensorDescription> inputs;  ///< in the order of its arguments
  std::vector<TensorDescription> outputs; ///< behind the inputs
  FlopCount flops;                        ///< of a call
  std::optional<Count> flopCount;         ///< the same for any sizes
};

/// A cache or another tensor of a state.
struct StatePart {
  int64_t offset = 0;   ///< bytes from the start of the state
  int64_t rowBytes = 0; ///< of a cache: of one position
  int64_t reach = -1;   ///< of a cache that holds the last positions only; -1: all
};

/// An entry that continues a sequence, one call after the other, and the call that begins one.
struct StepDescription {
  EntryDescription entry;            ///< its inputs and outputs, without the state
  EntryDescription start;            ///< "logits_start": what is given once
  EntryDescription last;             ///< "logits_step_last": outputs of one position, without it
  int64_t stateBytes = 0;            ///< of one sequence, in the memory of who calls
  int64_t deviceStateBytes = 0;      ///< of one sequence, in the memory of a GPU
  std::vector<StatePart> parts;      ///< of the state, in the order of the arguments
  std::vector<int64_t> startOffsets; ///< of the parts that the start makes
  bool hasStart = false;             ///< it does more than to begin with no positions
  int32_t continues = -1;            ///< the entry that computes all at once
  int32_t lengthSymbol = -1;         ///< the number of positions with the new ones
  int32_t countSymbol = -1;          ///< the number of new ones
  int32_t lastSymbol = -1;           ///< the number of those whose outputs `last` computes: 1

  /// A module that is written by hand may be without.
  bool hasLast() const { return lastSymbol >= 0; }
  /// Enough for all calls.
  int64_t getScratchBytes() const {
    return std::max({entry.scratchBytes, start.scratchBytes, last.scratchBytes});
  }
};

/// A kernel, for profiles, as it is called for these sizes.
struct KernelDescription {
  std::string function;          ///< "context.attention"
  std::string name;              ///< the same; with the sizes, if others have its own symbols
  std::string location;          ///< of its formula, "gpt2.weft:31:3", or empty
  std::vector<int32_t> sizes;    ///< the symbols that it is passed
  FlopCount flops;               ///< of one call
  std::optional<WorkCount> work; ///< the same and more, for any sizes
};

/// The interface of a compiled model.
struct ModelDescription {
  std::string name;                       ///< prefix of the C functions; a C identifier
  std::string compiler;                   ///< "weftc 0.1"
  std::string target;                     ///< "x86-64-v4"
  std::string features;                   ///< what its code needs: "avx2,fma"
  uint64_t fingerprint = 0;               ///< which the weights file must carry
  int64_t weightsBytes = 0;               ///< of the whole weights file; 0: there is none
  int64_t parameterCount = 0;             ///< numbers in the checkpoint's tensors
  int64_t peakBytes = 0;                  ///< weights and the largest scratch and state of a call
  bool threaded = false;                  ///< it calls weft_parallel_for
  bool onDevice = false;                  ///< it runs on a GPU, whose memory holds what it needs
  int64_t deviceScratchBytes = 0;         ///< there: of the largest arena
  bool embedsWeights = false;             ///< they are in the object, not in a file
  std::vector<SymbolDescription> symbols; ///< what `symbols` of tensors are indices into
  int32_t flopsSymbol = -1;               ///< whose polynomials the counts of arithmetic are, or -1
  std::vector<EntryDescription> entries;  ///< in the order of the text
  std::vector<KernelDescription> kernels; ///< in the order of the module
  std::vector<StepDescription> steps;     ///< of the entries that can be continued
  int32_t generateEntry = -1;             ///< the entry that generates text, or -1
  int32_t generateOutput = -1;            ///< its output [symbol, vocabulary] of logits, or -1
  int32_t generateSymbol = -1;            ///< the symbol that counts positions, or -1
  int32_t generateInput = -1;             ///< its input [symbol] of ids, or -1
};

/// `name` as a C and C++ identifier: other characters become '_', a keyword gets a '_' behind.
std::string cIdentifier(llvm::StringRef name);

/// The C function of an entry, "gpt2_logits".
std::string entryFunctionName(const ModelDescription &model, const EntryDescription &entry);

/// The symbols, in the model's order, that appear in the shapes of the entry's tensors: the typed
/// C function takes the value of each as an int64_t, after `weights` and `scratch`.
std::vector<int32_t> symbolsOfEntry(const ModelDescription &model, const EntryDescription &entry);

/// Whether the symbol counts what the code alone knows of: no caller passes it.
bool isOwnSymbol(const ModelDescription &model, int32_t symbol);

/// Words at the start of a state: the number of positions and the values of the symbols.
int64_t stateWordsOf(const ModelDescription &model);

/// The symbols of which a step takes the value: neither the length, which it knows, nor those that
/// its start was given.
std::vector<int32_t> symbolsOfStep(const ModelDescription &model, const StepDescription &step);

} // namespace weft

#endif // WEFT_TARGET_MODELDESCRIPTION_H
