//===- RegionEmitter.cpp - scalar regions of formulas, for several lanes --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RegionEmitter.h"

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace weft;

SmallVector<Lanes> RegionEmitter::emit(Region &region, ArrayRef<Lanes> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  emitBlock(block);
  return llvm::to_vector(llvm::map_range(block.getTerminator()->getOperands(),
                                         [&](Value value) { return lookup(value); }));
}

void RegionEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    // What was folded into a kernel keeps its place in the text.
    llvm::SaveAndRestore place(lanes.loc, op.getLoc());
    values[op.getResult(0)] = emitOp(op);
  }
}

Lanes RegionEmitter::lookup(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  // Constants and sizes may have been moved out of the region.
  Lanes result = emitOp(*value.getDefiningOp());
  return values[value] = result;
}

Lanes RegionEmitter::load(Value buffer, AffineMap map) {
  SmallVector<Lanes> coordinates = lanes.apply(map, indices);
  const Buffer &source = kernel.getBuffer(buffer);
  return loadElements(lanes, source, getOffset(lanes, source, coordinates), mask);
}

SmallVector<Lanes> RegionEmitter::loadInputs(OperandRange inputs, ArrayAttr maps, unsigned first) {
  SmallVector<Lanes> elements;
  for (unsigned i = first, e = inputs.size(); i != e; ++i)
    elements.push_back(load(inputs[i], cast<AffineMapAttr>(maps[i]).getValue()));
  return elements;
}

void RegionEmitter::setChosen(ContractOp op) {
  if (!op.getChosen())
    return;
  FormulaOpInterface formula = op;
  unsigned position = op.getChosenIndex();
  Lanes choice =
      load(op.getInputs()[ContractOp::kChoice], formula.getInputMap(ContractOp::kChoice));
  int64_t size = formula.getIndexAttr(position).getSize();
  Type type = choice.value.getType();
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attribute = lanes.b.getI32IntegerAttr(int32_t(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(lanes.b, lanes.loc, attribute);
  };
  Value isKnown = arith::CmpIOp::create(lanes.b, lanes.loc, arith::CmpIPredicate::ult, choice.value,
                                        constant(size));
  choice.value = arith::SelectOp::create(lanes.b, lanes.loc, isKnown, choice.value, constant(0));
  if (!choice.isVector())
    choice.value =
        arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), choice.value);
  choice.interval = {0, size - 1};
  indices[position] = choice;
}

Lanes weft::getChoice(LaneBuilder &lanes, const Kernel &kernel, ContractOp op,
                      const Product &product, ArrayRef<Lanes> indices, const Lanes &row) {
  SmallVector<Lanes> values(indices);
  setIndices(lanes, kernel, op.getIndices(), product.m, row, values);
  RegionEmitter region(lanes, kernel, values, /*mask=*/Value());
  region.setChosen(op);
  return region.getIndex(*product.chosen);
}

Lanes RegionEmitter::multiply(const Lanes &a, const Lanes &b, bool isValue) {
  bool uniform = a.isUniform() && b.isUniform();
  Value lhs = uniform ? a.value : lanes.materialize(a);
  Value rhs = uniform ? b.value : lanes.materialize(b);
  bool isWhole = getElementTypeOrSelf(lhs).isInteger();
  if (isWhole != getElementTypeOrSelf(rhs).isInteger()) {
    Value &whole = isWhole ? lhs : rhs;
    whole = arith::SIToFPOp::create(lanes.b, lanes.loc, (isWhole ? rhs : lhs).getType(), whole);
  } else if (isWhole)
    return lanes.uniform(arith::MulIOp::create(lanes.b, lanes.loc, lhs, rhs));
  if (isValue)
    return lanes.uniform(lanes.multiplyValue(lhs, rhs));
  return lanes.uniform(
      arith::MulFOp::create(lanes.b, lanes.loc, lhs, rhs, arith::FastMathFlags::contract));
}

Lanes RegionEmitter::emitEpilogue(ContractOp op, ArrayRef<Lanes> sums, ArrayRef<Lanes> extras) {
  SmallVector<Lanes> arguments(sums);
  if (double scale = op.getScale().convertToDouble(); scale != 1)
    for (Lanes &sum : arguments)
      sum = multiply(sum, lanes.uniform(lanes.floatConstant(float(scale))), /*isValue=*/true);
  if (op.getEpilogue().empty())
    return arguments.front();
  llvm::append_range(arguments, extras);
  return emit(op.getEpilogue(), arguments)[0];
}

void RegionEmitter::storeOutput(FormulaOpInterface op, Lanes value, unsigned number) {
  const Buffer &output = kernel.getBuffer(op.getOutputs()[number]);
  Lanes offset = getOffset(lanes, output, lanes.apply(op.getOutputIndexingMap(number), indices));
  // Values of type index are stored as integers.
  if (!offset.isUniform())
    value.value = lanes.materialize(value);
  Type type = value.value.getType(), element = getElementTypeOrSelf(type);
  Type compute = getComputeType(output.elementType);
  if (element.isIndex())
    value.value = arith::IndexCastOp::create(lanes.b, lanes.loc, compute, value.value);
  else if (element.isInteger(64) && compute.isInteger(32))
    value.value = arith::TruncIOp::create(
        lanes.b, lanes.loc, isa<VectorType>(type) ? lanes.vectorOf(compute) : compute, value.value);
  value.stride = 0;
  storeElements(lanes, output, offset, value, mask);
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

Lanes RegionEmitter::emitOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (op.getResult(0).getType().isIndex())
      return lanes.constant(cast<IntegerAttr>(constant.getValue()).getInt());
    return lanes.uniform(lanes.b.clone(op)->getResult(0));
  }
  if (auto index = dyn_cast<IndexOp>(op))
    return indices[index.getPosition()];
  if (auto size = dyn_cast<SizeOp>(op))
    return kernel.getSymbol(size.getSymbol());
  if (auto at = dyn_cast<AtOp>(op))
    return emitAt(at);
  if (auto inner = dyn_cast<InnerOp>(op))
    return emitInner(inner);

  SmallVector<Lanes> operands;
  for (Value operand : op.getOperands())
    operands.push_back(lookup(operand));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return emitCast(op, operands[0]);
  if (isa<arith::SelectOp>(op))
    return emitSelect(operands, op.getResult(0).getType().isIndex());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (compare.getLhs().getType().isIndex())
      return lanes.uniform(lanes.compare(compare.getPredicate(), operands[0], operands[1]));
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return emitDivision(op, operands);
  if (op.getNumOperands() && op.getOperand(0).getType().isIndex())
    return emitIndexOp(op, operands);
  return emitElementwise(op, operands);
}

Lanes RegionEmitter::emitElementwise(Operation &op, ArrayRef<Lanes> operands) {
  bool uniform = llvm::all_of(operands, [](const Lanes &value) { return value.isUniform(); });
  SmallVector<Value> values;
  for (const Lanes &operand : operands)
    values.push_back(uniform ? operand.value : lanes.materialize(operand));
  Type type = op.getResult(0).getType();
  if (!uniform)
    type = lanes.vectorOf(type.isIndex() ? lanes.b.getI64Type() : type);
  if (isa<arith::FPToSIOp>(op))
    return lanes.uniform(emitToInteger(values[0], type));
  OperationState state(lanes.loc, op.getName().getStringRef(), values, {type}, op.getAttrs());
  return lanes.uniform(lanes.b.create(state)->getResult(0));
}

//===----------------------------------------------------------------------------------------===//
// weft.at
//===----------------------------------------------------------------------------------------===//

Lanes RegionEmitter::emitAt(AtOp op) {
  const Buffer &source = kernel.getBuffer(op.getSource());
  SmallVector<Lanes> coordinates;
  for (Value coordinate : op.getCoordinates())
    coordinates.push_back(lookup(coordinate));
  Value uniformTest, laneTest;
  auto require = [&](arith::CmpIPredicate predicate, const Lanes &a, const Lanes &c) {
    Value test = lanes.compare(predicate, a, c);
    Value &all = isa<VectorType>(test.getType()) ? laneTest : uniformTest;
    all = lanes.andMask(all, test);
  };
  bool isInside = op.getInbounds() || (inside && inside->contains(op));
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    std::optional<int64_t> size = source.sizes[i].getConstant();
    if (coordinate.interval.min < 0 && !isInside)
      require(arith::CmpIPredicate::sge, coordinate, lanes.constant(0));
    if ((!size || coordinate.interval.max >= *size) && !isInside)
      require(arith::CmpIPredicate::slt, coordinate, source.sizes[i]);
    if (size)
      coordinate.interval = {std::max<int64_t>(coordinate.interval.min, 0),
                             std::min(coordinate.interval.max, *size - 1)};
  }
  Lanes offset = getOffset(lanes, source, coordinates);
  if (uniformTest) // Somewhere harmless where it does not hold.
    offset.value = arith::SelectOp::create(
        lanes.b, lanes.loc, uniformTest, offset.value,
        arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(offset.value.getType())));
  Value readable = lanes.andMask(mask, laneTest);
  if (uniformTest && !offset.isUniform()) {
    Value test = lanes.materialize(lanes.uniform(uniformTest));
    readable = lanes.andMask(readable, test);
  }
  Lanes result = loadElements(lanes, source, offset, readable);
  if (!uniformTest || !offset.isUniform())
    return result;
  Value zero =
      arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(result.value.getType()));
  result.value = lanes.select(uniformTest, result.value, zero);
  return result;
}

//===----------------------------------------------------------------------------------------===//
// weft.inner
//===----------------------------------------------------------------------------------------===//

bool RegionEmitter::dependsOnLane(Block &block) {
  auto varies = [&](Value value) {
    auto it = values.find(value);
    return it != values.end() && !it->second.isUniform();
  };
  return block
      .walk([&](Operation *op) {
        if (auto index = dyn_cast<IndexOp>(op))
          if (!indices[index.getPosition()].isUniform())
            return WalkResult::interrupt();
        return llvm::any_of(op->getOperands(), varies) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

Lanes RegionEmitter::emitInner(InnerOp op) {
  Block &body = op.getBody().front();
  bool varies = lanes.width > 1 && dependsOnLane(body);
  ReduceKind kind = op.getKind();
  Type type = varies ? lanes.vectorOf(lanes.b.getF32Type()) : lanes.b.getF32Type();
  Value init = arith::ConstantOp::create(lanes.b, lanes.loc, getNeutral(lanes, kind, type));
  Lanes extent = kernel.getExtent(lanes, op.getRange());
  // Values first met inside the loop do not exist after it.
  llvm::DenseMap<Value, Lanes> outside = values;
  Value result = lanes.loop(extent, init, [&](const Lanes &iv, ValueRange carried) {
    values[body.getArgument(0)] = iv;
    emitBlock(body);
    Lanes element = lookup(body.getTerminator()->getOperand(0));
    Value value = varies ? lanes.materialize(element) : element.value;
    return SmallVector<Value>{combine(lanes, kind, carried[0], value)};
  })[0];
  values = std::move(outside);
  if (kind == ReduceKind::Mean) {
    Value count =
        arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI64Type(), extent.value);
    Value divisor = arith::SIToFPOp::create(lanes.b, lanes.loc, lanes.b.getF32Type(), count);
    if (varies)
      divisor = lanes.materialize(lanes.uniform(divisor));
    result = arith::DivFOp::create(lanes.b, lanes.loc, result, divisor);
  }
  return lanes.uniform(result);
}
