//===- KernelParts.cpp - kernels that are several functions of the device -----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Some are done by one function after the other, as sums over parts are added up by another one;
// and of some there are forms for few rows and for more, of which a call launches one.
//
//===----------------------------------------------------------------------------------------===//

#include "DecodePlan.h"
#include "Emitters.h"
#include "FewRows.h"
#include "FewRowsMma.h"
#include "SharedMemory.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

/// The indices whose values are rows.
static SmallVector<unsigned> getRowIndices(Operation *anchor) {
  if (auto attention = dyn_cast<AttentionOp>(anchor)) {
    std::optional<unsigned> query = AttentionRoles(attention).query;
    return query ? SmallVector<unsigned>{*query} : SmallVector<unsigned>();
  }
  auto product = ChunkedProduct::matchAny(cast<ContractOp>(anchor));
  return product ? product->product.m : SmallVector<unsigned>();
}

namespace {

/// A condition on the number of rows.
struct RowsGate {
  int64_t most;
  bool isFew; ///< at most so many; else more
};

/// Another emitter, whose tasks there are if all conditions hold.
class GatedEmitter : public KernelEmitter {
public:
  GatedEmitter(Operation *anchor, ArrayRef<RowsGate> gates, std::unique_ptr<KernelEmitter> inner)
      : anchor(anchor), gates(gates), inner(std::move(inner)) {}

  int64_t getThreads() const override { return inner->getThreads(); }
  int64_t getBlock() const override { return inner->getBlock(); }
  int64_t getBlocks() const override { return inner->getBlocks(); }
  int64_t getSharedBytes() const override { return inner->getSharedBytes(); }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    Lanes tasks = inner->getNumTasks(lanes, kernel);
    auto indices = cast<IndexedOpInterface>(anchor).getIndices();
    Lanes rows = getCount(lanes, kernel, indices, getRowIndices(anchor));
    Value holds;
    for (const RowsGate &gate : gates) {
      auto predicate = gate.isFew ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sgt;
      holds = lanes.andMask(holds, lanes.compare(predicate, rows, lanes.constant(gate.most)));
    }
    Value counted = lanes.select(holds, tasks.value, lanes.indexConstant(0));
    return lanes.uniform(counted, {0, tasks.interval.max});
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    inner->emitTask(lanes, kernel, task);
  }

private:
  Operation *anchor;
  SmallVector<RowsGate> gates;
  std::unique_ptr<KernelEmitter> inner;
};

/// Collects the parts of a lowering.
class PartCollector {
public:
  explicit PartCollector(Operation *anchor) : anchor(anchor) {}

  LogicalResult add(LoweringAttr lowering, const std::string &name);
  SmallVector<KernelPart> parts;

private:
  LogicalResult addForms(LoweringAttr lowering, const std::string &name);
  template <typename Schedule> LogicalResult checkRows(LoweringAttr lowering);
  void push(const std::string &suffix, std::unique_ptr<KernelEmitter> emitter,
            bool isLight = false);
  int64_t getMostRows() const;

  Operation *anchor;
  SmallVector<RowsGate> gates;
};

} // namespace

void PartCollector::push(const std::string &suffix, std::unique_ptr<KernelEmitter> emitter,
                         bool isLight) {
  if (!gates.empty())
    emitter = std::make_unique<GatedEmitter>(anchor, gates, std::move(emitter));
  parts.push_back({suffix, std::move(emitter), isLight});
}

/// Tiles take what shared memory there is.
static bool isLight(StringRef emitter) {
  static constexpr StringLiteral heavy[] = {emitters::mma, emitters::mmaAttention,
                                            emitters::decodeAttention};
  return !llvm::is_contained(heavy, emitter);
}

/// Of a call that launches what is added.
int64_t PartCollector::getMostRows() const {
  auto indices = cast<IndexedOpInterface>(anchor).getIndices();
  int64_t rows = getBoundProduct(indices, getRowIndices(anchor));
  for (const RowsGate &gate : gates)
    rows = gate.isFew ? std::min(rows, gate.most) : rows;
  return rows;
}

LogicalResult PartCollector::addForms(LoweringAttr lowering, const std::string &name) {
  auto schedule = readSchedule<CountSchedule>(cast<FormulaOpInterface>(anchor), lowering);
  if (!schedule)
    return failure();
  gates.push_back({schedule->most, /*isFew=*/true});
  LogicalResult few = add(schedule->few, name);
  gates.back().isFew = false;
  LogicalResult more = add(schedule->more, name + "_more");
  gates.pop_back();
  return success(succeeded(few) && succeeded(more));
}

/// A kernel that has registers for so many rows.
template <typename Schedule> LogicalResult PartCollector::checkRows(LoweringAttr lowering) {
  auto schedule = readSchedule<Schedule>(cast<ContractOp>(anchor), lowering);
  if (!schedule || getMostRows() > schedule->rows)
    return anchor->emitError("lowering \"")
           << lowering.getEmitter() << "\": 'rows' must be at least " << getMostRows();
  return success();
}

LogicalResult PartCollector::add(LoweringAttr lowering, const std::string &name) {
  if (lowering.getEmitter() == emitters::byCount)
    return addForms(lowering, name);
  std::unique_ptr<KernelEmitter> emitter = createEmitter(anchor, lowering, getGPUEmitters());
  if (!emitter)
    return failure();
  push(name, std::move(emitter), isLight(lowering.getEmitter()));
  if (lowering.getEmitter() == emitters::fewRows)
    return checkRows<FewRowsSchedule>(lowering);
  if (lowering.getEmitter() == emitters::fewRowsMma)
    return checkRows<FewRowsMmaSchedule>(lowering);
  std::unique_ptr<KernelEmitter> combiner;
  int64_t most = 0; // rows that there is room for between both
  if (lowering.getEmitter() == emitters::decodeAttention) {
    combiner = createDecodeCombiner(cast<AttentionOp>(anchor), lowering);
    most = kFewQueries;
  } else if (lowering.getEmitter() == emitters::mma) {
    combiner = createMmaCombiner(cast<ContractOp>(anchor), lowering);
    most = kSkinnyRows;
  }
  if (!combiner)
    return success();
  if (getMostRows() > most)
    return anchor->emitError("lowering \"")
           << lowering.getEmitter() << "\": 'splits' is for at most " << most << " rows";
  push(name + "_combine", std::move(combiner));
  return success();
}

SmallVector<KernelPart> weft::createParts(Operation *anchor) {
  PartCollector collector(anchor);
  if (failed(collector.add(attrs::Lowering::get(anchor), "")))
    return {};
  return std::move(collector.parts);
}

/// Whether a grid can have tasks of either.
static bool areAlike(const KernelPart &a, const KernelPart &b) {
  return a.isLight && b.isLight && a.suffix == b.suffix &&
         a.emitter->getThreads() == b.emitter->getThreads() &&
         a.emitter->getBlock() == b.emitter->getBlock();
}

/// The parts of this number as one; null where they cannot be.
static std::shared_ptr<KernelEmitter> joinAt(ArrayRef<SmallVector<KernelPart>> ofAnchors,
                                             size_t number) {
  SmallVector<std::shared_ptr<KernelEmitter>> emitters;
  for (const SmallVector<KernelPart> &parts : ofAnchors) {
    if (number >= parts.size() || !areAlike(ofAnchors.front()[number], parts[number]))
      return nullptr;
    emitters.push_back(parts[number].emitter);
  }
  auto joined = std::make_shared<JoinedEmitter>(emitters);
  return joined->getSharedBytes() <= kMaxSharedBytes ? joined : nullptr;
}

SmallVector<KernelPart> weft::joinParts(ArrayRef<SmallVector<KernelPart>> ofAnchors) {
  const SmallVector<KernelPart> &first = ofAnchors.front();
  if (ofAnchors.size() == 1)
    return first;
  SmallVector<KernelPart> all;
  while (all.size() != first.size()) {
    std::shared_ptr<KernelEmitter> joined = joinAt(ofAnchors, all.size());
    if (!joined)
      break;
    all.push_back({first[all.size()].suffix, joined, true});
  }
  size_t number = all.size();
  for (const SmallVector<KernelPart> &parts : ofAnchors)
    llvm::append_range(all, ArrayRef(parts).drop_front(number));
  return all;
}

void CountSchedule::check(ScheduleRules &rules, FormulaOpInterface op) const {
  rules.requireWhole(!getRowIndices(op).empty(), "there are no rows to be counted");
  rules.require(bool(few), "few", "a lowering");
  rules.require(bool(more), "more", "a lowering");
}

std::unique_ptr<KernelEmitter> weft::createByCount(Operation *anchor, LoweringAttr lowering) {
  auto schedule = readSchedule<CountSchedule>(cast<FormulaOpInterface>(anchor), lowering);
  if (!schedule || !createEmitter(anchor, schedule->few, getGPUEmitters()))
    return nullptr;
  return createEmitter(anchor, schedule->more, getGPUEmitters());
}
