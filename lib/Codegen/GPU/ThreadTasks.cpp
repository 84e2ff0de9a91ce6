//===- ThreadTasks.cpp - kernels whose tasks are threads ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ThreadTasks.h"

#include "Emitters.h"
#include "GroupWalk.h"
#include "SharedMemory.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// Of buffers, in bytes: what a thread reads or writes at once. Slots of caches begin at a row.
static constexpr int64_t kAlignment = 16;
/// Of the frame of a call: the status is first.
static constexpr int64_t kSymbolsOffset = 8;

static LLVM::LLVMPointerType getGlobalPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context, kGlobal);
}

static Value emitEx2(LaneBuilder &lanes, Value x, Power) {
  OpBuilder &b = lanes.b;
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return nvx::Ex2Op::create(b, lanes.loc, x);
  SmallVector<Value> powers;
  for (int64_t i = 0; i != type.getNumElements(); ++i) {
    Value element = vector::ExtractOp::create(b, lanes.loc, x, i);
    powers.push_back(nvx::Ex2Op::create(b, lanes.loc, element));
  }
  return vector::FromElementsOp::create(b, lanes.loc, type, powers);
}

static Value emitRoundedProduct(LaneBuilder &lanes, Value a, Value b) {
  return nvx::MulOp::create(lanes.b, lanes.loc, a, b);
}

//===----------------------------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------------------------===//

/// Symbols do not change while a kernel runs.
Value ThreadTasks::loadSymbol(LaneBuilder &lanes, Value frame, StringAttr name) {
  ArrayRef<StringAttr> all = attrs::Symbols::get(kernel->getParentOfType<ModuleOp>()).getSymbols();
  int64_t offset = kSymbolsOffset + 8 * (llvm::find(all, name) - all.begin());
  Value place = LLVM::GEPOp::create(b, lanes.loc, frame.getType(), b.getI8Type(), frame,
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return LLVM::LoadOp::create(b, lanes.loc, b.getI64Type(), place, /*alignment=*/8,
                              /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
}

/// Behind the rows that the cache holds already.
Value ThreadTasks::getRows(LaneBuilder &lanes, Value frame, Value cache,
                           const LaunchForm::Place &place) {
  Location loc = lanes.loc;
  Type i64 = b.getI64Type();
  Value old = arith::SubIOp::create(b, loc, loadSymbol(lanes, frame, place.length),
                                    loadSymbol(lanes, frame, place.count));
  Value size = arith::ConstantOp::create(b, loc, b.getIntegerAttr(i64, place.rowBytes));
  Value offset = arith::MulIOp::create(b, loc, old, size);
  return LLVM::GEPOp::create(b, loc, cache.getType(), b.getI8Type(), cache,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// What a kernel of a processor is passed: the buffers, the values of symbols, the status.
SmallVector<Value> ThreadTasks::getAddresses(LaneBuilder &lanes, Block *entry) {
  Value frame = entry->getArgument(kernel.getNumArguments()); // maps come behind it
  SmallVector<Value> addresses;
  for (auto [place, argument] : llvm::zip(form.places, entry->getArguments()))
    addresses.push_back(place.cache ? getRows(lanes, frame, argument, place) : argument);
  for (StringAttr symbol : form.symbols.getAsRange<StringAttr>())
    addresses.push_back(loadSymbol(lanes, frame, symbol));
  addresses.push_back(frame);
  return addresses;
}

static int64_t getBlockSize(const KernelEmitter &emitter) {
  return emitter.getBlock() ? emitter.getBlock() : kBlockSize;
}

/// Neighbouring threads share a task; those of a block do the same number of whole ones.
Lanes ThreadTasks::getTask(LaneBuilder &lanes, const Lanes &numTasks,
                           const KernelEmitter &emitter) {
  int64_t size = getBlockSize(emitter), threads = emitter.getThreads();
  int64_t ofBlock = size / threads, mostTasks = numTasks.interval.max;
  int64_t mostBlocks = std::min<int64_t>(mostTasks / ofBlock + 1, INT32_MAX);
  Value id = nvx::BlockIdOp::create(b, lanes.loc, b.getI32Type());
  Lanes block = readNumber(lanes, id, mostBlocks);
  Lanes first = lanes.mul(block, lanes.constant(ofBlock));
  Lanes task = lanes.add(first, lanes.floorDiv(getThread(lanes, size), threads));
  int64_t most = mostTasks == INT64_MAX ? INT64_MAX : mostTasks - 1;
  return lanes.uniform(task.value, {0, std::max<int64_t>(most, 0)});
}

/// Whether a thread computes so many functions of its elements at once that these take more
/// registers than four blocks leave: angles of rotations and their powers, for eight elements.
static bool isLongMap(Operation *anchor) {
  constexpr int64_t most = 24;
  int64_t functions = 0, width = 1;
  anchor->walk([&](Operation *inner) { functions += isa<math::MathDialect>(inner->getDialect()); });
  ScheduleReader reader(attrs::Lowering::get(anchor));
  reader("width", width);
  return isa<MapOp>(anchor) && functions * width > most;
}

/// How many blocks a processor shall hold at least. Left alone, ptxas spills registers to have
/// more.
int32_t ThreadTasks::getBlocks(const KernelEmitter &emitter) {
  if (emitter.getBlocks())
    return int32_t(emitter.getBlocks());
  // Sums and rows that stay in registers are as many as registers allow: some epilogues and tables
  // take more than 128 beside them.
  static constexpr StringLiteral large[] = {
      emitters::mma,     emitters::mmaAttention, emitters::decodeAttention,
      emitters::byCount, emitters::fewRows,      emitters::rowThreads,
      emitters::row,     emitters::softmax,      emitters::contract,
      emitters::reduce};
  bool areLarge = llvm::any_of(anchors, [](Operation *anchor) {
    return llvm::is_contained(large, attrs::Lowering::get(anchor).getEmitter()) ||
           isLongMap(anchor);
  });
  return areLarge ? 1 : 4;
}

/// A kernel, in words of LLVM. A launch writes no buffer that it reads by another argument.
void ThreadTasks::describe(LLVM::LLVMFuncOp function, int64_t threads, int32_t blocks) {
  UnitAttr yes = b.getUnitAttr();
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), yes);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), yes);
  function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(blocks));
  for (BlockArgument buffer : kernel.getArguments()) {
    bool isWritten = llvm::any_of(anchors, [&](Operation *anchor) {
      auto formula = dyn_cast<FormulaOpInterface>(anchor);
      return formula && llvm::is_contained(formula.getOutputs(), buffer);
    });
    function.setArgAttr(buffer.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName(), yes);
    if (!isWritten)
      function.setArgAttr(buffer.getArgNumber(), LLVM::LLVMDialect::getReadonlyAttrName(), yes);
  }
}

LLVM::LLVMFuncOp ThreadTasks::createFunction(gpu::GPUModuleOp device, StringRef name,
                                             int64_t threads, int32_t blocks, unsigned numMaps) {
  SmallVector<Type> types(kernel.getNumArguments() + 1, getGlobalPointer(b.getContext()));
  types.append(numMaps, LLVM::LLVMPointerType::get(b.getContext()));
  b.setInsertionPointToEnd(device.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(b, loc, name, type);
  describe(function, threads, blocks);
  return function;
}

Kernel ThreadTasks::enter(LaneBuilder &lanes, LLVM::LLVMFuncOp function) {
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToEnd(entry);
  lanes.powerOfTwo = emitEx2;
  lanes.roundedProduct = emitRoundedProduct;
  Kernel inside = passed.read(lanes, entry, getAddresses(lanes, entry));
  for (auto [place, argument] : llvm::zip(form.places, kernel.getArguments()))
    inside.buffers[argument].alignment =
        place.cache ? std::gcd(kAlignment, place.rowBytes) : kAlignment;
  return inside;
}

void ThreadTasks::fill(LLVM::LLVMFuncOp function,
                       llvm::function_ref<void(LaneBuilder &, const Kernel &)> write) {
  LaneBuilder lanes(b, loc, /*width=*/1);
  bool areShort = true;
  lanes.areShort = &areShort;
  write(lanes, enter(lanes, function));
  LLVM::ReturnOp::create(b, loc, ValueRange());
  if (areShort)
    function->setAttr(nvx::kShortIndices, b.getUnitAttr());
}

void ThreadTasks::writeDevice(gpu::GPUModuleOp device, StringRef name, KernelEmitter &emitter) {
  LLVM::LLVMFuncOp function =
      createFunction(device, name, getBlockSize(emitter), getBlocks(emitter), /*numMaps=*/0);
  fill(function, [&](LaneBuilder &lanes, const Kernel &inside) {
    Lanes numTasks = emitter.getNumTasks(lanes, inside);
    Lanes task = getTask(lanes, numTasks, emitter);
    lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, task, numTasks), {}, [&] {
      emitter.emitTask(lanes, inside, task);
      return SmallVector<Value>();
    });
  });
}

//===----------------------------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------------------------===//

/// Buffers and the frame.
SmallVector<Value> ThreadTasks::getOperands(ValueRange addresses) {
  SmallVector<Value> operands(addresses.take_front(kernel.getNumArguments()));
  operands.push_back(addresses.back());
  return operands;
}

void ThreadTasks::launch(LaneBuilder &lanes, const Lanes &numTasks, const Part &part,
                         ValueRange operands) {
  // A grid has a block at least.
  int64_t threads = getBlockSize(*part.emitter);
  int64_t ofBlock = threads / part.emitter->getThreads();
  Lanes blocks = lanes.max(lanes.ceilDiv(numTasks, ofBlock), lanes.constant(1));
  Value one = lanes.indexConstant(1), size = lanes.indexConstant(threads);
  gpu::LaunchFuncOp::create(b, lanes.loc, part.name, gpu::KernelDim3{blocks.value, one, one},
                            gpu::KernelDim3{size, one, one}, /*dynamicSharedMemorySize=*/Value(),
                            operands);
}

void ThreadTasks::launchParts(LaneBuilder &lanes, const Kernel &outside, ArrayRef<Part> parts,
                              ValueRange operands) {
  for (const Part &part : parts) {
    Lanes numTasks = part.emitter->getNumTasks(lanes, outside);
    auto launchPart = [&] {
      launch(lanes, numTasks, part, operands);
      return SmallVector<Value>();
    };
    if (parts.size() == 1)
      launchPart();
    else
      lanes.ifThen(lanes.compare(arith::CmpIPredicate::sgt, numTasks, lanes.constant(0)), {},
                   launchPart);
  }
}

void ThreadTasks::launchAlone(LaneBuilder &lanes, const Kernel &outside, ArrayRef<Alone> ofAnchors,
                              ValueRange operands) {
  for (const Alone &one : ofAnchors)
    one.tiles.empty() ? launchParts(lanes, outside, one.parts, operands)
                      : launchBest(lanes, outside, one.tiles, operands);
}

void ThreadTasks::writeLauncher(StringRef name, ArrayRef<Part> parts, ArrayRef<Alone> ofAnchors) {
  SmallVector<Type> types = passed.getTypes();
  for (auto [type, place] : llvm::zip(types, form.places))
    if (place.cache)
      type = place.cache;
  b.setInsertionPoint(kernel);
  auto function = func::FuncOp::create(b, kernel.getLoc(), name, b.getFunctionType(types, {}));
  function.setVisibility(kernel.getVisibility());
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    function->setAttr(attr.getName(), attr.getValue());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  LaneBuilder lanes(b, loc, /*width=*/1);
  SmallVector<Value> addresses = passed.getAddresses(lanes, entry);
  Kernel outside = passed.read(lanes, entry, addresses);
  SmallVector<Value> operands = getOperands(addresses);
  Value areForTiles;
  for (const Alone &one : ofAnchors)
    if (!one.tiles.empty())
      areForTiles =
          lanes.andMask(areForTiles, isForTiles(lanes, outside, *one.tiles.front().emitter));
  auto launchAll = [&] { launchParts(lanes, outside, parts, operands); };
  if (areForTiles)
    lanes.choose(areForTiles, [&] { launchAlone(lanes, outside, ofAnchors, operands); }, launchAll);
  else
    launchAll();
  func::ReturnOp::create(b, loc);
}
