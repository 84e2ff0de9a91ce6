//===- ModuleCalls.cpp - modules, functions and launches ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver/Gpu.h"

#include "llvm/ADT/StringRef.h"

#include <cstring>

using namespace weft::emulator;

// What a block may have without cuFuncSetAttribute.
static constexpr uint32_t ordinaryShared = 48 << 10;

// sm_80 runs on all that came later, sm_90a on 9.0 only.
static bool canRun(llvm::StringRef target, int capability) {
  bool exact = target.consume_back("a");
  int wanted = 0;
  if (!target.consume_front("sm_") || target.getAsInteger(10, wanted))
    return false;
  return exact ? wanted == capability : wanted <= capability;
}

// Options 5 and 6: where errors are written, and how many bytes there are.
static void writeLog(llvm::StringRef message, unsigned count, const int *options, void **values) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == 6)
      size = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (!buffer || size == 0)
    return Gpu::print(message);
  size_t length = std::min(size - 1, message.size());
  std::memcpy(buffer, message.data(), length);
  buffer[length] = '\0';
}

static CUresult load(CUmodule *module, const void *image, unsigned count, const int *options,
                     void **values) {
  return call([&](Gpu &gpu) {
    llvm::StringRef text(static_cast<const char *>(image));
    llvm::Expected<uint32_t> handle = gpu.machine->load(text, "<ptx>");
    if (!handle) {
      writeLog(llvm::toString(handle.takeError()), count, options, values);
      return CUDA_ERROR_INVALID_PTX;
    }
    if (!canRun(gpu.machine->target(*handle), gpu.capability)) {
      gpu.machine->unload(*handle);
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    auto made = std::make_unique<EmulatedModule>();
    made->handle = *handle;
    *module = made.get();
    gpu.modules[*module] = std::move(made);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuModuleLoadData(CUmodule *module, const void *image) {
  return load(module, image, 0, nullptr, nullptr);
}

WEFT_CUDA cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                             void **values) {
  return load(module, image, count, options, values);
}

WEFT_CUDA cuModuleUnload(CUmodule module) {
  return call([&](Gpu &gpu) {
    auto found = gpu.modules.find(module);
    if (found == gpu.modules.end())
      return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult result = gpu.drainAll(); result != CUDA_SUCCESS)
      return result;
    gpu.machine->unload(module->handle);
    gpu.modules.erase(found);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return call([&](Gpu &gpu) {
    if (!gpu.modules.count(module))
      return CUDA_ERROR_INVALID_HANDLE;
    std::unique_ptr<EmulatedFunction> &slot = module->functions[name];
    if (!slot) {
      llvm::Expected<Kernel *> kernel = gpu.machine->findKernel(module->handle, name);
      if (!kernel) {
        std::string problem = llvm::toString(kernel.takeError());
        module->functions.erase(name);
        bool missing = llvm::StringRef(problem).contains("no kernel '");
        if (!missing) // a driver would have said so when the module was loaded
          Gpu::print(problem);
        return missing ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_PTX;
      }
      slot = std::make_unique<EmulatedFunction>();
      slot->kernel = *kernel;
      slot->module = module;
    }
    *function = slot.get();
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                               const char *name) {
  return call([&](Gpu &gpu) {
    if (!gpu.modules.count(module))
      return CUDA_ERROR_INVALID_HANDLE;
    auto found = gpu.machine->findVariable(module->handle, name);
    if (!found)
      return CUDA_ERROR_NOT_FOUND;
    if (address)
      *address = found->first;
    if (bytes)
      *bytes = found->second;
    return CUDA_SUCCESS;
  });
}

// Attribute 8: the dynamic shared memory that it may be launched with. Others are wishes.
WEFT_CUDA cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return call([&](Gpu &gpu) {
    if (attribute != 8)
      return CUDA_SUCCESS;
    uint32_t most = (227 << 10) - gpu.machine->info(*function->kernel).sharedBytes;
    if (value < 0 || uint32_t(value) > most)
      return CUDA_ERROR_INVALID_VALUE;
    function->mostDynamicShared = uint32_t(value);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  return call([&](Gpu &gpu) {
    const KernelInfo &info = gpu.machine->info(*function->kernel);
    if (attribute == 0)
      *value = int(info.maximumThreads);
    else if (attribute == 1)
      *value = int(info.sharedBytes);
    else if (attribute == 8)
      *value = int(function->mostDynamicShared);
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

namespace {

/// A launch waits in a stream, so it has values of its own.
struct WaitingLaunch {
  EmulatedFunction *function;
  Dimensions grid, threads;
  uint32_t dynamicShared;
  std::vector<std::vector<uint8_t>> values;
};

} // namespace

static CUresult run(Gpu &gpu, const WaitingLaunch &launch) {
  std::vector<const void *> parameters;
  for (const std::vector<uint8_t> &value : launch.values)
    parameters.push_back(value.data());
  ++gpu.runs[gpu.machine->info(*launch.function->kernel).name];
  std::optional<Fault> fault = gpu.machine->launch(
      *launch.function->kernel, launch.grid, launch.threads, parameters, launch.dynamicShared);
  return fault ? gpu.report(*fault) : CUDA_SUCCESS;
}

static CUresult enqueueLaunch(Gpu &gpu, WaitingLaunch launch, CUstream stream, void **parameters,
                              void **extra) {
  ++gpu.launches;
  const KernelInfo &info = gpu.machine->info(*launch.function->kernel);
  uint64_t most = launch.function->mostDynamicShared;
  if (extra || (!parameters && !info.parameters.empty()))
    return CUDA_ERROR_INVALID_VALUE;
  if (launch.dynamicShared > most &&
      info.sharedBytes + uint64_t(launch.dynamicShared) > ordinaryShared)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    auto *value = static_cast<const uint8_t *>(parameters[i]);
    launch.values.emplace_back(value, value + info.parameters[i]);
  }
  return gpu.enqueue(stream, [&gpu, launch = std::move(launch)] { return run(gpu, launch); });
}

WEFT_CUDA cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                         unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                         CUstream stream, void **parameters, void **extra) {
  return call([&](Gpu &gpu) {
    return enqueueLaunch(
        gpu, {function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, {}}, stream,
        parameters, extra);
  });
}

/// Attribute 6: it may begin before the kernels ahead of it are done. Here it never does, so it is
/// looked at whether it would wait for them. Clusters are not emulated.
static CUresult checkAttributes(Gpu &gpu, const LaunchConfiguration &config,
                                const KernelInfo &info) {
  for (const LaunchAttribute &attribute :
       llvm::ArrayRef(config.attributes, config.attributeCount)) {
    if (attribute.id != 6)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (attribute.value.allowed && !info.waitsForOthers)
      return gpu.report({FaultKind::Race, "kernel " + info.name +
                                              " may begin before others are done, and does not "
                                              "begin with griddepcontrol.wait"});
  }
  return CUDA_SUCCESS;
}

WEFT_CUDA cuLaunchKernelEx(const LaunchConfiguration *config, CUfunction function,
                           void **parameters, void **extra) {
  return call([&](Gpu &gpu) {
    const KernelInfo &info = gpu.machine->info(*function->kernel);
    if (CUresult result = checkAttributes(gpu, *config, info); result != CUDA_SUCCESS)
      return result;
    WaitingLaunch launch{function, {}, {}, config->sharedBytes, {}};
    for (unsigned i = 0; i < 3; ++i) {
      launch.grid[i] = config->grid[i];
      launch.threads[i] = config->threads[i];
    }
    return enqueueLaunch(gpu, std::move(launch), config->stream, parameters, extra);
  });
}
