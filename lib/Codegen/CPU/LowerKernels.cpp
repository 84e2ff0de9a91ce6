//===- LowerKernels.cpp - write the loops of every kernel -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// 1. For every kernel a function is written by the emitters of its anchors: on buffers still, whose
//    elements it reaches by pointers.
// 2. Tasks become a loop in it, or a function of their own that is handed to the threads with the
//    addresses in a structure on the stack. Those of several anchors are numbered one after the
//    other.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "TransposeSchedule.h"

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/KernelArguments.h"
#include "weft/Dialect/Weft/IR/RunningReduce.h"

namespace weft {
#define GEN_PASS_DEF_LOWERKERNELS
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

template <typename Op> static bool writes(Operation *anchor) { return isa<Op>(anchor); }

static bool writesTransposed(Operation *anchor) {
  auto map = dyn_cast<MapOp>(anchor);
  return map && hasInputAcross(map);
}

static bool writesRunning(Operation *anchor) {
  auto reduce = dyn_cast<ReduceOp>(anchor);
  return reduce && findRunning(reduce);
}

ArrayRef<EmitterInfo> weft::getCPUEmitters() {
  static const SmallVector<EmitterInfo> all = [] {
    SmallVector<EmitterInfo> list{
        {emitters::gemm, writes<ContractOp>,
         [](Operation *op, LoweringAttr lowering) {
           return createGemmEmitter(cast<ContractOp>(op), lowering);
         }},
        {emitters::attention, writes<AttentionOp>,
         [](Operation *op, LoweringAttr lowering) {
           return createAttentionEmitter(cast<AttentionOp>(op), lowering);
         }},
        {emitters::transpose, writesTransposed,
         [](Operation *op, LoweringAttr lowering) {
           return createTransposeEmitter(cast<MapOp>(op), lowering);
         }},
        {emitters::running, writesRunning, [](Operation *op, LoweringAttr lowering) {
           return createRunningEmitter(cast<ReduceOp>(op), lowering);
         }}};
    llvm::append_range(list, getCommonEmitters());
    return list;
  }();
  return all;
}

static Value lookUpInUnit(LaneBuilder &lanes, Value words, ArrayRef<float> values) {
  Type type = cast<VectorType>(words.getType()).clone(lanes.b.getF32Type());
  return cpu::LookUpOp::create(lanes.b, lanes.loc, type, words, values);
}

static Value raiseInUnit(LaneBuilder &lanes, Value x, Power power) {
  if (lanes.width == 1)
    return emitPlainExp2(lanes, x, power);
  return cpu::PowerOfTwoOp::create(lanes.b, lanes.loc, x.getType(), x, power == Power::Rounded,
                                   power == Power::Weight);
}

/// `weft-fuse-products` leaves it alone.
static Value multiplyRounded(LaneBuilder &lanes, Value a, Value b) {
  auto product = arith::MulFOp::create(lanes.b, lanes.loc, a, b);
  attrs::Rounded::set(product);
  return product;
}

namespace {

/// Writes the function of one kernel.
class KernelWriter {
public:
  explicit KernelWriter(func::FuncOp function)
      : function(function), passed(function), loc(function.getLoc()), b(function.getContext()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  LogicalResult write() {
    SmallVector<Operation *> anchors = findAnchors(function);
    if (anchors.empty())
      return failure();
    loc = anchors.front()->getLoc();
    if (failed(createEmitters(anchors)))
      return failure();
    JoinedEmitter all(emitters);
    b.setInsertionPoint(function);
    func::FuncOp written = func::FuncOp::create(b, function.getLoc(), function.getName(),
                                                b.getFunctionType(passed.getTypes(), {}));
    written.setVisibility(function.getVisibility());
    for (NamedAttribute attr : function->getDiscardableAttrs())
      written->setAttr(attr.getName(), attr.getValue());
    Block *entry = written.addEntryBlock();
    b.setInsertionPointToEnd(entry);
    LaneBuilder lanes = getLanes();
    SmallVector<Value> addresses = passed.getAddresses(lanes, entry);
    Kernel kernel = passed.read(lanes, entry, addresses);
    Lanes numTasks = all.getNumTasks(lanes, kernel);
    if (all.isParallel() && numTasks.getConstant() != 1)
      callThreads(all, addresses, numTasks);
    else
      loopOverTasks(lanes, kernel, all, addresses, numTasks);
    func::ReturnOp::create(b, loc);
    function.erase();
    return success();
  }

private:
  /// One for each anchor, or for all that make each other's factors.
  LogicalResult createEmitters(ArrayRef<Operation *> anchors) {
    if (!function.getOps<LocalOp>().empty())
      emitters.push_back(createGemmChainEmitter(anchors));
    else
      for (Operation *anchor : anchors)
        emitters.push_back(createEmitter(anchor, getCPUEmitters()));
    return success(!llvm::is_contained(emitters, nullptr));
  }

  LaneBuilder getLanes() {
    LaneBuilder lanes(b, loc, /*width=*/1);
    lanes.lookUp = lookUpInUnit;
    lanes.powerOfTwo = raiseInUnit;
    lanes.roundedProduct = multiplyRounded;
    lanes.keepsBits = true;
    return lanes;
  }

  void loopOverTasks(LaneBuilder &lanes, const Kernel &kernel, JoinedEmitter &all,
                     ValueRange addresses, const Lanes &numTasks) {
    Value context = emitters.size() == 1 ? Value() : storeContext(addresses);
    if (context)
      writeBody(all, addresses.getTypes());
    if (!context)
      return flushed([&] {
        lanes.loop(numTasks, {}, [&](const Lanes &task, ValueRange) {
          all.emitTask(lanes, kernel, task);
          return SmallVector<Value>();
        });
      });
    lanes.loop(numTasks, {}, [&](const Lanes &task, ValueRange) {
      call(getBodyName(), context, task);
      return SmallVector<Value>();
    });
  }

  /// Whichever thread computes, and whoever has made it.
  void flushed(function_ref<void()> write) {
    Value before = cpu::BeginFlushOp::create(b, loc, b.getI32Type());
    write();
    cpu::EndFlushOp::create(b, loc, before);
  }

  /// Puts the addresses into a structure, and the tasks into a function that reads it.
  void callThreads(JoinedEmitter &all, ValueRange addresses, const Lanes &numTasks) {
    Value context = storeContext(addresses);
    Value body = LLVM::AddressOfOp::create(b, loc, pointer, getBodyName());
    Value count = arith::IndexCastOp::create(b, loc, b.getI64Type(), numTasks.value);
    LLVM::CallOp::create(b, loc, TypeRange(), kParallelFor, ValueRange{body, context, count});
    writeBody(all, addresses.getTypes());
  }

  std::string getBodyName() { return (function.getName() + ".body").str(); }

  LLVM::LLVMStructType getStructure(TypeRange types) {
    return LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(types));
  }

  Value storeContext(ValueRange addresses) {
    LLVM::LLVMStructType structure = getStructure(addresses.getTypes());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
    Value context = LLVM::AllocaOp::create(b, loc, pointer, structure, one);
    for (auto [i, address] : llvm::enumerate(addresses)) {
      Value field = LLVM::GEPOp::create(b, loc, pointer, structure, context,
                                        ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
      LLVM::StoreOp::create(b, loc, address, field);
    }
    return context;
  }

  void call(StringRef name, Value context, const Lanes &task) {
    Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), task.value);
    LLVM::CallOp::create(b, loc, TypeRange(), name, ValueRange{context, number});
  }

  /// A function of one task. Of several emitters each has one, so that the stack of one task holds
  /// what its own emitter needs.
  void writeBody(JoinedEmitter &all, TypeRange types) {
    auto nameOf = [&](size_t number) { return getBodyName() + "." + std::to_string(number); };
    bool isOne = emitters.size() == 1;
    for (size_t i = 0; !isOne && i != emitters.size(); ++i)
      writeFunction(nameOf(i), types,
                    [&](LaneBuilder &lanes, const Kernel &kernel, Value, const Lanes &task) {
                      emitters[i]->emitTask(lanes, kernel, task);
                    });
    writeFunction(getBodyName(), types,
                  [&](LaneBuilder &lanes, const Kernel &kernel, Value context, const Lanes &task) {
                    flushed([&] {
                      if (isOne)
                        return all.emitTask(lanes, kernel, task);
                      all.choose(lanes, kernel, task, [&](size_t number, const Lanes &inside) {
                        call(nameOf(number), context, inside);
                      });
                    });
                  });
  }

  void writeFunction(
      StringRef name, TypeRange types,
      function_ref<void(LaneBuilder &lanes, const Kernel &kernel, Value context, const Lanes &task)>
          write) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    LLVM::LLVMStructType structure = getStructure(types);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, b.getI64Type()});
    auto body = LLVM::LLVMFuncOp::create(b, loc, name, type, LLVM::Linkage::Internal);
    Block *entry = body.addEntryBlock(b);
    b.setInsertionPointToEnd(entry);
    SmallVector<Value> addresses;
    for (auto [i, field] : llvm::enumerate(structure.getBody())) {
      Value place = LLVM::GEPOp::create(b, loc, pointer, structure, entry->getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
      addresses.push_back(LLVM::LoadOp::create(b, loc, field, place));
    }
    LaneBuilder lanes = getLanes();
    Kernel kernel = passed.read(lanes, entry, addresses);
    Value task = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry->getArgument(1));
    write(lanes, kernel, entry->getArgument(0), lanes.uniform(task, {0, INT64_MAX}));
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

  func::FuncOp function;
  KernelArguments passed;
  Location loc;
  SmallVector<std::shared_ptr<KernelEmitter>> emitters;
  OpBuilder b;
  Type pointer;
};

struct LowerKernelsPass : weft::impl::LowerKernelsBase<LowerKernelsPass> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (attrs::Kernel::isOn(function))
        kernels.push_back(function);
    for (func::FuncOp function : kernels) {
      if (failed(KernelWriter(function).write()))
        return signalPassFailure();
      ++numKernels;
    }
    declareParallelFor(module);
  }

private:
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
