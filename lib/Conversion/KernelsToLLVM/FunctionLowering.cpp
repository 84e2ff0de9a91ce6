//===- FunctionLowering.cpp - the body of an entry or layer on pointers ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// At stage `kernels` a function names buffers; here it computes their addresses. Everything that
// a kernel may need (weights, arena, the symbols' values, the status word) is passed down. What
// there may be many of, sizes and tensors, comes as a list in memory and is read where it is used:
// calls with thousands of arguments take LLVM a time that grows with their square.
//
//===----------------------------------------------------------------------------------------===//

#include "FunctionLowering.h"

#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Target/Target.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;

namespace {

/// Lowers the body of one entry or layer.
class FunctionLowering {
public:
  FunctionLowering(ModuleLowering &lowering, func::FuncOp source)
      : lowering(lowering), source(source), target(lowering.functions.lookup(source.getName())),
        b(source.getContext()), loc(source.getLoc()) {}

  LogicalResult run();

private:
  /// Of the arguments (weights, arena, sizes, status, tensors).
  Value getWeights() { return target.getArgument(0); }
  Value getArena() { return target.getArgument(1); }
  Value getSizes() { return target.getArgument(2); }
  Value getStatus() { return target.getArgument(3); }
  Value getTensors() { return target.getArgument(4); }

  Value offsetFrom(Value base, int64_t bytes);
  Value elementAt(Value list, Type type, int64_t i);
  Value getSymbol(StringRef name);
  Value addressOf(Value buffer);
  Value addressOf(SlotOp slot);
  Value addressOf(memref::GetGlobalOp global);
  void allocateList();
  LogicalResult lower(Operation &op);
  LogicalResult lowerLaunch(LaunchOp launch);
  void lowerLayerCall(func::CallOp call, func::FuncOp layer);
  void callProfiler(StringRef name, LaunchOp launch);
  Value replaceNull(unsigned argument);
  void fillDefault(unsigned argument, Value address);

  ModuleLowering &lowering;
  func::FuncOp source, target;
  OpBuilder b;
  Location loc;
  DenseMap<Value, Value> addresses; ///< of buffers
  Value list;                       ///< on the stack: the tensors of the next call of a layer
};

} // namespace

Value FunctionLowering::offsetFrom(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  // An offset of 2 GiB or more is no literal index of a GEP op.
  Value offset = LLVM::ConstantOp::create(b, loc, lowering.i64, b.getI64IntegerAttr(bytes));
  return LLVM::GEPOp::create(b, loc, lowering.pointer, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// The address of element `i` of a list of words.
Value FunctionLowering::elementAt(Value list, Type type, int64_t i) {
  return LLVM::GEPOp::create(b, loc, lowering.pointer, type, list,
                             ArrayRef<LLVM::GEPArg>{int32_t(i)});
}

Value FunctionLowering::getSymbol(StringRef name) {
  Value place = elementAt(getSizes(), lowering.i64, lowering.symbols.lookup(name));
  return LLVM::LoadOp::create(b, loc, lowering.i64, place);
}

Value FunctionLowering::addressOf(Value buffer) {
  if (Value known = addresses.lookup(buffer))
    return known;
  auto argument = cast<BlockArgument>(buffer);
  Value place = elementAt(getTensors(), lowering.pointer, argument.getArgNumber());
  return LLVM::LoadOp::create(b, loc, lowering.pointer, place);
}

/// Behind the rows that the cache holds already.
Value FunctionLowering::addressOf(SlotOp slot) {
  Value old = LLVM::SubOp::create(b, loc, getSymbol(slot.getLength()), getSymbol(slot.getCount()));
  Value row =
      LLVM::ConstantOp::create(b, loc, lowering.i64, b.getI64IntegerAttr(slot.getRowBytes()));
  Value offset = LLVM::MulOp::create(b, loc, old, row);
  return LLVM::GEPOp::create(b, loc, lowering.pointer, b.getI8Type(), addressOf(slot.getCache()),
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// In the object; on a GPU behind the weights.
Value FunctionLowering::addressOf(memref::GetGlobalOp global) {
  if (!lowering.model.onDevice)
    return LLVM::AddressOfOp::create(b, loc, lowering.pointer, global.getName());
  int64_t begin = llvm::alignTo(lowering.model.weightsBytes, kDeviceAlignment);
  return offsetFrom(getWeights(), begin + lowering.constants.offsets.lookup(global.getName()));
}

/// Stores the default in every element of the tensor at `address`.
void FunctionLowering::fillDefault(unsigned argument, Value address) {
  auto type = cast<MemRefType>(source.getArgumentTypes()[argument]);
  auto attribute = attrs::Default::getArg(source, argument);
  auto bounds = attrs::Bounds::getArg(source, argument);
  Value count = LLVM::ConstantOp::create(b, loc, lowering.i64, b.getI64IntegerAttr(1));
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    Value extent;
    if (ShapedType::isDynamic(size)) {
      extent = getSymbol(bounds.getSymbols()[next++].getValue());
    } else {
      extent = LLVM::ConstantOp::create(b, loc, lowering.i64, b.getI64IntegerAttr(size));
    }
    count = LLVM::MulOp::create(b, loc, count, extent);
  }
  Type element = getMemoryType(type.getElementType());
  Value value = LLVM::ConstantOp::create(
      b, loc, element,
      getMemoryValue(cast<TypedAttr>(Attribute(attribute)), type.getElementType()));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = arith::IndexCastOp::create(b, loc, b.getIndexType(), count);
  auto loop = scf::ForOp::create(b, loc, zero, end, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = arith::IndexCastOp::create(b, loc, lowering.i64, loop.getInductionVar());
  Value place =
      LLVM::GEPOp::create(b, loc, lowering.pointer, element, address, ArrayRef<LLVM::GEPArg>{i});
  LLVM::StoreOp::create(b, loc, value, place);
}

/// The tensor of an optional input: the caller's, or one of defaults in the arena.
Value FunctionLowering::replaceNull(unsigned argument) {
  Value given = addressOf(source.getArgument(argument));
  auto place = attrs::DefaultOffset::getArg(source, argument);
  Value null = LLVM::ZeroOp::create(b, loc, lowering.pointer);
  Value isNull = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, given, null);
  auto choice = scf::IfOp::create(b, loc, lowering.pointer, isNull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value address = offsetFrom(getArena(), place.getInt());
  fillDefault(argument, address);
  scf::YieldOp::create(b, loc, address);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, given);
  return choice.getResult(0);
}

void FunctionLowering::callProfiler(StringRef name, LaunchOp launch) {
  if (!lowering.profile)
    return;
  int32_t index = findKernel(lowering.model, launch);
  auto callee = lowering.module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(lowering.module.getBody());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {b.getI32Type()});
    callee = LLVM::LLVMFuncOp::create(atEnd, loc, name, type);
  }
  Value id = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(index));
  LLVM::CallOp::create(b, loc, callee, id);
}

LogicalResult FunctionLowering::lowerLaunch(LaunchOp launch) {
  func::FuncOp kernel = lowering.kernels.lookup(launch.getKernel());
  SmallVector<Value> operands;
  for (Value buffer : launch->getOperands())
    operands.push_back(addressOf(buffer));
  for (StringRef symbol : launch.getSizes().getAsValueRange<StringAttr>()) {
    if (!lowering.symbols.contains(symbol))
      return launch.emitError("the model has no run-time dimension '") << symbol << "'";
    operands.push_back(getSymbol(symbol));
  }
  operands.push_back(getStatus());
  if (!llvm::equal(kernel.getArgumentTypes(), ValueRange(operands).getTypes()))
    return launch.emitError("the kernel '")
           << kernel.getName() << "' takes no addresses of memory space 0: run weft-lower-kernels"
           << " and weft-lower-addresses first";
  bool onDevice = lowering.model.onDevice;
  callProfiler(onDevice ? "weft_cuda_profile_begin" : "weft_profile_begin", launch);
  func::CallOp::create(b, launch.getLoc(), kernel, operands);
  callProfiler(onDevice ? "weft_cuda_profile_end" : "weft_profile_end", launch);
  return success();
}

/// Layers do not call themselves, so one list serves all calls of a function.
void FunctionLowering::allocateList() {
  int64_t size = 0;
  for (auto call : source.getOps<func::CallOp>())
    if (lowering.functions.contains(call.getCallee()))
      size = std::max<int64_t>(size, call.getNumOperands());
  if (size == 0)
    return;
  Value count = LLVM::ConstantOp::create(b, loc, lowering.i64, b.getI64IntegerAttr(size));
  list = LLVM::AllocaOp::create(b, loc, lowering.pointer, lowering.pointer, count);
}

void FunctionLowering::lowerLayerCall(func::CallOp call, func::FuncOp layer) {
  auto arena = attrs::Arena::get(call);
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    LLVM::StoreOp::create(b, loc, addressOf(operand), elementAt(list, lowering.pointer, i));
  Value offset = offsetFrom(getArena(), arena ? arena.getInt() : 0);
  func::CallOp::create(b, call.getLoc(), layer,
                       ValueRange{getWeights(), offset, getSizes(), getStatus(), list});
}

LogicalResult FunctionLowering::lower(Operation &op) {
  if (auto weight = dyn_cast<WeightOp>(op)) {
    if (!weight.getOffset())
      return op.emitError("the weight has no place yet: run weft-plan-memory first");
    addresses[weight.getResult()] = offsetFrom(getWeights(), *weight.getOffset());
  } else if (auto buffer = dyn_cast<BufferOp>(op)) {
    addresses[buffer.getResult()] = offsetFrom(getArena(), int64_t(buffer.getOffset()));
  } else if (auto slot = dyn_cast<SlotOp>(op)) {
    addresses[slot.getResult()] = addressOf(slot);
  } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    addresses[global.getResult()] = addressOf(global);
  } else if (auto launch = dyn_cast<LaunchOp>(op)) {
    return lowerLaunch(launch);
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    func::FuncOp layer = lowering.functions.lookup(call.getCallee());
    if (!layer)
      return op.emitError("calls a function that is no layer");
    lowerLayerCall(call, layer);
  } else if (isa<func::ReturnOp>(op)) {
    func::ReturnOp::create(b, op.getLoc());
  } else if (!isMemoryEffectFree(&op) ||
             llvm::any_of(op.getResultTypes(), llvm::IsaPred<MemRefType>)) {
    return op.emitError("does not belong to stage kernels");
  }
  return success();
}

LogicalResult FunctionLowering::run() {
  b.setInsertionPointToEnd(target.addEntryBlock());
  allocateList();
  for (BlockArgument argument : source.getArguments())
    // The memory of a GPU is its runtime's.
    if (!lowering.model.onDevice && attrs::DefaultOffset::getArg(source, argument.getArgNumber()))
      addresses[argument] = replaceNull(argument.getArgNumber());
  for (Operation &op : source.getBody().front())
    if (failed(lower(op)))
      return failure();
  return success();
}

func::FuncOp weft::declareLowered(ModuleLowering &lowering, func::FuncOp source) {
  SmallVector<Type> types(5, lowering.pointer);
  OpBuilder b(source);
  std::string name = attrs::Entry::isOn(source) ? "entry." : "layer.";
  auto function = func::FuncOp::create(b, source.getLoc(), name + source.getName().str(),
                                       b.getFunctionType(types, {}));
  function.setPrivate();
  return function;
}

LogicalResult weft::lowerFunction(ModuleLowering &lowering, func::FuncOp source) {
  return FunctionLowering(lowering, source).run();
}
