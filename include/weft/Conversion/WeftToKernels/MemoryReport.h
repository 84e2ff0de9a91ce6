//===- MemoryReport.h - where the memory of a model goes ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_WEFTTOKERNELS_MEMORYREPORT_H
#define WEFT_CONVERSION_WEFTTOKERNELS_MEMORYREPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weft {

/// A part of an arena: a buffer, or the arena of a called layer.
struct BufferReport {
  std::string name;              ///< what it holds, "scores", or the layer's name
  std::string type;              ///< "?x768xf32"; empty for a layer's arena
  int64_t offset = 0, bytes = 0; ///< from the start of the arena; its size
  int64_t first = 0, last = 0;   ///< live from this call of the function to that one
  int64_t count = 1;             ///< as many of the same name and size lie here one after the other
};

/// The arena of an entry or of a layer.
struct ArenaReport {
  std::string function;              ///< its name
  bool entry = false;                ///< else a layer, whose arena lies inside its callers'
  int64_t bytes = 0;                 ///< its size
  std::vector<BufferReport> buffers; ///< by offset, then by time
};

/// What an entry keeps between its calls.
struct StateReport {
  std::string function;            ///< the entry's name, "logits_step"
  int64_t bytes = 0;               ///< of one sequence
  std::vector<BufferReport> parts; ///< by offset
};

/// All sizes are bytes, with every symbol at its bound.
struct MemoryReport {
  int64_t weightsBytes = 0;        ///< of the weights file
  int64_t peakBytes = 0;           ///< weights and the largest arena and state of an entry
  std::vector<ArenaReport> arenas; ///< in the order of the module
  std::vector<StateReport> states; ///< of the entries that continue a sequence
};

/// The plan of a module of stage `kernels`.
MemoryReport reportMemory(mlir::ModuleOp module);

/// Prints the report as a table, a line for the weights, every arena, buffer and state.
void printMemory(const MemoryReport &report, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_CONVERSION_WEFTTOKERNELS_MEMORYREPORT_H
