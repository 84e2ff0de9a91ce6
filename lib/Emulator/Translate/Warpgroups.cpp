//===- Warpgroups.cpp - products of four warps ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Warpgroup.h"
#include "Translate/Emitter.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/GlobalVariable.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

static bool takeAligned(Emitter &e) {
  bool sync = e.modifiers.take("sync"), aligned = e.modifiers.take("aligned");
  if (!sync || !aligned)
    e.fail(".sync.aligned is missing");
  else if (e.function.kernel.module.target != "sm_90a")
    e.fail("only .target sm_90a has it");
  else
    return true;
  return false;
}

namespace {

/// A type of factors, with the k of its shape.
struct Factor {
  llvm::StringLiteral name;
  FactorType type;
  unsigned k;
};

} // namespace

static constexpr Factor factors[] = {
    {"f16", FactorType::Half, 16},     {"bf16", FactorType::BFloat, 16},
    {"tf32", FactorType::TFloat, 8},   {"e4m3", FactorType::E4M3, 32},
    {"e5m2", FactorType::E5M2, 32},    {"s8", FactorType::Signed8, 32},
    {"u8", FactorType::Unsigned8, 32},
};

static bool isInteger(FactorType type) { return type >= FactorType::Signed8; }
static bool isEighth(FactorType type) {
  return type == FactorType::E4M3 || type == FactorType::E5M2;
}

static const Factor *findFactor(llvm::StringRef name) {
  for (const Factor &factor : factors)
    if (factor.name == name)
      return &factor;
  return nullptr;
}

// PTX ISA 9.7.15.2: which sums there are of which factors.
static std::optional<SumType> findSum(llvm::StringRef name, FactorType a, FactorType b) {
  bool same = a == b || (isEighth(a) && isEighth(b)) || (isInteger(a) && isInteger(b));
  if (same && name == "s32" && isInteger(a))
    return SumType::Integer;
  if (same && name == "f32" && !isInteger(a))
    return SumType::Float;
  if (same && name == "f16" && (a == FactorType::Half || isEighth(a)))
    return SumType::Half;
  return std::nullopt;
}

// .m64nNkK.D.A.B
static std::optional<ProductForm> takeForm(Emitter &e) {
  llvm::ArrayRef<std::string> words = e.instruction.modifiers;
  if (words.size() < 4)
    return std::nullopt;
  llvm::ArrayRef<std::string> types = words.take_back(3);
  const Factor *a = findFactor(types[1]), *b = findFactor(types[2]);
  std::optional<SumType> sum = a && b ? findSum(types[0], a->type, b->type) : std::nullopt;
  if (!sum)
    return std::nullopt;
  ProductForm form;
  form.a = a->type;
  form.b = b->type;
  form.sum = *sum;
  if (isInteger(a->type) && e.modifiers.take("satfinite"))
    form.flags |= Saturated;
  for (form.n = 8; form.n <= 256; form.n += 8)
    if (e.modifiers.take(("m64n" + llvm::Twine(form.n) + "k" + llvm::Twine(a->k)).str()))
      break;
  bool known = isInteger(a->type) ? form.n % 16 == 0 || form.n <= 24 : true;
  if (form.n > 256 || !known)
    return std::nullopt;
  for (const std::string &type : types)
    e.modifiers.take(type);
  return form;
}

// The immediates behind scale-d: signs and, of 16 bits, transpositions.
static bool takeImmediates(Emitter &e, size_t first, ProductForm &form) {
  std::vector<ProductFlags> flags;
  if (!isInteger(form.a))
    flags = {NegatedA, NegatedB};
  if (form.elementBytes() == 2 && !form.has(RegistersA))
    flags.push_back(TransposedA);
  if (form.elementBytes() == 2)
    flags.push_back(TransposedB);
  if (!e.expect(first + flags.size()))
    return false;
  for (size_t i = 0; i < flags.size(); ++i) {
    const ptx::Operand &operand = e.operand(first + i);
    bool isSign = flags[i] == NegatedA || flags[i] == NegatedB;
    bool set = operand.value == (isSign ? -1 : 1);
    if (operand.kind != ptx::OperandKind::Integer || (!set && operand.value != (isSign ? 1 : 0))) {
      e.fail("scales of 1 or -1 and transpositions of 0 or 1 are expected");
      return false;
    }
    form.flags |= set ? flags[i] : 0;
  }
  return true;
}

// Adds the places of a vector's registers in the table of fragments.
static bool addNumbers(Emitter &e, const ptx::Operand &vector, size_t size,
                       std::vector<uint32_t> &numbers) {
  llvm::DenseSet<uint32_t> seen;
  bool good = isVector(vector, size);
  for (const ptx::Operand &part : vector.parts) {
    good = good && part.kind == ptx::OperandKind::Register &&
           e.function.registers[part.index]->getAllocatedType()->isIntegerTy(32) &&
           seen.insert(part.index).second;
    if (good)
      numbers.push_back(e.function.fragments.numbers.lookup(part.index));
  }
  if (!good)
    e.fail("a vector of " + llvm::Twine(size) + " registers of 32 bits is expected");
  return good;
}

static Value *makeConstant(Emitter &e, llvm::ArrayRef<uint32_t> words) {
  llvm::Constant *data = llvm::ConstantDataArray::get(e.builder.getContext(), words);
  return new llvm::GlobalVariable(e.function.kernel.code, data->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, data);
}

// wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {d}, a, b, scale-d, 1, 1, 0, 0
static void emitProduct(Emitter &e) {
  if (!takeAligned(e))
    return;
  std::optional<ProductForm> form = takeForm(e);
  if (!form)
    return e.fail("such a product of matrices is not known");
  if (!e.expect(4, 8))
    return;
  if (!e.function.source.isEntry)
    return e.fail("only a kernel itself can begin a product");
  bool inRegisters = e.operand(1).kind == ptx::OperandKind::Vector;
  form->flags |= inRegisters ? RegistersA : 0;
  std::vector<uint32_t> numbers;
  if (!takeImmediates(e, 4, *form) || !addNumbers(e, e.operand(0), form->sumRegisters(), numbers) ||
      (inRegisters && !addNumbers(e, e.operand(1), 4, numbers)))
    return;
  uint32_t types = uint32_t(form->a) | uint32_t(form->b) << 8 | uint32_t(form->sum) << 16;
  Value *adds = e.builder.CreateZExt(e.readPredicate(3), e.builder.getInt32Ty());
  Value *a = inRegisters ? e.builder.getInt64(0) : e.read(1, kWide);
  e.call("wgmma", e.builder.getVoidTy(),
         {e.thread(), e.number(form->n), e.number(types), e.number(form->flags), adds, a,
          e.read(2, kWide), e.function.fragments.table, makeConstant(e, numbers), e.line()});
}

static void emitWarpgroup(Emitter &e) {
  llvm::Type *nothing = e.builder.getVoidTy();
  if (e.modifiers.take("mma_async")) {
    emitProduct(e);
  } else if (e.modifiers.take("fence")) {
    if (takeAligned(e) && e.expect(0))
      e.call("wgmma_fence", nothing, {e.thread(), e.line()});
  } else if (e.modifiers.take("commit_group")) {
    if (takeAligned(e) && e.expect(0))
      e.call("wgmma_commit", nothing, {e.thread(), e.line()});
  } else if (e.modifiers.take("wait_group")) {
    if (takeAligned(e) && e.expect(1))
      e.call("wgmma_wait", nothing, {e.thread(), e.read(0, kWord), e.line()});
  } else {
    e.fail("only mma_async, fence, commit_group and wait_group are known");
  }
}

// setmaxnreg.inc.sync.aligned.u32 232
static void emitSetRegisters(Emitter &e) {
  bool increases = e.modifiers.take("inc"), decreases = e.modifiers.take("dec");
  if (!takeAligned(e))
    return;
  if (increases == decreases || e.takeType() != ptx::Type{ptx::TypeKind::Unsigned, 32})
    return e.fail(".inc or .dec of .u32 is expected");
  if (!e.expect(1))
    return;
  const ptx::Operand &number = e.operand(0);
  if (number.kind != ptx::OperandKind::Integer || number.value < 24 || number.value > 256 ||
      number.value % 8 != 0)
    return e.fail("a multiple of 8 from 24 to 256 is expected");
  const ptx::Function &function = e.function.source;
  if (!function.isEntry || (function.maximumThreads[0] == 0 && function.mostRegisters == 0))
    return e.fail("only a kernel with .maxntid, .reqntid or .maxnreg can use it");
  e.call("set_registers", e.builder.getVoidTy(),
         {e.thread(), e.number(uint32_t(number.value)), e.number(increases), e.line()});
}

llvm::ArrayRef<InstructionRow> weft::emulator::warpgroupInstructions() {
  static const InstructionRow rows[] = {{"wgmma", emitWarpgroup}, {"setmaxnreg", emitSetRegisters}};
  return rows;
}
