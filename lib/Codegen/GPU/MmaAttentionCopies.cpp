//===- MmaAttentionCopies.cpp - queries to registers, keys and values to shared memory -===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaAttentionTask.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

/// More copies of a thread are a loop.
static constexpr int64_t kMaxCopies = 8;

/// Of an element of a row.
Value MmaAttentionTask::getAddress(const AttentionFactor &factor, ArrayRef<Lanes> ofRow,
                                   const Lanes &element) {
  SmallVector<Lanes> indices(ofRow);
  Lanes number = element;
  number.interval = {0, factor.size - 1};
  setIndices(lanes, kernel, op.getIndices(), factor.along, number, indices);
  const Buffer &buffer = kernel.getBuffer(op.getInputs()[factor.input]);
  Lanes offset = getOffset(lanes, buffer, lanes.apply(formula.getInputMap(factor.input), indices));
  return getElementPointer(lanes, buffer.pointer, plan.element, offset.value);
}

Value MmaAttentionTask::loadElement(Value address) {
  return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI16Type(), address, /*alignment=*/2);
}

//===----------------------------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------------------------===//

/// The rows from `tile` on, as a group of copies. Neighbouring threads copy neighbouring chunks.
void MmaAttentionTask::beginCopies(const AttentionFactor &factor, const Lanes &tile) {
  int64_t count = plan.schedule.keys * factor.getPadded() / factor.chunk;
  int64_t steps = llvm::divideCeil(count, kBlockSize);
  auto copy = [&](const Lanes &number, int64_t skip) {
    auto emitCopy = [&] {
      copyChunk(factor, tile, number, skip);
      return Values();
    };
    if (count % kBlockSize == 0)
      emitCopy();
    else
      lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(count)), {},
                   emitCopy);
  };
  // Eight rows on chunks have changed places alike.
  int64_t ofRow = factor.getPadded() / factor.chunk, rowsOfStep = kBlockSize / ofRow;
  bool isAlike = kBlockSize % ofRow == 0 && rowsOfStep % 8 == 0;
  auto getNumber = [&](const Lanes &step) {
    return lanes.add(thread, lanes.mul(step, lanes.constant(kBlockSize)));
  };
  if (steps > kMaxCopies)
    lanes.loop(lanes.constant(steps), {}, [&](const Lanes &step, ValueRange) {
      copy(getNumber(step), 0);
      return Values();
    });
  else
    for (int64_t step = 0; step != steps; ++step)
      isAlike ? copy(thread, step * rowsOfStep) : copy(getNumber(lanes.constant(step)), 0);
  nvx::CpAsyncCommitOp::create(lanes.b, lanes.loc);
}

/// Chunk number `number` of the rows from `skip` on. Keys that no row reaches, and what lies behind
/// the end of a row, arrive as zeros.
void MmaAttentionTask::copyChunk(const AttentionFactor &factor, const Lanes &tile,
                                 const Lanes &number, int64_t skip) {
  OpBuilder &b = lanes.b;
  bool isKeys = factor.input == plan.key.input;
  SharedTile shared = isKeys ? plan.getKeyTile() : plan.getValueTile();
  int64_t ofRow = factor.getPadded() / factor.chunk, inChunk = plan.getOfChunk() / factor.chunk;
  Lanes row = lanes.floorDiv(number, ofRow), piece = lanes.mod(number, ofRow);
  Lanes element = lanes.mul(piece, lanes.constant(factor.chunk));
  Lanes key = lanes.add(tile, lanes.add(row, lanes.constant(skip)));
  Lanes place = shared.getPlace(lanes, row, lanes.floorDiv(piece, inChunk));
  int64_t bytes = plan.getBytes() * factor.chunk, start = shared.getRowsBytes(skip);
  start += isKeys ? 0 : plan.getValuesStart();
  place = lanes.add(place, lanes.mul(lanes.mod(piece, inChunk), lanes.constant(bytes)));
  Value target = getSharedPlace(lanes, memory, lanes.add(place, lanes.constant(start)));
  Value exists = lanes.compare(arith::CmpIPredicate::slt, key, upper);
  if (factor.getPadded() != factor.size)
    exists = lanes.andMask(
        exists, lanes.compare(arith::CmpIPredicate::slt, element, lanes.constant(factor.size)));
  SmallVector<Lanes> indices = outer;
  indices[op.getKeyIndex()] = key;
  indices[op.getKeyIndex()].interval = {0, keyIndex().getSize() - 1};
  if (bytes < 4) {
    Value zero = arith::ConstantOp::create(b, lanes.loc, b.getI16IntegerAttr(0));
    Value loaded = lanes.ifThen(exists, zero, [&]() -> Values {
      return {loadElement(getAddress(factor, indices, element))};
    })[0];
    LLVM::StoreOp::create(b, lanes.loc, loaded, target, /*alignment=*/2);
    return;
  }
  Value size = lanes.select(exists, makeWord(lanes, bytes), makeWord(lanes, 0));
  Value source = getAddress(factor, indices, element);
  nvx::CpAsyncOp::create(b, lanes.loc, target, source, size, uint32_t(bytes));
}

//===----------------------------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------------------------===//

/// The matrices of A, step by step: those that stay in registers.
MmaAttentionTask::Values MmaAttentionTask::loadQueries() {
  Values queries;
  for (int64_t step = plan.getFirstHeld(); step != plan.getFirstParked(); ++step)
    llvm::append_range(queries, loadStep(step, lanes.constant(0)));
  for (int64_t step = plan.getFirstParked(); step != plan.getSteps(); ++step) {
    Type type = VectorType::get({kRegistersA}, lanes.b.getI32Type());
    Value vector =
        vector::FromElementsOp::create(lanes.b, lanes.loc, type, loadStep(step, lanes.constant(0)));
    LLVM::StoreOp::create(lanes.b, lanes.loc, vector, getParked(step), /*alignment=*/16);
  }
  return queries;
}

/// The thread's part of a step of its queries, from memory: that `skip` elements, none of which is
/// behind the end, behind the one of that number.
MmaAttentionTask::Values MmaAttentionTask::loadStep(int64_t step, const Lanes &skip) {
  Values part;
  int64_t first = step * plan.getDepth(), ofRegister = 4 / plan.getBytes();
  for (int64_t i = 0; i != kRegistersA; ++i) {
    FragmentElement place = getFragmentElement(Fragment::A, 8 * plan.getBytes(), ofRegister * i);
    Lanes inStep = lanes.mul(inGroup, lanes.constant(place.column.ofThread));
    Lanes element = lanes.add(inStep, lanes.constant(first + place.column.offset));
    element = lanes.add(element, skip);
    bool isWhole = first + plan.getDepth() <= plan.query.size;
    part.push_back(loadQueryWord(rows[place.row.offset / 8], element, isWhole));
  }
  return part;
}

/// Where the thread's part of a step of its queries is.
Value MmaAttentionTask::getParked(int64_t step) {
  int64_t first = (step - plan.getFirstParked()) * kBlockSize;
  Lanes number = lanes.add(thread, lanes.constant(first));
  Lanes place = lanes.mul(number, lanes.constant(kRegistersA * 4));
  return getSharedPlace(lanes, memory, lanes.add(place, lanes.constant(plan.getQueriesStart())));
}

MmaAttentionTask::Values MmaAttentionTask::getQueries(ValueRange held, int64_t step) {
  if (step < plan.getFirstHeld())
    return loadStep(step, lanes.constant(0));
  if (step < plan.getFirstParked())
    return Values(held.slice(size_t((step - plan.getFirstHeld()) * kRegistersA), kRegistersA));
  Type type = VectorType::get({kRegistersA}, lanes.b.getI32Type());
  Value vector = LLVM::LoadOp::create(lanes.b, lanes.loc, type, getParked(step), /*alignment=*/16);
  Values part;
  for (int64_t i = 0; i != kRegistersA; ++i)
    part.push_back(vector::ExtractOp::create(lanes.b, lanes.loc, vector, i));
  return part;
}

Value MmaAttentionTask::loadQueryWord(const Row &row, const Lanes &element, bool isWhole) {
  OpBuilder &b = lanes.b;
  Type i32 = b.getI32Type();
  Value zero = makeWord(lanes, 0);
  auto load = [&](const Lanes &wanted, bool isWord) -> Value {
    int64_t together = isWord ? 4 / plan.getBytes() : 1;
    Lanes last = lanes.constant(plan.query.size - together);
    Value address = getAddress(plan.query, row.indices, isWhole ? wanted : lanes.min(wanted, last));
    Value loaded;
    if (isWord)
      loaded = LLVM::LoadOp::create(b, lanes.loc, i32, address, /*alignment=*/4);
    else
      loaded = arith::ExtUIOp::create(b, lanes.loc, i32, loadElement(address));
    if (isWhole)
      return loaded;
    return lanes.select(lanes.compare(arith::CmpIPredicate::sle, wanted, last), loaded, zero);
  };
  if (plan.query.chunk * plan.getBytes() >= 4)
    return load(element, /*isWord=*/true);
  Value half = makeWord(lanes, 16);
  Value upper = load(lanes.add(element, lanes.constant(1)), /*isWord=*/false);
  upper = arith::ShLIOp::create(b, lanes.loc, upper, half);
  return arith::OrIOp::create(b, lanes.loc, load(element, /*isWord=*/false), upper);
}
