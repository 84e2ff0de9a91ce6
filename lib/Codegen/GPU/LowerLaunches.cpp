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

/// As the driver numbers types of elements (CUtensorMapDataType).
static int32_t getDataType(Type element) { return element.isF16() ? 6 : element.isF32() ? 7 : 9; }

namespace {

struct LowerLaunchesPass : weft::impl::LowerLaunchesBase<LowerLaunchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    numberKernels(module);
    module.walk([&](Operation *op) {
      OpBuilder b(op);
      if (auto ask = dyn_cast<nvx::ChipOp>(op))
        replace(ask, call(b, op->getLoc(), "weft_cuda_chip", b.getI32Type(), {}));
      else if (auto ask = dyn_cast<nvx::ProcessorsOp>(op))
        replace(ask, call(b, op->getLoc(), "weft_cuda_processors", b.getI32Type(), {}));
      else if (auto map = dyn_cast<nvx::TensorMapOp>(op))
        lower(map);
    });
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
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

  static void replace(Operation *op, LLVM::CallOp call) {
    op->replaceAllUsesWith(call);
    op->erase();
  }

  /// A call of the runtime (weft_cuda_program.h), which is declared if it is the first.
  LLVM::CallOp call(OpBuilder &b, Location loc, StringRef name, Type result, ValueRange operands) {
    auto function = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!function) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
      auto type =
          LLVM::LLVMFunctionType::get(result, llvm::to_vector(ValueRange(operands).getTypes()));
      function = LLVM::LLVMFuncOp::create(atEnd, getOperation().getLoc(), name, type);
    }
    return LLVM::CallOp::create(b, loc, function, operands);
  }

  static Value constant(OpBuilder &b, Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }

  /// Memory of the function with these values.
  static Value store(OpBuilder &b, Location loc, Type type, ArrayRef<Value> values) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value count = constant(b, loc, int64_t(values.size()));
    Value list = LLVM::AllocaOp::create(b, loc, pointer, type, count);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place =
          LLVM::GEPOp::create(b, loc, pointer, type, list, ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(b, loc, value, place);
    }
    return list;
  }

  /// weft_cuda_box: what does not change.
  LLVM::GlobalOp addBox(nvx::TensorMapOp map) {
    SmallVector<int32_t> fields = {getDataType(map.getElement()), int32_t(map.getBox().size())};
    llvm::append_range(fields, map.getBox());
    fields.resize(8, 1);
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type = RankedTensorType::get(int64_t(fields.size()), b.getI32Type());
    return LLVM::GlobalOp::create(
        b, map.getLoc(), LLVM::LLVMArrayType::get(b.getI32Type(), unsigned(fields.size())),
        /*isConstant=*/true, LLVM::Linkage::Internal, "weft.box." + std::to_string(numBoxes++),
        DenseElementsAttr::get(type, ArrayRef(fields)));
  }

  void lower(nvx::TensorMapOp op) {
    constexpr int64_t bytes = 128, alignment = 64;
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Value map =
        LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), constant(b, loc, bytes), alignment);
    SmallVector<Value> numbers(op.getSizes());
    llvm::append_range(numbers, op.getStrides());
    Value list = store(b, loc, b.getI64Type(), numbers);
    Value box = LLVM::AddressOfOp::create(b, loc, addBox(op));
    call(b, loc, "weft_cuda_encode", LLVM::LLVMVoidType::get(&getContext()),
         {map, box, op.getAddress(), list});
    op.replaceAllUsesWith(map);
    op.erase();
  }

  /// Maps are the last parameters, and memory of the kernel.
  static int64_t countMaps(gpu::LaunchFuncOp launch) {
    auto kernel =
        SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(launch, launch.getKernelAttr());
    return llvm::count_if(llvm::seq<unsigned>(launch.getNumKernelOperands()), [&](unsigned i) {
      return kernel && kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName());
    });
  }

  LogicalResult lower(gpu::LaunchFuncOp launch) {
    auto number = numbers.find(launch.getKernelAttr());
    if (number == numbers.end())
      return launch.emitError("launches what is no kernel of the module");
    OpBuilder b(launch);
    Location loc = launch.getLoc();
    auto cast = [&](Type type, Value value) -> Value {
      return arith::IndexCastOp::create(b, loc, type, value);
    };
    SmallVector<Value> arguments(launch.getKernelOperands());
    Value list = store(b, loc, LLVM::LLVMPointerType::get(&getContext()), arguments);
    Value shared = launch.getDynamicSharedMemorySize();
    call(b, loc, "weft_cuda_launch", LLVM::LLVMVoidType::get(&getContext()),
         {constant(b, loc, number->second), cast(b.getI64Type(), launch.getGridSizeX()),
          cast(b.getI32Type(), launch.getBlockSizeX()), shared ? shared : constant(b, loc, 0), list,
          constant(b, loc, int64_t(arguments.size())), constant(b, loc, countMaps(launch))});
    launch.erase();
    return success();
  }

  DenseMap<Attribute, int32_t> numbers; ///< of kernels, in the order of the modules
  unsigned numBoxes = 0;
};

} // namespace
