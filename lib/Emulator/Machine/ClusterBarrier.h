//===- ClusterBarrier.h - the barrier of a cluster of one block -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_CLUSTERBARRIER_H
#define WEFT_LIB_EMULATOR_MACHINE_CLUSTERBARRIER_H

#include "Machine/Clocks.h"

namespace weft::emulator {

class Block;
struct Thread;

/// barrier.cluster: every thread arrives and, maybe much later, waits for all others to have.
class ClusterBarrier {
public:
  /// What it did before is ordered only if it `releases`.
  void arrive(Thread &thread, bool releases, uint32_t line);
  void wait(Thread &thread, uint32_t line);
  /// It does not wait for a thread that has ended.
  void leave(Block &block);

private:
  void complete(Block &block);

  uint32_t arrived = 0;
  uint64_t phase = 0;
  ClockTable arriving, completed;
  std::vector<Thread *> waiting;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_CLUSTERBARRIER_H
