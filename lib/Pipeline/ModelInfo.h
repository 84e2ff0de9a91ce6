//===- ModelInfo.h - what a model is, and what becomes of it --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `weftc --info`: what the passes up to stage `kernels` find out, before any code is made.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_MODELINFO_H
#define WEFT_LIB_PIPELINE_MODELINFO_H

#include "weft/Conversion/WeftToKernels/MemoryReport.h"
#include "weft/Dialect/Weft/Transforms/FusionReport.h"
#include "weft/Import/Checkpoint.h"
#include "weft/Target/ModelDescription.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace weft {

/// Tensors of one type.
struct TypeCount {
  int64_t tensors = 0, elements = 0, bytes = 0;
  bool isBlocks = false; ///< blocks of a format, of which elements do not stand for themselves
};
/// By the names of the types.
using TypeCounts = std::map<std::string, TypeCount>;

/// What the files of a checkpoint hold.
struct CheckpointInfo {
  std::string path;
  std::vector<std::string> files; ///< names, the index of shards among them
  TypeCounts types;               ///< as the files name them: "BF16"
};

/// What `weftc --info` says.
struct ModelInfo {
  std::string modelType;  ///< of config.json; or empty
  std::string modelClass; ///< the `model` of the text; empty for a module
  std::string text;       ///< "models/gpt2.weft", or the path of a text or a module
  bool isLibraryText = false;
  std::optional<CheckpointInfo> checkpoint;
  ModelDescription interface;
  TypeCounts stored; ///< weights as they will be in the weights file
  /// Of entries and layers, what streams and what could have; nothing without optimisation.
  std::vector<FunctionFusions> fusions;
  bool isFused = true;
  std::string batch;                ///< "B <= 8", or empty
  std::vector<std::string> remarks; ///< why there is no step, with the formula
  /// The run-time dimensions for which memory is told.
  std::vector<SymbolDescription> sizes;
  MemoryReport memory;
};

CheckpointInfo describeCheckpoint(const Checkpoint &checkpoint);

/// The memory that a caller brings: of the largest call, and of a sequence.
int64_t getScratchBytes(const MemoryReport &memory);
int64_t getStateBytes(const MemoryReport &memory);

void printInfo(const ModelInfo &info, llvm::raw_ostream &os);
/// docs/Running.md has the keys.
llvm::json::Object infoAsJson(const ModelInfo &info);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_MODELINFO_H
