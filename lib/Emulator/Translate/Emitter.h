//===- Emitter.h - one instruction's translation --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A register is an integer of its width (a predicate of one bit) in memory of its own, which LLVM
// makes values of. What goes wrong is kept, the first problem counts, and translation goes on with
// any value.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_EMITTER_H
#define WEFT_LIB_EMULATOR_TRANSLATE_EMITTER_H

#include "Machine/Layout.h"
#include "Translate/FunctionState.h"
#include "Translate/Modifiers.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft::emulator {

/// How the results of real arithmetic are finished.
struct RealMode {
  bool flush = false;    ///< .ftz: numbers below the normal ones are 0
  bool saturate = false; ///< .sat: to [0, 1], NaN to 0
};

class Emitter {
public:
  Emitter(FunctionState &function, const ptx::Instruction &instruction)
      : builder(function.builder), modifiers(instruction), instruction(instruction),
        function(function) {}

  llvm::IRBuilder<> &builder;
  Modifiers modifiers;
  const ptx::Instruction &instruction;
  FunctionState &function;

  size_t count() const { return instruction.operands.size(); }
  const ptx::Operand &operand(size_t i) const { return instruction.operands[i]; }

  /// The bits of an operand as an integer of the type's width. `wider`: the register may have more
  /// bits than the type, as in memory instructions and conversions.
  llvm::Value *read(const ptx::Operand &operand, ptx::Type type, bool wider = false);
  llvm::Value *read(size_t i, ptx::Type type, bool wider = false);
  llvm::Value *readPredicate(size_t i);
  void write(const ptx::Operand &operand, llvm::Value *value, ptx::Type type, bool wider = false);
  void write(size_t i, llvm::Value *value, ptx::Type type, bool wider = false);

  /// A number as a float (of 16 bits too) or double, and back to the bits of its type.
  llvm::Value *toReal(llvm::Value *bits, ptx::Type type, bool flush = false);
  llvm::Value *fromReal(llvm::Value *value, ptx::Type type, RealMode mode);
  llvm::Value *readReal(size_t i, ptx::Type type, bool flush = false);
  void writeReal(size_t i, llvm::Value *value, ptx::Type type, RealMode mode);
  llvm::Value *flush(llvm::Value *value, ptx::Type type);
  /// Operand 0 becomes `element` of the others, for both halves of packed types. Values are bits.
  void mapBits(ptx::Type type, llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)>);
  /// The same with reals.
  void mapReals(ptx::Type type, RealMode mode,
                llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)>);

  /// The address in [base+offset], in 64 bits.
  llvm::Value *address(const ptx::Operand &operand);
  /// The same in [base+offset, {x, y}], where the vector has `size` parts.
  llvm::Value *addressBefore(const ptx::Operand &operand, size_t size);
  /// The checked place of an access on the host.
  llvm::Value *access(llvm::Value *address, unsigned bytes, ptx::Space space, AccessKind kind);

  /// Memory on the host for so many words, the same each time.
  llvm::Value *scratch(unsigned words);
  /// The registers of a vector as words in memory, and back.
  llvm::Value *spill(const ptx::Operand &vector);
  void fill(const ptx::Operand &vector, llvm::Value *memory);

  /// A function of the machine; arguments are 32- or 64-bit integers, reals and pointers.
  llvm::Value *call(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> args);
  llvm::Value *thread() const { return function.thread; }
  llvm::Value *line() { return builder.getInt32(instruction.line); }
  llvm::Value *number(uint64_t value) { return builder.getInt32(uint32_t(value)); }
  template <typename E> llvm::Value *code(E value) { return number(uint64_t(value)); }
  llvm::Value *field(size_t offset, llvm::Type *type);
  llvm::IntegerType *bitsOf(ptx::Type type) { return builder.getIntNTy(type.totalBits()); }

  /// The instruction's type, which has to be there.
  ptx::Type takeType();
  void fail(const llvm::Twine &message);
  /// Fails unless there are so many operands.
  bool expect(size_t least, size_t most);
  bool expect(size_t number) { return expect(number, number); }

private:
  llvm::Value *readRegister(const ptx::Operand &operand, ptx::Type type, bool wider);
  llvm::Value *readConstant(const ptx::Operand &operand, ptx::Type type);
  llvm::Value *readSpecial(const ptx::Operand &operand);
  llvm::Value *addressOfVariable(const ptx::Operand &operand);
  llvm::Value *addBase(const ptx::Operand &operand);
  void touch(const ptx::Operand &operand);

  bool failed = false;
};

inline constexpr ptx::Type kWord{ptx::TypeKind::Bits, 32}, kWide{ptx::TypeKind::Bits, 64};

inline bool isVector(const ptx::Operand &operand, size_t size) {
  return operand.kind == ptx::OperandKind::Vector && operand.parts.size() == size;
}

using Handler = void (*)(Emitter &);

struct InstructionRow {
  llvm::StringLiteral opcode;
  Handler handler;
};

llvm::ArrayRef<InstructionRow> integerInstructions();
llvm::ArrayRef<InstructionRow> bitInstructions();
llvm::ArrayRef<InstructionRow> realInstructions();
llvm::ArrayRef<InstructionRow> choiceInstructions();
llvm::ArrayRef<InstructionRow> conversionInstructions();
llvm::ArrayRef<InstructionRow> memoryInstructions();
llvm::ArrayRef<InstructionRow> controlInstructions();
llvm::ArrayRef<InstructionRow> warpInstructions();
llvm::ArrayRef<InstructionRow> copyInstructions();
llvm::ArrayRef<InstructionRow> orderInstructions();
llvm::ArrayRef<InstructionRow> warpgroupInstructions();
llvm::ArrayRef<InstructionRow> clusterInstructions();
llvm::ArrayRef<InstructionRow> matrixInstructions();
llvm::ArrayRef<InstructionRow> mbarrierInstructions();

/// Null if the opcode is not known.
Handler findHandler(llvm::StringRef opcode);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_EMITTER_H
