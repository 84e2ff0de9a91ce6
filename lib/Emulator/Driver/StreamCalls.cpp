//===- StreamCalls.cpp - streams, events and graphs -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver/Gpu.h"

#include <chrono>

using namespace weft::emulator;

WEFT_CUDA cuStreamCreate(CUstream *stream, unsigned flags) {
  return call([&](Gpu &gpu) {
    auto made = std::make_unique<EmulatedStream>();
    made->blocking = !(flags & 1);
    *stream = made.get();
    gpu.streams[*stream] = std::move(made);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

static CUresult withStream(CUstream handle,
                           llvm::function_ref<CUresult(Gpu &, EmulatedStream &)> function) {
  return call([&](Gpu &gpu) {
    EmulatedStream *stream = gpu.find(handle);
    return stream ? function(gpu, *stream) : CUDA_ERROR_INVALID_HANDLE;
  });
}

WEFT_CUDA cuStreamDestroy_v2(CUstream handle) {
  return withStream(handle, [&](Gpu &gpu, EmulatedStream &stream) {
    CUresult result = gpu.drain(stream);
    for (auto &entry : gpu.events)
      if (entry.second->stream == &stream)
        entry.second->stream = nullptr;
    gpu.streams.erase(handle);
    return result;
  });
}

WEFT_CUDA cuStreamSynchronize(CUstream handle) {
  return withStream(handle, [&](Gpu &gpu, EmulatedStream &stream) {
    if (stream.capture)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return &stream == &gpu.defaultStream ? gpu.drainBlocking() : gpu.drain(stream);
  });
}

// Asked once, a stream is not ready; who asks again finds it so.
WEFT_CUDA cuStreamQuery(CUstream handle) {
  return withStream(handle, [&](Gpu &gpu, EmulatedStream &stream) {
    if (stream.queue.empty())
      return CUDA_SUCCESS;
    CUresult result = gpu.drain(stream);
    return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_READY : result;
  });
}

static double milliseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

WEFT_CUDA cuEventCreate(CUevent *event, unsigned) {
  return call([&](Gpu &gpu) {
    auto made = std::make_unique<EmulatedEvent>();
    *event = made.get();
    gpu.events[*event] = std::move(made);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuEventDestroy_v2(CUevent event) {
  return call([&](Gpu &gpu) {
    if (!gpu.events.count(event))
      return CUDA_ERROR_INVALID_HANDLE;
    if (event->stream)
      gpu.drain(*event->stream);
    gpu.events.erase(event);
    return gpu.sticky;
  });
}

WEFT_CUDA cuEventRecord(CUevent event, CUstream handle) {
  return withStream(handle, [&](Gpu &gpu, EmulatedStream &stream) {
    if (!gpu.events.count(event))
      return CUDA_ERROR_INVALID_HANDLE;
    event->stream = &stream;
    event->reached = event->asked = false;
    return gpu.enqueue(handle, [event] {
      event->reached = true;
      event->time = milliseconds();
      return CUDA_SUCCESS;
    });
  });
}

static CUresult reach(Gpu &gpu, CUevent event) {
  if (!gpu.events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!event->reached && event->stream)
    gpu.drain(*event->stream);
  return gpu.sticky;
}

WEFT_CUDA cuEventSynchronize(CUevent event) {
  return call([&](Gpu &gpu) { return reach(gpu, event); });
}

WEFT_CUDA cuEventQuery(CUevent event) {
  return call([&](Gpu &gpu) {
    if (!gpu.events.count(event))
      return CUDA_ERROR_INVALID_HANDLE;
    if (event->reached)
      return CUDA_SUCCESS;
    CUresult result = event->asked ? reach(gpu, event) : CUDA_ERROR_NOT_READY;
    event->asked = true;
    return result;
  });
}

WEFT_CUDA cuEventElapsedTime(float *time, CUevent start, CUevent end) {
  return call([&](Gpu &gpu) {
    if (!gpu.events.count(start) || !gpu.events.count(end))
      return CUDA_ERROR_INVALID_HANDLE;
    if (!start->reached || !end->reached)
      return CUDA_ERROR_NOT_READY;
    *time = float(end->time - start->time);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuEventElapsedTime_v2(float *time, CUevent start, CUevent end) {
  return cuEventElapsedTime(time, start, end);
}

WEFT_CUDA cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  return call([&](Gpu &gpu) {
    if (!gpu.events.count(event))
      return CUDA_ERROR_INVALID_HANDLE;
    return gpu.enqueue(handle, [&gpu, event] { return reach(gpu, event); });
  });
}

WEFT_CUDA cuStreamBeginCapture_v2(CUstream handle, int) {
  return withStream(handle, [&](Gpu &gpu, EmulatedStream &stream) {
    if (stream.capture || &stream == &gpu.defaultStream)
      return CUDA_ERROR_ILLEGAL_STATE;
    stream.capture = std::make_unique<EmulatedGraph>();
    return CUDA_SUCCESS;
  });
}

static CUgraph keep(Gpu &gpu, std::unique_ptr<EmulatedGraph> graph) {
  CUgraph handle = graph.get();
  gpu.graphs[handle] = std::move(graph);
  return handle;
}

WEFT_CUDA cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  return withStream(handle, [&](Gpu &gpu, EmulatedStream &stream) {
    if (!stream.capture)
      return CUDA_ERROR_ILLEGAL_STATE;
    *graph = keep(gpu, std::move(stream.capture));
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long) {
  return call([&](Gpu &gpu) {
    if (!gpu.graphs.count(graph))
      return CUDA_ERROR_INVALID_HANDLE;
    *exec = keep(gpu, std::make_unique<EmulatedGraph>(*graph));
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return call([&](Gpu &gpu) {
    if (!gpu.graphs.count(exec))
      return CUDA_ERROR_INVALID_HANDLE;
    ++gpu.graphLaunches;
    for (const Work &node : exec->nodes)
      if (CUresult result = gpu.enqueue(stream, node); result != CUDA_SUCCESS)
        return result;
    return CUDA_SUCCESS;
  });
}

static CUresult forget(CUgraph graph) {
  return call(
      [&](Gpu &gpu) { return gpu.graphs.erase(graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; });
}

WEFT_CUDA cuGraphDestroy(CUgraph graph) { return forget(graph); }
WEFT_CUDA cuGraphExecDestroy(CUgraphExec exec) { return forget(exec); }
