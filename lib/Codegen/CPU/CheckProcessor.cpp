//===- CheckProcessor.cpp - weft-check-processor ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProcessorFeatures.h"
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

/// Leaf 1: the system uses XSAVE, so that XGETBV may be asked.
static constexpr uint32_t kOsXsave = 1u << 27;
/// arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA) of Linux.
static constexpr int64_t kArchPrctl = 158, kRequestPermission = 0x1023, kTileData = 18;

namespace {
/// What has to be set in each word.
struct Needs {
  std::array<uint32_t, 7> words = {};
  uint32_t state = 0;
  bool tiles = false;

  uint32_t of(FeatureWord word) const { return words[unsigned(word)]; }
  void add(const ProcessorFeature &feature) {
    words[unsigned(feature.word)] |= 1u << feature.bit;
    state |= feature.state;
    tiles |= feature.isOfTiles();
  }
};

/// Writes the function.
class CheckWriter {
public:
  CheckWriter(ModuleOp module, const Needs &needs)
      : b(OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()), needs(needs) {}
  void write();

private:
  Value constant(uint32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }
  /// Word `i` of the answer of CPUID.
  Value word(Value answer, int64_t i) { return LLVM::ExtractValueOp::create(b, loc, answer, i); }
  Value assembly(Type result, ValueRange operands, StringRef text, StringRef constraints) {
    return LLVM::InlineAsmOp::create(b, loc, result, operands, text, constraints,
                                     /*has_side_effects=*/true, /*is_align_stack=*/false,
                                     LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                                     ArrayAttr())
        .getResult(0);
  }
  Value askProcessor(uint32_t leaf, uint32_t subleaf = 0);
  void goOnIf(Value condition);
  void requireBits(Value word, uint32_t bits);
  void requireLeaf(uint32_t range, uint32_t leaf);
  void requireState();
  void requirePermission();
  void requireAll();
  void keepAndReturn(Block *block, int32_t answer);

  OpBuilder b;
  Location loc;
  const Needs &needs;
  Block *fail = nullptr;
  Value kept; ///< the place of the answer and 1; 0: not asked yet
};
} // namespace

Value CheckWriter::askProcessor(uint32_t leaf, uint32_t subleaf) {
  auto words =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  return assembly(words, {constant(leaf), constant(subleaf)}, "cpuid",
                  "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}");
}

/// What follows is written where the condition holds.
void CheckWriter::goOnIf(Value condition) {
  Block *here = b.getInsertionBlock(), *next = b.createBlock(fail);
  b.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(b, loc, condition, next, fail);
  b.setInsertionPointToEnd(next);
}

void CheckWriter::requireBits(Value word, uint32_t bits) {
  if (bits == 0)
    return;
  Value needed = constant(bits);
  Value had = LLVM::AndOp::create(b, loc, word, needed);
  goOnIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, had, needed));
}

/// Asked beyond what it knows, a processor answers anything.
void CheckWriter::requireLeaf(uint32_t range, uint32_t leaf) {
  Value last = word(askProcessor(range), 0);
  goOnIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, last, constant(leaf)));
}

/// The system keeps the registers: XGETBV, written so that any assembler knows it.
void CheckWriter::requireState() {
  auto words =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(2, b.getI32Type()));
  Value answer = assembly(words, {constant(0)}, ".byte 0x0f, 0x01, 0xd0",
                          "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}");
  requireBits(word(answer, 0), needs.state);
}

void CheckWriter::requirePermission() {
  auto number = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value));
  };
  Value error =
      assembly(b.getI64Type(), {number(kArchPrctl), number(kRequestPermission), number(kTileData)},
               "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory},~{flags}");
  goOnIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, error, number(0)));
}

void CheckWriter::requireAll() {
  requireBits(word(askProcessor(1), 2),
              needs.of(FeatureWord::Leaf1Ecx) | (needs.state ? kOsXsave : 0));
  uint32_t more = needs.of(FeatureWord::Leaf71Eax) | needs.of(FeatureWord::Leaf71Edx);
  if (more | needs.of(FeatureWord::Leaf7Ebx) | needs.of(FeatureWord::Leaf7Ecx) |
      needs.of(FeatureWord::Leaf7Edx)) {
    requireLeaf(0, 7);
    Value answer = askProcessor(7);
    requireBits(word(answer, 1), needs.of(FeatureWord::Leaf7Ebx));
    requireBits(word(answer, 2), needs.of(FeatureWord::Leaf7Ecx));
    requireBits(word(answer, 3), needs.of(FeatureWord::Leaf7Edx));
  }
  if (more) {
    requireLeaf(7, 1);
    Value answer = askProcessor(7, 1);
    requireBits(word(answer, 0), needs.of(FeatureWord::Leaf71Eax));
    requireBits(word(answer, 3), needs.of(FeatureWord::Leaf71Edx));
  }
  if (uint32_t bits = needs.of(FeatureWord::ExtendedEcx)) {
    requireLeaf(0x80000000, 0x80000001);
    requireBits(word(askProcessor(0x80000001), 2), bits);
  }
  if (needs.state)
    requireState();
  if (needs.tiles)
    requirePermission();
}

void CheckWriter::keepAndReturn(Block *block, int32_t answer) {
  b.setInsertionPointToEnd(block);
  LLVM::StoreOp::create(b, loc, constant(answer + 1), kept, /*alignment=*/4, /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic);
  LLVM::ReturnOp::create(b, loc, constant(answer));
}

void CheckWriter::write() {
  std::string place = (kProcessorCheck + ".answer").str();
  LLVM::GlobalOp::create(b, loc, b.getI32Type(), /*isConstant=*/false, LLVM::Linkage::Internal,
                         place, b.getI32IntegerAttr(0), 4);
  auto function = LLVM::LLVMFuncOp::create(b, loc, kProcessorCheck,
                                           LLVM::LLVMFunctionType::get(b.getI32Type(), {}),
                                           LLVM::Linkage::Internal);
  function.setTargetCpu("x86-64");
  Block *entry = function.addEntryBlock(b);
  fail = b.createBlock(&function.getBody(), function.getBody().end());
  Block *ask = b.createBlock(fail), *known = b.createBlock(fail);
  b.setInsertionPointToEnd(entry);
  kept = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), place);
  Value answer = LLVM::LoadOp::create(b, loc, b.getI32Type(), kept, /*alignment=*/4,
                                      /*isVolatile=*/false, /*isNonTemporal=*/false,
                                      /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                      LLVM::AtomicOrdering::monotonic);
  Value isNew = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, answer, constant(0));
  LLVM::CondBrOp::create(b, loc, isNew, ask, known);
  b.setInsertionPointToEnd(known);
  Value code = LLVM::SubOp::create(b, loc, answer, constant(1));
  LLVM::ReturnOp::create(b, loc, code);
  b.setInsertionPointToEnd(ask);
  requireAll();
  keepAndReturn(b.getInsertionBlock(), WEFT_OK);
  keepAndReturn(fail, WEFT_ERROR_PROCESSOR);
}

namespace {

struct CheckProcessorPass : weft::impl::CheckProcessorBase<CheckProcessorPass> {
  using CheckProcessorBase::CheckProcessorBase;

  void runOnOperation() override {
    Needs needs;
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
      needs.add(*known);
    }
    if (all.empty())
      return;
    CheckWriter(getOperation(), needs).write();
    getOperation()->setDiscardableAttr(kProcessorFeatures,
                                       OpBuilder(&getContext()).getStrArrayAttr(all.getArrayRef()));
  }
};

} // namespace
