//===- AttentionPairs.cpp - queries, keys and values for the unit of tiles ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The factors of `weft_cpu.tile_product`: queries are rows of bf16, keys and values panels of 32
// columns of words of 32 bits, pairs of contracted elements of a key and pairs of keys of a column
// of values. Where contracted elements lie in pairs they are moved as words: panels of keys are
// squares of words, transposed.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

bool AttentionTask::hasWords(unsigned input, unsigned dot) {
  // Vectors of them run over one index alone, or lie within one.
  return isContiguous(input, plan.contracted[dot],
                      plan.contracted[dot].size() == 1 ? 2 : 2 * lanes.width);
}

Value AttentionTask::loadWords(unsigned input, unsigned dot, const Lanes &word, Value mask,
                               ArrayRef<Lanes> others) {
  Lanes element =
      lanes.uniform(word.value, {0, plan.sizeC[dot] / 2 - 1}, word.divisor == 0 ? 0 : lanes.width);
  SmallVector<Lanes> indices(others);
  setIndices(lanes, kernel, op.getIndices(), plan.contracted[dot],
             lanes.mul(element, lanes.constant(2)), indices);
  Value pointer = getAddress(input, indices);
  Type type = lanes.vectorOf(lanes.b.getI32Type());
  if (!mask)
    return LLVM::LoadOp::create(lanes.b, lanes.loc, type, pointer, /*alignment=*/2);
  return LLVM::MaskedLoadOp::create(lanes.b, lanes.loc, type, pointer, mask, lanes.intVector(0),
                                    lanes.b.getI32IntegerAttr(2), nullptr);
}

Value AttentionTask::joinPairs(Value first, Value second) {
  OpBuilder &b = lanes.b;
  Type words = lanes.vectorOf(b.getI32Type());
  auto getBits = [&](Value reals) { return arith::BitcastOp::create(b, lanes.loc, words, reals); };
  Value low = arith::ShRUIOp::create(b, lanes.loc, getBits(first), lanes.intVector(16));
  return arith::OrIOp::create(b, lanes.loc, low, getBits(second));
}

void AttentionTask::packQueryPairs(unsigned dot) {
  Type element = lanes.b.getBF16Type(), memory = getMemoryType(element);
  bool words = hasWords(2 * dot, dot);
  forRows(getPaddedRows(), [&](const Lanes &row) {
    SmallVector<Lanes> indices = getRowIndices(row);
    Lanes offset = lanes.mul(row, lanes.constant(plan.sliceC[dot]));
    Value target = getElementPointer(lanes, state.queries[dot], memory, offset.value);
    Lanes size = lanes.constant(words ? plan.sizeC[dot] / 2 : plan.sizeC[dot]);
    Buffer packed{target, words ? Type(lanes.b.getI32Type()) : element, {}, {}, {}};
    lanes.laneLoop(lanes.constant(0), size, {}, [&](const Lanes &c, Value mask, ValueRange) {
      Lanes loaded;
      if (words) {
        loaded = lanes.uniform(loadWords(2 * dot, dot, c, mask, indices));
      } else {
        setIndices(lanes, kernel, op.getIndices(), plan.contracted[dot], c, indices);
        RegionEmitter region(lanes, kernel, indices, mask);
        loaded = region.load(op.getQuery(dot), formula.getInputMap(2 * dot));
      }
      storeElements(lanes, packed, c, loaded, mask);
      return SmallVector<Value>();
    });
    if (plan.sizeC[dot] % 2 != 0) {
      Value zero = arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(memory));
      storeScalar(lanes, target, lanes.constant(plan.sizeC[dot]), zero);
    }
  });
}

void AttentionTask::packKeyPairs(unsigned dot, const Lanes &block, const Lanes &padded) {
  int64_t columns = 2 * lanes.width;
  bool squares = hasWords(2 * dot + 1, dot);
  lanes.loop(lanes.indexConstant(0), padded.value, lanes.width, {}, [&](Value iv, ValueRange) {
    Lanes group = lanes.uniform(iv, {0, plan.blockKeys - 1}, lanes.width);
    Lanes before = lanes.mul(lanes.floorDiv(group, columns), lanes.constant(plan.getKeyWords(dot)));
    Value panel = addElements(lanes, state.keys[dot], lanes.add(before, lanes.mod(group, columns)));
    Lanes key = lanes.add(block, group);
    fetchAhead(2 * dot + 1, plan.contracted[dot], key, lanes.width);
    squares ? packKeySquares(dot, key, panel) : packKeyWords(dot, key, panel);
    return SmallVector<Value>();
  });
}

void AttentionTask::packKeySquares(unsigned dot, const Lanes &key, Value panel) {
  Lanes size = lanes.constant(plan.sizeC[dot] / 2);
  int64_t columns = 2 * lanes.width;
  lanes.laneLoop(lanes.constant(0), size, {}, [&](const Lanes &word, Value mask, ValueRange) {
    SmallVector<Value> rows;
    for (int64_t j = 0; j != lanes.width; ++j) {
      SmallVector<Lanes> indices = state.indices;
      indices[op.getKeyIndex()] = clampKey(lanes.add(key, lanes.constant(j)));
      rows.push_back(loadWords(2 * dot + 1, dot, word, mask, indices));
    }
    Lanes first = lanes.mul(lanes.uniform(word.value), lanes.constant(columns));
    Value target = addElements(lanes, panel, first);
    for (auto [j, words] : llvm::enumerate(transpose(lanes, rows)))
      storeVector(lanes, addElements(lanes, target, int64_t(j) * columns), words);
    return SmallVector<Value>();
  });
}

void AttentionTask::packKeyWords(unsigned dot, const Lanes &key, Value panel) {
  int64_t size = plan.sizeC[dot];
  auto load = [&](const Lanes &element) {
    SmallVector<Lanes> indices = state.indices;
    setIndices(lanes, kernel, op.getIndices(), plan.contracted[dot], element, indices);
    return loadKeys(dot, key, indices);
  };
  auto store = [&](const Lanes &word, Value words) {
    storeVector(lanes, addElements(lanes, panel, lanes.mul(word, lanes.constant(2 * lanes.width))),
                words);
  };
  lanes.loop(lanes.constant(size / 2), {}, [&](const Lanes &word, ValueRange) {
    Lanes element = lanes.mul(word, lanes.constant(2));
    store(word, joinPairs(load(element), load(lanes.add(element, lanes.constant(1)))));
    return SmallVector<Value>();
  });
  if (size % 2 != 0)
    store(lanes.constant(size / 2),
          joinPairs(load(lanes.constant(size - 1)), lanes.floatVector(0)));
}

void AttentionTask::packValuePairs(const Lanes &block, const Lanes &padded) {
  int64_t columns = 2 * lanes.width;
  Lanes pairs = lanes.floorDiv(padded, 2);
  lanes.loop(pairs, {}, [&](const Lanes &pair, ValueRange) {
    Lanes key = lanes.add(block, lanes.mul(pair, lanes.constant(2)));
    Lanes next = lanes.add(key, lanes.constant(1));
    fetchAhead(2 * op.getDots(), plan.columns, key, /*count=*/2);
    lanes.loop(lanes.indexConstant(0), lanes.indexConstant(plan.sliceV), lanes.width, {},
               [&](Value iv, ValueRange) {
                 Lanes column = lanes.uniform(iv, {0, plan.sliceV - 1}, lanes.width);
                 Value mask;
                 if (plan.sizeV != plan.sliceV)
                   mask = lanes.maskBelow(iv, lanes.indexConstant(plan.sizeV));
                 Lanes elements = lanes.iota(column);
                 elements.interval = {0, plan.sizeV - 1};
                 Value words =
                     joinPairs(loadValues(key, elements, mask), loadValues(next, elements, mask));
                 Lanes panel =
                     lanes.mul(lanes.floorDiv(column, columns), lanes.constant(plan.blockKeys / 2));
                 Lanes offset =
                     lanes.add(lanes.mul(lanes.add(panel, pair), lanes.constant(columns)),
                               lanes.mod(column, columns));
                 storeVector(lanes, addElements(lanes, state.values, offset), words);
                 return SmallVector<Value>();
               });
    return SmallVector<Value>();
  });
}
