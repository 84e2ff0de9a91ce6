//===- DecodeMmaTask.h - a part of the keys of few queries, on tensor cores -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A warp takes 16 keys at once for all heads of a task, which are the 8 columns of `nvx.mma`; those
// that there are not repeat the last one, and are not stored. A thread with lane = 4 g + t has:
//
//   scores    = keys * queries     keys g and g + 8, heads 2 t and 2 t + 1
//   results^T = values^T * weights parts of rows of V, heads 2 t and 2 t + 1
//
// Keys and values go from memory to registers as vectors of 16 bytes, without a stop in shared
// memory, as nobody else needs them. That is possible because the elements that a product sums up,
// and the rows of its result, may be in any order as long as both factors agree:
//
//   - elements of a head: word w of the vector number 4 i + t is the thread's k number w % 2 of
//     product 2 i + w / 2, in keys as in queries;
//   - keys of the second product: 2 t, 2 t + 8, 2 t + 1, 2 t + 9 are the thread's k 0, 1, 8, 9;
//   - columns of values: the thread has the vectors g, g + 8, ... of four keys. Of these elements,
//     one behind the other, the first half are rows g of one product each, the others rows g + 8.
//
// What follows is that weights change threads between both products (`exchange`), and that keys of
// values change places in pairs.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_DECODEMMATASK_H
#define WEFT_LIB_CODEGEN_GPU_DECODEMMATASK_H

#include "DecodeTask.h"

namespace weft {

class DecodeMmaTask : public DecodePart {
public:
  using DecodePart::DecodePart;

  void emit(const Lanes &task);

private:
  void emitKeys();
  /// Heads of a thread.
  static constexpr int64_t kOwn = 2;
  /// Sums of all products, and of each head of the thread the largest score and the sum of this
  /// thread's weights.
  struct State {
    Values sums, largest, totals;

    Values flatten() const;
    static State from(mlir::ValueRange carried);
  };
  /// Of 16 keys those of a thread, g and g + 8.
  struct Keys {
    llvm::SmallVector<Lanes> numbers;
    Values exist;
    llvm::SmallVector<Values> words; ///< of their vectors
  };

  // Vectors of a row of keys (and queries) or of values, that a thread has.
  int64_t getKeyVectors() const { return llvm::divideCeil(plan.key.getVectors(), 4); }
  int64_t getValueVectors() const { return llvm::divideCeil(plan.value.getVectors(), 8); }
  int64_t getProducts() const { return getValueVectors() * 4; }
  int64_t getUnits() const { return plan.schedule.keys / kUnitKeys; }
  Lanes getOwnHead(int64_t number);

  Values loadRow(const DecodeFactor &factor, llvm::ArrayRef<Lanes> indices, const Lanes &lane,
                 int64_t lanesOfRow, bool cleared);
  Values loadVector(const DecodeFactor &factor, llvm::ArrayRef<Lanes> indices, const Lanes &vector,
                    mlir::Value exists);
  Keys loadKeys(const Lanes &first);
  /// Words of the values 2 t, 2 t + 8, 2 t + 1 and 2 t + 9.
  llvm::SmallVector<Values> loadValues(const Lanes &first);
  bool isLong();
  State emitLoop();
  State emitStep(const Lanes &step, State state);
  /// Of keys g and g + 8, those of the first head in front.
  Values emitScores(const Keys &keys);
  // Weights and results (DecodeMmaResults.cpp).
  /// Scores of a head become weights.
  void emitWeights(int64_t own, llvm::MutableArrayRef<mlir::Value> scores, State &state);
  Values exchange(mlir::ValueRange weights);
  void addValues(llvm::ArrayRef<Values> values, mlir::ValueRange weights, State &state);
  void storeWarp(const State &state, mlir::Value memory);
  void storeOwn(int64_t own, const State &state, mlir::Value memory);

  Lanes group8, inGroup; ///< g and t
  Row own[kOwn];
  Values queries; ///< words
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_DECODEMMATASK_H
