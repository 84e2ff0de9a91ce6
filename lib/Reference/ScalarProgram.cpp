//===- ScalarProgram.cpp - a formula's region as a list of instructions ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ScalarProgram.h"

#include "Formula.h"
#include "ScalarReduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

static void runAll(ArrayRef<Instruction> instructions, Scalar *slots) {
  for (const Instruction &instruction : instructions)
    instruction.function(instruction, slots);
}

void ScalarProgram::run() { runAll(instructions, slots.data()); }

/// weft.at: 0 outside the tensor.
static void runAt(const Instruction &op, Scalar *slots) {
  int64_t offset = 0;
  for (auto [i, slot] : llvm::enumerate(op.coordinates)) {
    int64_t coordinate = slots[slot].integer;
    if (coordinate < 0 || coordinate >= op.source->shape()[i]) {
      slots[op.result] = Scalar{};
      return;
    }
    offset += coordinate * op.source->strides()[i];
  }
  slots[op.result] = op.source->load(offset);
}

static void runInner(const Instruction &op, Scalar *slots) {
  ScalarReduction accumulator(op.kind, /*isReal=*/true);
  for (int64_t i = 0; i < op.extent; ++i) {
    slots[op.a].integer = i;
    runAll(op.body, slots);
    accumulator.add(slots[op.b]);
  }
  slots[op.result] = accumulator.result();
}

static void runRounding(const Instruction &op, Scalar *slots) {
  slots[op.result].real = roundNumber(slots[op.result].real, op.arithmetic, op.units);
}

/// Whether f32 computes something else than float64 does.
static bool isInexact(Operation &op) {
  if (!isa<FloatType>(op.getResult(0).getType()))
    return false;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp>(op))
    return true;
  return isa<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
              math::TruncOp, math::CopySignOp>(op);
}

static unsigned bitsOf(Type type) {
  return isa<IntegerType>(type) ? type.getIntOrFloatBitWidth() : 64;
}

//===----------------------------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------------------------===//

class weft::reference::ScalarCompiler {
public:
  ScalarCompiler(ScalarProgram &program, const Environment &environment)
      : program(program), environment(environment) {}

  llvm::Error compileRegion(Region &region);

private:
  llvm::Error compileOp(Operation &op, std::vector<Instruction> &code);
  llvm::Error compileConstant(arith::ConstantOp op);
  llvm::Error compileAt(AtOp op, std::vector<Instruction> &code);
  llvm::Error compileInner(InnerOp op, std::vector<Instruction> &code);
  llvm::Error compileScalarOp(Operation &op, std::vector<Instruction> &code);
  llvm::Expected<unsigned> slotOf(Value value, Operation &user);

  /// Of what the slot holds.
  void addRounding(unsigned slot, int units, std::vector<Instruction> &code) {
    if (environment.getArithmetic() == Arithmetic::Exact)
      return;
    Instruction instruction;
    instruction.function = runRounding;
    instruction.result = slot;
    instruction.arithmetic = environment.getArithmetic();
    instruction.units = units;
    code.push_back(std::move(instruction));
  }

  unsigned newSlot(Value value) {
    unsigned slot = program.slots.size();
    program.slots.push_back(Scalar{});
    slots[value] = slot;
    return slot;
  }

  ScalarProgram &program;
  const Environment &environment;
  DenseMap<Value, unsigned> slots;
};

/// A scalar from outside the region is computed once, before the loop.
llvm::Expected<unsigned> ScalarCompiler::slotOf(Value value, Operation &user) {
  if (auto it = slots.find(value); it != slots.end())
    return it->second;
  Operation *definition = value.getDefiningOp();
  if (!definition)
    return errorAt(&user, "a region reads a scalar argument of its function");
  if (llvm::Error error = compileOp(*definition, program.prologue))
    return std::move(error);
  return slots[value];
}

llvm::Error ScalarCompiler::compileConstant(arith::ConstantOp op) {
  unsigned slot = newSlot(op.getResult());
  if (auto real = dyn_cast<FloatAttr>(op.getValue())) {
    program.slots[slot].real = real.getValueAsDouble();
    return llvm::Error::success();
  }
  auto integer = dyn_cast<IntegerAttr>(op.getValue());
  if (!integer || integer.getValue().getBitWidth() > 64)
    return errorAt(op, "the interpreter has no scalar constants of this type");
  program.slots[slot].integer = integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                                               : integer.getValue().getSExtValue();
  return llvm::Error::success();
}

llvm::Error ScalarCompiler::compileAt(AtOp op, std::vector<Instruction> &code) {
  Instruction instruction;
  instruction.function = runAt;
  llvm::Expected<TensorRef> source = environment.tensor(op.getSource());
  if (!source)
    return source.takeError();
  instruction.source = *source;
  if (op.getCoordinates().size() != instruction.source->shape().size())
    return errorAt(op, "weft.at has the wrong number of coordinates");
  for (Value coordinate : op.getCoordinates()) {
    llvm::Expected<unsigned> slot = slotOf(coordinate, *op);
    if (!slot)
      return slot.takeError();
    instruction.coordinates.push_back(*slot);
  }
  instruction.result = newSlot(op.getResult());
  code.push_back(std::move(instruction));
  return llvm::Error::success();
}

llvm::Error ScalarCompiler::compileInner(InnerOp op, std::vector<Instruction> &code) {
  Instruction instruction;
  instruction.function = runInner;
  instruction.kind = op.getKind();
  llvm::Expected<int64_t> extent = environment.extent(op.getRange());
  if (!extent)
    return extent.takeError();
  instruction.extent = *extent;
  Block &block = op.getBody().front();
  instruction.a = newSlot(block.getArgument(0));
  for (Operation &inner : block.without_terminator())
    if (llvm::Error error = compileOp(inner, instruction.body))
      return error;
  Operation *yield = block.getTerminator();
  llvm::Expected<unsigned> yielded = slotOf(yield->getOperand(0), *yield);
  if (!yielded)
    return yielded.takeError();
  instruction.b = *yielded;
  instruction.result = newSlot(op.getResult());
  code.push_back(std::move(instruction));
  addRounding(code.back().result, Output::kUnitsOfSums, code);
  return llvm::Error::success();
}

llvm::Error ScalarCompiler::compileScalarOp(Operation &op, std::vector<Instruction> &code) {
  Instruction instruction;
  instruction.function = lookupScalarFunction(op.getName().getStringRef());
  if (!instruction.function || op.getNumResults() != 1 || op.getNumOperands() > 3)
    return errorAt(&op, "the interpreter does not know '" + op.getName().getStringRef() + "'");
  unsigned operands[3] = {};
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    if (isa<ShapedType>(operand.getType()))
      return errorAt(&op,
                     "the interpreter knows '" + op.getName().getStringRef() + "' on scalars only");
    llvm::Expected<unsigned> slot = slotOf(operand, op);
    if (!slot)
      return slot.takeError();
    operands[i] = *slot;
  }
  std::tie(instruction.a, instruction.b, instruction.c) =
      std::make_tuple(operands[0], operands[1], operands[2]);
  instruction.bits = bitsOf(op.getResult(0).getType());
  if (op.getNumOperands())
    instruction.fromBits = bitsOf(op.getOperand(0).getType());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    instruction.predicate = int64_t(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    instruction.predicate = int64_t(compare.getPredicate());
  instruction.result = newSlot(op.getResult(0));
  code.push_back(std::move(instruction));
  if (isInexact(op))
    addRounding(code.back().result, /*units=*/1, code);
  return llvm::Error::success();
}

llvm::Error ScalarCompiler::compileOp(Operation &op, std::vector<Instruction> &code) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return compileConstant(constant);
  if (auto at = dyn_cast<AtOp>(op))
    return compileAt(at, code);
  if (auto inner = dyn_cast<InnerOp>(op))
    return compileInner(inner, code);
  if (auto index = dyn_cast<IndexOp>(op)) {
    if (index.getPosition() >= program.numIndices)
      return errorAt(&op, "there is no index " + Twine(index.getPosition()));
    slots[index.getResult()] = index.getPosition();
    return llvm::Error::success();
  }
  if (auto size = dyn_cast<SizeOp>(op)) {
    llvm::Expected<int64_t> value = environment.symbol(size.getSymbol());
    if (!value)
      return value.takeError();
    program.slots[newSlot(size.getResult())].integer = *value;
    return llvm::Error::success();
  }
  return compileScalarOp(op, code);
}

llvm::Error ScalarCompiler::compileRegion(Region &region) {
  program.slots.resize(program.numIndices);
  Block &block = region.front();
  for (BlockArgument argument : block.getArguments())
    newSlot(argument);
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = compileOp(op, program.instructions))
      return error;
  Operation *yield = block.getTerminator();
  for (Value value : yield->getOperands()) {
    llvm::Expected<unsigned> slot = slotOf(value, *yield);
    if (!slot)
      return slot.takeError();
    program.results.push_back(*slot);
  }
  runAll(program.prologue, program.slots.data());
  return llvm::Error::success();
}

llvm::Expected<ScalarProgram> ScalarProgram::compile(Region &region, unsigned numIndices,
                                                     const Environment &environment) {
  ScalarProgram program;
  program.numIndices = numIndices;
  if (region.empty()) {
    program.slots.resize(numIndices);
    return program;
  }
  if (llvm::Error error = ScalarCompiler(program, environment).compileRegion(region))
    return std::move(error);
  return program;
}
