//===- StepPlan.cpp - what each tensor of a step is needed for ------------------------------===//

#include "StepPlan.h"
#include "Causality.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Demands and reads
//===----------------------------------------------------------------------------------------===//

void Demand::join(const Demand &other) {
  if (other.rows)
    rowDim = other.rowDim;
  rows |= other.rows;
  full |= other.full;
  whole |= other.whole;
  start |= other.start;
  reach = std::max(reach, other.reach);
}

bool Demand::operator<(const Demand &other) const {
  auto key = [](const Demand &demand) {
    return std::make_tuple(demand.rows, demand.full, demand.whole, demand.start, demand.rowDim,
                           demand.reach);
  };
  return key(*this) < key(other);
}

ArrayAttr weft::getIndicesOfOp(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return check.getIndices();
  return cast<FormulaOpInterface>(op).getIndices();
}

ArrayAttr weft::getMapsOfOp(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return check.getMaps();
  return cast<FormulaOpInterface>(op).getMaps();
}

OperandRange weft::getInputsOfOp(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return check.getInputs();
  return cast<FormulaOpInterface>(op).getInputs();
}

SmallVector<TensorRead> weft::getReads(Operation *op) {
  SmallVector<TensorRead> reads;
  for (auto [input, map] : llvm::zip_equal(getInputsOfOp(op), getMapsOfOp(op)))
    reads.push_back({input, cast<AffineMapAttr>(map).getValue(), AtOp()});
  op->walk([&](AtOp at) { reads.push_back({at.getSource(), AffineMap(), at}); });
  return reads;
}

static bool isIndexValue(Value value, unsigned row) {
  auto index = value.getDefiningOp<weft::IndexOp>();
  return index && index.getPosition() == row;
}

bool TensorRead::dependsOn(unsigned dim, unsigned row) const {
  if (!at)
    return map.getResult(dim).isFunctionOfDim(row);
  // Any computation with the index; a coordinate is a few ops at most.
  SmallVector<Value> work = {at.getCoordinates()[dim]};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isIndexValue(value, row))
      return true;
    if (Operation *def = value.getDefiningOp())
      llvm::append_range(work, def->getOperands());
  }
  return false;
}

bool TensorRead::isExactly(unsigned dim, unsigned row) const {
  bool isRow = at ? isIndexValue(at.getCoordinates()[dim], row)
                  : map.getResult(dim) == getAffineDimExpr(row, map.getContext());
  unsigned rank = at ? at.getCoordinates().size() : map.getNumResults();
  for (unsigned other = 0; isRow && other != rank; ++other)
    if (other != dim && !at && dependsOn(other, row))
      return false;
  return isRow;
}

std::optional<unsigned> weft::getRowDim(const TensorRead &read, ArrayRef<unsigned> positionDims,
                                        std::optional<unsigned> row) {
  if (row)
    for (unsigned dim : positionDims)
      if (read.isExactly(dim, *row))
        return dim;
  return std::nullopt;
}

unsigned weft::getRowIndex(FormulaOpInterface op, unsigned rowDim) {
  return cast<AffineDimExpr>(op.getOutputIndexingMap().getResult(rowDim)).getPosition();
}

std::optional<unsigned> weft::getRowIndex(CheckOp op, const StepPlanner &planner) {
  for (unsigned i = 0; i != op.getIndices().size(); ++i)
    if (planner.isPosition(op.getIndices(), i))
      return i;
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------------------------===//

namespace weft {
/// Walks a function backwards, from what its caller needs.
class FunctionPlanner {
public:
  FunctionPlanner(StepPlanner &planner, StepPlan &plan) : planner(planner), plan(plan) {}
  LogicalResult run();

private:
  LogicalResult planOp(Operation &op);
  LogicalResult planCall(func::CallOp call);
  LogicalResult planFormula(FormulaOpInterface op);
  bool keep(Operation &op);
  LogicalResult planStart(Operation *op);
  LogicalResult checkFixed(func::FuncOp function);
  /// Needs what `op` reads for the rows of index `row`; without one, for all it defines.
  LogicalResult planReads(Operation *op, std::optional<unsigned> row);
  LogicalResult planRead(Operation *op, const TensorRead &read, std::optional<unsigned> row,
                         ArrayRef<SeenIndex> seen);
  LogicalResult findSeen(Operation *op, std::optional<unsigned> row,
                         SmallVectorImpl<SeenIndex> &seen);
  LogicalResult checkSizes(Operation *op);
  LogicalResult need(Operation *op, Value value, const Demand &demand);
  LogicalResult refuse(Operation *op, const Twine &message,
                       ArrayRef<std::pair<Location, std::string>> notes = {});

  StepPlanner &planner;
  StepPlan &plan;
};
} // namespace weft

static std::string nameOf(Operation *op) {
  auto label = op->getAttrOfType<StringAttr>(attrs::kLabel);
  return label ? ("'" + label.getValue() + "'").str() : "this formula";
}

static std::string indexName(Operation *op, unsigned i) {
  return ("'" + cast<IndexAttr>(getIndicesOfOp(op)[i]).getName() + "'").str();
}

LogicalResult FunctionPlanner::refuse(Operation *op, const Twine &message,
                                      ArrayRef<std::pair<Location, std::string>> notes) {
  if (!planner.refusal)
    planner.refusal =
        Refusal{op->getLoc(), message.str(), SmallVector<std::pair<Location, std::string>>(notes)};
  return failure();
}

LogicalResult FunctionPlanner::need(Operation *op, Value value, const Demand &demand) {
  Demand &known = plan.demands[value];
  if (known.rows && demand.rows && known.rowDim != demand.rowDim)
    return refuse(op, nameOf(op) + " needs new positions along two dimensions of one tensor");
  known.join(demand);
  return success();
}

/// (O3): nothing but the bounds that are proved depends on how long the sequence will be.
LogicalResult FunctionPlanner::checkSizes(Operation *op) {
  auto isLength = [&](SizeOp size) { return size.getSymbol() == planner.position; };
  llvm::SetVector<Operation *> sizes;
  op->walk([&](Operation *nested) {
    if (auto size = dyn_cast<SizeOp>(nested); size && isLength(size))
      sizes.insert(size);
    for (Value operand : nested->getOperands())
      if (auto size = operand.getDefiningOp<SizeOp>(); size && isLength(size))
        sizes.insert(size);
  });
  bool inBounds = false;
  if (auto attention = dyn_cast<AttentionOp>(op); attention && attention.getBoundSymbols())
    for (auto [i, name] :
         llvm::enumerate(attention.getBoundSymbols()->getAsValueRange<StringAttr>()))
      if (std::optional<AffineMap> lower = attention.getKeyLower();
          name == planner.position && lower)
        inBounds |= llvm::any_of(lower->getResults(), [&, symbol = unsigned(i)](AffineExpr expr) {
          return expr.isFunctionOfSymbol(symbol);
        });
  if (sizes.empty() && !inBounds)
    return success();
  return refuse(op, nameOf(op) + " looks ahead: it depends on the length '" + planner.position +
                        "' of the whole sequence");
}

/// (O1): the positions that a row of `op` sees: its own, those of other results' dimensions, which
/// belong to the element, and those of reduced indices, which must not be ahead.
LogicalResult FunctionPlanner::findSeen(Operation *op, std::optional<unsigned> row,
                                        SmallVectorImpl<SeenIndex> &seen) {
  auto formula = dyn_cast<FormulaOpInterface>(op);
  ArrayAttr indices = getIndicesOfOp(op);
  unsigned numOutput = formula ? formula.getNumOutputIndices() : indices.size();
  auto softmax = dyn_cast<SoftmaxOp>(op);
  for (unsigned i = 0; i != indices.size(); ++i) {
    if (!planner.isPosition(indices, i))
      continue;
    bool isReduced = i >= numOutput || (softmax && softmax.getAxis() == i);
    if (!isReduced) {
      seen.push_back({i, row == i ? 0 : Demand::kUnbounded});
      continue;
    }
    KeyRange range = row && row != i ? getKeyRange(formula, i, *row) : KeyRange();
    if (!range.causal) {
      std::string message = nameOf(op) + " looks ahead: ";
      if (row && row != i)
        message += "index " + indexName(op, i) + " is not held at or before position " +
                   indexName(op, *row);
      else
        message += "it runs over all positions of index " + indexName(op, i);
      return refuse(op, message);
    }
    seen.push_back({i, range.reach});
  }
  return success();
}

LogicalResult FunctionPlanner::planRead(Operation *op, const TensorRead &read,
                                        std::optional<unsigned> row, ArrayRef<SeenIndex> seen) {
  SmallVector<unsigned> dims = planner.getPositionDims(read.tensor.getType());
  Demand demand;
  if (dims.empty()) {
    demand.whole = true;
    return need(op, read.tensor, demand);
  }
  std::optional<unsigned> rowDim = getRowDim(read, dims, row);
  demand.rows = rowDim.has_value();
  demand.rowDim = rowDim.value_or(0);
  demand.full = !rowDim;
  // (O2): what is read at other positions is read behind the row.
  for (unsigned dim : dims) {
    if (dim == rowDim || !plan.isFresh(read.tensor))
      continue;
    int64_t reach = 0;
    bool proved = read.at ? isNotAhead(read.at.getCoordinates()[dim], seen, reach)
                          : isNotAhead(read.map.getResult(dim), seen, reach);
    if (!proved)
      return refuse(op,
                    nameOf(op) + " looks ahead: dimension " + Twine(dim) +
                        " of what it reads is not held at or before the position that is computed",
                    {{read.at ? read.at.getLoc() : read.tensor.getLoc(),
                      read.at ? "it is read here" : "the tensor that is read is made here"}});
    // Only an attention visits no keys but those in reach.
    auto attention = dyn_cast<AttentionOp>(op);
    bool isKey =
        attention && row && !read.at &&
        read.map.getResult(dim) == getAffineDimExpr(attention.getKeyIndex(), read.map.getContext());
    if (!rowDim)
      demand.reach =
          std::max(demand.reach, isKey ? getVisitedReach(attention, *row) : Demand::kUnbounded);
  }
  if (demand.full && plan.isFresh(read.tensor) && dims.size() > 1)
    return refuse(
        op, nameOf(op) + " reads a tensor of position pairs across positions, which no cache holds",
        {{read.tensor.getLoc(), "the tensor is made here"}});
  return need(op, read.tensor, demand);
}

LogicalResult FunctionPlanner::planReads(Operation *op, std::optional<unsigned> row) {
  SmallVector<SeenIndex> seen;
  if (failed(checkSizes(op)) || failed(findSeen(op, row, seen)))
    return failure();
  for (const TensorRead &read : getReads(op))
    if (failed(planRead(op, read, row, seen)))
      return failure();
  return success();
}

/// What no new position changes is made once: whatever has no dimension of positions, and what is
/// read in full and costs more than arithmetic on indices. True if a step needs nothing more of it.
bool FunctionPlanner::keep(Operation &op) {
  if (llvm::any_of(op.getResults(), [&](Value value) { return plan.isFresh(value); }))
    return false;
  bool all = true;
  for (Value value : op.getResults()) {
    Demand demand = plan.getDemand(value);
    bool isKept = demand.whole || (demand.full && !isa<MapOp>(op));
    if (isKept)
      plan.kept.insert(value);
    all &= isKept ? !demand.rows : !demand.any();
  }
  return all;
}

/// Nothing in `function` depends on how long the sequence is.
LogicalResult FunctionPlanner::checkFixed(func::FuncOp function) {
  SmallVector<SeenIndex> seen;
  for (Operation &op : function.getBody().front()) {
    if (isa<FormulaOpInterface, CheckOp>(op) &&
        (failed(checkSizes(&op)) || failed(findSeen(&op, std::nullopt, seen))))
      return failure();
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr())
             : func::FuncOp();
    if (callee && failed(checkFixed(callee)))
      return failure();
  }
  return success();
}

/// Needs what `op` reads when a sequence starts.
LogicalResult FunctionPlanner::planStart(Operation *op) {
  plan.hasStart = true;
  Demand demand;
  demand.start = true;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal() ||
        llvm::any_of(call.getResults(), [&](Value value) { return plan.isFresh(value); }))
      return refuse(op, "a layer makes what all positions see together with what new ones change");
    if (failed(checkFixed(callee)))
      return failure();
    for (Value operand : call.getOperands())
      if (failed(need(op, operand, demand)))
        return failure();
    return success();
  }
  SmallVector<SeenIndex> seen;
  if (failed(checkSizes(op)) || failed(findSeen(op, std::nullopt, seen)))
    return failure();
  for (const TensorRead &read : getReads(op))
    if (failed(need(op, read.tensor, demand)))
      return failure();
  return success();
}

LogicalResult FunctionPlanner::planFormula(FormulaOpInterface op) {
  Value result = op->getResult(0);
  Demand demand = plan.getDemand(result);
  if (op.getOutputMapAttr())
    return refuse(op, nameOf(op) + " is stored in another order already");
  SmallVector<unsigned> dims = planner.getPositionDims(result.getType());
  if (dims.empty())
    return planReads(op, std::nullopt);
  // What follows from the inputs is made row by row, also where it is needed in full.
  if (demand.full && plan.isFresh(result)) {
    if (dims.size() > 1)
      return refuse(op,
                    nameOf(op) + " is a tensor of position pairs that is read across positions");
    if (demand.rows && demand.rowDim != dims.front())
      return refuse(op, nameOf(op) + " is read along two of its dimensions");
    demand.rowDim = dims.front();
    plan.demands[result].rowDim = demand.rowDim;
    return planReads(op, getRowIndex(op, demand.rowDim));
  }
  if (demand.full && !plan.isKept(result) && failed(planReads(op, std::nullopt)))
    return failure();
  return demand.rows ? planReads(op, getRowIndex(op, demand.rowDim)) : success();
}

LogicalResult FunctionPlanner::planCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return refuse(call, "it calls a function without a body");
  SmallVector<Demand> results;
  for (Value result : call.getResults()) {
    Demand demand = plan.getDemand(result);
    // The rows are the callee's work, the cache is the caller's.
    if (demand.full && plan.isFresh(result)) {
      SmallVector<unsigned> dims = planner.getPositionDims(result.getType());
      demand.rows = true;
      demand.full = false;
      demand.rowDim = plan.demands[result].rowDim = dims.front();
      demand.reach = 0;
      if (dims.size() > 1)
        return refuse(call, "a tensor of position pairs is read across positions");
    }
    results.push_back(demand);
  }
  SmallVector<bool> fresh =
      llvm::map_to_vector(call.getOperands(), [&](Value operand) { return plan.isFresh(operand); });
  StepPlan *calleePlan = planner.plan(callee, fresh, results);
  if (!calleePlan) {
    if (planner.refusal)
      planner.refusal->notes.push_back({call.getLoc(), "the layer is called here"});
    return failure();
  }
  plan.callees[call] = calleePlan;
  plan.hasStart |= calleePlan->hasStart;
  for (auto [operand, argument] : llvm::zip_equal(call.getOperands(), callee.getArguments()))
    if (Demand demand = calleePlan->getDemand(argument); demand.any() || demand.start)
      if (failed(need(call, operand, demand)))
        return failure();
  return success();
}

LogicalResult FunctionPlanner::planOp(Operation &op) {
  if (auto check = dyn_cast<CheckOp>(op)) {
    // What no new position changes is checked at the start.
    bool isFresh = llvm::any_of(getReads(check),
                                [&](const TensorRead &read) { return plan.isFresh(read.tensor); });
    return isFresh ? planReads(check, getRowIndex(check, planner)) : planStart(check);
  }
  auto has = [&](auto what) {
    return llvm::any_of(op.getResults(), [&](Value value) { return what(plan.getDemand(value)); });
  };
  bool isStep = has([](const Demand &demand) { return demand.any(); });
  bool isStart = has([](const Demand &demand) { return demand.start; });
  if (isa<FormulaOpInterface, func::CallOp>(op)) {
    isStep &= !keep(op);
    isStart |= llvm::any_of(op.getResults(), [&](Value value) { return plan.isKept(value); });
    if (isStart && failed(planStart(&op)))
      return failure();
  }
  if (!isStep)
    return success();
  if (auto call = dyn_cast<func::CallOp>(op))
    return planCall(call);
  if (auto formula = dyn_cast<FormulaOpInterface>(op))
    return planFormula(formula);
  return success();
}

LogicalResult FunctionPlanner::run() {
  Block &body = plan.function.getBody().front();
  for (auto [operand, demand] : llvm::zip_equal(body.getTerminator()->getOperands(), plan.results))
    if (demand.any() && failed(need(body.getTerminator(), operand, demand)))
      return failure();
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (failed(planOp(op)))
      return failure();
  // What an entry is given for all positions is given when a sequence starts.
  if (plan.function->hasAttr(attrs::kEntry))
    for (BlockArgument argument : body.getArguments())
      if (!plan.isFresh(argument) && plan.getDemand(argument).any()) {
        plan.kept.insert(argument);
        plan.demands[argument].start = plan.hasStart = true;
      }
  return success();
}

//===----------------------------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------------------------===//

SmallVector<unsigned> StepPlanner::getPositionDims(Type type) const {
  SmallVector<unsigned> dims;
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (unsigned i = 0; tensor && i != tensor.getRank(); ++i)
    if (getSymbol(tensor, i) == position)
      dims.push_back(i);
  return dims;
}

bool StepPlanner::isPosition(ArrayAttr indices, unsigned i) const {
  auto index = cast<IndexAttr>(indices[i]);
  return index.getDynamic() && index.getDim() == position;
}

void StepPlanner::markFresh(StepPlan &plan, ArrayRef<bool> arguments) {
  for (auto [argument, isFresh] : llvm::zip_equal(plan.function.getArguments(), arguments))
    if (isFresh)
      plan.fresh.insert(argument);
  for (Operation &op : plan.function.getBody().front().without_terminator()) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      SmallVector<bool> operands = llvm::map_to_vector(
          call.getOperands(), [&](Value operand) { return plan.isFresh(operand); });
      if (!callee || callee.isExternal())
        continue;
      for (auto [result, isFresh] :
           llvm::zip_equal(call.getResults(), getFreshResults(callee, operands)))
        if (isFresh)
          plan.fresh.insert(result);
    } else if (isa<FormulaOpInterface>(op)) {
      for (const TensorRead &read : getReads(&op))
        if (plan.isFresh(read.tensor))
          plan.fresh.insert(op.getResult(0));
    }
  }
}

SmallVector<bool> StepPlanner::getFreshResults(func::FuncOp function, ArrayRef<bool> arguments) {
  StepPlan plan;
  plan.function = function;
  markFresh(plan, arguments);
  return llvm::map_to_vector(function.getBody().front().getTerminator()->getOperands(),
                             [&](Value value) { return plan.isFresh(value); });
}

StepPlan *StepPlanner::plan(func::FuncOp function, ArrayRef<bool> freshArguments,
                            ArrayRef<Demand> results) {
  Key key{function.getSymName().str(),
          std::vector<bool>(freshArguments.begin(), freshArguments.end()),
          std::vector<Demand>(results.begin(), results.end())};
  std::unique_ptr<StepPlan> &slot = plans[key];
  if (slot)
    return slot.get();
  auto plan = std::make_unique<StepPlan>();
  plan->function = function;
  plan->results.assign(results.begin(), results.end());
  markFresh(*plan, freshArguments);
  if (failed(FunctionPlanner(*this, *plan).run()))
    return nullptr;
  plans[key] = std::move(plan);
  return plans[key].get();
}
