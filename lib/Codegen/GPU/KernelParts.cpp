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

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

/// The indices whose values are rows.
static SmallVector<unsigned> getRowIndices(Operation *anchor) {
  if (auto attention = dyn_cast<AttentionOp>(anchor)) {
    std::optional<unsigned> query = AttentionRoles(attention).query;
    return query ? SmallVector<unsigned>{*query} : SmallVector<unsigned>();
  }
  auto product = ChunkedProduct::match(cast<ContractOp>(anchor));
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
  void push(const std::string &suffix, std::unique_ptr<KernelEmitter> emitter);
  int64_t getMostRows() const;

  Operation *anchor;
  SmallVector<RowsGate> gates;
};

} // namespace

void PartCollector::push(const std::string &suffix, std::unique_ptr<KernelEmitter> emitter) {
  if (!gates.empty())
    emitter = std::make_unique<GatedEmitter>(anchor, gates, std::move(emitter));
  parts.push_back({suffix, std::move(emitter)});
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
  push(name, std::move(emitter));
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
