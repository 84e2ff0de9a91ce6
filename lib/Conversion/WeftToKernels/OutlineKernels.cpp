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

/// For the results of each function: the argument that they are, of caches with new rows.
using Aliases = llvm::StringMap<SmallVector<std::optional<unsigned>>>;

/// Rewrites the body of one function.
class FunctionOutliner {
public:
  FunctionOutliner(func::FuncOp source, KernelBuilder &kernels, GlobalBuilder &globals,
                   const Aliases &aliases)
      : source(source), kernels(kernels), globals(globals), aliases(aliases),
        builder(source.getContext()) {}

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
  const Aliases &aliases;
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

/// The argument of its function that `value` is, if it is a cache to which rows were added.
static std::optional<unsigned> cacheArgument(Value value, const Aliases &aliases) {
  bool isAppended = false;
  while (!isa<BlockArgument>(value)) {
    auto append = value.getDefiningOp<AppendOp>();
    auto call = value.getDefiningOp<func::CallOp>();
    std::optional<unsigned> operand;
    if (call && aliases.contains(call.getCallee()))
      operand = aliases.lookup(call.getCallee())[cast<OpResult>(value).getResultNumber()];
    if (!append && !operand)
      return std::nullopt;
    value = append ? append.getCache() : call.getOperand(*operand);
    isAppended = true;
  }
  return isAppended ? std::optional(cast<BlockArgument>(value).getArgNumber()) : std::nullopt;
}

/// Callees first: a call hands on what its callee returns.
static void findAliases(func::FuncOp function, Aliases &aliases) {
  if (function.isExternal() || aliases.contains(function.getName()))
    return;
  for (auto call : function.getOps<func::CallOp>())
    if (auto callee =
            SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()))
      findAliases(callee, aliases);
  SmallVector<std::optional<unsigned>> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(cacheArgument(value, aliases));
  aliases[function.getName()] = results;
}

/// The rows that a cache gets are made in their place if they have no other: otherwise copied.
static void copyAppended(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto append : llvm::make_early_inc_range(function.getOps<AppendOp>())) {
    Value rows = append.getRows();
    Operation *def = rows.getDefiningOp();
    bool isMade = isa_and_nonnull<FormulaOpInterface, func::CallOp>(def) &&
                  !llvm::is_contained(terminator->getOperands(), rows) &&
                  llvm::count_if(rows.getUsers(), llvm::IsaPred<AppendOp>) == 1;
    OpBuilder builder(append);
    if (!isMade)
      append.getRowsMutable().assign(copyOf(builder, append.getLoc(), rows));
  }
}

/// Makes all returned tensors different results of formulas and calls, which can write outputs.
static void copyReturned(func::FuncOp function, ArrayRef<std::optional<unsigned>> aliased) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  DenseSet<Value> seen;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (aliased[operand.getOperandNumber()])
      continue; // the caller has the cache
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
    if (!aliases.lookup(source.getName())[i])
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
  unsigned output = 0;
  for (auto [value, alias] :
       llvm::zip_equal(source.getBody().front().getTerminator()->getOperands(),
                       aliases.lookup(source.getName()))) {
    if (!alias && value == result)
      return output;
    output += !alias;
  }
  return std::nullopt;
}

/// Where `result` is to be written: an output argument, the end of a cache, or a buffer without a
/// place yet.
Value FunctionOutliner::destination(OpResult result) {
  Value &buffer = buffers[result];
  if (std::optional<unsigned> output = outputOf(result))
    return buffer = target.getArgument(source.getNumArguments() + *output);
  auto type = cast<RankedTensorType>(result.getType());
  for (Operation *user : result.getUsers())
    if (auto append = dyn_cast<AppendOp>(user))
      return buffer = SlotOp::create(builder, result.getLoc(), getBufferType(type),
                                     buffers.lookup(append.getCache()), append.getLength(),
                                     getSymbol(type, 0));
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
  for (auto [result, alias] : llvm::zip_equal(op->getResults(), aliases.lookup(op.getCallee())))
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
  } else if (isa<FormulaOpInterface, CheckOp>(op)) {
    if (op.getNumResults() && op.use_empty())
      return success();
    Value output = op.getNumResults() ? destination(op.getResult(0)) : Value();
    kernels.create(builder, &op, output, buffers);
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
  copyAppended(source);
  copyReturned(source, aliases.lookup(source.getName()));
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
    Aliases aliases;
    for (func::FuncOp function : functions)
      if (!function->hasAttr(attrs::kKernel))
        findAliases(function, aliases);
    for (func::FuncOp function : functions) {
      if (function.isExternal() || function->hasAttr(attrs::kKernel))
        continue;
      if (failed(FunctionOutliner(function, kernels, globals, aliases).run()))
        return signalPassFailure();
      function.erase();
    }
    numKernels += kernels.getNumKernels();
    numShared += kernels.getNumShared();
  }
};

} // namespace
