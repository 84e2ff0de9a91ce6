//===- DecodeMmaTask.cpp - a part of the keys of few queries, on tensor cores ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeMmaTask.h"

#include "MmaAttentionPlan.h"
#include "SharedMemory.h"
#include "SharedTile.h"

#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/GPU/Fragment.h"

using namespace mlir;
using namespace weft;

void DecodeMmaTask::emit(const Lanes &task) {
  setTask(task);
  group8 = lanes.floorDiv(lane, 4);
  inGroup = lanes.mod(lane, 4);
  Lanes lastHead = lanes.constant(plan.schedule.heads - 1);
  queries = loadRow(plan.query, getRowIndices(lanes.min(group8, lastHead)), inGroup,
                    /*lanesOfRow=*/4, /*cleared=*/true);
  setReach();
  for (auto [i, row] : llvm::enumerate(own))
    row = getRow(getRowIndices(lanes.min(getOwnHead(int64_t(i)), lastHead)));
  ifKeys([&] { emitKeys(); });
}

void DecodeMmaTask::emitKeys() {
  State state = emitLoop();
  auto type = LLVM::LLVMArrayType::get(lanes.b.getI8Type(), unsigned(plan.getSharedBytes()));
  Value memory = makeShared(lanes, type, "warps", /*alignment=*/16);
  storeWarp(state, memory);
  nvx::BarrierOp::create(lanes.b, lanes.loc);
  int64_t ofRow = plan.getSharedRow(), heads = plan.schedule.heads;
  for (int64_t head = 0; head != heads; ++head)
    combineRow(head, memory, head * ofRow, heads * ofRow);
}

/// It may be one that there is not.
Lanes DecodeMmaTask::getOwnHead(int64_t number) {
  return lanes.add(lanes.mul(inGroup, lanes.constant(kOwn)), lanes.constant(number));
}

//===----------------------------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------------------------===//

/// The words of a vector; zeros where it does not exist.
DecodeMmaTask::Values DecodeMmaTask::loadVector(const DecodeFactor &factor, ArrayRef<Lanes> indices,
                                                const Lanes &vector, Value exists) {
  SmallVector<Lanes> place(indices);
  Lanes element = lanes.mul(vector, lanes.constant(factor.width));
  element.interval = {0, factor.size - 1};
  setIndices(lanes, kernel, op.getIndices(), factor.along, element, place);
  const Buffer &buffer = kernel.getBuffer(op.getInputs()[factor.input]);
  Lanes offset = getOffset(lanes, buffer, lanes.apply(formula.getInputMap(factor.input), place));
  Value address = getElementPointer(lanes, buffer.pointer, plan.element, offset.value);
  return loadWords(lanes, address, kChunkBytes / 4, exists);
}

/// Every so many-th vector of a row. One that the row lacks is the last one's, or zeros.
DecodeMmaTask::Values DecodeMmaTask::loadRow(const DecodeFactor &factor, ArrayRef<Lanes> indices,
                                             const Lanes &lane, int64_t lanesOfRow, bool cleared) {
  Values words;
  Lanes last = lanes.constant(factor.getVectors() - 1);
  for (int64_t first = 0; first < factor.getVectors(); first += lanesOfRow) {
    Lanes number = lanes.add(lane, lanes.constant(first));
    bool isWhole = first + lanesOfRow <= factor.getVectors();
    Value exists =
        cleared && !isWhole ? lanes.compare(arith::CmpIPredicate::sle, number, last) : Value();
    llvm::append_range(
        words, loadVector(factor, indices, isWhole ? number : lanes.min(number, last), exists));
  }
  return words;
}

/// Whether what scores are made of takes the registers that values would wait in.
bool DecodeMmaTask::isLong() {
  constexpr int64_t widest = 192;
  bool readsMore = op.getInputs().size() > 3;
  return isLongScore(op) || (readsMore && std::max(plan.key.size, plan.value.size) > widest);
}

/// Of sixteen keys from one on.
DecodeMmaTask::Keys DecodeMmaTask::loadKeys(const Lanes &first) {
  Keys all;
  for (int64_t skip : {0, 8}) {
    auto [key, exists] = getKey(lanes.add(first, lanes.add(group8, lanes.constant(skip))));
    all.numbers.push_back(key);
    all.exist.push_back(exists);
    all.words.push_back(
        loadRow(plan.key, getKeyIndices(key), inGroup, /*lanesOfRow=*/4, /*cleared=*/false));
  }
  return all;
}

SmallVector<DecodeMmaTask::Values> DecodeMmaTask::loadValues(const Lanes &first) {
  SmallVector<Values> all;
  Lanes pair = lanes.mul(inGroup, lanes.constant(2));
  for (int64_t skip : {0, 8, 1, 9}) {
    Lanes key = getKey(lanes.add(first, lanes.add(pair, lanes.constant(skip)))).first;
    all.push_back(
        loadRow(plan.value, getKeyIndices(key), group8, /*lanesOfRow=*/8, /*cleared=*/false));
  }
  return all;
}

//===----------------------------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------------------------===//

DecodeMmaTask::Values DecodeMmaTask::State::flatten() const {
  Values all(sums);
  llvm::append_range(all, largest);
  llvm::append_range(all, totals);
  return all;
}

DecodeMmaTask::State DecodeMmaTask::State::from(ValueRange carried) {
  return {Values(carried.drop_back(2 * kOwn)), Values(carried.drop_back(kOwn).take_back(kOwn)),
          Values(carried.take_back(kOwn))};
}

/// Warps take turns, and need not wait for each other.
DecodeMmaTask::State DecodeMmaTask::emitLoop() {
  State none;
  none.sums.assign(size_t(getProducts() * kRegistersC), lanes.floatConstant(0));
  none.largest.assign(kOwn, lanes.floatConstant(kLowest));
  none.totals.assign(kOwn, lanes.floatConstant(0));
  Lanes ofWarp = lanes.add(first, lanes.mul(warp, lanes.constant(plan.schedule.keys)));
  Interval interval{0, keyIndex().getSize() - 1};
  return State::from(lanes.loop(ofWarp.value, end.value, plan.getKeysOfStep(), none.flatten(),
                                [&](Value iv, ValueRange before) {
                                  Lanes step = lanes.uniform(iv, interval);
                                  return emitStep(step, State::from(before)).flatten();
                                }));
}

/// Everything is on its way before the first product, but values where scores need registers.
DecodeMmaTask::State DecodeMmaTask::emitStep(const Lanes &step, State state) {
  SmallVector<Keys, 2> keys;
  SmallVector<SmallVector<Values>> values;
  auto forUnits = [&](llvm::function_ref<void(const Lanes &first)> body) {
    for (int64_t i = 0; i != getUnits(); ++i)
      body(lanes.add(step, lanes.constant(i * kUnitKeys)));
  };
  auto load = [&](const Lanes &first) { values.push_back(loadValues(first)); };
  forUnits([&](const Lanes &first) {
    keys.push_back(loadKeys(first));
    if (!isLong())
      load(first);
  });
  Values scores[kOwn];
  for (const Keys &some : keys) {
    Values both = emitScores(some);
    for (size_t i = 0; i != kOwn; ++i)
      llvm::append_range(scores[i], ArrayRef(both).slice(2 * i, 2));
  }
  if (isLong())
    forUnits(load);
  for (size_t i = 0; i != kOwn; ++i)
    emitWeights(int64_t(i), scores[i], state);
  for (auto [i, some] : llvm::enumerate(values)) {
    Values weights;
    for (const Values &ofHead : scores)
      llvm::append_range(weights, ArrayRef(ofHead).slice(2 * i, 2));
    addValues(some, exchange(asFactor(lanes, weights, plan.element)), state);
  }
  return state;
}

DecodeMmaTask::Values DecodeMmaTask::emitScores(const Keys &keys) {
  Values dots(kRegistersC, lanes.floatConstant(0));
  for (size_t i = 0; i != queries.size(); i += 2)
    addProduct(lanes, plan.element,
               {keys.words[0][i], keys.words[1][i], keys.words[0][i + 1], keys.words[1][i + 1]},
               {queries[i], queries[i + 1]}, dots);
  Values scores;
  for (size_t head = 0; head != kOwn; ++head)
    for (size_t half : {0, 1})
      scores.push_back(
          finishScore(own[head], keys.numbers[half], keys.exist[half], dots[2 * half + head]));
  return scores;
}
