//===- AttentionTask.h - the code of one task of an attention -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task computes a block of queries for fixed outer indices (a head). For each block of keys it
// packs the keys transposed and the values row-major onto the stack, once for all its queries
// (AttentionPacking.cpp). Then for each tile of rows (AttentionTile.cpp):
//   1. scores: a register tile product of queries and packed keys, into a small buffer;
//   2. the score and predicate regions, vectorised over keys, and the exponentials relative to
//      the running maximum, in powers of two, so scores are multiplied by log2(e)
//      (AttentionWeights.cpp), or mostly to a guess of it (AttentionGuess.cpp);
//   3. results: a register tile product of these weights and the packed values, added to the sums
//      so far, which are scaled when the maximum has grown.
// One query reads keys and values where they lie, if it can (AttentionInPlace.cpp; of bf16 in the
// order of tiles, AttentionHalves.cpp, or by dots,
// AttentionDots.cpp).
// With a unit of tiles (AttentionTiles.cpp) both products are its own, of bf16: what is packed are
// pairs, scores and results lie in tiles of 32 columns, and weights have rows of their own.
// A head that is cut (AttentionSlices.cpp) takes these steps for all tiles of the block in turn: 1
// for slices of the contracted elements, 3 for slices of the columns. Its sums are in the output.
// Tiles outside the bounds of the keys are skipped, tiles inside for every row run without masks.
// Rows past the end repeat the last query; their results are not stored.
//
// A row's bits do not depend on the rows beside it: blocks of keys lie between multiples of their
// size, whatever key is the first that some row reaches, and a lane or a step of the unit has the
// same keys of it. What is masked has a weight of exactly 0.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_ATTENTIONTASK_H
#define WEFT_LIB_CODEGEN_CPU_ATTENTIONTASK_H

#include "AttentionPlan.h"
#include "MicroKernel.h"
#include "weft/Codegen/Common/AttentionRows.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/ExtremesEmitter.h"
#include "weft/Codegen/Common/RegionEmitter.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace weft {

class AttentionTask {
public:
  AttentionTask(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op, const AttentionPlan &plan)
      : lanes(lanes), kernel(kernel), op(op), formula(op), plan(plan),
        sharing(lanes, kernel, op, plan) {}

  /// How many tasks there are: blocks of queries, for all combinations of the outer indices.
  Lanes getNumTasks();
  /// Writes the code of task number `task`.
  void emit(const Lanes &task);

private:
  struct State {
    llvm::SmallVector<Lanes> indices; ///< the outer indices
    llvm::SmallVector<Lanes> next;    ///< those of the next task
    Lanes firstRow, numRows;          ///< the rows of this task
    Lanes numKeys;
    Lanes lower, upper;                     ///< the keys that some row can reach
    Lanes block, keysOfBlock;               ///< the block in hand: its first key, and how many
    llvm::SmallVector<mlir::Value> queries; ///< packed, for each dot product: [row][c]
    llvm::SmallVector<mlir::Value> halves;  ///< one query as f32, for each: [row][even, odd][c]
    llvm::SmallVector<mlir::Value> keys;    ///< of a block, for each dot product: [c][key]
    mlir::Value values;                     ///< of a block: [key][column]
    mlir::Value scores;                     ///< of the rows held: [dot][row][key]
    mlir::Value weights;                    ///< of the rows held, if not over scores: [row][key]
    mlir::Value sums;                       ///< weighted values so far: [row][column]
    mlir::Value largest;                    ///< of the scores so far: [row]
    mlir::Value totals;                     ///< sums of the weights so far: [row][lane]
    mlir::Value scale;                      ///< of the rows held, for the sums before: [row]
    mlir::Value lowers, uppers;             ///< bounds of the keys, i64: [row]
    Interval bounds{0, 0};                  ///< where these lie
    llvm::DenseMap<mlir::Value, Extremes> rowExtremes; ///< of the predicate, what rows alone decide
  };

  /// Contracted elements, or columns, that are packed together.
  struct Slice {
    Lanes first, size;
  };
  Slice getWhole(int64_t size) { return {lanes.constant(0), lanes.constant(size)}; }

  // A tile of rows, `row` the first of them, and a block of keys.
  /// The keys that some row and that every row of a tile can reach.
  struct Reach {
    Lanes someLower, someUpper, allLower, allUpper;
  };
  struct Tile {
    Lanes row, count; ///< the first row, and how many there are
    int64_t height;   ///< rows of the register tile
    Lanes keys;       ///< of the block, that some row reaches, in whole steps
    Reach reach;
    bool inPlace = false; ///< nothing is packed
  };

  // The task as a whole: rows are numbered from its first one.
  IndexAttr keyIndex();
  bool hasBounds();
  Lanes getNumBlocks();
  State makeState(const Lanes &task);
  /// The outer indices of a task, and the number of its block.
  llvm::SmallVector<Lanes> getOuterIndices(const Lanes &task, Lanes &block);
  void allocateBlocks(State &state);
  /// The indices of a row of the block; rows past the end are the last one.
  llvm::SmallVector<Lanes> getRowIndices(const Lanes &row);
  /// The number of rows, rounded up to whole register tiles, or to rows whose weights are made
  /// side by side.
  Lanes getPaddedRows();
  /// The rows of one query.
  int64_t getQueryRows() const { return plan.groupSize; }
  /// Whether there is one query, and it has tiles of its own; null: it never has.
  mlir::Value isOneQuery();
  void forRows(const Lanes &count, llvm::function_ref<void(const Lanes &)> body);
  /// The bounds of the keys of every row, and of all rows together.
  void emitBounds();
  void clearSums();
  void emitKeyBlocks();
  /// The keys of a block that begins at `block`, up to `end`.
  void emitKeyBlock(const Lanes &block, const Lanes &end);
  void emitKeyTile(const Tile &tile, const Lanes &block);
  void packKeyBlock(const Lanes &block, const Lanes &padded);
  void storeResults();
  /// Writes code for several results of a row.
  LaneBuilder getResultLanes();
  using ResultBody = llvm::function_ref<void(RegionEmitter &region, const Lanes &column)>;
  /// Visits the results of a row, given by its indices, in a slice of the columns; `column` counts
  /// from its first.
  void forResults(llvm::SmallVector<Lanes> row, const Slice &slice, ResultBody body);
  /// Writes the logarithm of every row's sum of exponentials, if it is asked for.
  void storeRowSums();
  /// What a row's sums are multiplied with at the end; 0 for a row without keys.
  mlir::Value emitNormalization(const Lanes &row);

  // Packing. `block` is the first key of a block, `padded` the number of its keys, rounded up to
  // two vectors.
  /// What a product of a query and a key is multiplied with, before or after it is made.
  float getScale(unsigned dot);
  /// The address of an input's element at the indices.
  mlir::Value getAddress(unsigned input, llvm::ArrayRef<Lanes> indices);
  /// Has the memory bring the elements of `count` keys farther on while these are packed, if there
  /// are too few rows to hide it; behind the last key are the first ones of the next task. The
  /// elements of a key run over the last of the positions.
  void fetchAhead(unsigned input, llvm::ArrayRef<unsigned> positions, const Lanes &key,
                  int64_t count);
  Lanes getKeyAhead(const Lanes &key);
  void fetchKeys(unsigned input, llvm::ArrayRef<unsigned> positions, Lanes first, int64_t count,
                 int64_t lines);
  /// Queries become rows of contracted elements, scaled.
  void packQueries(unsigned dot, const Slice &slice);
  /// The indices of a key of the block; keys past the end are the last one, masked later.
  Lanes clampKey(const Lanes &key);
  /// Whether as many elements as `multiple` lie side by side, wherever a multiple of it begins.
  bool isContiguous(unsigned input, llvm::ArrayRef<unsigned> positions, int64_t multiple);
  /// Keys become `[contracted][key]`.
  void packKeys(unsigned dot, const Slice &slice, const Lanes &block, const Lanes &padded);
  /// One contracted element of `width` keys.
  mlir::Value loadKeys(unsigned dot, const Lanes &key, llvm::SmallVector<Lanes> indices);
  /// `width` contracted elements of `width` keys, by a transposition.
  llvm::SmallVector<mlir::Value> loadSquare(unsigned dot, const Lanes &key,
                                            llvm::SmallVector<Lanes> indices);
  /// Values become `[key][column]`, padded with zeros.
  void packValues(const Slice &slice, const Lanes &block, const Lanes &padded);
  mlir::Value loadValues(const Lanes &key, const Lanes &column, mlir::Value mask);

  // The same for tiles, in pairs: of the contracted elements, and of keys for values.
  void packQueryPairs(unsigned dot);
  void packKeyPairs(unsigned dot, const Lanes &block, const Lanes &padded);
  void packKeySquares(unsigned dot, const Lanes &key, mlir::Value panel);
  void packKeyWords(unsigned dot, const Lanes &key, mlir::Value panel);
  void packValuePairs(const Lanes &block, const Lanes &padded);
  /// Whether the contracted elements of the input lie in pairs.
  bool hasWords(unsigned input, unsigned dot);
  /// The pairs from number `word` on of the contracted elements, at the other indices.
  mlir::Value loadWords(unsigned input, unsigned dot, const Lanes &word, mlir::Value mask,
                        llvm::ArrayRef<Lanes> others);
  /// Two vectors of elements of bf16, as f32, as one of pairs.
  mlir::Value joinPairs(mlir::Value first, mlir::Value second);

  // One query: nothing is packed for it.
  /// From one key's value to the next, in words of 4 bytes; nothing if they are not to be read in
  /// place.
  std::optional<int64_t> getValueStride();
  bool canReadInPlace();
  void emitScoresInPlace(unsigned dot, const Tile &tile, const Lanes &block);
  void setValuesInPlace(TileFactors &factors, const Lanes &block, mlir::Value column,
                        int64_t numVectors);

  // The same of bf16, by loops of dots.
  bool canReadPairsInPlace();
  mlir::Value loadPair(mlir::Value rows, const Lanes &word);
  /// Scores of words of keys, `width` of `width` keys at a time: `columns` are such a square,
  /// transposed, from word `first` on.
  using SquareBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange columns, const Lanes &first, mlir::ValueRange carried)>;
  void emitSquareScores(unsigned dot, const Tile &tile, const Lanes &block, SquareBody body);
  void emitPairScores(unsigned dot, const Tile &tile, const Lanes &block);
  /// Words of a key's value, each two columns.
  mlir::Value loadValueWords(const Lanes &key, int64_t column);
  std::pair<mlir::Value, mlir::Value> loadValuePairs(const Lanes &key, int64_t column);
  /// Where the sums of a tile are, of `count` times two vectors of columns of each row.
  llvm::SmallVector<mlir::Value> getSumPlaces(const Tile &tile, int64_t column, int64_t count);
  void emitPairSums(const Tile &tile, const Lanes &block);
  /// Those of `count` times two vectors of columns.
  void emitPairSums(const Tile &tile, const Lanes &block, int64_t column, int64_t count);

  // The same as f32, with the sums of the unit of tiles.
  /// The first or second elements of a row's pairs.
  mlir::Value getHalves(unsigned dot, int64_t row, bool isHigh);
  void splitQueries(unsigned dot);
  void emitHalfScores(unsigned dot, const Tile &tile, const Lanes &block);
  /// Those of `count` times two vectors of columns; a step of the unit adds up the products of two
  /// keys of a pair on their own.
  void emitHalfSums(const Tile &tile, const Lanes &block, int64_t column, int64_t count);
  llvm::SmallVector<mlir::Value> addHalfValues(const Tile &tile, const Lanes &key,
                                               const Lanes &pair, int64_t column, int64_t count,
                                               mlir::ValueRange carried);

  // Panels: of this task's block, or of all keys as another kernel has packed them.
  void findPanels();
  mlir::Value getPanels(unsigned input);
  /// The panel of the two vectors of keys that begin at `key` of the block.
  void setKeyPanel(TileFactors &factors, unsigned dot, const Lanes &block, mlir::Value key);
  /// The panel of the vectors of columns that begin at `column`.
  void setValuePanel(TileFactors &factors, const Lanes &block, mlir::Value column,
                     int64_t numVectors);
  /// The keys of a block whose values are there to be summed.
  Lanes getSummedKeys(const Tile &tile, const Lanes &block);

  // Tiles of rows.
  Reach getReach(const Lanes &row, const Lanes &count);
  using TileBody = llvm::function_ref<void(const Tile &tile)>;
  /// Visits the tiles with the keys of the block that they reach.
  void forTiles(const Lanes &block, const Lanes &padded, TileBody body);
  void forTiles(int64_t height, const Lanes &block, const Lanes &padded, TileBody body);
  void emitTile(Tile tile, const Lanes &block, TileBody body);
  std::pair<mlir::Value, mlir::Value> loadBounds(const Lanes &row);

  // What the predicate hides from a whole task (AttentionMask.cpp).
  /// Whether a value of the predicate depends on the key, and on the row.
  struct Deciders {
    bool keys = false, rows = false;
  };
  Deciders getDeciders(mlir::Value value);
  /// Values of the predicate that keys alone decide, and those that rows alone or neither do.
  struct Leaves {
    llvm::SetVector<mlir::Value> ofKeys, ofRows;
  };
  Leaves collectLeaves();
  /// Nothing if their ranges never say that a key is hidden.
  std::optional<Leaves> findLeaves();
  mlir::Value getPredicate();
  /// Gives a region those arguments that rows do not decide, or keys.
  void giveArguments(RegionEmitter &region, bool ofKeys);
  void emitRowExtremes();
  /// Of two vectors of keys, those before `end`.
  llvm::MapVector<mlir::Value, Extremes> getKeyExtremes(const Lanes &key, const Lanes &end);
  /// Whether some row may see one of them.
  mlir::Value emitMaySee(const Lanes &key, const Lanes &end);
  /// The keys of a block, less those at its ends that no row sees.
  void emitSeenKeys(const Lanes &block, const Lanes &end);
  /// Where scores and scale of row `r` of a tile are, counted from the first row held.
  Lanes getHeldRow(const Lanes &tile, const Lanes &r);
  mlir::Value getScores(int64_t dot, const Lanes &held);
  /// Those of the keys of the block from `position` on.
  mlir::Value getScores(int64_t dot, const Lanes &held, const Lanes &position);
  /// scores[dot][row][key] = scaled dot products; those of a slice are added to those before.
  void emitScores(unsigned dot, const Slice &slice, const Tile &tile, const Lanes &block);
  /// Turns the scores of a tile into weights.
  void emitWeights(const Tile &tile, const Lanes &block);
  /// sums[row][column] = scale * sums + weights * values.
  void emitSums(const Slice &slice, const Tile &tile, const Lanes &block);
  void emitSumTile(const Tile &tile, const Lanes &block, const Lanes &keys, mlir::Value column,
                   int64_t numVectors);

  // The same by the unit of tiles.
  void emitTileScores(unsigned dot, const Tile &tile);
  void emitTileSums(const Tile &tile);
  void scaleTileSums(const Tile &tile);
  mlir::Value getTileSums(const Lanes &row, const Lanes &column);
  /// Where the sums of a row from a column on are.
  mlir::Value getSums(const Lanes &row, const Lanes &column);

  // A head that is cut.
  /// Visits slices of `size` elements, `length` long but for the last.
  void forSlices(int64_t size, int64_t length, llvm::function_ref<void(const Slice &)> body);
  void emitCutKeyBlock(const Lanes &block, const Lanes &padded);
  void clearScores(const Lanes &padded);
  void clearOutput();
  /// Moves the sums of a slice from the output to the stack, and back.
  void loadSums(const Slice &slice);
  void storeSums(const Slice &slice);
  void normalizeOutput();

  // Weights of neighbouring rows of a tile: each waits for its own maximum and sums, so several
  // take turns.
  struct RowGroup {
    Lanes tile, first; ///< the first row of the tile, and of the group counted from it
    int64_t count;
  };
  Lanes getRow(const RowGroup &group, int64_t i) {
    return lanes.add(group.first, lanes.constant(i));
  }
  /// Turns the scores of the rows into weights relative to the running maxima.
  void emitGroupWeights(const RowGroup &group, const Lanes &block, const Lanes &padded,
                        bool masked);
  /// Whether scores are made of their products, and hidden, where they are read, for the maxima and
  /// for the weights, and never stored: the first pass then writes nothing.
  bool readsTwice();
  /// The scores of row `i` of a group and of the keys from `position` of the block on, in units of
  /// log2(e), less `largest`, if given; minus infinity (or 0, if they are not normalised) where the
  /// predicate fails.
  mlir::Value readScore(const RowGroup &group, int64_t i, const Lanes &block, const Lanes &position,
                        bool masked, mlir::Value largest = {});
  /// Scores that are not normalised are the weights.
  void storeScores(const RowGroup &group, const Lanes &block, const Lanes &padded, bool masked);
  /// The rows' largest scores of a block, which are stored as they are compared if they are not
  /// read so again.
  llvm::SmallVector<mlir::Value> emitBlockLargest(const RowGroup &group, const Lanes &block,
                                                  const Lanes &padded, bool masked);
  /// The rows' maxima so far.
  llvm::SmallVector<mlir::Value> loadLargest(const RowGroup &group);
  /// The weights of a block relative to these, of scores that were stored or are read again; the
  /// results are their sums.
  llvm::SmallVector<mlir::Value> emitExponentials(const RowGroup &group, const Lanes &block,
                                                  const Lanes &padded, bool masked,
                                                  mlir::ValueRange largest);
  /// The rows' new maxima, totals and scales, for the sums of the block's weights.
  void emitTotals(const RowGroup &group, mlir::ValueRange scales, mlir::ValueRange largest,
                  mlir::ValueRange sums);
  /// The scores of a product; those of tiles are still to be scaled.
  mlir::Value loadScore(int64_t dot, const Lanes &held, const Lanes &position);
  /// The number that weights are relative to, for a row's largest score.
  mlir::Value emitLargest(mlir::Value before, mlir::Value inBlock);
  /// Writes what multiplies values.
  void storeWeight(const Lanes &held, const Lanes &position, mlir::Value weight);
  /// Those of two vectors of keys.
  void storeWeights(const Lanes &held, const Lanes &position, mlir::Value first,
                    mlir::Value second);
  mlir::Value getWeights(const Lanes &held, const Lanes &position);
  /// What the sums before are multiplied with.
  llvm::SmallVector<mlir::Value> emitScales(mlir::ValueRange before, mlir::ValueRange largest);
  // The same relative to a guess of the maxima.
  /// The maxima so far, or where there are none the largest scores of the first keys.
  llvm::SmallVector<mlir::Value> emitGuesses(const RowGroup &group, const Lanes &block,
                                             mlir::ValueRange before);
  /// Turns the scores into weights; `inside`: every row reaches every key of the block.
  void emitGuessedWeights(const RowGroup &group, const Lanes &block, const Lanes &padded,
                          mlir::Value inside);
  mlir::Value getTotals(const Lanes &row);
  /// The sum of a row's weights.
  mlir::Value loadTotal(const Lanes &row);
  /// The keys within the bounds of a row.
  mlir::Value emitKeyMask(const Lanes &row, const Lanes &key);
  /// Visits the keys of a block, `step` at a time, with carried values.
  using KeysBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(const Lanes &position,
                                                                     mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> forKeys(const Lanes &padded, int64_t step, mlir::ValueRange inits,
                                         KeysBody body);

  LaneBuilder &lanes;
  const Kernel &kernel;
  AttentionOp op;
  FormulaOpInterface formula;
  const AttentionPlan &plan;
  AttentionRows sharing; ///< rows with the same keys
  std::optional<Leaves> leaves;
  State state;
};

} // namespace weft

#endif
