//===- GpuRoofline.cpp - what bounds the kernels of a GPU ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Prediction/GpuRoofline.h"

#include "GridWork.h"
#include "weft/Emulator/PtxParser.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

static double cyclesOf(const GpuDevice &device, const PipeWork &work, Pipe pipe) {
  return work[size_t(pipe)] / device.rates[size_t(pipe)];
}

/// Cycles of all kinds of products. Those that single warps ask for do not use all of a unit.
static double matrixCycles(const GpuDevice &device, const PipeWork &work, bool ofWarpgroups) {
  double cycles = cyclesOf(device, work, Pipe::Matrix16) + cyclesOf(device, work, Pipe::Matrix32) +
                  cyclesOf(device, work, Pipe::Matrix8);
  return ofWarpgroups ? cycles : cycles / device.syncShare;
}

static bool usesWarpgroups(const ptx::Function &function) {
  return llvm::any_of(function.body, [](const ptx::Instruction &instruction) {
    return instruction.opcode == "wgmma";
  });
}

/// Cycles of the whole device in which it could do the products that the formula asks for.
static double bestMatrixCycles(const GpuDevice &device, const PipeWork &all,
                               const KernelWork &work) {
  double rate = 0, done = 0;
  for (Pipe pipe : {Pipe::Matrix16, Pipe::Matrix32, Pipe::Matrix8})
    if (all[size_t(pipe)] > done) {
      done = all[size_t(pipe)];
      rate = device.rates[size_t(pipe)];
    }
  if (work.unit == Unit::Elements)
    return 0;
  // Masks leave out what the formula counts; tiles have rows that are none.
  if (done > 0)
    return std::min(done, work.flops) / rate / double(device.processors);
  Pipe unit = work.unit == Unit::BF16   ? Pipe::Matrix16
              : work.unit == Unit::Int8 ? Pipe::Matrix8
                                        : Pipe::Real;
  double perCycle = device.rates[size_t(unit)] * (unit == Pipe::Real ? 2 : 1);
  double flops = std::min(work.flops, 2 * all[size_t(Pipe::Real)]);
  return flops / perCycle / double(device.processors);
}

static GpuPrediction predict(const GpuDevice &device, const ptx::Function &function,
                             const GpuLaunch &launch, const PipeWork &block) {
  GpuPrediction time;
  auto processors = double(device.processors), blocks = double(launch.blocks);
  double ofBusiest = std::ceil(blocks / processors);
  auto cycles = [&](Pipe pipe) { return ofBusiest * cyclesOf(device, block, pipe); };
  time.matrix = ofBusiest * matrixCycles(device, block, usesWarpgroups(function));
  time.functions = cycles(Pipe::Function);
  time.shared = cycles(Pipe::Local);
  time.issue = cycles(Pipe::Issue);
  time.memory = launch.work.bytes / (device.memory / device.clock);
  std::pair<double, llvm::StringRef> limits[] = {
      {time.memory, "memory"},     {time.matrix, "matrix"},
      {time.functions, "special"}, {time.shared, "shared"},
      {cycles(Pipe::Copy), "L2"},  {cycles(Pipe::Convert), "convert"},
      {cycles(Pipe::Real), "f32"}, {cycles(Pipe::Integer), "integer"},
      {time.issue, "issue"}};
  auto binds =
      *llvm::max_element(limits, [](const auto &a, const auto &b) { return a.first < b.first; });
  time.cycles = binds.first;
  time.limit = binds.second.str();
  PipeWork all = block;
  for (double &work : all)
    work *= blocks;
  double best = std::max(bestMatrixCycles(device, all, launch.work), time.memory);
  time.share = time.cycles > 0 ? best / time.cycles : 1;
  return time;
}

//===----------------------------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------------------------===//

static void printDevice(const GpuDevice &device, llvm::raw_ostream &os) {
  double all = device.clock * double(device.processors);
  auto rate = [&](Pipe pipe) { return 1e-3 * all * device.rates[size_t(pipe)]; };
  print(os,
        "roofline: prediction for {} ({}: {} multiprocessors at {} GHz, {:.0f} TFLOP/s in bf16, "
        "{:.0f} in tf32, {:.1f} in f32, memory {} GB/s) from its PTX: nothing was measured\n",
        device.chip, device.name, device.processors, device.clock, rate(Pipe::Matrix16),
        rate(Pipe::Matrix32), 2 * rate(Pipe::Real), device.memory);
}

static llvm::Error printProgram(const GpuProgram &program, const ptx::Module &module,
                                const GpuDevice &device, llvm::raw_ostream &os) {
  std::vector<std::pair<GpuPrediction, const GpuLaunch *>> lines;
  double total = 0;
  for (const GpuLaunch &launch : program.launches) {
    const ptx::Function *function = module.findFunction(launch.entry);
    if (!function)
      return llvm::createStringError("roofline: the PTX has no kernel " + launch.entry);
    std::optional<PipeWork> block = getBlockWork(*function, launch, program.symbols);
    if (!block)
      return llvm::createStringError("roofline: the way of a thread through " + launch.name +
                                     " is too long; see --report-at");
    lines.emplace_back(predict(device, *function, launch, *block), &launch);
    total += lines.back().first.cycles * double(launch.calls);
  }
  llvm::sort(lines, [](const auto &a, const auto &b) {
    double first = a.first.cycles * double(a.second->calls);
    double second = b.first.cycles * double(b.second->calls);
    return first != second ? first > second : a.second->name < b.second->name;
  });
  double inMilliseconds = 1e-6 / device.clock;
  print(os, "roofline: entry {}: {:.4f} ms, predicted\n", program.name, total * inMilliseconds);
  print(os, "        ms  calls   blocks      matrix     special      shared       issue      memory"
            "  bound by  of roof  kernel\n");
  for (const auto &[time, launch] : lines)
    print(os,
          "{:>10.4f} {:>6} {:>8} {:>11.0f} {:>11.0f} {:>11.0f} {:>11.0f} {:>11.0f}  {:<8} "
          "{:>6.0f} %  {}\n",
          time.cycles * double(launch->calls) * inMilliseconds, launch->calls, launch->blocks,
          time.matrix, time.functions, time.shared, time.issue, time.memory, time.limit,
          100 * time.share, launch->name);
  return llvm::Error::success();
}

llvm::Error weft::printGpuRoofline(llvm::ArrayRef<GpuProgram> programs, llvm::StringRef ptx,
                                   const GpuDevice &device, llvm::raw_ostream &os) {
  llvm::Expected<ptx::Module> module = ptx::parse(ptx, device.chip);
  if (!module)
    return module.takeError();
  printDevice(device, os);
  for (const GpuProgram &program : programs)
    if (llvm::Error error = printProgram(program, *module, device, os))
      return error;
  return llvm::Error::success();
}
