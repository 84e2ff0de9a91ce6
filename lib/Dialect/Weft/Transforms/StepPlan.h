//===- StepPlan.h - what each tensor of a step is needed for --------------------------------===//
//
// The analysis of `weft-derive-step`; docs/Decoding.md is its proof. A step computes the last
// positions of a sequence. Which rows of which tensors that takes follows from how they are read,
// backwards from the generated output: a tensor read at the position that is computed is needed in
// *rows*, one read at other positions is needed in *full*, that is, with what was computed before.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEPPLAN_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEPPLAN_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/SetVector.h"

#include <map>
#include <memory>

namespace weft {

/// What a step needs of one tensor.
struct Demand {
  bool rows = false;   ///< the new positions along `rowDim`
  bool full = false;   ///< all positions so far
  bool whole = false;  ///< it has no dimension of positions
  bool start = false;  ///< all of it, once, when a sequence starts
  unsigned rowDim = 0; ///< which dimension holds the rows
  int64_t reach = 0;   ///< full: how far back positions are read; kUnbounded: all of them

  static constexpr int64_t kUnbounded = INT64_MAX;
  /// Whether a step reads it.
  bool any() const { return rows || full || whole; }
  /// Adds what another reader needs.
  void join(const Demand &other);
  bool operator<(const Demand &other) const;
};

/// Why a step cannot be derived: a message at a place, and the places that lead there.
struct Refusal {
  mlir::Location loc;
  std::string message;
  llvm::SmallVector<std::pair<mlir::Location, std::string>> notes;
};

/// The plan of one function, for given arguments and needed results.
struct StepPlan {
  mlir::func::FuncOp function;
  /// Tensors that follow from the inputs along the position: new ones come with every step.
  llvm::DenseSet<mlir::Value> fresh;
  llvm::DenseMap<mlir::Value, Demand> demands;
  llvm::DenseMap<mlir::Operation *, StepPlan *> callees;
  llvm::SmallVector<Demand> results; ///< what the caller needs
  /// Tensors that no new position changes: made when a sequence starts, over all the positions that
  /// there can be, and kept in its state.
  llvm::DenseSet<mlir::Value> kept;
  bool hasStart = false; ///< something is done when a sequence starts
  std::string name;      ///< of the function that is made of it, once it is

  Demand getDemand(mlir::Value value) const { return demands.lookup(value); }
  bool isFresh(mlir::Value value) const { return fresh.contains(value); }
  bool isKept(mlir::Value value) const { return kept.contains(value); }
};

/// Plans functions, each once for the same arguments and needs.
class StepPlanner {
public:
  StepPlanner(mlir::ModuleOp module, llvm::StringRef position)
      : module(module), position(position) {}

  /// The plan of `function`; null if it looks ahead (getRefusal says where).
  StepPlan *plan(mlir::func::FuncOp function, llvm::ArrayRef<bool> freshArguments,
                 llvm::ArrayRef<Demand> results);

  std::optional<Refusal> &getRefusal() { return refusal; }
  llvm::StringRef getPosition() const { return position; }

  /// The dimensions of `type` that count positions.
  llvm::SmallVector<unsigned> getPositionDims(mlir::Type type) const;
  /// Whether the i-th of `indices` runs over the positions.
  bool isPosition(mlir::ArrayAttr indices, unsigned i) const;

private:
  friend class FunctionPlanner;

  /// Which results of `function` follow from its fresh arguments.
  llvm::SmallVector<bool> getFreshResults(mlir::func::FuncOp function,
                                          llvm::ArrayRef<bool> arguments);
  void markFresh(StepPlan &plan, llvm::ArrayRef<bool> arguments);

  mlir::ModuleOp module;
  std::string position;
  std::optional<Refusal> refusal;
  using Key = std::tuple<std::string, std::vector<bool>, std::vector<Demand>>;
  std::map<Key, std::unique_ptr<StepPlan>> plans;
};

/// One read of a tensor by a formula: an input through its map, or a `weft.at`.
struct TensorRead {
  mlir::Value tensor;
  mlir::AffineMap map; ///< of an input
  mutable AtOp at;     ///< of a read in a region

  /// Whether coordinate `dim` is the value of the formula's index `row` and no other coordinate
  /// depends on that index.
  bool isExactly(unsigned dim, unsigned row) const;
  bool dependsOn(unsigned dim, unsigned row) const;
};

/// The ranges, the inputs and their maps of a formula or a check.
mlir::ArrayAttr getIndicesOfOp(mlir::Operation *op);
mlir::ArrayAttr getMapsOfOp(mlir::Operation *op);
mlir::OperandRange getInputsOfOp(mlir::Operation *op);
/// All reads of a formula or a check, inputs first, in their order.
llvm::SmallVector<TensorRead> getReads(mlir::Operation *op);

/// The dimension of the tensor that `read` reads at row `row` exactly, if there is one.
std::optional<unsigned> getRowDim(const TensorRead &read, llvm::ArrayRef<unsigned> positionDims,
                                  std::optional<unsigned> row);

/// The index of a formula whose values are the positions that a step computes, for rows along
/// dimension `rowDim` of its result.
unsigned getRowIndex(FormulaOpInterface op, unsigned rowDim);
/// The same of a check: the first index over positions.
std::optional<unsigned> getRowIndex(CheckOp op, const StepPlanner &planner);

} // namespace weft

#endif
