//===- DeviceProgram.h - the constants of weft_cuda_program.h -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_DEVICEPROGRAM_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_DEVICEPROGRAM_H

#include "StructureWriter.h"

#include "weft/Target/ModelDescription.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// Of the parts of a block in the memory of a GPU.
inline constexpr int64_t kDeviceAlignment = 256;

/// What a function of a step takes from the state of the sequence.
struct StateParts {
  llvm::ArrayRef<StatePart> parts;
  int64_t deviceBytes = 0;  ///< where they lie on a GPU: of a sequence's memory
  int32_t countSymbol = -1; ///< of the new positions; -1 for a start
  int64_t numWindows = 0;   ///< of the sequence: a start makes room for those of its step
};

/// The elements of a constant tensor as code loads them.
mlir::DenseElementsAttr getStoredElements(mlir::memref::GlobalOp global);

/// The constant tensors of a model, one behind the other: they are copied to the device behind the
/// weights.
struct DeviceConstants {
  explicit DeviceConstants(mlir::ModuleOp module);

  llvm::StringMap<int64_t> offsets;
  std::string bytes;
};

/// The name of the model's constant weft_cuda_program.
std::string deviceProgramName(const ModelDescription &model);

/// Writes the weft_cuda_function of what calls `body` `(weights, scratch, sizes, frame, tensors)`
/// and returns its name.
std::string buildDeviceFunction(mlir::ModuleOp module, const ModelDescription &model,
                                const EntryDescription &entry, const StateParts &state,
                                mlir::func::FuncOp body);

/// Writes the weft_cuda_program, with kernels for each of the architectures `images`.
void buildDeviceProgram(mlir::ModuleOp module, const ModelDescription &model,
                        const DeviceConstants &constants, llvm::ArrayRef<std::string> images);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_DEVICEPROGRAM_H
