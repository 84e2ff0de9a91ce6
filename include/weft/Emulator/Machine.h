//===- Machine.h - a GPU that is none -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Loads PTX, has memory, runs kernels and says what they do wrong. See docs/Emulator.md.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_EMULATOR_MACHINE_H
#define WEFT_EMULATOR_MACHINE_H

#include "weft/Emulator/Fault.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace weft::emulator {

struct MachineOptions {
  /// Who goes on when: 0 in order, any other number at random, always the same for one number.
  uint64_t seed = 0;
  uint64_t memoryBytes = uint64_t(16) << 30;
  /// Jumps backwards of a thread, after which it is taken to go on for ever.
  uint64_t mostSteps = uint64_t(1) << 36;
  bool findRaces = true;
  /// A folder for the machine code of kernels, which other programs find there, or "".
  std::string objects;
};

using Dimensions = std::array<uint32_t, 3>;

/// A kernel of a module that was loaded.
struct Kernel;

/// What a kernel needs to be launched.
struct KernelInfo {
  std::string name;
  uint32_t sharedBytes = 0;         ///< without what a launch adds
  std::vector<uint32_t> parameters; ///< their sizes
  uint32_t maximumThreads = 1024;
  /// It waits for the kernels before it ahead of all that it does with memory.
  bool waitsForOthers = false;
};

class Machine {
public:
  static llvm::Expected<std::unique_ptr<Machine>> create(const MachineOptions &options = {});
  ~Machine();

  /// All that is not known in a PTX text: lines "NAME:LINE: error: ...". Nothing: all is.
  static std::vector<std::string> check(llvm::StringRef text, llvm::StringRef name);

  /// Reads a module and gives its variables memory; `name` is for messages. The handle is good for
  /// unload and findKernel.
  llvm::Expected<uint32_t> load(llvm::StringRef text, llvm::StringRef name);
  bool unload(uint32_t module);
  /// Its .target, "sm_80".
  std::string target(uint32_t module) const;
  /// Translates it if that is not yet done.
  llvm::Expected<Kernel *> findKernel(uint32_t module, llvm::StringRef name);
  const KernelInfo &info(const Kernel &kernel) const;
  /// The address and size of a variable of a module.
  std::optional<std::pair<uint64_t, uint64_t>> findVariable(uint32_t module,
                                                            llvm::StringRef name) const;

  /// 0 if there is not so much memory.
  uint64_t allocate(uint64_t bytes);
  bool release(uint64_t address);
  /// The bytes of the device from `address` on, on the host; null unless all are in an allocation.
  uint8_t *translate(uint64_t address, uint64_t bytes);
  /// The allocation that an address is in: where it starts and its size.
  std::optional<std::pair<uint64_t, uint64_t>> findAllocation(uint64_t address);
  uint64_t usedMemory() const;
  uint64_t totalMemory() const;

  /// Runs a kernel to its end. `parameters` point to one value each, as info() describes them.
  std::optional<Fault> launch(Kernel &kernel, Dimensions grid, Dimensions threads,
                              llvm::ArrayRef<const void *> parameters, uint32_t dynamicShared = 0);

private:
  struct State;
  explicit Machine(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace weft::emulator

#endif // WEFT_EMULATOR_MACHINE_H
