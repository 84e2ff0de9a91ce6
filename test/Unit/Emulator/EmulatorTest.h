//===- EmulatorTest.h - kernels of a few lines ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_EMULATOR_EMULATORTEST_H
#define WEFT_TEST_UNIT_EMULATOR_EMULATORTEST_H

#include "weft/Emulator/Machine.h"
#include "weft/Emulator/TensorMap.h"

#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cstring>

namespace weft::test {

/// The kernel `f` of two pointers, with registers of all kinds. %rd1 and %rd2 have the pointers,
/// %r0 the thread's number in its block.
inline std::string kernelText(llvm::StringRef body, llvm::StringRef before = "",
                              llvm::StringRef target = "sm_80") {
  return (".version 7.0\n.target " + target + "\n.address_size 64\n" + before +
          "\n.visible .entry f(.param .u64 p0, .param .u64 p1) {\n"
          ".reg .pred %p<9>; .reg .b16 %h<20>; .reg .b32 %r<80>; .reg .b64 %rd<40>;\n"
          "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r0, %tid.x;\n" +
          body + "\nret;\n}\n")
      .str();
}

inline std::string number(uint64_t value) { return std::to_string(value); }

struct LaunchSize {
  emulator::Dimensions grid = {1, 1, 1}, threads = {1, 1, 1};
};

/// A map of the input or the output; its address counts from the buffer's start.
struct BufferMap {
  emulator::TensorMap map;
  bool ofOutput = false;
};

#define EXPECT_PART(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << text

/// A machine with one kernel and two buffers, which are inputs and results.
class EmulatorTest : public testing::Test {
protected:
  std::unique_ptr<emulator::Machine> machine(emulator::MachineOptions options = {}) {
    return llvm::cantFail(emulator::Machine::create(options));
  }

  /// Runs the kernel; what it did wrong, or "". `output` is filled with NaNs before. Maps are
  /// parameters before the two buffers.
  std::string run(llvm::StringRef text, LaunchSize size, const std::vector<uint8_t> &input,
                  std::vector<uint8_t> &output, emulator::MachineOptions options = {},
                  const std::vector<BufferMap> &maps = {}) {
    options.mostSteps = 1 << 20;
    auto gpu = machine(options);
    llvm::Expected<uint32_t> module = gpu->load(text, "test.ptx");
    if (!module)
      return llvm::toString(module.takeError());
    llvm::Expected<emulator::Kernel *> kernel = gpu->findKernel(*module, "f");
    if (!kernel)
      return llvm::toString(kernel.takeError());
    uint64_t in = gpu->allocate(std::max<size_t>(input.size(), 1));
    uint64_t out = gpu->allocate(std::max<size_t>(output.size(), 1));
    if (!input.empty())
      std::memcpy(gpu->translate(in, input.size()), input.data(), input.size());
    std::vector<std::array<uint8_t, emulator::kTensorMapBytes>> encoded(maps.size());
    std::vector<const void *> parameters;
    for (size_t i = 0; i < maps.size(); ++i) {
      emulator::TensorMap map = maps[i].map;
      map.address += maps[i].ofOutput ? out : in;
      EXPECT_EQ(emulator::findBadTensorMap(map), "");
      emulator::encodeTensorMap(map, encoded[i].data());
      parameters.push_back(encoded[i].data());
    }
    parameters.insert(parameters.end(), {&in, &out});
    std::optional<emulator::Fault> fault =
        gpu->launch(**kernel, size.grid, size.threads, parameters);
    if (!output.empty())
      std::memcpy(output.data(), gpu->translate(out, output.size()), output.size());
    return fault ? fault->message : "";
  }

  /// What the kernel did wrong under one of several schedules.
  std::string runAll(llvm::StringRef text, LaunchSize size, size_t bytes = 4096) {
    std::string first;
    for (uint64_t seed = 0; seed < 6 && first.empty(); ++seed) {
      std::vector<uint8_t> input(bytes), output(bytes);
      emulator::MachineOptions options;
      options.seed = seed;
      first = run(text, size, input, output, options);
    }
    return first;
  }
};

using Word = uint64_t;
struct Row {
  std::vector<Word> inputs;
  Word expected;
};

inline Word bits(float value) { return llvm::bit_cast<uint32_t>(value); }
inline Word bits(double value) { return llvm::bit_cast<uint64_t>(value); }

/// One instruction for several inputs: thread i has those of row i. `%a`, `%b`, `%c`, `%e` are the
/// operands, `%d` is the result.
class InstructionTest : public EmulatorTest {
protected:
  static std::string declare(unsigned resultBits, unsigned inputBits, size_t inputs) {
    std::string text = "{ .reg .b" + std::to_string(resultBits) + " %d; .reg .b" +
                       std::to_string(inputBits) +
                       " %a, %b, %c, %e; .reg .pred %p, %q;\n"
                       "mul.wide.u32 %rd3, %r0, 32; add.s64 %rd3, %rd1, %rd3;\n"
                       "mul.wide.u32 %rd4, %r0, 8; add.s64 %rd4, %rd2, %rd4;\n";
    const char *names[] = {"%a", "%b", "%c", "%e"};
    for (size_t i = 0; i < inputs; ++i)
      text += "ld.global.b" + std::to_string(inputBits) + " " + names[i] + ", [%rd3+" +
              std::to_string(8 * i) + "];\n";
    return text;
  }

  void check(const std::string &instruction, unsigned resultBits, unsigned inputBits,
             const std::vector<Row> &rows) {
    SCOPED_TRACE(instruction);
    std::string text =
        kernelText(declare(resultBits, inputBits, rows.front().inputs.size()) + instruction +
                   "\nst.global.b" + std::to_string(resultBits) + " [%rd4], %d; }");
    std::vector<uint8_t> input(32 * rows.size()), output(8 * rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      std::memcpy(&input[32 * i], rows[i].inputs.data(), 8 * rows[i].inputs.size());
    LaunchSize size;
    size.threads[0] = uint32_t(rows.size());
    ASSERT_EQ(run(text, size, input, output), "");
    for (size_t i = 0; i < rows.size(); ++i) {
      Word result = 0;
      std::memcpy(&result, &output[8 * i], resultBits / 8);
      EXPECT_EQ(result, rows[i].expected)
          << "row " << i << std::hex << ": " << result << " instead of " << rows[i].expected;
    }
  }
};

} // namespace weft::test

#endif // WEFT_TEST_UNIT_EMULATOR_EMULATORTEST_H
