//===- AssignGpuLowering.cpp - choose how every kernel becomes threads ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodePlan.h"
#include "Emitters.h"
#include "MmaAttentionPlan.h"
#include "MmaSchedule.h"
#include "WgmmaAttentionPlan.h"
#include "WgmmaSchedule.h"

#include "weft/Codegen/Common/AccessCost.h"
#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/RowSchedules.h"
#include "weft/Codegen/GPU/Passes.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weft {
#define GEN_PASS_DEF_ASSIGNGPULOWERING
#include "weft/Codegen/GPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Sums that a thread keeps in registers while it goes through the keys.
static constexpr int64_t kMaxColumns = 16;

/// A task for each row, or for each vector of it where it has several.
static RowTasks oneEach(bool hasLanes) {
  RowTasks tasks;
  (hasLanes ? tasks.vectors : tasks.rows) = 1;
  tasks.parallel = true;
  return tasks;
}

/// The bytes that a thread reads or writes at once.
static constexpr int64_t kAccess = 16;
/// Neighbouring results of a product that a thread makes: vectors of them, or single ones.
static constexpr int64_t kColumnVectors = 2, kColumns = 4;
/// Products of more rows and columns leave a warp for each result too little to do.
static constexpr int64_t kFewRows = 8;
/// Elements of a weight that takes longer to be read than a kernel to be launched.
static constexpr int64_t kLargeWeight = 1 << 16;
/// Rows of fewer elements leave most threads of a warp without any.
static constexpr int64_t kShortRow = kWarpSize;
/// Up to so many elements a warp has enough threads for a row.
static constexpr int64_t kWarpRow = kWarpSize * kMaxHeld;

/// The most elements of the first output along an index that divide its length and fill an access.
static int64_t getAccessWidth(FormulaOpInterface op, IndexAttr index) {
  auto type = cast<MemRefType>(op.getOutputs().front().getType());
  int64_t width = kAccess * 8 / std::max(getStorageBits(type.getElementType()), 16u);
  while (width > 1 && (index.getDynamic() || index.getSize() % width != 0))
    width /= 2;
  return width;
}

static LoweringAttr chooseMap(MapOp op) {
  RowSchedule schedule;
  SmallVector<unsigned> order = getStoredOrder(op);
  schedule.tasks = oneEach(!order.empty());
  FormulaOpInterface formula = op;
  unsigned numInputs = op.getInputs().size();
  // Vectors that would be gathered are left to neighbouring threads.
  if (!order.empty() && getVectorCost(formula, numInputs, order.back(), kAccess) == numInputs)
    schedule.width = getAccessWidth(formula, formula.getIndexAttr(order.back()));
  return getLowering(op.getContext(), emitters::map, schedule);
}

/// A warp or a block for each row, if rows are long enough and their elements are not loops; null
/// if not.
static LoweringAttr chooseRowThreads(FormulaOpInterface op) {
  std::optional<unsigned> axis = getSharedAxis(op);
  bool hasLoop = op->walk([](InnerOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!axis || hasLoop)
    return {};
  IndexAttr index = op.getIndexAttr(*axis);
  int64_t size = index.getSize();
  if (size < kShortRow)
    return {};
  RowThreadsSchedule schedule;
  schedule.threads = size <= kWarpRow ? kWarpSize : kBlockSize;
  schedule.held = size <= schedule.threads * kMaxHeld;
  schedule.width = getAccessWidth(op, index);
  while (schedule.width > 1 && schedule.width * schedule.threads > size)
    schedule.width /= 2;
  return getLowering(op.getContext(), emitters::rowThreads, schedule);
}

static LoweringAttr chooseReduce(ReduceOp op) {
  if (LoweringAttr shared = chooseRowThreads(op))
    return shared;
  if (op.getKind() == ReduceKind::ArgTop) {
    ArgTopSchedule schedule;
    schedule.tasks = oneEach(false);
    return getLowering(op.getContext(), emitters::argtop, schedule);
  }
  ReductionSchedule schedule;
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::reduce, schedule);
}

/// The elements of the wider factor that fill an access, if both factors have them side by side
/// along the index, and its length is a multiple of so many; 1 if not.
static int64_t getFactorWidth(ContractOp op, unsigned position) {
  FormulaOpInterface formula = op;
  unsigned bits = 16; // 8 elements at most
  for (Value factor : {op.getLhs(), op.getRhs()})
    bits = std::max(bits, getStorageBits(cast<MemRefType>(factor.getType()).getElementType()));
  int64_t width = kAccess * 8 / bits;
  IndexAttr index = formula.getIndexAttr(position);
  bool isWhole = !index.getDynamic() && index.getSize() % width == 0;
  return isWhole && getVectorCost(formula, 2, position, width) == 2 ? width : 1;
}

/// A warp for each result of a product of few rows or columns of reals (`isFew`: when it is
/// launched), which reads a row of each
/// factor 16 bytes a thread at once; null for others. Rows of the other factor are read once for
/// each of the few, all but the first time from a cache.
static LoweringAttr chooseFew(ContractOp op, bool isFew) {
  FormulaOpInterface formula = op;
  unsigned summed = formula.getNumIndices() - 1;
  std::optional<Product> product = Product::match(op, 1);
  for (Value factor : {op.getLhs(), op.getRhs()}) {
    auto type = cast<MemRefType>(factor.getType());
    if (getLayout(type) || !isa<FloatType>(type.getElementType()))
      return {};
  }
  if (!product || !getSharedAxis(op) || product->k.size() != 1 || product->k[0] != summed)
    return {};
  auto bound = [&](ArrayRef<unsigned> m) { return getBoundProduct(op.getIndices(), m); };
  RowThreadsSchedule schedule;
  schedule.width = getFactorWidth(op, summed);
  int64_t size = formula.getIndexAttr(summed).getSize();
  isFew |= std::min(bound(product->m), bound(product->n)) <= kFewRows;
  if (!isFew || schedule.width == 1 || size < schedule.width * kWarpSize)
    return {};
  schedule.held = size <= kWarpRow;
  return getLowering(op.getContext(), emitters::rowThreads, schedule);
}

/// A step multiplies one row or a few by each weight, or many: kernels for each, where the weight
/// is large enough for that to matter.
static LoweringAttr chooseByRows(ContractOp op, bool tf32, const llvm::StringSet<> &counts,
                                 LoweringAttr many) {
  FormulaOpInterface formula = op;
  auto product = ChunkedProduct::match(op);
  bool isCounted = llvm::any_of(product->product.m, [&](unsigned m) {
    IndexAttr index = formula.getIndexAttr(m);
    return index.getDynamic() && counts.contains(index.getDim());
  });
  if (!isCounted || product->sizeN * product->sizeK < kLargeWeight)
    return many;
  MLIRContext *context = op.getContext();
  auto choose = [&](int64_t most, LoweringAttr few, LoweringAttr more) {
    bool differs = few && few != more;
    return differs ? getLowering(context, emitters::byCount, CountSchedule{most, few, more}) : more;
  };
  if (product->sizeM > kSkinnyRows)
    many = choose(kSkinnyRows, chooseMma(op, tf32, kSkinnyRows), many);
  if (product->isCoded())
    return product->sizeM > kMmaRows ? choose(kMmaRows, chooseMma(op, tf32, kMmaRows), many) : many;
  return choose(getFewRows(*product), chooseFew(op, /*isFew=*/true), many);
}

/// Tiles on matrix units; a warp for each of few results; neighbouring columns in vectors, where a
/// factor has them so, else vectors of what is summed over.
static LoweringAttr chooseContract(ContractOp op, bool tf32, const llvm::StringSet<> &counts) {
  if (LoweringAttr units = chooseMma(op, tf32))
    return chooseByRows(op, tf32, counts, units);
  if (LoweringAttr few = chooseFew(op, /*isFew=*/false))
    return few;
  FormulaOpInterface formula = op;
  ReductionSchedule schedule;
  schedule.tasks = oneEach(false);
  SmallVector<unsigned> order = getStoredOrder(op);
  auto isWhole = [&](int64_t columns) {
    IndexAttr index = order.empty() ? IndexAttr() : formula.getIndexAttr(order.back());
    return index && !index.getDynamic() && index.getSize() % columns == 0;
  };
  auto use = [&](unsigned position, int64_t width, int64_t tile) {
    schedule.lane = position;
    schedule.width = width;
    schedule.tile = tile;
  };
  int64_t columns = order.empty() ? 1 : getFactorWidth(op, order.back());
  unsigned summed = formula.getNumIndices() - 1;
  bool sums = formula.getNumIndices() > formula.getNumOutputIndices();
  if (columns > 1 && isWhole(columns * kColumnVectors))
    use(order.back(), columns, kColumnVectors);
  else if (int64_t width = sums ? getFactorWidth(op, summed) : 1; width > 1)
    use(summed, width, isWhole(kColumns) ? kColumns : 1);
  return getLowering(op.getContext(), emitters::contract, schedule);
}

static LoweringAttr chooseSoftmax(SoftmaxOp op) {
  if (LoweringAttr shared = chooseRowThreads(op))
    return shared;
  SoftmaxSchedule schedule;
  schedule.kept = true; // as good as any: an element may be a sum of its own
  schedule.tasks = oneEach(getStoredOrder(op).back() != op.getAxis());
  return getLowering(op.getContext(), emitters::softmax, schedule);
}

static LoweringAttr chooseRow(RowOp op) {
  if (LoweringAttr shared = chooseRowThreads(op))
    return shared;
  RowOpSchedule schedule;
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::row, schedule);
}

static LoweringAttr chooseCheck(CheckOp op) {
  CheckSchedule schedule;
  if (!op.getIndices().empty())
    schedule.vectors = 1;
  return getLowering(op.getContext(), emitters::check, schedule);
}

/// Blocks of rows on matrix units, or a few columns of a result.
static LoweringAttr chooseRowsOfAttention(AttentionOp op, bool tf32) {
  if (LoweringAttr units = chooseMmaAttention(op, tf32))
    return units;
  AttentionRowSchedule schedule;
  SmallVector<unsigned> columns = AttentionRoles(op).columns;
  if (!columns.empty()) {
    int64_t size = FormulaOpInterface(op).getIndexAttr(columns.back()).getSize();
    schedule.columns = std::clamp<int64_t>(size, 1, kMaxColumns);
    while (size % schedule.columns != 0)
      --schedule.columns;
  }
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::attentionRows, schedule);
}

/// Keys shared out over blocks where queries are few.
static LoweringAttr chooseAttention(AttentionOp op, bool tf32) {
  LoweringAttr rows = chooseRowsOfAttention(op, tf32);
  LoweringAttr few = chooseDecode(op, rows);
  return few ? few : rows;
}

static LoweringAttr choose(Operation *anchor, bool tf32, const llvm::StringSet<> &counts) {
  return llvm::TypeSwitch<Operation *, LoweringAttr>(anchor)
      .Case(chooseMap)
      .Case(chooseReduce)
      .Case([&](ContractOp op) { return chooseContract(op, tf32, counts); })
      .Case(chooseSoftmax)
      .Case(chooseRow)
      .Case(chooseCheck)
      .Case([&](AttentionOp op) { return chooseAttention(op, tf32); })
      .Default([](Operation *) { return LoweringAttr(); });
}

namespace {

struct AssignGpuLoweringPass : weft::impl::AssignGpuLoweringBase<AssignGpuLoweringPass> {
  using AssignGpuLoweringBase::AssignGpuLoweringBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (attrs::Step::isOn(function))
        counts.insert(attrs::Step::get(function).getCount());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!attrs::Kernel::isOn(function))
        continue;
      for (Operation &op : function.getBody().front())
        if (isa<IndexedOpInterface>(op) && failed(assign(&op)))
          return signalPassFailure();
    }
  }

private:
  /// Of kernels by the number of rows that for the most.
  static LoweringAttr getForMany(Operation *anchor) {
    auto lowering = attrs::Lowering::get(anchor);
    while (lowering.getEmitter() == emitters::byCount) {
      auto schedule = readSchedule<CountSchedule>(cast<FormulaOpInterface>(anchor), lowering);
      if (!schedule)
        break;
      lowering = schedule->more;
    }
    return lowering;
  }

  /// What there is on the chip that has more, where all chips have tiles on matrix units.
  LogicalResult assignTiles(Operation *anchor) {
    Attribute there = anchor->getDiscardableAttr(kTileLowering);
    auto given = dyn_cast_or_null<LoweringAttr>(there);
    StringRef units = getForMany(anchor).getEmitter();
    LoweringAttr lowering;
    if (units == emitters::mma)
      lowering = chooseWgmma(cast<ContractOp>(anchor), tf32);
    else if (units == emitters::mmaAttention)
      lowering = chooseWgmmaAttention(cast<AttentionOp>(anchor));
    if (given)
      lowering = lowering && given.getEmitter() == lowering.getEmitter()
                     ? completeLowering(given, lowering)
                     : given;
    if (lowering && (given || !there))
      anchor->setDiscardableAttr(kTileLowering, lowering);
    return success(succeeded(createTileEmitter(anchor)));
  }

  LogicalResult assign(Operation *anchor) {
    auto given = attrs::Lowering::get(anchor);
    LoweringAttr lowering = choose(anchor, tf32, counts);
    if (given && lowering && given.getEmitter() == lowering.getEmitter())
      lowering = completeLowering(given, lowering);
    else if (given)
      lowering = given;
    if (!lowering)
      return anchor->emitError("no emitter of the target writes this");
    attrs::Lowering::set(anchor, lowering);
    if (tiles && failed(assignTiles(anchor)))
      return failure();
    return success(createEmitter(anchor, getGPUEmitters()) != nullptr);
  }

  llvm::StringSet<> counts; ///< symbols of new positions
};

} // namespace
