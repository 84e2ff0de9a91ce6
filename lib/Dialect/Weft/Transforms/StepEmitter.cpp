//===- StepEmitter.cpp - writes the functions of a step -------------------------------------===//

#include "StepEmitter.h"
#include "FormulaBuilder.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

namespace {
/// What stands for a tensor of the original function.
struct Forms {
  Value whole, rows, full;
  bool isCache = false;       ///< of `full`: positions come first
  SmallVector<int64_t> bases; ///< of a cache: the first of the kept values of each dimension
};

/// Writes one function.
class FunctionEmitter {
public:
  FunctionEmitter(StepEmitter &emitter, StepPlan &plan, StepFunction &result)
      : emitter(emitter), planner(emitter.getPlanner()), plan(plan), result(result),
        builder(plan.function.getContext()) {}
  void run();

private:
  void createFunction();
  void addForms(BlockArgument argument);
  bool isEntry() { return plan.function->hasAttr(attrs::kEntry); }
  void emitOp(Operation &op);
  void emitCall(func::CallOp call);
  void emitReturn(func::ReturnOp ret);
  /// The formula for the rows of its index `row`; without one, for all it defines.
  Operation *emitFormula(Operation *op, std::optional<unsigned> row);
  void replaceReads(Operation *op, Operation *clone, std::optional<unsigned> row);
  void replaceAt(const TensorRead &read, AtOp at, std::optional<unsigned> row, Value local);
  Value shiftIndex(Region &region, unsigned row, Value &local);
  void shiftKeyBounds(AttentionOp op, unsigned row);
  void readInRegions(FormulaOpInterface op, unsigned input, unsigned row,
                     ArrayRef<Value> positions);
  Value gatherRows(Operation *op, Value tensor, AffineMap &map, unsigned row);
  bool takeKept(Value original);
  Value makeCache(Value original, Value rows, Forms &forms);
  void findKeptRange(Value original, unsigned rowDim, Forms &forms, SmallVector<int64_t> &sizes);
  std::optional<unsigned> rowOf(Operation *op, bool full);

  Value emitPosition(OpBuilder &at, Location loc, Value local);
  IndexAttr getRowIndexAttr(IndexAttr index) {
    return IndexAttr::get(builder.getContext(), index.getName(), emitter.getCount(),
                          index.getSize(), /*dynamic=*/true);
  }
  RankedTensorType getRowsType(Type type, unsigned dim);
  RankedTensorType getCacheType(Type type, unsigned dim);
  RankedTensorType getKeptType(Type type);
  /// The forms of `type` that a demand asks for, in the order of arguments and results.
  void appendTypes(Type type, const Demand &demand, bool fresh, SmallVectorImpl<Type> &types);
  template <typename Assign> void forEachForm(const Demand &demand, Assign assign);

  StepEmitter &emitter;
  const StepPlanner &planner;
  StepPlan &plan;
  StepFunction &result;
  OpBuilder builder;
  DenseMap<Value, Forms> forms;
  IRMapping scalars;
  SmallVector<Value> appended; ///< caches with the new rows
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------===//

RankedTensorType FunctionEmitter::getRowsType(Type type, unsigned dim) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<IndexAttr> indices = getIndicesOf(tensor);
  indices[dim] = getRowIndexAttr(indices[dim]);
  return getTensorType(indices, tensor.getElementType());
}

/// Positions first, as many as there can be, so that new rows follow the old ones in memory.
RankedTensorType FunctionEmitter::getCacheType(Type type, unsigned dim) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape = {getBound(tensor, dim)};
  for (unsigned i = 0; i != tensor.getRank(); ++i)
    if (i != dim)
      shape.push_back(getBound(tensor, i));
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// As it is with all the positions that there can be.
RankedTensorType FunctionEmitter::getKeptType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<IndexAttr> indices = getIndicesOf(tensor);
  for (unsigned dim : planner.getPositionDims(type))
    indices[dim] = IndexAttr::get(builder.getContext(), indices[dim].getName(), "",
                                  indices[dim].getSize(), /*dynamic=*/false);
  return getTensorType(indices, tensor.getElementType());
}

template <typename Assign> void FunctionEmitter::forEachForm(const Demand &demand, Assign assign) {
  if (demand.whole)
    assign(&Forms::whole);
  if (demand.rows)
    assign(&Forms::rows);
  if (demand.full)
    assign(&Forms::full);
}

void FunctionEmitter::appendTypes(Type type, const Demand &demand, bool fresh,
                                  SmallVectorImpl<Type> &types) {
  forEachForm(demand, [&](Value Forms::*form) {
    if (form == &Forms::rows)
      types.push_back(getRowsType(type, demand.rowDim));
    else if (form == &Forms::full && fresh)
      types.push_back(getCacheType(type, planner.getPositionDims(type).front()));
    else
      types.push_back(type);
  });
}

//===----------------------------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------------------------===//

/// The position of row `local`: behind all old ones.
Value FunctionEmitter::emitPosition(OpBuilder &at, Location loc, Value local) {
  Value length = SizeOp::create(at, loc, at.getIndexType(), planner.getPosition());
  Value count = SizeOp::create(at, loc, at.getIndexType(), emitter.getCount());
  Value old = arith::SubIOp::create(at, loc, length, count);
  return arith::AddIOp::create(at, loc, local, old);
}

/// Index `row` counts rows now: what computes with it in `region` computes with the position.
Value FunctionEmitter::shiftIndex(Region &region, unsigned row, Value &local) {
  SmallVector<weft::IndexOp> uses;
  region.walk([&](weft::IndexOp index) {
    if (index.getPosition() == row)
      uses.push_back(index);
  });
  OpBuilder at = OpBuilder::atBlockBegin(&region.front());
  Location loc = region.getLoc();
  local = weft::IndexOp::create(at, loc, at.getIndexType(), at.getI64IntegerAttr(row));
  Value position = emitPosition(at, loc, local);
  for (weft::IndexOp index : uses) {
    index.replaceAllUsesWith(position);
    index.erase();
  }
  return position;
}

void FunctionEmitter::shiftKeyBounds(AttentionOp op, unsigned row) {
  SmallVector<StringRef> names;
  if (ArrayAttr given = op.getBoundSymbolsAttr())
    llvm::append_range(names, given.getAsValueRange<StringAttr>());
  if (!op.getKeyLowerAttr() && !op.getKeyUpperAttr())
    return;
  MLIRContext *context = builder.getContext();
  unsigned first = names.size();
  names.push_back(planner.getPosition());
  names.push_back(emitter.getCount());
  AffineExpr index = getAffineDimExpr(row, context);
  AffineExpr position =
      index + getAffineSymbolExpr(first, context) - getAffineSymbolExpr(first + 1, context);
  auto shift = [&](AffineMapAttr attr) {
    if (!attr)
      return attr;
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : attr.getValue().getResults())
      exprs.push_back(expr.replace(index, position));
    return AffineMapAttr::get(
        AffineMap::get(attr.getValue().getNumDims(), names.size(), exprs, context));
  };
  op.setKeyLowerAttr(shift(op.getKeyLowerAttr()));
  op.setKeyUpperAttr(shift(op.getKeyUpperAttr()));
  op.setBoundSymbolsAttr(builder.getStrArrayAttr(names));
}

//===----------------------------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------------------------===//

/// The map of a read of a cache: positions first, kept values counted from the first.
static AffineMap getCacheMap(AffineMap map, unsigned positionDim, ArrayRef<int64_t> bases) {
  SmallVector<AffineExpr> results = {map.getResult(positionDim)};
  for (unsigned i = 0; i != map.getNumResults(); ++i)
    if (i != positionDim)
      results.push_back(map.getResult(i) - (bases.empty() ? 0 : bases[i]));
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// An input that is not read at rows becomes a read in the regions, at the position of the row.
void FunctionEmitter::readInRegions(FormulaOpInterface op, unsigned input, unsigned row,
                                    ArrayRef<Value> positions) {
  IndexValues indices = getIdentityIndices(builder.getContext(), op.getNumIndices());
  Value tensor = op.getInputs()[input];
  for (BlockArgument argument : op.getElementArguments(input)) {
    unsigned region = argument.getParentRegion()->getRegionNumber();
    indices[row] = {AffineExpr(), positions[region]};
    OpBuilder at(builder.getContext());
    at.setInsertionPointAfterValue(positions[region]);
    SmallVector<Value> coordinates;
    for (AffineExpr expr : op.getInputMap(input).getResults())
      coordinates.push_back(emitAffine(at, op.getLoc(), expr, indices));
    argument.replaceAllUsesWith(
        AtOp::create(at, op.getLoc(), argument.getType(), tensor, coordinates, at.getUnitAttr()));
  }
  op.eraseInput(input);
}

/// A factor that is not read at rows becomes a tensor of rows; `map` is how it is read.
Value FunctionEmitter::gatherRows(Operation *op, Value tensor, AffineMap &map, unsigned row) {
  MLIRContext *context = builder.getContext();
  ArrayAttr all = getIndicesOfOp(op);
  SmallVector<IndexAttr> indices;
  SmallVector<AffineExpr> coordinates;
  IndexValues values(all.size());
  for (unsigned i = 0; i != all.size(); ++i) {
    if (!map.isFunctionOfDim(i))
      continue;
    auto index = cast<IndexAttr>(all[i]);
    values[i].expr = getAffineDimExpr(indices.size(), context);
    indices.push_back(i == row ? getRowIndexAttr(index) : index);
    coordinates.push_back(getAffineDimExpr(i, context));
  }
  unsigned newRow = cast<AffineDimExpr>(values[row].expr).getPosition();
  Type element = cast<ShapedType>(tensor.getType()).getElementType();
  Location loc = op->getLoc();
  auto gather =
      MapOp::create(builder, loc, getTensorType(indices, element), ValueRange(), Value(),
                    builder.getArrayAttr(SmallVector<Attribute>(indices.begin(), indices.end())),
                    builder.getAffineMapArrayAttr({}), AffineMapAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&gather.getBody().emplaceBlock());
  Value local =
      weft::IndexOp::create(body, loc, body.getIndexType(), body.getI64IntegerAttr(newRow));
  values[row] = {AffineExpr(), emitPosition(body, loc, local)};
  SmallVector<Value> at;
  for (AffineExpr expr : map.getResults())
    at.push_back(emitAffine(body, loc, expr, values));
  YieldOp::create(body, loc,
                  AtOp::create(body, loc, element, tensor, at, body.getUnitAttr()).getResult());
  map = AffineMap::get(all.size(), 0, coordinates, context);
  return gather.getResult();
}

void FunctionEmitter::replaceAt(const TensorRead &read, AtOp at, std::optional<unsigned> row,
                                Value local) {
  const Forms &form = forms[read.tensor];
  SmallVector<unsigned> dims = planner.getPositionDims(read.tensor.getType());
  if (std::optional<unsigned> rowDim = getRowDim(read, dims, row)) {
    at.getSourceMutable().assign(form.rows);
    at.getCoordinatesMutable()[*rowDim].set(local);
    return;
  }
  at.getSourceMutable().assign(dims.empty() ? form.whole : form.full);
  if (dims.empty() || !form.isCache)
    return;
  SmallVector<Value> coordinates(at.getCoordinates());
  std::rotate(coordinates.begin(), coordinates.begin() + dims.front(),
              coordinates.begin() + dims.front() + 1);
  at.getCoordinatesMutable().assign(coordinates);
}

void FunctionEmitter::replaceReads(Operation *op, Operation *clone, std::optional<unsigned> row) {
  SmallVector<TensorRead> reads = getReads(op);
  unsigned numInputs = getInputsOfOp(op).size();
  SmallVector<Value> positions(clone->getNumRegions()), locals(clone->getNumRegions());
  SmallVector<AtOp> ats;
  clone->walk([&](AtOp at) { ats.push_back(at); });
  for (Region &region : clone->getRegions())
    if (row && !region.empty())
      positions[region.getRegionNumber()] =
          shiftIndex(region, *row, locals[region.getRegionNumber()]);
  for (auto [at, read] : llvm::zip_equal(ats, ArrayRef(reads).drop_front(numInputs))) {
    Region *region = at->getParentRegion();
    while (region->getParentOp() != clone)
      region = region->getParentRegion();
    replaceAt(read, at, row, locals[region->getRegionNumber()]);
  }

  auto formula = dyn_cast<FormulaOpInterface>(clone);
  SmallVector<Attribute> maps(getMapsOfOp(op).getValue());
  SmallVector<unsigned> inRegions;
  for (unsigned i = 0; i != numInputs; ++i) {
    const Forms &form = forms[reads[i].tensor];
    SmallVector<unsigned> dims = planner.getPositionDims(reads[i].tensor.getType());
    bool isRows = getRowDim(reads[i], dims, row).has_value();
    Value tensor = dims.empty() ? form.whole : isRows ? form.rows : form.full;
    AffineMap map = reads[i].map;
    if (!dims.empty() && !isRows && form.isCache)
      map = getCacheMap(map, dims.front(), form.bases);
    if (row && !isRows && map.isFunctionOfDim(*row)) {
      if (formula && i >= formula.getFirstElementInput())
        inRegions.push_back(i);
      else
        tensor = gatherRows(op, tensor, map, *row);
    }
    clone->setOperand(i, tensor);
    maps[i] = AffineMapAttr::get(map);
  }
  clone->setAttr("maps", builder.getArrayAttr(maps));
  for (unsigned input : llvm::reverse(inRegions))
    readInRegions(formula, input, *row, positions);
}

//===----------------------------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------------------------===//

/// The row index with which the plan reads what `op` reads.
std::optional<unsigned> FunctionEmitter::rowOf(Operation *op, bool full) {
  if (auto check = dyn_cast<CheckOp>(op))
    return getRowIndex(check, planner);
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (!formula)
    return std::nullopt;
  Value value = op->getResult(0);
  Demand demand = plan.getDemand(value);
  bool byRows = demand.rows || (demand.full && plan.isFresh(value));
  return byRows && !full ? std::optional(getRowIndex(formula, demand.rowDim)) : std::nullopt;
}

/// Dimensions that are read at constants only keep those values: of one tensor of queries, keys
/// and values, the keys and the values.
void FunctionEmitter::findKeptRange(Value original, unsigned rowDim, Forms &forms,
                                    SmallVector<int64_t> &sizes) {
  auto type = cast<RankedTensorType>(original.getType());
  forms.bases.assign(type.getRank(), 0);
  sizes.clear();
  for (unsigned i = 0; i != type.getRank(); ++i)
    sizes.push_back(getBound(type, i));
  SmallVector<int64_t> first(type.getRank(), INT64_MAX), last(type.getRank(), -1);
  for (OpOperand &use : original.getUses()) {
    Operation *user = use.getOwner();
    if (isa<FormulaOpInterface, CheckOp>(user)) {
      if (isa<FormulaOpInterface>(user) && !plan.getDemand(user->getResult(0)).any())
        continue;
      TensorRead read{original,
                      cast<AffineMapAttr>(getMapsOfOp(user)[use.getOperandNumber()]).getValue(),
                      AtOp()};
      if (getRowDim(read, planner.getPositionDims(type), rowOf(user, false)))
        continue;
      for (unsigned i = 0; i != type.getRank(); ++i) {
        auto constant = dyn_cast<AffineConstantExpr>(read.map.getResult(i));
        first[i] = std::min(first[i], constant ? constant.getValue() : 0);
        last[i] = std::max(last[i], constant ? constant.getValue() : sizes[i] - 1);
      }
      continue;
    }
    Operation *reader = user;
    while (reader && !isa<FormulaOpInterface, CheckOp>(reader) &&
           reader->getParentOp() != plan.function)
      reader = reader->getParentOp();
    bool isAtRow = false;
    if (auto at = dyn_cast<AtOp>(user))
      isAtRow = getRowDim({original, AffineMap(), at}, planner.getPositionDims(type),
                          rowOf(reader, false))
                    .has_value();
    if (isAtRow)
      continue;
    return; // a reader that may see all of it
  }
  for (unsigned i = 0; i != type.getRank(); ++i)
    if (i != rowDim && first[i] <= last[i]) {
      forms.bases[i] = first[i];
      sizes[i] = last[i] - first[i] + 1;
    }
}

/// What a report calls the part of the state that holds `value`.
static std::string labelOf(Value value) {
  if (Operation *def = value.getDefiningOp()) {
    auto label = def->getAttrOfType<StringAttr>(attrs::kLabel);
    return label ? label.str() : "layer";
  }
  auto argument = cast<BlockArgument>(value);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attrs::kName);
  return name ? name.str() : "input";
}

/// Takes what was made at the start from the state. True if `original` is such a tensor.
bool FunctionEmitter::takeKept(Value original) {
  if (!plan.isKept(original))
    return false;
  RankedTensorType type = getKeptType(original.getType());
  Value part = result.function.getBody().addArgument(type, original.getLoc());
  result.parts.push_back({type, labelOf(original), /*isCache=*/false});
  forms[original].whole = forms[original].full = part;
  return true;
}

Value FunctionEmitter::makeCache(Value original, Value rows, Forms &form) {
  Location loc = original.getLoc();
  auto type = cast<RankedTensorType>(rows.getType());
  unsigned rowDim = planner.getPositionDims(original.getType()).front();
  SmallVector<int64_t> sizes;
  findKeptRange(original, rowDim, form, sizes);
  SmallVector<IndexAttr> given = getIndicesOf(type), kept;
  SmallVector<AffineExpr> coordinates(type.getRank());
  SmallVector<int64_t> shape;
  auto keep = [&](unsigned dim) {
    coordinates[dim] = getAffineDimExpr(kept.size(), builder.getContext()) + form.bases[dim];
    kept.push_back(dim == rowDim ? given[dim]
                                 : IndexAttr::get(builder.getContext(), given[dim].getName(), "",
                                                  sizes[dim], /*dynamic=*/false));
    shape.push_back(sizes[dim]);
  };
  keep(rowDim);
  for (unsigned i = 0; i != type.getRank(); ++i)
    if (i != rowDim)
      keep(i);
  auto cacheType = RankedTensorType::get(shape, type.getElementType());
  std::string label = labelOf(original);
  if (rowDim != 0 ||
      RankedTensorType::get(type.getShape().drop_front(), type.getElementType()) !=
          RankedTensorType::get(cacheType.getShape().drop_front(), type.getElementType())) {
    auto move =
        MapOp::create(builder, loc, getTensorType(kept, type.getElementType()), rows, Value(),
                      builder.getArrayAttr(SmallVector<Attribute>(kept.begin(), kept.end())),
                      builder.getAffineMapArrayAttr(
                          AffineMap::get(kept.size(), 0, coordinates, builder.getContext())),
                      AffineMapAttr());
    move->setAttr(attrs::kLabel, builder.getStringAttr(label + ".rows"));
    OpBuilder body = OpBuilder::atBlockEnd(&move.getBody().emplaceBlock());
    YieldOp::create(body, loc, move.getBody().addArgument(type.getElementType(), loc));
    rows = move.getResult();
  }
  form.isCache = true;
  Value cache = result.function.getBody().addArgument(cacheType, loc);
  result.parts.push_back({cacheType, label, /*isCache=*/true, plan.getDemand(original).reach});
  appended.push_back(AppendOp::create(builder, loc, cacheType, rows, cache, planner.getPosition()));
  return appended.back();
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

Operation *FunctionEmitter::emitFormula(Operation *op, std::optional<unsigned> row) {
  Operation *clone = builder.clone(*op, scalars);
  builder.setInsertionPoint(clone);
  if (row) {
    SmallVector<Attribute> indices(getIndicesOfOp(op).getValue());
    indices[*row] = getRowIndexAttr(cast<IndexAttr>(indices[*row]));
    clone->setAttr("indices", builder.getArrayAttr(indices));
    if (auto attention = dyn_cast<AttentionOp>(clone))
      shiftKeyBounds(attention, *row);
    if (clone->getNumResults())
      clone->getResult(0).setType(getRowsType(op->getResult(0).getType(), *row));
  }
  replaceReads(op, clone, row);
  builder.setInsertionPointAfter(clone);
  return clone;
}

void FunctionEmitter::emitCall(func::CallOp call) {
  StepPlan &calleePlan = *plan.callees.lookup(call);
  StepFunction &callee = emitter.emit(calleePlan);
  SmallVector<Value> operands;
  for (auto [operand, argument] :
       llvm::zip_equal(call.getOperands(), calleePlan.function.getArguments()))
    forEachForm(calleePlan.getDemand(argument),
                [&, from = operand](Value Forms::*form) { operands.push_back(forms[from].*form); });
  for (const StatePart &part : callee.parts) {
    operands.push_back(result.function.getBody().addArgument(part.type, call.getLoc()));
    result.parts.push_back(part);
  }
  auto clone = func::CallOp::create(builder, call.getLoc(), callee.function, operands);
  unsigned next = 0;
  for (auto [original, demand] : llvm::zip_equal(call.getResults(), calleePlan.results))
    forEachForm(demand, [&, original = Value(original)](Value Forms::*form) {
      forms[original].*form = clone.getResult(next++);
    });
  llvm::append_range(appended, clone.getResults().drop_front(next));
}

void FunctionEmitter::emitReturn(func::ReturnOp ret) {
  SmallVector<Value> values;
  for (auto [value, demand] : llvm::zip_equal(ret.getOperands(), plan.results))
    forEachForm(demand, [&, value = Value(value)](Value Forms::*form) {
      values.push_back(forms[value].*form);
    });
  llvm::append_range(values, appended);
  func::ReturnOp::create(builder, ret.getLoc(), values);
}

void FunctionEmitter::emitOp(Operation &op) {
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return emitReturn(ret);
  if (isa<CheckOp>(op)) {
    if (llvm::any_of(getReads(&op), [&](auto &read) { return plan.isFresh(read.tensor); }))
      emitFormula(&op, rowOf(&op, false));
    return;
  }
  bool isScalar = llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
  if (isScalar) {
    builder.clone(op, scalars);
    return;
  }
  Demand demand;
  bool isKept = false;
  for (Value value : op.getResults()) {
    demand.join(plan.getDemand(value));
    isKept |= takeKept(value);
  }
  if (!demand.any() || (isKept && !demand.rows))
    return;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    emitCall(call);
  } else if (!isa<FormulaOpInterface>(op)) {
    forms[op.getResult(0)].whole = builder.clone(op)->getResult(0);
  } else {
    Forms form = forms.lookup(op.getResult(0));
    bool isFresh = plan.isFresh(op.getResult(0));
    if (demand.whole && !isKept)
      form.whole = emitFormula(&op, std::nullopt)->getResult(0);
    if (demand.rows || (demand.full && isFresh))
      form.rows = emitFormula(&op, rowOf(&op, false))->getResult(0);
    if (demand.full && !isFresh && !isKept)
      form.full = emitFormula(&op, std::nullopt)->getResult(0);
    forms[op.getResult(0)] = form;
  }
  for (Value value : op.getResults())
    if (plan.getDemand(value).full && plan.isFresh(value)) {
      Forms form = forms[value];
      form.full = makeCache(value, form.rows, form);
      forms[value] = form;
    }
}

void FunctionEmitter::createFunction() {
  func::FuncOp source = plan.function;
  OpBuilder at(source);
  at.setInsertionPointAfter(source);
  result.function = func::FuncOp::create(at, source.getLoc(), (source.getSymName() + "_step").str(),
                                         at.getFunctionType({}, {}));
  result.function.setPrivate();
  SymbolTable(emitter.getModule()).insert(result.function);
  Block *body = result.function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
}

void FunctionEmitter::addForms(BlockArgument argument) {
  Demand demand = plan.getDemand(argument);
  bool isFresh = plan.isFresh(argument);
  if (isEntry() && isFresh && demand.full) {
    demand.full = false;
    demand.rows = true;
    demand.rowDim = planner.getPositionDims(argument.getType()).front();
  }
  SmallVector<Type> types;
  appendTypes(argument.getType(), demand, isFresh, types);
  unsigned next = 0;
  Forms form;
  forEachForm(demand, [&](Value Forms::*member) {
    form.*member = result.function.getBody().addArgument(types[next++], argument.getLoc());
    result.origins.push_back(argument.getArgNumber());
  });
  form.isCache = demand.full && isFresh;
  forms[argument] = form;
}

void FunctionEmitter::run() {
  createFunction();
  Block &body = result.function.getBody().front();
  for (BlockArgument argument : plan.function.getArguments())
    if (!plan.isKept(argument))
      addForms(argument);
  for (BlockArgument argument : plan.function.getArguments())
    takeKept(argument);
  // What an entry is given for new positions are rows; a layer gets the caches its caller keeps.
  if (isEntry())
    for (BlockArgument argument : plan.function.getArguments())
      if (plan.isFresh(argument) && plan.getDemand(argument).full) {
        Forms form = forms[argument];
        form.full = makeCache(argument, form.rows, form);
        forms[argument] = form;
      }
  for (Operation &op : plan.function.getBody().front())
    emitOp(op);
  result.function.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
}

StepFunction &StepEmitter::emit(StepPlan &plan) {
  std::unique_ptr<StepFunction> &slot = functions[&plan];
  if (!slot) {
    auto function = std::make_unique<StepFunction>();
    FunctionEmitter(*this, plan, *function).run();
    functions[&plan] = std::move(function);
  }
  return *functions[&plan];
}
