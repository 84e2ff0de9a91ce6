//===- CheckX86.cpp - what an x86-64 machine has -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CheckWriter.h"

using namespace mlir;
using namespace weft;

/// Leaf 1: the system uses XSAVE, so that XGETBV may be asked.
static constexpr uint32_t kOsXsave = 1u << 27;

namespace {
/// What has to be set in each word.
struct Needs {
  explicit Needs(ArrayRef<ProcessorFeature> features) {
    for (const ProcessorFeature &feature : features)
      add(feature);
  }

  uint32_t of(FeatureWord word) const { return words[unsigned(word)]; }
  void add(const ProcessorFeature &feature) {
    if (feature.word == FeatureWord::Leaf24Ebx)
      version = std::max(version, feature.least);
    else
      words[unsigned(feature.word)] |= 1u << feature.bit;
    state |= feature.state;
    tiles |= feature.isOfTiles();
  }

  std::array<uint32_t, 7> words = {};
  uint32_t state = 0;
  unsigned version = 0; ///< of AVX10
  bool tiles = false;
};

/// Writes what asks for them.
class Question {
public:
  Question(CheckWriter &writer, const Needs &needs)
      : writer(writer), b(writer.b), loc(writer.loc), needs(needs) {}
  void requireAll();

private:
  Value constant(uint32_t value) { return writer.constant(32, int32_t(value)); }
  /// Word `i` of the answer of CPUID.
  Value word(Value answer, int64_t i) { return LLVM::ExtractValueOp::create(b, loc, answer, i); }
  Value askProcessor(uint32_t leaf, uint32_t subleaf = 0);
  void requireBits(Value word, uint32_t bits);
  void requireLeaf(uint32_t range, uint32_t leaf);
  void requireLeaf7();
  void requireVersion();
  void requireState();
  void requirePermission();

  CheckWriter &writer;
  OpBuilder &b;
  Location loc;
  const Needs &needs;
};
} // namespace

Value Question::askProcessor(uint32_t leaf, uint32_t subleaf) {
  auto words =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  return writer.assembly(words, {constant(leaf), constant(subleaf)}, "cpuid",
                         "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}");
}

void Question::requireBits(Value word, uint32_t bits) {
  if (bits == 0)
    return;
  Value needed = constant(bits);
  Value had = LLVM::AndOp::create(b, loc, word, needed);
  writer.goOnIf(LLVM::ICmpPredicate::eq, had, needed);
}

/// Asked beyond what it knows, a processor answers anything.
void Question::requireLeaf(uint32_t range, uint32_t leaf) {
  Value last = word(askProcessor(range), 0);
  writer.goOnIf(LLVM::ICmpPredicate::uge, last, constant(leaf));
}

/// The system keeps the registers: XGETBV, written so that any assembler knows it.
void Question::requireState() {
  auto words =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(2, b.getI32Type()));
  Value answer = writer.assembly(words, {constant(0)}, ".byte 0x0f, 0x01, 0xd0",
                                 "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}");
  requireBits(word(answer, 0), needs.state);
}

void Question::requirePermission() {
  auto number = [&](int64_t value) { return writer.constant(64, value); };
  Value error = writer.assembly(b.getI64Type(),
                                {number(kArchPrctl), number(kRequestPermission), number(kTileData)},
                                "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory},~{flags}");
  writer.goOnIf(LLVM::ICmpPredicate::eq, error, number(0));
}

void Question::requireLeaf7() {
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
}

/// A processor without AVX10 that knows the leaf says 0.
void Question::requireVersion() {
  requireLeaf(0, 0x24);
  Value answer = word(askProcessor(0x24), 1);
  Value version = LLVM::AndOp::create(b, loc, answer, constant(0xff));
  writer.goOnIf(LLVM::ICmpPredicate::uge, version, constant(needs.version));
}

void Question::requireAll() {
  requireBits(word(askProcessor(1), 2),
              needs.of(FeatureWord::Leaf1Ecx) | (needs.state ? kOsXsave : 0));
  requireLeaf7();
  if (needs.version)
    requireVersion();
  if (uint32_t bits = needs.of(FeatureWord::ExtendedEcx)) {
    requireLeaf(0x80000000, 0x80000001);
    requireBits(word(askProcessor(0x80000001), 2), bits);
  }
  if (needs.state)
    requireState();
  if (needs.tiles)
    requirePermission();
}

void weft::requireOfX86(CheckWriter &writer, ArrayRef<ProcessorFeature> features) {
  Question(writer, Needs(features)).requireAll();
}
