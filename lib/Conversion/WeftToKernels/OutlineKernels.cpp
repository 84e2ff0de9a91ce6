//===- OutlineKernels.cpp - formulas become kernel functions on buffers ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each function is written anew as a list of calls between buffers, in destination-passing style:
// who needs a tensor says where it goes. A formula whose result the function returns writes the
// output argument directly. All tensors are values, so every buffer is written by one call.
//
//===----------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "weft/Conversion/WeftToKernels/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace weft {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// Rewrites the body of one function.
class FunctionOutliner {
public:
  FunctionOutliner(func::FuncOp source, KernelBuilder &kernels, GlobalBuilder &globals)
      : source(source), kernels(kernels), globals(globals), builder(source.getContext()) {}

  LogicalResult run();

private:
  func::FuncOp createTarget();
  LogicalResult outline(Operation &op);
  void outlineCall(func::CallOp op);
  Value destination(OpResult result);
  std::optional<unsigned> outputOf(OpResult result);

  func::FuncOp source, target;
  KernelBuilder &kernels;
  GlobalBuilder &globals;
  OpBuilder builder;
  DenseMap<Value, Value> buffers;
};

} // namespace

/// The formula that is `tensor` itself.
static Value copyOf(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<IndexAttr> indices = getIndicesOf(type);
  auto identity = AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext());
  auto copy =
      MapOp::create(builder, loc, type, tensor, /*output=*/Value(),
                    builder.getArrayAttr(SmallVector<Attribute>(indices.begin(), indices.end())),
                    builder.getAffineMapArrayAttr(identity), AffineMapAttr());
  copy->setAttr(attrs::kLabel, builder.getStringAttr("copy"));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&copy.getBody());
  YieldOp::create(builder, loc, body->addArgument(type.getElementType(), loc));
  return copy.getResult();
}

/// Makes all returned tensors different results of formulas and calls, which can write outputs.
static void copyReturned(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  DenseSet<Value> seen;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Operation *source = operand.get().getDefiningOp();
    if (!source || !isa<FormulaOpInterface, func::CallOp>(source) ||
        !seen.insert(operand.get()).second)
      operand.set(copyOf(builder, terminator->getLoc(), operand.get()));
  }
}

/// Attributes of a buffer argument: those of the tensor, and the symbols its type loses.
static DictionaryAttr bufferAttributes(RankedTensorType type, DictionaryAttr attributes,
                                       bool output) {
  NamedAttrList list(attributes);
  if (Attribute bounds = type.getEncoding())
    list.set(attrs::kBounds, bounds);
  if (output)
    list.set(attrs::kOutput, UnitAttr::get(type.getContext()));
  return list.getDictionary(type.getContext());
}

func::FuncOp FunctionOutliner::createTarget() {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  auto add = [&](Type tensor, DictionaryAttr dictionary, bool output) {
    auto type = cast<RankedTensorType>(tensor);
    types.push_back(getBufferType(type));
    attributes.push_back(bufferAttributes(type, dictionary, output));
  };
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes()))
    add(type, source.getArgAttrDict(i), false);
  for (auto [i, type] : llvm::enumerate(source.getResultTypes()))
    add(type, source.getResultAttrDict(i), true);

  builder.setInsertionPoint(source);
  auto function = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                       builder.getFunctionType(types, {}));
  function.setVisibility(source.getVisibility());
  for (NamedAttribute attribute : source->getDiscardableAttrs())
    function->setAttr(attribute.getName(), attribute.getValue());
  Block *entry = function.addEntryBlock();
  for (auto [i, attribute] : llvm::enumerate(attributes))
    function.setArgAttrs(i, attribute);
  for (BlockArgument argument : source.getArguments())
    buffers[argument] = entry->getArgument(argument.getArgNumber());
  builder.setInsertionPointToEnd(entry);
  return function;
}

/// The output argument that receives `result`.
std::optional<unsigned> FunctionOutliner::outputOf(OpResult result) {
  Operation *terminator = source.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    if (operand.get() == result)
      return operand.getOperandNumber();
  return std::nullopt;
}

/// Where `result` is to be written: an output argument, or a buffer without a place yet.
Value FunctionOutliner::destination(OpResult result) {
  Value &buffer = buffers[result];
  if (std::optional<unsigned> output = outputOf(result))
    return buffer = target.getArgument(source.getNumArguments() + *output);
  auto type = cast<RankedTensorType>(result.getType());
  auto op = BufferOp::create(builder, result.getLoc(), getBufferType(type), /*offset=*/-1,
                             getBufferBytes(type), /*first=*/0, /*last=*/0);
  if (Attribute label = result.getOwner()->getAttr(attrs::kLabel))
    op->setAttr(attrs::kLabel, label);
  return buffer = op;
}

void FunctionOutliner::outlineCall(func::CallOp op) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(buffers.lookup(operand));
  for (OpResult result : op->getResults())
    operands.push_back(destination(result));
  auto call = func::CallOp::create(builder, op.getLoc(), op.getCallee(), TypeRange(), operands);
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
}

LogicalResult FunctionOutliner::outline(Operation &op) {
  if (auto weight = dyn_cast<WeightOp>(op)) {
    auto clone = cast<WeightOp>(builder.clone(op));
    clone.getResult().setType(getBufferType(cast<RankedTensorType>(weight.getType())));
    buffers[weight.getResult()] = clone.getResult();
  } else if (isa<FormulaOpInterface, CheckOp>(op)) {
    if (op.getNumResults() && op.use_empty())
      return success();
    Value output = op.getNumResults() ? destination(op.getResult(0)) : Value();
    kernels.create(builder, &op, output, buffers);
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    outlineCall(call);
  } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    func::ReturnOp::create(builder, ret.getLoc());
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<RankedTensorType>(constant.getType()))
      buffers[constant] = globals.get(builder, constant);
  } else if (!isMemoryEffectFree(&op) ||
             llvm::any_of(op.getResultTypes(), [](Type type) { return isa<ShapedType>(type); })) {
    return op.emitOpError("has no kernel: it is not a formula");
  }
  return success(); // scalars are computed again in the kernels that use them
}

LogicalResult FunctionOutliner::run() {
  if (!source.getBody().hasOneBlock())
    return source.emitError("a function of formulas has one block");
  copyReturned(source);
  target = createTarget();
  for (Operation &op : source.getBody().front())
    if (failed(outline(op)))
      return failure();
  return success();
}

namespace {

struct OutlineKernelsPass : weft::impl::OutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelBuilder kernels(module);
    GlobalBuilder globals(module);
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isExternal() || function->hasAttr(attrs::kKernel))
        continue;
      if (failed(FunctionOutliner(function, kernels, globals).run()))
        return signalPassFailure();
      function.erase();
    }
    numKernels += kernels.getNumKernels();
    numShared += kernels.getNumShared();
  }
};

} // namespace
