//===- LowerLaunches.cpp - launches as calls of the runtime ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft {
#define GEN_PASS_DEF_LOWERLAUNCHES
#include "weft/Codegen/GPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

struct LowerLaunchesPass : weft::impl::LowerLaunchesBase<LowerLaunchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    numberKernels(module);
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    if (!launches.empty())
      declareRuntime(module);
    for (gpu::LaunchFuncOp launch : launches)
      if (failed(lower(launch)))
        return signalPassFailure();
  }

private:
  void numberKernels(ModuleOp module) {
    int32_t number = 0;
    for (auto device : module.getOps<gpu::GPUModuleOp>())
      for (auto kernel : device.getOps<LLVM::LLVMFuncOp>())
        if (kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
          auto inDevice = FlatSymbolRefAttr::get(kernel);
          numbers[SymbolRefAttr::get(device.getSymNameAttr(), inDevice)] = number++;
        }
  }

  /// void weft_cuda_launch(int32_t kernel, int64_t blocks, int32_t threads, ptr list, int32_t
  /// count)
  void declareRuntime(ModuleOp module) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i32 = b.getI32Type();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                            {i32, b.getI64Type(), i32, pointer, i32});
    runtime = LLVM::LLVMFuncOp::create(b, module.getLoc(), "weft_cuda_launch", type);
  }

  LogicalResult lower(gpu::LaunchFuncOp launch) {
    auto number = numbers.find(launch.getKernelAttr());
    if (number == numbers.end())
      return launch.emitError("launches what is no kernel of the module");
    OpBuilder b(launch);
    Location loc = launch.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
    };
    OperandRange operands = launch.getKernelOperands();
    Value count = constant(int64_t(operands.size()));
    Value list = LLVM::AllocaOp::create(b, loc, pointer, pointer, count);
    for (auto [i, operand] : llvm::enumerate(operands)) {
      Value place =
          LLVM::GEPOp::create(b, loc, pointer, pointer, list, ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(b, loc, operand, place);
    }
    auto cast = [&](Type type, Value value) -> Value {
      return arith::IndexCastOp::create(b, loc, type, value);
    };
    LLVM::CallOp::create(b, loc, runtime,
                         ValueRange{constant(number->second),
                                    cast(b.getI64Type(), launch.getGridSizeX()),
                                    cast(b.getI32Type(), launch.getBlockSizeX()), list, count});
    launch.erase();
    return success();
  }

  DenseMap<Attribute, int32_t> numbers; ///< of kernels, in the order of the module
  LLVM::LLVMFuncOp runtime;
};

} // namespace
