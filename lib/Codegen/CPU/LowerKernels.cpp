//===- LowerKernels.cpp - write the loops of every kernel -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// 1. For every kernel a function on pointers is written by the anchor's emitter.
// 2. Tasks become a loop in it, or a function of their own that is handed to the threads with the
//    arguments in a structure on the stack.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"

namespace weft {
#define GEN_PASS_DEF_LOWERKERNELS
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

std::unique_ptr<KernelEmitter> weft::createEmitter(Operation *anchor, LoweringAttr lowering) {
  if (auto op = dyn_cast<MapOp>(anchor))
    return createMapEmitter(op, lowering);
  if (auto op = dyn_cast<ReduceOp>(anchor))
    return op.getKind() == ReduceKind::ArgTop ? createArgTopEmitter(op, lowering)
                                              : createReduceEmitter(op, lowering);
  if (auto op = dyn_cast<SoftmaxOp>(anchor))
    return createSoftmaxEmitter(op, lowering);
  if (auto op = dyn_cast<CheckOp>(anchor))
    return createCheckEmitter(op, lowering);
  if (auto op = dyn_cast<ContractOp>(anchor))
    return lowering.getKernel() == "gemm" ? createGemmEmitter(op, lowering)
                                          : createContractEmitter(op, lowering);
  if (auto op = dyn_cast<AttentionOp>(anchor))
    return createAttentionEmitter(op, lowering);
  anchor->emitError("no CPU lowering for this kernel");
  return nullptr;
}

namespace {

/// Writes the function of one kernel.
class KernelWriter {
public:
  KernelWriter(func::FuncOp function, BoundsAttr symbols, Operation *anchor)
      : function(function), declared(symbols), symbols(getKernelSymbols(function)), anchor(anchor),
        b(function.getContext()), pointer(LLVM::LLVMPointerType::get(b.getContext())),
        lowering(attrs::Lowering::get(anchor)) {}

  LogicalResult write() {
    std::unique_ptr<KernelEmitter> emitter = createEmitter(anchor, lowering);
    if (!emitter)
      return failure();
    b.setInsertionPoint(function);
    func::FuncOp written = func::FuncOp::create(b, function.getLoc(), function.getName(),
                                                b.getFunctionType(signature(), {}));
    written.setVisibility(function.getVisibility());
    for (NamedAttribute attr : function->getDiscardableAttrs())
      written->setAttr(attr.getName(), attr.getValue());
    Block *entry = written.addEntryBlock();
    b.setInsertionPointToEnd(entry);
    LaneBuilder lanes(b, anchor->getLoc(), lowering.getWidth());
    Kernel kernel = makeKernel(lanes, entry, entry->getArguments());
    Lanes numTasks = emitter->getNumTasks(lanes, kernel);
    if (lowering.getParallel() && numTasks.getConstant() != 1) {
      callThreads(lanes, *emitter, entry, numTasks);
    } else {
      lanes.loop(numTasks, {}, [&](const Lanes &task, ValueRange) {
        emitter->emitTask(lanes, kernel, task);
        return SmallVector<Value>();
      });
    }
    func::ReturnOp::create(b, anchor->getLoc());
    function.erase();
    return success();
  }

private:
  SmallVector<Type> signature() {
    SmallVector<Type> types(function.getNumArguments(), pointer);
    types.append(symbols.size(), b.getI64Type());
    types.push_back(pointer);
    return types;
  }

  Kernel makeKernel(LaneBuilder &lanes, Block *entry, ValueRange arguments) {
    Kernel kernel;
    kernel.entry = entry;
    unsigned next = function.getNumArguments();
    for (StringRef symbol : symbols) {
      Value value = arith::IndexCastOp::create(b, lanes.loc, b.getIndexType(), arguments[next++]);
      kernel.symbols[symbol] = lanes.uniform(value, {1, getBound(symbol)});
    }
    kernel.status = arguments[next];
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      kernel.buffers[function.getArgument(i)] = makeBuffer(lanes, kernel, i, arguments[i]);
    return kernel;
  }

  int64_t getBound(StringRef symbol) {
    for (auto [name, bound] : llvm::zip_equal(declared.getSymbols(), declared.getBounds()))
      if (name == symbol)
        return bound;
    llvm_unreachable("a kernel's symbols are the module's");
  }

  Buffer makeBuffer(LaneBuilder &lanes, const Kernel &kernel, unsigned i, Value value) {
    auto type = cast<MemRefType>(function.getArgument(i).getType());
    auto bounds = attrs::Bounds::getArg(function, i);
    Buffer buffer{value, type.getElementType(), {}, {}};
    unsigned dynamic = 0;
    for (int64_t size : type.getShape())
      buffer.sizes.push_back(ShapedType::isDynamic(size)
                                 ? kernel.getSymbol(bounds.getSymbols()[dynamic++])
                                 : lanes.constant(size));
    buffer.strides.resize(type.getRank(), lanes.constant(1));
    for (int64_t dim = type.getRank() - 1; dim-- > 0;)
      buffer.strides[dim] = lanes.mul(buffer.strides[dim + 1], buffer.sizes[dim + 1]);
    return buffer;
  }

  /// Puts the arguments into a structure, and the tasks into a function that reads it.
  void callThreads(LaneBuilder &lanes, KernelEmitter &emitter, Block *entry,
                   const Lanes &numTasks) {
    Location loc = lanes.loc;
    auto structure = LLVM::LLVMStructType::getLiteral(b.getContext(), signature());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
    Value context = LLVM::AllocaOp::create(b, loc, pointer, structure, one);
    for (auto [i, argument] : llvm::enumerate(entry->getArguments())) {
      Value field = LLVM::GEPOp::create(b, loc, pointer, structure, context,
                                        ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
      LLVM::StoreOp::create(b, loc, argument, field);
    }
    std::string name = (function.getName() + ".body").str();
    Value body = LLVM::AddressOfOp::create(b, loc, pointer, name);
    Value count = arith::IndexCastOp::create(b, loc, b.getI64Type(), numTasks.value);
    LLVM::CallOp::create(b, loc, TypeRange(), kParallelFor, ValueRange{body, context, count});
    writeBody(lanes, emitter, name, structure);
  }

  void writeBody(LaneBuilder &lanes, KernelEmitter &emitter, StringRef name,
                 LLVM::LLVMStructType structure) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    Location loc = lanes.loc;
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, b.getI64Type()});
    auto body = LLVM::LLVMFuncOp::create(b, loc, name, type, LLVM::Linkage::Internal);
    Block *entry = body.addEntryBlock(b);
    b.setInsertionPointToEnd(entry);
    SmallVector<Value> arguments;
    for (auto [i, field] : llvm::enumerate(structure.getBody())) {
      Value address = LLVM::GEPOp::create(b, loc, pointer, structure, entry->getArgument(0),
                                          ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
      arguments.push_back(LLVM::LoadOp::create(b, loc, field, address));
    }
    Kernel kernel = makeKernel(lanes, entry, arguments);
    Value task = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry->getArgument(1));
    emitter.emitTask(lanes, kernel, lanes.uniform(task, {0, INT64_MAX}));
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

  func::FuncOp function;
  BoundsAttr declared;
  SmallVector<StringRef> symbols;
  Operation *anchor;
  OpBuilder b;
  Type pointer;
  LoweringAttr lowering;
};

struct LowerKernelsPass : weft::impl::LowerKernelsBase<LowerKernelsPass> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto symbols = attrs::Symbols::get(module);
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (attrs::Kernel::isOn(function))
        kernels.push_back(function);
    for (func::FuncOp function : kernels) {
      Operation *anchor = findAnchor(function);
      if (!anchor || failed(KernelWriter(function, symbols, anchor).write()))
        return signalPassFailure();
      ++numKernels;
    }
    declareParallelFor(module);
  }

private:
  Operation *findAnchor(func::FuncOp function) {
    for (Operation &op : function.getBody().front())
      if (isa<FormulaOpInterface, CheckOp>(op) && attrs::Lowering::isOn(&op))
        return &op;
    function.emitError("kernel has no anchor with a lowering");
    return nullptr;
  }

  void declareParallelFor(ModuleOp module) {
    bool called = false;
    module.walk([&](LLVM::CallOp call) { called |= call.getCallee() == kParallelFor; });
    if (!called || module.lookupSymbol(kParallelFor))
      return;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, pointer, b.getI64Type()});
    LLVM::LLVMFuncOp::create(b, module.getLoc(), kParallelFor, type);
  }
};

} // namespace
