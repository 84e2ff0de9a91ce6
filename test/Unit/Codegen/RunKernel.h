//===- RunKernel.h - a kernel of `nvx` ops in the emulator ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_CODEGEN_RUNKERNEL_H
#define WEFT_TEST_UNIT_CODEGEN_RUNKERNEL_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Codegen/GPU/Passes.h"
#include "weft/Conversion/NVXToLLVM/Passes.h"
#include "weft/Emulator/Machine.h"
#include "weft/Target/PTX.h"

#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

#include <cstring>

namespace weft {

// Small integers, which all formats have; different in every place.
inline int valueOf(int64_t seed, int64_t row, int64_t column) {
  return int((seed + 7 * row + 3 * column) % 11) - 5;
}
inline uint32_t asTF32(int value) { return llvm::bit_cast<uint32_t>(float(value)); }
inline uint32_t asBF16(int value) { return asTF32(value) >> 16; }
inline uint32_t asF16(int value) {
  static const uint32_t codes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
  return codes[std::abs(value)] | (value < 0 ? 0x8000 : 0);
}

/// Adds code to a kernel, which has these arguments and the number of its thread, of 32 bits.
using Emit =
    llvm::function_ref<void(LaneBuilder &lanes, mlir::Value in, mlir::Value out, mlir::Value lane)>;

/// Where number `i` is of the `count` words, of 32 bits, that each thread has behind the others'.
inline mlir::Value emitPlace(LaneBuilder &lanes, mlir::Value base, mlir::Value lane, int count,
                             int i) {
  mlir::OpBuilder &b = lanes.b;
  mlir::Value size = mlir::arith::ConstantOp::create(b, lanes.loc, b.getI32IntegerAttr(count));
  mlir::Value first = mlir::arith::MulIOp::create(b, lanes.loc, lane, size);
  base = mlir::LLVM::GEPOp::create(b, lanes.loc, base.getType(), b.getI32Type(), base, first);
  return mlir::LLVM::GEPOp::create(b, lanes.loc, base.getType(), b.getI32Type(), base,
                                   llvm::ArrayRef<mlir::LLVM::GEPArg>{i});
}

inline void emitAtEnd(mlir::ModuleOp module, Emit emit) {
  module.walk([&](mlir::LLVM::LLVMFuncOp kernel) {
    mlir::Block &block = kernel.getBody().back();
    mlir::OpBuilder builder(block.getTerminator());
    LaneBuilder lanes(builder, kernel.getLoc(), /*width=*/1);
    emit(lanes, kernel.getArgument(0), kernel.getArgument(1), kernel.front().front().getResult(0));
  });
}

/// The PTX of a module of the device with one kernel `f`, which has `%in`, `%out`, the number of
/// its thread as `%lane`, and `@memory` to share.
inline std::string compile(const std::string &body, const std::string &chip = "sm_80",
                           int64_t sharedBytes = 1024, Emit emit = nullptr) {
  std::string text =
      "gpu.module @device {\n"
      "llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 1024 : "
      "i64} : !llvm.array<" +
      std::to_string(sharedBytes) +
      " x i8>\n"
      "llvm.func @f(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, "
      "nvvm.kernel} {\n%lane = nvx.thread_id : i32\n" +
      body + "llvm.return\n}\n}\n";
  mlir::DialectRegistry registry;
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::MLIRContext context(registry);
  context.loadDialect<mlir::gpu::GPUDialect, mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                      mlir::NVVM::NVVMDialect, mlir::arith::ArithDialect,
                      mlir::vector::VectorDialect, nvx::NVXDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (module && emit)
    emitAtEnd(*module, emit);
  mlir::PassManager pm(&context);
  buildDevicePipeline(pm.nest<mlir::gpu::GPUModuleOp>());
  if (!module || failed(pm.run(*module)))
    return "";
  llvm::LLVMContext llvmContext;
  Machine machine = getGPUMachine(*findGPUChip(chip));
  auto code = translateDevice(*module, llvmContext, machine, /*optLevel=*/2);
  std::string ptx;
  llvm::raw_string_ostream os(ptx);
  if (code)
    llvm::cantFail(emitFile(*code, machine, /*optLevel=*/2, FileKind::Assembly, os));
  return ptx;
}

/// What the threads make of the input; no numbers after a fault.
inline std::vector<float> run(const std::string &ptx, const std::vector<uint32_t> &input,
                              size_t count, uint32_t threads = 32) {
  emulator::MachineOptions options;
  auto machine = llvm::cantFail(emulator::Machine::create(options));
  uint32_t module = llvm::cantFail(machine->load(ptx, "test.ptx"));
  emulator::Kernel *kernel = llvm::cantFail(machine->findKernel(module, "f"));
  uint64_t in = machine->allocate(4 * input.size()), out = machine->allocate(4 * count);
  std::memcpy(machine->translate(in, 4 * input.size()), input.data(), 4 * input.size());
  auto fault = machine->launch(*kernel, {1, 1, 1}, {threads, 1, 1}, {&in, &out});
  EXPECT_FALSE(fault) << fault->message;
  std::vector<float> result(fault ? 0 : count);
  if (!fault)
    std::memcpy(result.data(), machine->translate(out, 4 * count), 4 * count);
  return result;
}

} // namespace weft

#endif // WEFT_TEST_UNIT_CODEGEN_RUNKERNEL_H
