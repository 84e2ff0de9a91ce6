//===- Gpu.h - the state of the emulated driver ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a stream is given waits until somebody has to wait for it: a program that forgets to
// synchronise reads NaNs. A fault of a kernel is printed and, as with a GPU, ends all further work.
//
// Variables of the environment: WEFT_GPU_EMU_SEED (the order of threads, 0), WEFT_GPU_EMU_MEMORY
// (bytes, 16 GiB), WEFT_GPU_EMU_DEVICES (0 or 1), WEFT_GPU_EMU_CAPABILITY (90), and
// WEFT_GPU_EMU_DIGEST (a file for the sum of all that is read from the device).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_DRIVER_GPU_H
#define WEFT_LIB_EMULATOR_DRIVER_GPU_H

#include "Driver/Cuda.h"
#include "weft/Emulator/Machine.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>

namespace weft::emulator {

using Work = std::function<CUresult()>;

} // namespace weft::emulator

struct EmulatedModule {
  uint32_t handle;
  std::map<std::string, std::unique_ptr<EmulatedFunction>> functions;
};

struct EmulatedFunction {
  weft::emulator::Kernel *kernel;
  EmulatedModule *module;
  uint32_t mostDynamicShared = 0; ///< 0: what every block may have
};

struct EmulatedGraph {
  std::vector<weft::emulator::Work> nodes;
};

struct EmulatedStream {
  bool blocking = true; ///< ordered with the default stream
  std::deque<weft::emulator::Work> queue;
  std::unique_ptr<EmulatedGraph> capture;
};

struct EmulatedEvent {
  EmulatedStream *stream = nullptr; ///< where it was recorded last
  bool reached = true, asked = false;
  double time = 0; ///< in milliseconds
};

namespace weft::emulator {

class Gpu {
public:
  /// Never destroyed: the program may call the driver while it ends.
  static Gpu &get();

  CUresult initialise();
  bool isInitialised() const { return machine != nullptr; }
  /// Once a kernel failed, every call fails.
  CUresult sticky = CUDA_SUCCESS;

  /// Adds to a stream, or to the graph that it records.
  CUresult enqueue(CUstream stream, Work work);
  CUresult drain(EmulatedStream &stream);
  /// What a call on the default stream waits for.
  CUresult drainBlocking();
  CUresult drainAll();
  /// The stream, or null if there is none of that name.
  EmulatedStream *find(CUstream stream);

  CUresult report(const Fault &fault);
  static void print(llvm::StringRef message);
  bool isPinned(const void *host, size_t bytes) const;
  void addToDigest(const void *bytes, size_t count);
  /// Writes the digest, and how often what was launched and ran.
  void finish();

  uint64_t launches = 0, graphLaunches = 0; ///< calls that asked for a kernel, for a graph
  std::map<std::string, uint64_t> runs;     ///< of each kernel, in graphs or not

  std::recursive_mutex mutex;
  std::unique_ptr<Machine> machine;
  int devices = 1, capability = 90, processors = 132;
  EmulatedStream defaultStream;
  std::map<CUstream, std::unique_ptr<EmulatedStream>> streams;
  std::map<CUevent, std::unique_ptr<EmulatedEvent>> events;
  std::map<CUmodule, std::unique_ptr<EmulatedModule>> modules;
  std::map<CUgraph, std::unique_ptr<EmulatedGraph>> graphs;
  std::map<const char *, std::pair<size_t, bool>> pinned; ///< sizes; true: allocated here

private:
  uint64_t digest = 0xcbf29ce484222325ull, digestBytes = 0;
};

/// The thread's stack of contexts, of which the last one counts; false stands for none.
std::vector<bool> &contextsOfThread();
inline bool hasContext() { return !contextsOfThread().empty() && contextsOfThread().back(); }

/// A call of the driver: with the lock, and after the checks that all have in common.
template <typename F> CUresult call(F function, bool needsContext = true) {
  Gpu &gpu = Gpu::get();
  std::lock_guard<std::recursive_mutex> lock(gpu.mutex);
  if (!gpu.isInitialised())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needsContext && !hasContext())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (gpu.sticky != CUDA_SUCCESS)
    return gpu.sticky;
  return function(gpu);
}

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_DRIVER_GPU_H
