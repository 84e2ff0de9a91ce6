//===- Runtime.h - what compiled kernels call -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_RUNTIME_H
#define WEFT_LIB_EMULATOR_MACHINE_RUNTIME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace weft::emulator {

enum class AtomicOp : uint32_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareSwap,
  Increment,
  Decrement
};
enum class ShuffleMode : uint32_t { Up, Down, Butterfly, Index };
/// What is multiplied; `Bytes`: u8 of A by s8 of B, with sums of s32.
enum class MatrixType : uint32_t { Half, BFloat, TFloat, Bytes };
enum class VoteMode : uint32_t { All, Any, Uniform, Ballot };

struct RuntimeFunction {
  template <typename F>
  RuntimeFunction(llvm::StringLiteral name, F *function, bool meets)
      : name(name), address(reinterpret_cast<void *>(function)), meets(meets) {}

  llvm::StringLiteral name;
  void *address;
  /// Threads that call it may wait for others, so they need stacks of their own.
  bool meets;
};

/// All of them; translated code calls them by name.
std::vector<RuntimeFunction> runtimeFunctions();

llvm::ArrayRef<RuntimeFunction> memoryFunctions();
llvm::ArrayRef<RuntimeFunction> numberFunctions();
llvm::ArrayRef<RuntimeFunction> warpFunctions();
llvm::ArrayRef<RuntimeFunction> copyFunctions();
llvm::ArrayRef<RuntimeFunction> matrixFunctions();
llvm::ArrayRef<RuntimeFunction> mbarrierFunctions();
llvm::ArrayRef<RuntimeFunction> bulkFunctions();
llvm::ArrayRef<RuntimeFunction> warpgroupFunctions();

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_RUNTIME_H
