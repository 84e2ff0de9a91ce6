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
#include "PadRows.h"
#include "ResultAliases.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

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
  FunctionOutliner(func::FuncOp source, KernelBuilder &kernels, GlobalBuilder &globals,
                   const Aliases &aliases, const OutlineKernelsOptions &options)
      : source(source), kernels(kernels), globals(globals), aliases(aliases), options(options),
        builder(source.getContext()) {}

  LogicalResult run();

private:
  func::FuncOp createTarget();
  LogicalResult outline(Operation &op);
  void outlineCall(func::CallOp op);
  Value destination(OpResult result);
  BufferOp createBuffer(OpResult result);
  void findOutputs();

  func::FuncOp source, target;
  KernelBuilder &kernels;
  GlobalBuilder &globals;
  const Aliases &aliases;
  OutlineKernelsOptions options;
  OpBuilder builder;
  DenseMap<Value, Value> buffers;
  DenseMap<Value, Value> outputs; // the arguments that receive what the function returns
};

} // namespace

/// Attributes of a buffer argument: those of the tensor, and the symbols its type loses.
static DictionaryAttr bufferAttributes(RankedTensorType type, DictionaryAttr attributes,
                                       bool output) {
  NamedAttrList list(attributes);
  if (BoundsAttr bounds = getBounds(type))
    list.append(attrs::Bounds::named(type.getContext(), bounds));
  if (output)
    list.append(attrs::Output::named(type.getContext()));
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
    if (!aliases.at(source.getName())[i])
      add(type, source.getResultAttrDict(i), true);

  builder.setInsertionPoint(source);
  auto function = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                       builder.getFunctionType(types, {}));
  function.setVisibility(source.getVisibility());
  for (NamedAttribute attribute : source->getDiscardableAttrs())
    function->setAttr(attribute.getName(), attribute.getValue());
  Block *entry = function.addEntryBlock();
  function.setAllArgAttrs(attributes);
  for (BlockArgument argument : source.getArguments())
    buffers[argument] = entry->getArgument(argument.getArgNumber());
  builder.setInsertionPointToEnd(entry);
  return function;
}

/// The output arguments are behind the inputs.
void FunctionOutliner::findOutputs() {
  unsigned next = source.getNumArguments();
  for (auto [value, alias] : llvm::zip_equal(
           source.getBody().front().getTerminator()->getOperands(), aliases.at(source.getName())))
    if (!alias)
      outputs.try_emplace(value, target.getArgument(next++));
}

/// New rows lie in their cache: from its first dimension on they follow one another, from another
/// one on with its strides.
static MemRefType getSlotType(AppendOp append) {
  MemRefType type = getBufferType(append.getRows().getType());
  if (append.getRowDim() == 0)
    return type;
  SmallVector<int64_t> strides = computeStrides(append.getCache().getType().getShape());
  auto layout = StridedLayoutAttr::get(type.getContext(), /*offset=*/0, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

BufferOp FunctionOutliner::createBuffer(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  // A layer writes an argument whose type does not depend on who calls it.
  bool isFormula = isa<FormulaOpInterface>(result.getOwner());
  MemRefType padded = options.padRows && isFormula ? getPaddedType(result) : MemRefType();
  int64_t bytes = options.padRows ? getBytesOfTiles(result, padded) : *getLargestBytes(type);
  return BufferOp::create(builder, result.getLoc(), padded ? padded : getBufferType(type),
                          /*offset=*/-1, bytes, /*first=*/0, /*last=*/0);
}

/// Where `result` is to be written: an output argument, the end of a cache, or a buffer without a
/// place yet.
Value FunctionOutliner::destination(OpResult result) {
  Value &buffer = buffers[result];
  if (Value output = outputs.lookup(result))
    return buffer = output;
  auto type = cast<RankedTensorType>(result.getType());
  for (Operation *user : result.getUsers())
    if (auto append = dyn_cast<AppendOp>(user))
      return buffer = SlotOp::create(builder, result.getLoc(), getSlotType(append),
                                     buffers.lookup(append.getCache()), append.getLength(),
                                     getSymbol(type, append.getRowDim()));
  BufferOp op = createBuffer(result);
  if (StringAttr label = attrs::Label::get(result.getOwner()))
    attrs::Label::set(op, label);
  return buffer = op;
}

void FunctionOutliner::outlineCall(func::CallOp op) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(buffers.lookup(operand));
  for (auto [result, alias] : llvm::zip_equal(op->getResults(), aliases.at(op.getCallee())))
    if (alias)
      buffers[result] = buffers.lookup(op.getOperand(*alias));
    else
      operands.push_back(destination(result));
  auto call = func::CallOp::create(builder, op.getLoc(), op.getCallee(), TypeRange(), operands);
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
}

LogicalResult FunctionOutliner::outline(Operation &op) {
  if (auto weight = dyn_cast<WeightOp>(op)) {
    auto clone = cast<WeightOp>(builder.clone(op));
    clone.getResult().setType(getBufferType(cast<RankedTensorType>(weight.getType())));
    buffers[weight.getResult()] = clone.getResult();
  } else if (isa<IndexedOpInterface>(op)) {
    if (op.getNumResults() && op.use_empty())
      return success();
    SmallVector<Value> outputs =
        llvm::map_to_vector(op.getResults(), [&](OpResult result) { return destination(result); });
    kernels.create(builder, &op, outputs, buffers);
  } else if (auto append = dyn_cast<AppendOp>(op)) {
    buffers[append.getResult()] = buffers.lookup(append.getCache()); // the rows are there already
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
  if (failed(verifySizes(source)))
    return failure();
  copyShared(source, aliases);
  target = createTarget();
  findOutputs();
  for (Operation &op : source.getBody().front())
    if (failed(outline(op)))
      return failure();
  return success();
}

namespace {

struct OutlineKernelsPass : weft::impl::OutlineKernelsBase<OutlineKernelsPass> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelBuilder kernels(module);
    GlobalBuilder globals(module);
    Aliases aliases = findAliases(module);
    OutlineKernelsOptions options;
    options.padRows = padRows;
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || attrs::Kernel::isOn(function))
        continue;
      if (failed(FunctionOutliner(function, kernels, globals, aliases, options).run()))
        return signalPassFailure();
      function.erase();
    }
    kernels.labelKernels();
    numKernels += kernels.getNumKernels();
    numShared += kernels.getNumShared();
  }
};

} // namespace
