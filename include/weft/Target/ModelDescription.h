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

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

enum class ElementKind : int32_t { F32 = 0, I32 = 1, Bool = 2 };

struct SymbolDescription {
  std::string name;
  int64_t bound = 1;
};

struct TensorDescription {
  std::string name;
  ElementKind kind = ElementKind::F32;
  std::vector<int64_t> dims;    // -1: the value of the symbol of the same position
  std::vector<int32_t> symbols; // -1: a static dimension
  bool optional = false;
  double defaultValue = 0;
  int64_t indexBound = 0; // 0: the elements are not ids
  bool computed = false;  // an optional input: left out, the entry computes its elements
  bool asked = false;     // an optional input: the entry asks whether it is left out
};

// A polynomial in the value of one symbol: coefficients[0] + [1] n + [2] n^2.
struct FlopCount {
  std::array<double, 3> coefficients = {0, 0, 0};
  int32_t symbol = -1;

  double at(int64_t n) const {
    return coefficients[0] + coefficients[1] * double(n) + coefficients[2] * double(n) * double(n);
  }
};

struct EntryDescription {
  std::string name;
  int64_t scratchBytes = 0;
  std::vector<TensorDescription> inputs;
  std::vector<TensorDescription> outputs;
  FlopCount flops;
};

// A cache or another tensor of a state.
struct StatePart {
  int64_t offset = 0;
  int64_t rowBytes = 0; // of a cache: of one position
  int64_t reach = -1;   // of a cache that holds the last positions only; -1: all
};

// An entry that continues a sequence, one call after the other, and the call that begins one.
struct StepDescription {
  EntryDescription entry; // its inputs and outputs, without the state
  EntryDescription start; // "logits_start": what is given once
  int64_t stateBytes = 0;
  std::vector<StatePart> parts;      // of the state, in the order of the arguments
  std::vector<int64_t> startOffsets; // of the parts that the start makes
  bool hasStart = false;             // it does more than to begin with no positions
  int32_t continues = -1;            // the entry that computes all at once
  int32_t lengthSymbol = -1;         // the number of positions with the new ones
  int32_t countSymbol = -1;          // the number of new ones
};

struct KernelDescription {
  std::string name;
  std::string location;
  FlopCount flops;
};

struct ModelDescription {
  std::string name;     // prefix of the C functions; a C identifier
  std::string compiler; // "weftc 0.1"
  std::string target;   // "x86-64-v4"
  uint64_t fingerprint = 0;
  int64_t weightsBytes = 0;
  int64_t parameterCount = 0;
  int64_t peakBytes = 0;
  bool threaded = false;
  bool embedsWeights = false;
  std::vector<SymbolDescription> symbols;
  std::vector<EntryDescription> entries;
  std::vector<KernelDescription> kernels;
  std::vector<StepDescription> steps;
  int32_t generateEntry = -1;
  int32_t generateOutput = -1;
  int32_t generateSymbol = -1;
  int32_t generateInput = -1;
};

// `name` as a C and C++ identifier: other characters become '_', a keyword gets a '_' behind.
std::string cIdentifier(llvm::StringRef name);

// The C function of an entry, "gpt2_logits".
std::string entryFunctionName(const ModelDescription &model, const EntryDescription &entry);

// The symbols, in the model's order, that appear in the shapes of the entry's tensors: the typed
// C function takes the value of each as an int64_t, after `weights` and `scratch`.
std::vector<int32_t> symbolsOfEntry(const ModelDescription &model, const EntryDescription &entry);

// The symbols of which a step takes the value: neither the length, which it knows, nor those that
// its start was given.
std::vector<int32_t> symbolsOfStep(const ModelDescription &model, const StepDescription &step);

} // namespace weft

#endif // WEFT_TARGET_MODELDESCRIPTION_H
