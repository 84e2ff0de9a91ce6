//===- InterpretPass.cpp - the reference interpreter as a test pass -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestPasses.h"
#include "weft/Reference/Interpreter.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace weft;

namespace {
class InterpretPass : public PassWrapper<InterpretPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InterpretPass)
  InterpretPass() = default;
  InterpretPass(const InterpretPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "weft-interpret"; }
  StringRef getDescription() const override {
    return "run every public function without arguments and print its results";
  }
  void runOnOperation() override;

  Option<bool> showLabels{*this, "labels", llvm::cl::desc("print every labelled formula too"),
                          llvm::cl::init(false)};
};
} // namespace

static llvm::Expected<TensorRef> lookupWeight(ModuleOp module, WeightOp op) {
  auto weights = module->getAttrOfType<DictionaryAttr>("test.weights");
  auto value = weights ? weights.getAs<DenseElementsAttr>(op.getName()) : nullptr;
  if (!value)
    return llvm::createStringError("there is no weight '" + op.getName() + "' in test.weights");
  llvm::Expected<Tensor> tensor = Tensor::fromAttribute(value);
  if (!tensor)
    return tensor.takeError();
  return std::make_shared<Tensor>(std::move(*tensor));
}

void InterpretPass::runOnOperation() {
  ModuleOp module = getOperation();
  InterpreterOptions options;
  if (auto symbols = module->getAttrOfType<DictionaryAttr>("test.symbols"))
    for (NamedAttribute symbol : symbols)
      if (auto value = dyn_cast<IntegerAttr>(symbol.getValue()))
        options.symbols[symbol.getName()] = value.getInt();
  options.weights = [&](WeightOp op) { return lookupWeight(module, op); };
  if (showLabels)
    options.observer = [](Operation *op, const Tensor &tensor) {
      llvm::outs() << "  " << attrs::Label::getText(op) << " = ";
      print(llvm::outs(), tensor);
      llvm::outs() << "\n";
    };
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.getNumArguments() != 0)
      continue;
    llvm::outs() << function.getName() << "\n";
    llvm::Expected<std::vector<TensorRef>> results = interpret(function, {}, options);
    if (!results) {
      llvm::outs() << "  failed: " << llvm::toString(results.takeError()) << "\n";
      continue;
    }
    for (const TensorRef &tensor : *results) {
      llvm::outs() << "  ";
      print(llvm::outs(), *tensor);
      llvm::outs() << "\n";
    }
  }
  llvm::outs().flush();
}

void weft::test::registerInterpretPass() { PassRegistration<InterpretPass>(); }
