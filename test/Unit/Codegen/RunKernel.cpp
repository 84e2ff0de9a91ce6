//===- RunKernel.cpp - a kernel of `nvx` ops in the emulator --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RunKernel.h"

#include "weft/Codegen/GPU/Passes.h"
#include "weft/Conversion/NVXToLLVM/Passes.h"
#include "weft/Emulator/Machine.h"
#include "weft/Target/PTX.h"

#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <cstring>

using namespace weft;

mlir::Value weft::emitPlace(LaneBuilder &lanes, mlir::Value base, mlir::Value lane, int count,
                            int i) {
  mlir::OpBuilder &b = lanes.b;
  mlir::Value size = mlir::arith::ConstantOp::create(b, lanes.loc, b.getI32IntegerAttr(count));
  mlir::Value first = mlir::arith::MulIOp::create(b, lanes.loc, lane, size);
  base = mlir::LLVM::GEPOp::create(b, lanes.loc, base.getType(), b.getI32Type(), base, first);
  return mlir::LLVM::GEPOp::create(b, lanes.loc, base.getType(), b.getI32Type(), base,
                                   llvm::ArrayRef<mlir::LLVM::GEPArg>{i});
}

static void emitAtEnd(mlir::ModuleOp module, Emit emit) {
  module.walk([&](mlir::LLVM::LLVMFuncOp kernel) {
    mlir::Block &block = kernel.getBody().back();
    mlir::OpBuilder builder(block.getTerminator());
    LaneBuilder lanes(builder, kernel.getLoc(), /*width=*/1);
    emit(lanes, kernel.getArgument(0), kernel.getArgument(1), kernel.front().front().getResult(0));
  });
}

std::string weft::compile(const std::string &body, const std::string &chip, int64_t sharedBytes,
                          Emit emit) {
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

std::vector<float> weft::run(const std::string &ptx, const std::vector<uint32_t> &input,
                             size_t count, uint32_t threads) {
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
