//===- PtxSteps.h - instructions of PTX, as a prediction sees them ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PREDICTION_PTXSTEPS_H
#define WEFT_LIB_PREDICTION_PTXSTEPS_H

#include "weft/Emulator/Ptx.h"
#include "weft/Prediction/GpuDevice.h"

namespace weft {

/// What becomes of the integers that control flow may depend on. `Forget`: the result is not known.
enum class Action : uint8_t {
  Forget,
  Move,
  Convert,
  Add,
  Subtract,
  Multiply,
  MultiplyHigh,
  MultiplyAdd,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  Not,
  ShiftLeft,
  ShiftRight,
  Least,
  Most,
  Negate,
  Absolute,
  Compare,
  Select,
  Extract,
  LoadParameter,
  Load,
  Store,
  Draw, ///< a number that no other thread of the grid draws
  Succeed,
  Branch,
  Return,
};

enum class Comparison : uint8_t { Equal, Unequal, Less, LessEqual, Greater, GreaterEqual };

/// An instruction, understood once.
struct PtxStep {
  const ptx::Instruction *instruction;
  Action action = Action::Forget;
  Comparison comparison = Comparison::Equal;
  uint8_t bits = 32; ///< of operands
  uint8_t resultBits = 32;
  bool isSigned = false;
  bool moves = false;    ///< memory, by an address of each thread
  bool isShared = false; ///< that memory; of what is copied where it goes to
  bool stores = false;   ///< a box, whose bytes the launch knows
  uint16_t bytes = 0;    ///< that each thread moves
  PipeWork work = {};    ///< of a warp; what moves memory: if the bytes lie side by side

  /// The operand that is an address, of those that have one for each thread.
  unsigned getAddress() const;
  /// The same of those in shared memory; -1 if there is none.
  int64_t getSharedAddress() const { return isShared ? int64_t(getAddress()) : -1; }
};

/// The instructions of a function.
std::vector<PtxStep> readSteps(const ptx::Function &function);

/// Takes the work of those away that become part of another one.
void mergeLogic(const ptx::Function &function, std::vector<PtxStep> &steps);
/// Makes that of addresses in shared memory the work of 32 bits.
void shortenAddresses(const ptx::Function &function, std::vector<PtxStep> &steps);

} // namespace weft

#endif // WEFT_LIB_PREDICTION_PTXSTEPS_H
