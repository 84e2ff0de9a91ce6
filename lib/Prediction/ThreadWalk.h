//===- ThreadWalk.h - the way that a thread takes through a kernel ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Follows the integers of one thread: its numbers, the symbols in the frame, what it computes with
// them. What depends on data is not known: a branch that does is not taken, and of a smallest or
// largest number the known one counts. So what a loop does is counted as often as it does it,
// without a number of the model's being computed. Numbers that blocks draw are shared out evenly;
// of what is written to a place in shared memory several times each read finds the next.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PREDICTION_THREADWALK_H
#define WEFT_LIB_PREDICTION_THREADWALK_H

#include "PtxSteps.h"

#include "weft/Prediction/GpuRoofline.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace weft {

class ThreadWalk {
public:
  /// The last parameter that is a pointer is the frame, maps come behind it; `symbols` are in it
  /// from byte 8 on.
  ThreadWalk(const ptx::Function &function, llvm::ArrayRef<PtxStep> steps,
             llvm::ArrayRef<int64_t> symbols);

  /// From the first instruction to the last; false if that takes too long. What threads of the
  /// block have written to shared memory before is there.
  bool run(const GpuLaunch &launch, int64_t block, int64_t thread);
  /// Another block: nothing is in shared memory.
  void forgetShared() { shared.clear(); }

  PipeWork work;      ///< of the last run
  int64_t length = 0; ///< its instructions
  /// For each instruction that moves memory the first addresses that it was given.
  std::vector<llvm::SmallVector<int64_t, 4>> addresses;

private:
  using Known = std::optional<uint64_t>;

  Known read(const ptx::Operand &operand) const;
  Known read(const PtxStep &step, unsigned operand) const;
  int64_t asSigned(const PtxStep &step, uint64_t bits) const;
  bool holds(const ptx::Guard &guard) const;
  void write(const ptx::Operand &operand, Known value, unsigned bits);
  void execute(const PtxStep &step, size_t number);
  // Integers (ThreadArithmetic.cpp).
  static uint64_t getLowerBits(uint64_t value, unsigned bits);
  Known compute(const PtxStep &step) const;
  Known computeOfTwo(const PtxStep &step, uint64_t a, uint64_t b) const;
  Known compare(const PtxStep &step, uint64_t a, uint64_t b) const;
  Known load(const PtxStep &step);
  Known loadShared(uint64_t address);
  double getBoxBytes(const PtxStep &step) const;

  const ptx::Function &function;
  llvm::ArrayRef<PtxStep> steps;
  llvm::ArrayRef<int64_t> symbols;
  llvm::ArrayRef<int64_t> boxes;
  uint64_t frame; ///< the address of the symbols
  int64_t blocks = 0, threads = 0, block = 0, thread = 0;
  std::vector<Known> registers;
  int64_t draws = 0;
  llvm::DenseMap<uint64_t, std::vector<uint64_t>> shared;
  llvm::DenseMap<uint64_t, size_t> reads; ///< of these by the thread
};

} // namespace weft

#endif // WEFT_LIB_PREDICTION_THREADWALK_H
