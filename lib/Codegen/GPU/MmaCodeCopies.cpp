//===- MmaCodeCopies.cpp - codes on their way to shared memory -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Codes, and the words that groups of them share, go through the ring as they are stored.
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

using namespace mlir;
using namespace weft;

void MmaTask::addCodeCopies() {
  const CodedColumns &codes = *plan.shape.codes;
  addCodeCopies(plan.getCodeBytes() / codes.getCopyBytes(plan.schedule.tile[2]), std::nullopt);
  for (int64_t i = 0; i != codes.getNumWords(); ++i)
    addCodeCopies(plan.getNumGroups(), i);
}

void MmaTask::addCodeCopies(int64_t ofColumn, std::optional<int64_t> word) {
  int64_t total = plan.schedule.tile[1] * ofColumn;
  for (int64_t first = 0; first < total; first += kBlockSize) {
    Lanes number = lanes.add(thread, lanes.constant(first));
    CodeCopy copy = makeCodeCopy(number, ofColumn, word);
    if (first + kBlockSize > total)
      copy.isOwn = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(total));
    codeCopies.push_back(copy);
  }
}

/// Neighbouring threads copy what lies side by side of codes, and a word of neighbouring columns.
MmaTask::CodeCopy MmaTask::makeCodeCopy(const Lanes &number, int64_t ofColumn,
                                        std::optional<int64_t> word) {
  int64_t columns = plan.schedule.tile[1], k = plan.schedule.tile[2] / ofColumn;
  Lanes column = word ? lanes.mod(number, columns) : lanes.floorDiv(number, ofColumn);
  Lanes piece = word ? lanes.floorDiv(number, columns) : lanes.mod(number, ofColumn);
  CodeCopy copy;
  copy.word = word;
  copy.firstK = lanes.mul(piece, lanes.constant(k));
  Lanes position = lanes.add(firstColumn, column);
  copy.exists = lanes.compare(arith::CmpIPredicate::slt, position, sizeN);
  copy.row = getPackedRow(lanes.min(position, lanes.sub(sizeN, lanes.constant(1))));
  if (word) {
    Lanes line = lanes.add(piece, lanes.constant(*word * plan.getNumGroups()));
    Lanes place = lanes.add(lanes.mul(line, lanes.constant(columns)), column);
    copy.target = lanes.add(lanes.mul(place, lanes.constant(4)), lanes.constant(plan.getWords()));
    return copy;
  }
  Lanes bytes = lanes.mul(piece, lanes.constant(plan.getCodeBytes() / ofColumn));
  Lanes place = plan.getTileB().getPlace(lanes, column, lanes.floorDiv(bytes, kChunkBytes));
  copy.target = lanes.add(lanes.add(place, lanes.mod(bytes, kChunkBytes)),
                          lanes.constant(plan.getTileA().getBytes()));
  return copy;
}

void MmaTask::copyCodes(const CodeCopy &copy, const Lanes &stage, const Lanes &step) {
  const CodedColumns &codes = *plan.shape.codes;
  int64_t bytes = copy.word ? 4 : codes.getCopyBytes(plan.schedule.tile[2]);
  auto emitCopy = [&] {
    Lanes k = lanes.add(copy.firstK, lanes.mul(step, lanes.constant(plan.schedule.tile[2])));
    Lanes place = copy.word ? codes.getWordPlace(lanes, codes.getGroup(lanes, k), *copy.word)
                            : codes.getCodePlace(lanes, k);
    Value exists = lanes.andMask(copy.exists, existsInPart(k, step));
    Value source = getElementPointer(lanes, getColumns().pointer, lanes.b.getI8Type(),
                                     lanes.add(copy.row, place).value);
    Value size = lanes.select(exists, makeWord(lanes, bytes), makeWord(lanes, 0));
    nvx::CpAsyncOp::create(lanes.b, lanes.loc, getShared(lanes.add(stage, copy.target)), source,
                           size, uint32_t(bytes));
    return SmallVector<Value>();
  };
  if (copy.isOwn)
    lanes.ifThen(copy.isOwn, {}, emitCopy);
  else
    emitCopy();
}
