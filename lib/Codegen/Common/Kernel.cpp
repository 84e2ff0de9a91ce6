//===- Kernel.cpp - reading and writing elements --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Kernel.h"

#include "NarrowGather.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/TableCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace weft;

Lanes Kernel::getExtent(LaneBuilder &lanes, IndexAttr index) const {
  if (!index.getDynamic())
    return lanes.constant(index.getSize());
  Lanes symbol = getSymbol(index.getDim());
  symbol.interval.max = std::min(symbol.interval.max, index.getSize());
  return symbol;
}

Value Kernel::allocateStack(LaneBuilder &lanes, int64_t bytes) const {
  if (stack)
    for (StackBlocks::Block &block : stack->blocks)
      if (block.isFree && block.bytes == bytes) {
        block.isFree = false;
        return block.pointer;
      }
  OpBuilder::InsertionGuard guard(lanes.b);
  lanes.b.setInsertionPointToStart(entry);
  auto pointer = LLVM::LLVMPointerType::get(lanes.b.getContext());
  Value size = LLVM::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getI64Type(), bytes);
  Value block = LLVM::AllocaOp::create(lanes.b, lanes.loc, pointer, lanes.b.getI8Type(), size,
                                       /*alignment=*/64);
  if (stack)
    stack->blocks.push_back({bytes, block, /*isFree=*/false});
  return block;
}

Lanes weft::getOffset(LaneBuilder &lanes, const Buffer &buffer, ArrayRef<Lanes> coordinates) {
  SmallVector<Lanes> stored(coordinates);
  if (buffer.layout)
    stored = lanes.apply(buffer.layout.getAffineMap(), coordinates, buffer.sizes);
  Lanes offset = lanes.constant(0);
  for (auto [coordinate, stride] : llvm::zip(stored, buffer.strides))
    offset = lanes.add(offset, lanes.mul(coordinate, stride));
  return offset;
}

Buffer weft::viewAs(const Buffer &buffer, Type element) {
  Buffer view = buffer;
  view.layout = {};
  view.elementType = element;
  view.alignment = 1;
  return view;
}

Value weft::getElementPointer(LaneBuilder &lanes, Value pointer, Type elementType, Value offset) {
  OpBuilder &b = lanes.b;
  Type type = pointer.getType();
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    type = VectorType::get(vector.getShape(), type);
  else
    offset = b.createOrFold<arith::IndexCastOp>(lanes.loc, b.getI64Type(), offset);
  return LLVM::GEPOp::create(b, lanes.loc, type, elementType, pointer, ValueRange(offset));
}

/// Of the element at an offset, from which on `count` are read or written.
static unsigned getAlignment(const Buffer &buffer, Type storage, const Lanes &offset,
                             int64_t count = 1) {
  int64_t element = storage.getIntOrFloatBitWidth() / 8;
  int64_t known = std::gcd(buffer.alignment, offset.divisor * element);
  return unsigned(std::clamp(known, element, count * element));
}

static Value zero(LaneBuilder &lanes, Type type) {
  return arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(type));
}

static Value allLanes(LaneBuilder &lanes) {
  auto type = cast<VectorType>(lanes.vectorOf(lanes.b.getI1Type()));
  return arith::ConstantOp::create(lanes.b, lanes.loc, DenseElementsAttr::get(type, true));
}

/// The same places of one part of a buffer of parts, which begin with those of the first.
static Buffer getPart(LaneBuilder &lanes, const Buffer &buffer) {
  return {buffer.pointer, lanes.b.getBF16Type(), buffer.sizes, buffer.strides, LayoutAttr()};
}

static Lanes getPartOffset(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset,
                           int64_t part) {
  return lanes.add(offset, lanes.constant(part * buffer.layout.getPartStride()));
}

static bool isSplit(const Buffer &buffer) { return buffer.layout && buffer.layout.isSplit(); }

/// The sum of the parts, the smallest first, so that it is rounded once.
static Lanes loadParts(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, Value mask) {
  Buffer part = getPart(lanes, buffer);
  Lanes sum;
  for (int64_t i = buffer.layout.getParts(); i-- > 0;) {
    Lanes loaded = loadElements(lanes, part, getPartOffset(lanes, buffer, offset, i), mask);
    if (sum.value)
      loaded.value = arith::AddFOp::create(lanes.b, lanes.loc, sum.value, loaded.value);
    sum = loaded;
  }
  return sum;
}

/// Each part is what those before it leave, rounded.
static void storeParts(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset,
                       const Lanes &value, Value mask) {
  Buffer part = getPart(lanes, buffer);
  Value rest = offset.isUniform() ? value.value : lanes.materialize(value);
  for (int64_t i = 0; i != buffer.layout.getParts(); ++i) {
    storeElements(lanes, part, getPartOffset(lanes, buffer, offset, i), lanes.uniform(rest), mask);
    Value rounded =
        extendElement(lanes, roundElement(lanes, rest, part.elementType), part.elementType);
    rest = arith::SubFOp::create(lanes.b, lanes.loc, rest, rounded);
  }
}

/// Elements each in front of the one before, as those of distances t - s along s: they are turned
/// round in registers.
static Value loadReversed(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset,
                          Value mask) {
  OpBuilder &b = lanes.b;
  Type storage = getMemoryType(buffer.elementType), type = lanes.vectorOf(storage);
  SmallVector<int64_t> places(llvm::reverse(llvm::to_vector(llvm::seq(lanes.width))));
  auto turn = [&](Value vector) -> Value {
    return vector::ShuffleOp::create(b, lanes.loc, vector, vector, places);
  };
  Lanes last = lanes.uniform(offset.value, offset.interval);
  Lanes first = lanes.sub(last, lanes.constant(lanes.width - 1));
  Value pointer = getElementPointer(lanes, buffer.pointer, storage, first.value);
  unsigned alignment = getAlignment(buffer, storage, lanes.uniform(first.value));
  if (!mask)
    return turn(LLVM::LoadOp::create(b, lanes.loc, type, pointer, alignment));
  return turn(LLVM::MaskedLoadOp::create(b, lanes.loc, type, pointer, turn(mask), zero(lanes, type),
                                         b.getI32IntegerAttr(alignment), nullptr));
}

/// Lanes of the shortest registers for which processors have an instruction that gathers words.
static constexpr int64_t kLeastGather = 8;

Lanes weft::loadElements(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset,
                         Value mask) {
  if (buffer.layout && buffer.layout.getNibbles())
    return loadNibbles(lanes, buffer, offset, mask);
  if (buffer.layout && buffer.layout.getTable() != CodeTable::None)
    return loadScaled(lanes, buffer, offset, mask);
  if (isSplit(buffer))
    return loadParts(lanes, buffer, offset, mask);
  OpBuilder &b = lanes.b;
  Type storage = getMemoryType(buffer.elementType);
  unsigned alignment = getAlignment(buffer, storage, offset);
  auto finish = [&](Value value) {
    return Lanes{extendElement(lanes, value, buffer.elementType), 0, 1, Interval()};
  };
  if (offset.isUniform()) {
    Value pointer = getElementPointer(lanes, buffer.pointer, storage, offset.value);
    return finish(LLVM::LoadOp::create(b, lanes.loc, storage, pointer, alignment));
  }
  Type type = lanes.vectorOf(storage);
  if (!offset.isVector() && offset.stride == 1) {
    Value pointer = getElementPointer(lanes, buffer.pointer, storage, offset.value);
    alignment = getAlignment(buffer, storage, offset, lanes.width);
    if (!mask)
      return finish(LLVM::LoadOp::create(b, lanes.loc, type, pointer, alignment));
    return finish(LLVM::MaskedLoadOp::create(b, lanes.loc, type, pointer, mask, zero(lanes, type),
                                             b.getI32IntegerAttr(alignment), nullptr));
  }
  if (!offset.isVector() && offset.stride == -1)
    return finish(loadReversed(lanes, buffer, offset, mask));
  if (!mask)
    mask = allLanes(lanes);
  if (storage.getIntOrFloatBitWidth() < 32 && lanes.width >= kLeastGather)
    return finish(gatherNarrow(lanes, buffer.pointer, storage, offset, mask));
  Value pointers = getElementPointer(lanes, buffer.pointer, storage, lanes.materialize(offset));
  return finish(LLVM::masked_gather::create(b, lanes.loc, type, pointers, mask,
                                            ValueRange(zero(lanes, type)),
                                            b.getI32IntegerAttr(alignment)));
}

/// Whether the first lane is the only one that there is, whatever the values of run time.
static bool isFirstLane(Value mask) {
  DenseElementsAttr lanes;
  if (!mask || !matchPattern(mask, m_Constant(&lanes)))
    return false;
  auto holds = lanes.getValues<bool>();
  return holds[0] && llvm::none_of(llvm::drop_begin(holds), [](bool lane) { return lane; });
}

void weft::storeElements(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset,
                         const Lanes &value, Value mask) {
  if (isSplit(buffer))
    return storeParts(lanes, buffer, offset, value, mask);
  OpBuilder &b = lanes.b;
  Type storage = getMemoryType(buffer.elementType);
  unsigned alignment = getAlignment(buffer, storage, offset);
  Value stored = offset.isUniform() ? value.value : lanes.materialize(value);
  stored = roundElement(lanes, stored, buffer.elementType);
  if (!offset.isVector() && offset.stride <= 1) {
    Value pointer = getElementPointer(lanes, buffer.pointer, storage, offset.value);
    // LLVM 22 writes four bytes of such a lane where its element is cut off a wider one.
    if (!offset.isUniform() && isFirstLane(mask)) {
      stored = vector::ExtractOp::create(b, lanes.loc, stored, 0);
      mask = Value();
    } else if (!offset.isUniform()) {
      alignment = getAlignment(buffer, storage, offset, lanes.width);
    }
    if (mask && !offset.isUniform())
      LLVM::MaskedStoreOp::create(b, lanes.loc, stored, pointer, mask,
                                  b.getI32IntegerAttr(alignment));
    else
      LLVM::StoreOp::create(b, lanes.loc, stored, pointer, alignment);
    return;
  }
  Value pointers = getElementPointer(lanes, buffer.pointer, storage, lanes.materialize(offset));
  LLVM::masked_scatter::create(b, lanes.loc, stored, pointers, mask ? mask : allLanes(lanes),
                               b.getI32IntegerAttr(alignment));
}

Value weft::addElements(LaneBuilder &lanes, Value pointer, const Lanes &elements) {
  return getElementPointer(lanes, pointer, lanes.b.getF32Type(), elements.value);
}

Value weft::addElements(LaneBuilder &lanes, Value pointer, int64_t elements) {
  // A literal index of a GEP op has 29 bits, and a larger one aborts.
  if (!llvm::isInt<LLVM::kGEPConstantBitWidth>(elements))
    return addElements(lanes, pointer, lanes.constant(elements));
  return LLVM::GEPOp::create(lanes.b, lanes.loc, pointer.getType(), lanes.b.getF32Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(elements)});
}

Value weft::loadVector(LaneBuilder &lanes, Value pointer) {
  Type type = lanes.vectorOf(lanes.b.getF32Type());
  return LLVM::LoadOp::create(lanes.b, lanes.loc, type, pointer, /*alignment=*/4);
}

void weft::storeVector(LaneBuilder &lanes, Value pointer, Value value) {
  LLVM::StoreOp::create(lanes.b, lanes.loc, value, pointer, /*alignment=*/4);
}

Value weft::loadScalar(LaneBuilder &lanes, Value pointer, const Lanes &position, Type type) {
  Value address = getElementPointer(lanes, pointer, type, position.value);
  return LLVM::LoadOp::create(lanes.b, lanes.loc, type, address);
}

void weft::storeScalar(LaneBuilder &lanes, Value pointer, const Lanes &position, Value value) {
  Value address = getElementPointer(lanes, pointer, value.getType(), position.value);
  LLVM::StoreOp::create(lanes.b, lanes.loc, value, address);
}
