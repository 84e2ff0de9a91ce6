//===- Ptx.h - what a PTX text says ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Names of registers, labels and variables are resolved: an operand says which one it is. What an
// instruction means is not known here, so opcodes and modifiers are words.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_EMULATOR_PTX_H
#define WEFT_EMULATOR_PTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::ptx {

enum class TypeKind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, TFloat, Predicate };

/// A fundamental type (PTX ISA 5.2), or two of 16 bits side by side.
struct Type {
  TypeKind kind = TypeKind::Bits;
  uint8_t bits = 32; ///< of one element; 1 for predicates
  bool packed = false;

  unsigned totalBits() const { return packed ? 2 * bits : bits; }
  unsigned bytes() const { return totalBits() / 8; }
  bool isSigned() const { return kind == TypeKind::Signed; }
  bool isInteger() const { return kind <= TypeKind::Signed && !packed; }
  bool isReal() const { return kind >= TypeKind::Float && kind <= TypeKind::TFloat; }
  Type element() const { return {kind, bits, false}; }
  bool operator==(const Type &other) const {
    return kind == other.kind && bits == other.bits && packed == other.packed;
  }
  bool operator!=(const Type &other) const { return !(*this == other); }
};

/// The type called `name` ("b32", "bf16x2", "pred"), without the dot.
std::optional<Type> findType(llvm::StringRef name);
std::string nameOf(Type type);

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

struct Variable {
  Space space = Space::Generic;
  std::string name;
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  bool isExtern = false;        ///< of a size that the launch says, or elsewhere
  std::vector<uint8_t> initial; ///< the first bytes; the others are 0
  /// Addresses that are added to the initial bytes, each of 8 bytes: place and variable's name.
  std::vector<std::pair<uint64_t, std::string>> addresses;
  unsigned line = 0;
};

struct Register {
  std::string name;
  Type type;
};

enum class OperandKind : uint8_t {
  Register, ///< index into the function's registers
  Special,  ///< %tid.x
  Integer,  ///< value
  Real,     ///< value holds the bits of a number of `realBits`
  Variable, ///< index into the function's variables
  Global,   ///< a variable or function of the module, by name
  Label,    ///< index into the function's labels
  Address,  ///< [parts[0] + value], for tensor copies [parts[0], parts[1]]
  Vector,   ///< {parts}
  Pair,     ///< parts[0] | parts[1]
  Sink,     ///< _
};

struct Operand {
  OperandKind kind = OperandKind::Sink;
  bool negated = false; ///< a predicate with a ! before it
  uint8_t realBits = 0;
  uint32_t index = 0;
  int64_t value = 0;
  std::string name;
  std::vector<Operand> parts;
};

struct Guard {
  uint32_t predicate; ///< a register
  bool negated;
};

/// `call` has the operands {results}, callee, {arguments}.
struct Instruction {
  unsigned line = 0;
  std::optional<Guard> guard;
  std::string opcode;                 ///< up to the first dot
  std::vector<std::string> modifiers; ///< behind it, in order
  std::vector<Operand> operands;

  /// "ld.global.b32"
  std::string spelling() const;
};

struct Label {
  std::string name;
  size_t position; ///< of the instruction behind it
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDefined = false;
  unsigned line = 0;
  size_t parameterCount = 0, resultCount = 0;
  std::vector<Variable> variables; ///< parameters, results, then those of the body
  std::vector<Register> registers;
  std::vector<Label> labels;
  std::vector<Instruction> body;
  std::array<uint32_t, 3> maximumThreads = {0, 0, 0}; ///< of .maxntid or .reqntid; 0: any
  bool threadsRequired = false;                       ///< .reqntid
  uint32_t leastBlocks = 1, mostRegisters = 0;        ///< .minnctapersm, .maxnreg; 0: none said

  llvm::ArrayRef<Variable> parameters() const {
    return llvm::ArrayRef(variables).take_front(parameterCount);
  }
  llvm::ArrayRef<Variable> results() const {
    return llvm::ArrayRef(variables).slice(parameterCount, resultCount);
  }
};

struct Module {
  std::string version, target;
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function *findFunction(llvm::StringRef name) const;
};

} // namespace weft::ptx

#endif // WEFT_EMULATOR_PTX_H
