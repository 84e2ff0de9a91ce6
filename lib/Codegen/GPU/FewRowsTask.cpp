//===- FewRowsTask.cpp - the code of the columns of a block -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FewRows.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

FewRowsTask::FewRowsTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op,
                         const FewRowsPlan &plan)
    : ColumnBlock(lanes, kernel, op, plan.shape.product, plan.getColumns()), plan(plan) {}

void FewRowsTask::emit(const Lanes &task) {
  thread = getThread(lanes);
  inGroup = lanes.mod(thread, plan.getThreads());
  group = lanes.floorDiv(thread, plan.getThreads());
  setBlock(task);
  setPointers();
  if (plan.shape.codes && !plan.isNumbers())
    words.emplace(lanes, plan.shape.codes->getTable());
  emitResults(emitSteps());
}

/// The first of the columns that a group reads: the last ones for those that have none of their
/// own, or not all of them.
Lanes FewRowsTask::getFirstColumn(const Lanes &number) {
  Lanes own = lanes.add(blockColumn, lanes.mul(number, lanes.constant(plan.schedule.columns)));
  return lanes.min(own, lanes.sub(sizeN, lanes.constant(plan.schedule.columns)));
}

void FewRowsTask::setPointers() {
  const ChunkedProduct &shape = plan.shape;
  Interval ofRows{0, shape.sizeM - 1};
  Lanes last = lanes.sub(sizeM, lanes.constant(1));
  for (int64_t i = 0; i != plan.schedule.rows; ++i) {
    Lanes row = lanes.min(lanes.constant(i), last);
    llvm::append_range(rows, shape.rows.getPointers(lanes, kernel, indices, row, 1, ofRows));
  }
  Lanes first = getFirstColumn(group);
  for (int64_t i = 0; !shape.codes && i != plan.schedule.columns; ++i) {
    Lanes column = lanes.add(first, lanes.constant(i));
    llvm::append_range(columns, shape.columns.getPointers(lanes, kernel, indices, column, 1,
                                                          Interval{0, shape.sizeN - 1}));
  }
  if (!shape.codes)
    return;
  Value memory = kernel.getBuffer(op.getInputs()[shape.product.columns]).pointer;
  Lanes number = lanes.add(lanes.mul(batch, sizeN), first);
  Lanes place = lanes.mul(number, lanes.constant(shape.getRowBytes()));
  for (int64_t i = 0; i != plan.schedule.columns; ++i) {
    Lanes column = lanes.add(place, lanes.constant(i * shape.getRowBytes()));
    columns.push_back(getElementPointer(lanes, memory, lanes.b.getI8Type(), column.value));
  }
}

//===----------------------------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------------------------===//

/// Whole steps, and a last one for which some threads have no piece, and some warps none at all.
FewRowsTask::Values FewRowsTask::emitSteps() {
  int64_t threads = plan.getThreads(), pieces = plan.getPieces(), whole = pieces / threads;
  Type type = plan.shape.getSumType(lanes.b);
  Value zero = arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(type));
  Values sums(size_t(plan.schedule.rows * plan.schedule.columns), zero);
  auto getPiece = [&](const Lanes &step) {
    return lanes.add(lanes.mul(step, lanes.constant(threads)), inGroup);
  };
  if (whole > 0)
    sums = lanes.loop(lanes.constant(whole), sums, [&](const Lanes &step, ValueRange carried) {
      return emitStep(getPiece(step), /*exists=*/Value(), carried);
    });
  if (pieces % threads == 0)
    return sums;
  Lanes piece = getPiece(lanes.constant(whole)), count = lanes.constant(pieces);
  Lanes ofWarp = lanes.mul(lanes.floorDiv(piece, kWarpSize), lanes.constant(kWarpSize));
  Value isSome = lanes.compare(arith::CmpIPredicate::slt, ofWarp, count);
  return lanes.ifThen(isSome, sums, [&] {
    Value exists = lanes.compare(arith::CmpIPredicate::slt, piece, count);
    return emitStep(lanes.min(piece, lanes.constant(pieces - 1)), exists, sums);
  });
}

/// All that is read comes first, so that it is on its way at once.
FewRowsTask::Values FewRowsTask::emitStep(const Lanes &piece, Value exists, ValueRange before) {
  Values sums(before);
  Lanes k = lanes.mul(piece, lanes.constant(plan.getDepth()));
  SmallVector<ColumnPiece> ofColumns;
  for (Value column : columns)
    ofColumns.push_back(loadColumn(column, k));
  SmallVector<RowPiece> ofRows;
  for (Value row : rows)
    ofRows.push_back(loadRow(row, k, exists));
  for (auto [i, column] : llvm::enumerate(ofColumns))
    multiply(ofRows, column, MutableArrayRef(sums).slice(i * rows.size(), rows.size()));
  return sums;
}

/// The elements of a vector that is read at once.
static void loadTogether(LaneBuilder &lanes, Value pointer, Type element, int64_t count,
                         SmallVectorImpl<Value> &elements) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t width = std::min<int64_t>(count, kChunkBytes / bytes);
  for (int64_t i = 0; i != count; i += width) {
    Value place = getElementPointer(lanes, pointer, element, lanes.constant(i).value);
    Type type = width == 1 ? element : Type(VectorType::get({width}, element));
    Value loaded = LLVM::LoadOp::create(lanes.b, lanes.loc, type, place, unsigned(width * bytes));
    for (int64_t j = 0; j != width; ++j)
      elements.push_back(width == 1 ? loaded
                                    : vector::ExtractOp::create(lanes.b, lanes.loc, loaded, j));
  }
}

FewRowsTask::RowPiece FewRowsTask::loadRow(Value row, const Lanes &k, Value exists) {
  Type element = plan.isNumbers() ? Type(lanes.b.getI32Type()) : lanes.b.getF32Type();
  int64_t ofElement = element.getIntOrFloatBitWidth() / 8 / plan.shape.getBytes();
  Value start = getElementPointer(lanes, row, plan.shape.element, k.value);
  RowPiece piece;
  loadTogether(lanes, start, element, plan.getDepth() / ofElement, piece.elements);
  Value zero = arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(element));
  for (Value &number : piece.elements)
    number = exists ? lanes.select(exists, number, zero) : number;
  prepareRow(piece);
  return piece;
}

FewRowsTask::ColumnPiece FewRowsTask::loadColumn(Value column, const Lanes &k) {
  ColumnPiece piece;
  if (!plan.shape.codes) {
    Type element = plan.shape.element;
    loadTogether(lanes, getElementPointer(lanes, column, element, k.value), element,
                 plan.getDepth(), piece.words);
    return piece;
  }
  const CodedColumns &codes = *plan.shape.codes;
  Type word = lanes.b.getI32Type(), byte = lanes.b.getI8Type();
  loadTogether(lanes, getElementPointer(lanes, column, byte, codes.getCodePlace(lanes, k).value),
               word, plan.schedule.bytes / 4, piece.words);
  Lanes group = codes.getGroup(lanes, k);
  if (!plan.isNumbers()) {
    piece.scale = scaleDecoded(lanes, loadShared(column, group, false), codes.getTable());
    if (plan.getShift() != CodeShift::None)
      piece.shift = loadShared(column, group, true);
    return piece;
  }
  OpBuilder &b = lanes.b;
  Lanes own = lanes.add(codes.getWordPlace(lanes, group, 0), lanes.mod(group, kWordGroups));
  Value shared = LLVM::LoadOp::create(b, lanes.loc, byte,
                                      getElementPointer(lanes, column, byte, own.value), 1);
  shared = arith::ExtUIOp::create(b, lanes.loc, word, shared);
  piece.scale = arith::AndIOp::create(b, lanes.loc, shared, makeWord(lanes, 15));
  Value zero = arith::ShRUIOp::create(b, lanes.loc, shared, makeWord(lanes, 4));
  zero = arith::SubIOp::create(b, lanes.loc, makeWord(lanes, 0), zero);
  piece.shift = arith::MulIOp::create(b, lanes.loc, zero, piece.scale);
  return piece;
}

/// The scale or the shift of a group of reals.
Value FewRowsTask::loadShared(Value column, const Lanes &group, bool isShift) {
  const CodedColumns &codes = *plan.shape.codes;
  return codes.loadShared(lanes, isShift, [&](int64_t number, Type memory) -> Value {
    Lanes place = codes.getWordPlace(lanes, group, number);
    Value pointer = getElementPointer(lanes, column, lanes.b.getI8Type(), place.value);
    return LLVM::LoadOp::create(lanes.b, lanes.loc, memory, pointer, /*alignment=*/4);
  });
}
