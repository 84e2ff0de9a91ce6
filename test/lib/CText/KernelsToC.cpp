//===- KernelsToC.cpp - test-kernels-to-c --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CText.h"
#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/KernelArguments.h"
#include "weft/Codegen/Common/RowSchedules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weft;

namespace {
class KernelsToCPass : public PassWrapper<KernelsToCPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelsToCPass)

  StringRef getArgument() const override { return "test-kernels-to-c"; }
  StringRef getDescription() const override { return "write the kernels of a module as C"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult lower(func::FuncOp kernel);
};
} // namespace

/// The function that writes what a kernel computes, its tasks one after the other: loops of
/// scalars.
LogicalResult KernelsToCPass::lower(func::FuncOp kernel) {
  for (Operation &op : kernel.front())
    if (LoweringAttr scalar = getScalarLowering(&op); scalar && !attrs::Lowering::isOn(&op))
      attrs::Lowering::set(&op, scalar);
  SmallVector<std::shared_ptr<KernelEmitter>> emitters;
  for (Operation *anchor : findAnchors(kernel)) {
    emitters.push_back(createEmitter(anchor, getCommonEmitters()));
    if (!emitters.back())
      return failure();
  }
  if (emitters.empty())
    return failure();
  JoinedEmitter all(emitters);
  KernelArguments passed(kernel);
  OpBuilder b(kernel);
  auto written = func::FuncOp::create(b, kernel.getLoc(), kernel.getName(),
                                      b.getFunctionType(passed.getTypes(), {}));
  Block *entry = written.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  LaneBuilder lanes(b, kernel.getLoc(), /*width=*/1);
  Kernel inside = passed.read(lanes, entry, passed.getAddresses(lanes, entry));
  lanes.loop(all.getNumTasks(lanes, inside), {}, [&](const Lanes &task, ValueRange) {
    all.emitTask(lanes, inside, task);
    return SmallVector<Value>();
  });
  func::ReturnOp::create(b, kernel.getLoc());
  kernel.erase();
  return success();
}

void KernelsToCPass::runOnOperation() {
  SmallVector<func::FuncOp> kernels;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (attrs::Kernel::isOn(function))
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels)
    if (failed(lower(kernel)))
      return signalPassFailure();
  OpPassManager cleanup(ModuleOp::getOperationName());
  cleanup.addPass(createCanonicalizerPass());
  cleanup.addPass(createCSEPass());
  if (failed(runPipeline(cleanup, getOperation())))
    return signalPassFailure();
  llvm::outs() << "#include <math.h>\n#include <stdint.h>\n";
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (failed(test::writeC(function, llvm::outs())))
      return signalPassFailure();
  llvm::outs().flush();
}

void weft::test::registerKernelsToC() { PassRegistration<KernelsToCPass>(); }
