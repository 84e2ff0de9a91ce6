//===- CheckProcessor.cpp - weft-check-processor ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CheckWriter.h"
#include "weft/Codegen/CPU/Passes.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Runtime/weft_model_info.h"

#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_CHECKPROCESSOR
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

Value CheckWriter::assembly(Type result, ValueRange operands, StringRef text,
                            StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, loc, result, operands, text, constraints,
                                   /*has_side_effects=*/true, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                                   ArrayAttr())
      .getResult(0);
}

void CheckWriter::goOnIf(LLVM::ICmpPredicate predicate, Value lhs, Value rhs) {
  Value condition = LLVM::ICmpOp::create(b, loc, predicate, lhs, rhs);
  Block *here = b.getInsertionBlock(), *next = b.createBlock(fail);
  b.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(b, loc, condition, next, fail);
  b.setInsertionPointToEnd(next);
}

namespace {

/// Writes the function around the question, whose answer it keeps.
class CheckFunction {
public:
  explicit CheckFunction(ModuleOp module)
      : b(OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()) {}
  void write(ArrayRef<ProcessorFeature> features);

private:
  Value constant(int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }
  void returnIfKnown(Block *ask, Block *known);
  void keepAndReturn(Block *block, int32_t answer);

  OpBuilder b;
  Location loc;
  Value kept; ///< the place of the answer and 1; 0: not asked yet
};

} // namespace

void CheckFunction::keepAndReturn(Block *block, int32_t answer) {
  b.setInsertionPointToEnd(block);
  LLVM::StoreOp::create(b, loc, constant(answer + 1), kept, /*alignment=*/4, /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic);
  LLVM::ReturnOp::create(b, loc, constant(answer));
}

void CheckFunction::returnIfKnown(Block *ask, Block *known) {
  Value answer = LLVM::LoadOp::create(b, loc, b.getI32Type(), kept, /*alignment=*/4,
                                      /*isVolatile=*/false, /*isNonTemporal=*/false,
                                      /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                      LLVM::AtomicOrdering::monotonic);
  Value isNew = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, answer, constant(0));
  LLVM::CondBrOp::create(b, loc, isNew, ask, known);
  b.setInsertionPointToEnd(known);
  Value code = LLVM::SubOp::create(b, loc, answer, constant(1));
  LLVM::ReturnOp::create(b, loc, code);
}

void CheckFunction::write(ArrayRef<ProcessorFeature> features) {
  bool isAArch64 = features.front().isOfAArch64();
  std::string place = (kProcessorCheck + ".answer").str();
  LLVM::GlobalOp::create(b, loc, b.getI32Type(), /*isConstant=*/false, LLVM::Linkage::Internal,
                         place, b.getI32IntegerAttr(0), 4);
  auto function = LLVM::LLVMFuncOp::create(b, loc, kProcessorCheck,
                                           LLVM::LLVMFunctionType::get(b.getI32Type(), {}),
                                           LLVM::Linkage::Internal);
  function.setTargetCpu(isAArch64 ? "generic" : "x86-64");
  Block *entry = function.addEntryBlock(b);
  Block *fail = b.createBlock(&function.getBody(), function.getBody().end());
  Block *ask = b.createBlock(fail), *known = b.createBlock(fail);
  b.setInsertionPointToEnd(entry);
  kept = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), place);
  returnIfKnown(ask, known);
  b.setInsertionPointToEnd(ask);
  CheckWriter writer(b, loc, fail);
  isAArch64 ? requireOfAArch64(writer, features) : requireOfX86(writer, features);
  keepAndReturn(b.getInsertionBlock(), WEFT_OK);
  keepAndReturn(fail, WEFT_ERROR_PROCESSOR);
}

namespace {

struct CheckProcessorPass : weft::impl::CheckProcessorBase<CheckProcessorPass> {
  using CheckProcessorBase::CheckProcessorBase;

  void runOnOperation() override {
    SmallVector<ProcessorFeature> needs;
    llvm::SetVector<StringRef> all(features.begin(), features.end());
    if (auto found = getOperation()->getAttrOfType<ArrayAttr>(kProcessorFeatures))
      all.insert_range(found.getAsValueRange<StringAttr>());
    for (StringRef name : all) {
      const auto *known = llvm::find_if(
          getProcessorFeatures(), [&](const ProcessorFeature &each) { return each.name == name; });
      if (known == getProcessorFeatures().end()) {
        getOperation().emitError("no processor can be asked for the feature '") << name << "'";
        return signalPassFailure();
      }
      if (!needs.empty() && needs.front().isOfAArch64() != known->isOfAArch64()) {
        getOperation().emitError("no processor has both '")
            << needs.front().name << "' and '" << name << "'";
        return signalPassFailure();
      }
      needs.push_back(*known);
    }
    if (all.empty())
      return;
    CheckFunction(getOperation()).write(needs);
    getOperation()->setDiscardableAttr(kProcessorFeatures,
                                       OpBuilder(&getContext()).getStrArrayAttr(all.getArrayRef()));
  }
};

} // namespace
