//===- StepPlan.h - what a step computes ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The analysis of `weft-derive-step`; docs/Decoding.md is its proof. A step computes the last
// positions of a sequence. Which rows of which tensors that takes follows from how they are read,
// backwards from the generated output. StepPlanner.cpp makes the plan, which records every
// decision; the emitters carry it out.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPPLAN_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPPLAN_H

#include "Causality.h"
#include "TensorReads.h"

namespace weft {

/// In which form a step needs a tensor, and has it.
enum class Form {
  Whole, ///< it has no dimension of positions
  Rows,  ///< the new positions
  Last,  ///< the last of them
  Full   ///< all positions so far
};

/// What a step needs of one tensor.
struct Demand {
  bool rows = false, last = false, full = false, whole = false; ///< the forms
  bool start = false;  ///< all of it, once, when a sequence starts
  unsigned rowDim = 0; ///< which dimension holds the rows
  int64_t reach = 0;   ///< full: how far back positions are read; kUnbounded: all of them

  static constexpr int64_t kUnbounded = INT64_MAX;
  /// Whether a step reads it.
  bool any() const { return hasRows() || full || whole; }
  /// Whether it is needed along `rowDim`.
  bool hasRows() const { return rows || last; }
  void add(Form form);
  /// Adds what another reader needs.
  void join(const Demand &other);
  bool operator<(const Demand &other) const;
  /// Calls `visit(form)` for each form that is needed: the order of arguments and results.
  void forEachForm(llvm::function_ref<void(Form)> visit) const;
};

/// The values of one dimension that are read: first .. last.
struct ReadRange {
  int64_t first = INT64_MAX, last = -1;
  void add(int64_t from, int64_t to);
};

/// A read, and the form of the tensor that it is done in.
struct PlannedRead {
  TensorRead read;
  Form form;
  unsigned rowDim; ///< of Rows and Last: the dimension that is read at the row
};

/// Which rows a formula (or check) is computed for: all new ones of its index `row`, or the last of
/// them; without one, for all that it defines.
struct ComputedRows {
  std::optional<unsigned> row;
  bool last = false;

  Form getForm() const { return last ? Form::Last : Form::Rows; }
  bool operator<(const ComputedRows &other) const {
    return std::tie(row, last) < std::tie(other.row, other.last);
  }
};

/// A formula (or check) as a step computes it. The reads are in the order of getReads().
struct Computation : ComputedRows {
  llvm::SmallVector<PlannedRead> reads;
};

/// The plan of one function, for given arguments and needed results.
struct StepPlan {
  mutable mlir::func::FuncOp function;
  llvm::SmallVector<Demand> results; ///< what the caller needs
  /// Tensors that follow from the inputs along the position: new ones come with every step.
  llvm::DenseSet<mlir::Value> fresh;
  llvm::DenseMap<mlir::Value, Demand> demands;
  /// Of a fresh tensor that is needed in full: what is read of each dimension.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<ReadRange>> extents;
  /// Tensors that no new position changes: made when a sequence starts, over all the positions that
  /// there can be, and kept in its state.
  llvm::DenseSet<mlir::Value> kept;
  /// What a step does: formulas and checks, each at most once by rows (if these are not needed, for
  /// the last of them) and once for all; and calls.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Computation>> computations;
  llvm::DenseMap<mlir::Operation *, StepPlan *> callees;
  /// What is done when a sequence starts, besides the starts of `callees`.
  llvm::DenseSet<mlir::Operation *> startOps;
  bool hasStart = false; ///< something is done when a sequence starts

  Demand getDemand(mlir::Value value) const { return demands.lookup(value); }
  bool isFresh(mlir::Value value) const { return fresh.contains(value); }
  bool isKept(mlir::Value value) const { return kept.contains(value); }
  bool isEntry() const { return attrs::Entry::isOn(function); }
  /// Whether the function holds the cache of `value`: the rows are made in it, or given to an
  /// entry. (A layer gets the caches of its arguments from its caller.)
  bool ownsCache(mlir::Value value) const;
  /// Adds what `op` needs of `value`.
  std::optional<Refusal> need(mlir::Operation *op, mlir::Value value, const Demand &demand);
  /// Adds what is read of a cache: `coordinates` say which values; without them, any.
  void addExtents(mlir::Value cached, mlir::AffineMap coordinates);
};

} // namespace weft

#endif
