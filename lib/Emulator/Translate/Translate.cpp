//===- Translate.cpp - PTX to LLVM IR -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Translate.h"
#include "Translate/Emitter.h"
#include "Translate/Fragments.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using namespace weft::emulator;
using llvm::BasicBlock;
using llvm::Value;

Handler weft::emulator::findHandler(llvm::StringRef opcode) {
  static const llvm::StringMap<Handler> handlers = [] {
    llvm::StringMap<Handler> map;
    for (llvm::ArrayRef<InstructionRow> rows :
         {integerInstructions(), bitInstructions(), realInstructions(), choiceInstructions(),
          conversionInstructions(), memoryInstructions(), controlInstructions(), warpInstructions(),
          copyInstructions(), matrixInstructions(), mbarrierInstructions(), orderInstructions(),
          warpgroupInstructions(), clusterInstructions()})
      for (const InstructionRow &row : rows)
        map[row.opcode] = row.handler;
    return map;
  }();
  return handlers.lookup(opcode);
}

namespace {

class FunctionTranslator {
public:
  FunctionTranslator(KernelState &kernel, const ptx::Function &source, llvm::Function *code)
      : builder(code->getContext()), state{kernel, source, code, builder, code->getArg(0)} {}

  void run() {
    builder.SetInsertPoint(BasicBlock::Create(code().getContext(), "", &code()));
    makeRegisters();
    makeVariables();
    for (size_t i = 0; i < state.source.labels.size(); ++i)
      state.labels.push_back(newBlock());
    size_t count = state.source.body.size();
    for (state.position = 0; state.position < count; ++state.position) {
      startLabels();
      translate(state.source.body[state.position]);
    }
    startLabels();
    if (!terminated())
      emitEnd();
  }

private:
  llvm::Function &code() { return *state.code; }
  BasicBlock *newBlock() { return BasicBlock::Create(code().getContext(), "", &code()); }
  bool terminated() { return builder.GetInsertBlock()->getTerminator() != nullptr; }

  void makeRegisters();
  void makeVariables();
  void startLabels();
  void translate(const ptx::Instruction &instruction);
  void emit(const ptx::Instruction &instruction);
  void emitEnd();

  llvm::IRBuilder<> builder;
  FunctionState state;
  size_t nextLabel = 0; // labels are in order
};

} // namespace

// What is read before it is written is a NaN.
void FunctionTranslator::makeRegisters() {
  auto slot = [&](unsigned bits) {
    llvm::IntegerType *type = builder.getIntNTy(bits);
    llvm::AllocaInst *slot = builder.CreateAlloca(type);
    builder.CreateStore(llvm::Constant::getAllOnesValue(type), slot);
    return slot;
  };
  for (const ptx::Register &source : state.source.registers)
    state.registers.push_back(slot(source.type.totalBits()));
  state.carry = slot(1);
  state.fragments = makeFragments(state);
}

void FunctionTranslator::makeVariables() {
  llvm::ArrayRef<ptx::Variable> variables = state.source.variables;
  size_t passed = state.source.parameterCount + state.source.resultCount;
  llvm::DenseMap<const ptx::Variable *, uint64_t> offsets;
  for (size_t i = 0; i < variables.size(); ++i) {
    const ptx::Variable &variable = variables[i];
    if (i < passed) {
      if (!state.source.isEntry)
        state.variables[&variable] = code().getArg(unsigned(i + 1));
    } else if (variable.space == ptx::Space::Param) {
      auto *type = llvm::ArrayType::get(builder.getInt8Ty(), variable.bytes);
      llvm::AllocaInst *slot = builder.CreateAlloca(type);
      builder.CreateMemSet(slot, builder.getInt8(0xff), variable.bytes, llvm::MaybeAlign());
      state.variables[&variable] = slot;
    } else if (variable.space == ptx::Space::Local) {
      offsets[&variable] = llvm::alignTo(state.frameBytes, variable.alignment);
      state.frameBytes = offsets[&variable] + variable.bytes;
    }
  }
  state.frameBytes = llvm::alignTo(state.frameBytes, 128);
  if (state.frameBytes == 0)
    return;
  ptx::Instruction entry;
  entry.line = state.source.line;
  Emitter e(state, entry);
  Value *base = e.call("enter", builder.getInt64Ty(),
                       {state.thread, builder.getInt64(state.frameBytes), e.line()});
  for (const ptx::Variable &variable : variables)
    if (auto found = offsets.find(&variable); found != offsets.end())
      state.variables[&variable] = builder.CreateAdd(base, builder.getInt64(found->second));
}

void FunctionTranslator::startLabels() {
  for (; nextLabel < state.labels.size(); ++nextLabel) {
    if (state.source.labels[nextLabel].position != state.position)
      return;
    if (!terminated())
      builder.CreateBr(state.labels[nextLabel]);
    builder.SetInsertPoint(state.labels[nextLabel]);
  }
}

void FunctionTranslator::translate(const ptx::Instruction &instruction) {
  if (terminated()) // nothing gets here
    builder.SetInsertPoint(newBlock());
  if (!instruction.guard)
    return emit(instruction);
  Value *slot = state.registers[instruction.guard->predicate];
  Value *condition = builder.CreateLoad(builder.getInt1Ty(), slot);
  BasicBlock *taken = newBlock(), *next = newBlock();
  builder.CreateCondBr(condition, instruction.guard->negated ? next : taken,
                       instruction.guard->negated ? taken : next);
  builder.SetInsertPoint(taken);
  emit(instruction);
  if (!terminated())
    builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

void FunctionTranslator::emit(const ptx::Instruction &instruction) {
  Emitter emitter(state, instruction);
  Handler handler = findHandler(instruction.opcode);
  if (!handler)
    return emitter.fail("unknown instruction");
  handler(emitter);
  for (const std::string &modifier : emitter.modifiers.rest())
    emitter.fail("unknown modifier '." + modifier + "'");
}

void FunctionTranslator::emitEnd() {
  ptx::Instruction ret;
  ret.line = state.source.line;
  ret.opcode = "ret";
  emit(ret);
}

static llvm::Function *declare(llvm::Module &code, const ptx::Function &source,
                               llvm::StringRef name) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(code.getContext());
  size_t passed = source.isEntry ? 0 : source.parameterCount + source.resultCount;
  std::vector<llvm::Type *> types(passed + 1, pointer);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(code.getContext()), types, false);
  auto linkage = source.isEntry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
  return llvm::Function::Create(type, linkage, name, code);
}

llvm::Expected<Translation> weft::emulator::translate(const ptx::Module &module,
                                                      const ptx::Function &kernel,
                                                      const llvm::StringMap<uint64_t> &addresses) {
  llvm::Expected<KernelLayout> layout = layOut(module, kernel);
  if (!layout)
    return layout.takeError();
  Translation result;
  result.layout = std::move(*layout);
  result.context = std::make_unique<llvm::LLVMContext>();
  result.code = std::make_unique<llvm::Module>(kernel.name, *result.context);
  KernelState state{module, addresses, result.layout, *result.code};
  for (const ptx::Function *function : result.layout.functions)
    state.functions[function] =
        declare(*result.code, *function, function->isEntry ? "kernel" : function->name);
  for (const ptx::Function *function : result.layout.functions)
    FunctionTranslator(state, *function, state.functions.lookup(function)).run();
  result.meets = state.meets;
  result.problems = std::move(state.problems);
  if (!result.problems.empty())
    return result;
  std::string broken;
  llvm::raw_string_ostream os(broken);
  if (llvm::verifyModule(*result.code, &os))
    return llvm::createStringError(
        "kernel '" + kernel.name + "' has no valid translation: " +
        llvm::StringRef(broken).take_until([](char c) { return c == '\n'; }));
  return result;
}
