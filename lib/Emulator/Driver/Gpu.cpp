//===- Gpu.cpp - the state of the emulated driver -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver/Gpu.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace weft::emulator;

std::vector<bool> &weft::emulator::contextsOfThread() {
  static thread_local std::vector<bool> contexts;
  return contexts;
}

Gpu &Gpu::get() {
  static Gpu *gpu = new Gpu;
  return *gpu;
}

static uint64_t readNumber(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  uint64_t value;
  if (!text || llvm::StringRef(text).getAsInteger(10, value))
    return otherwise;
  return value;
}

CUresult Gpu::initialise() {
  if (machine)
    return CUDA_SUCCESS;
  devices = int(readNumber("WEFT_GPU_EMU_DEVICES", 1));
  capability = int(readNumber("WEFT_GPU_EMU_CAPABILITY", 90));
  processors = int(readNumber("WEFT_GPU_EMU_PROCESSORS", 132));
  if (devices < 1)
    return CUDA_ERROR_NO_DEVICE;
  MachineOptions options;
  options.seed = readNumber("WEFT_GPU_EMU_SEED", 0);
  options.memoryBytes = readNumber("WEFT_GPU_EMU_MEMORY", options.memoryBytes);
  if (const char *folder = std::getenv("WEFT_GPU_EMU_OBJECTS"))
    options.objects = folder;
  llvm::Expected<std::unique_ptr<Machine>> made = Machine::create(options);
  if (!made) {
    print(llvm::toString(made.takeError()));
    return CUDA_ERROR_NO_DEVICE;
  }
  machine = std::move(*made);
  std::atexit([] { Gpu::get().finish(); });
  return CUDA_SUCCESS;
}

void Gpu::print(llvm::StringRef message) { llvm::errs() << "weft-gpu-emu: " << message << "\n"; }

EmulatedStream *Gpu::find(CUstream stream) {
  // 0, and the names of the default stream and of the one of a thread.
  if (reinterpret_cast<uintptr_t>(stream) <= 2)
    return &defaultStream;
  auto found = streams.find(stream);
  return found == streams.end() ? nullptr : found->second.get();
}

CUresult Gpu::drain(EmulatedStream &stream) {
  while (!stream.queue.empty() && sticky == CUDA_SUCCESS) {
    Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (CUresult result = work(); result != CUDA_SUCCESS)
      sticky = result;
  }
  return sticky;
}

CUresult Gpu::drainBlocking() {
  drain(defaultStream);
  for (auto &entry : streams)
    if (entry.second->blocking)
      drain(*entry.second);
  return sticky;
}

CUresult Gpu::drainAll() {
  drain(defaultStream);
  for (auto &entry : streams)
    drain(*entry.second);
  return sticky;
}

// The default stream waits for what the others were given before, and they for it.
CUresult Gpu::enqueue(CUstream handle, Work work) {
  EmulatedStream *stream = find(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    stream->capture->nodes.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  if (stream == &defaultStream) {
    for (auto &entry : streams)
      if (entry.second->blocking)
        drain(*entry.second);
  } else if (stream->blocking) {
    drain(defaultStream);
  }
  if (sticky != CUDA_SUCCESS)
    return sticky;
  stream->queue.push_back(std::move(work));
  return CUDA_SUCCESS;
}

CUresult Gpu::report(const Fault &fault) {
  print(fault.message);
  switch (fault.kind) {
  case FaultKind::Launch:
    return CUDA_ERROR_INVALID_VALUE;
  case FaultKind::Address:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case FaultKind::Alignment:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

bool Gpu::isPinned(const void *host, size_t bytes) const {
  auto after = pinned.upper_bound(static_cast<const char *>(host));
  if (after == pinned.begin())
    return false;
  auto [begin, entry] = *std::prev(after);
  return static_cast<const char *>(host) + bytes <= begin + entry.first;
}

// FNV-1a, of 64 bits.
void Gpu::addToDigest(const void *bytes, size_t count) {
  digestBytes += count;
  for (size_t i = 0; i < count; ++i)
    digest = (digest ^ static_cast<const uint8_t *>(bytes)[i]) * 0x100000001b3ull;
}

static void writeTo(const char *variable, const std::string &text) {
  const char *path = std::getenv(variable);
  if (!path)
    return;
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error)
    os << text << "\n";
}

void Gpu::finish() {
  std::string text;
  llvm::raw_string_ostream(text) << digestBytes << " bytes " << llvm::format_hex(digest, 18);
  writeTo("WEFT_GPU_EMU_DIGEST", text);
  text = std::to_string(launches) + " kernels, " + std::to_string(graphLaunches) + " graphs";
  for (const auto &[name, count] : runs)
    text += "\n" + name + ": " + std::to_string(count);
  writeTo("WEFT_GPU_EMU_LAUNCHES", text);
}
