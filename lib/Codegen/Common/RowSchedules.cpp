//===- RowSchedules.cpp - what the emitters for every target can be told -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowSchedules.h"

#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/MapSchedule.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

void RowTasks::check(ScheduleRules &rules, bool hasLanes) const {
  rules.require(rows || vectors || !parallel, "rows", "the rows of a parallel task");
  rules.require(!vectors || hasLanes, "vectors", "'rows' where a row is not cut into vectors");
  rules.require(!vectors || !rows, "vectors", "no field beside 'rows'");
}

void RowSchedule::check(ScheduleRules &rules, FormulaOpInterface op) const {
  rules.requireWidth(width);
  rules.require(width == 1 || !getStoredOrder(op).empty(), "width", "1 for a single element");
  tasks.check(rules, /*hasLanes=*/!getStoredOrder(op).empty());
}

void MapSchedule::check(ScheduleRules &rules, MapOp op) const {
  RowSchedule::check(rules, op);
  if (!tile)
    return;
  rules.requireRepetition(*tile, "tile");
  rules.require(getStoredOrder(op).size() > 1 && !tasks.vectors, "tile",
                "no field where there are no rows");
}

void SoftmaxSchedule::check(ScheduleRules &rules, SoftmaxOp op) const {
  rules.requireWidth(width);
  rules.requireRepetition(chains, "chains");
  rules.require(passes == 2 || passes == 3, "passes", "2 or 3");
  tasks.check(rules, /*hasLanes=*/getStoredOrder(op).back() != op.getAxis());
}

void RowOpSchedule::check(ScheduleRules &rules, RowOp op) const {
  SmallVector<unsigned> order = getStoredOrder(op);
  rules.requireWidth(width);
  rules.requireRepetition(tile, "tile");
  rules.require(tile == 1 || (order.size() > 1 && order.back() == op.getAxis()), "tile",
                "1 for a single row, and where the axis is not stored last");
  tasks.check(rules);
}

std::optional<unsigned> weft::getPlaceIndex(ReduceOp op) {
  auto index = op.getBody().front().getTerminator()->getOperand(1).getDefiningOp<IndexOp>();
  if (!index || index.getPosition() >= FormulaOpInterface(op).getNumOutputIndices())
    return std::nullopt;
  return index.getPosition();
}

int64_t weft::getRankedBlocks(ReduceOp op, int64_t block) {
  FormulaOpInterface formula = op;
  int64_t size = formula.getIndexAttr(formula.getNumOutputIndices()).getSize();
  return llvm::divideCeil(size, block);
}

void ArgTopSchedule::chooseBlock(ReduceOp op, int64_t mostBlocks) {
  // Fewer elements are walked through as fast as the largest of their blocks.
  constexpr int64_t fewPlaces = 4, fewElements = 512, leastBlock = 64;
  FormulaOpInterface formula = op;
  std::optional<unsigned> place = getPlaceIndex(op);
  int64_t size = formula.getIndexAttr(formula.getNumOutputIndices()).getSize();
  Type type = op.getBody().front().getTerminator()->getOperand(0).getType();
  if (!place || formula.getIndexAttr(*place).getSize() < fewPlaces || size < fewElements ||
      type.isIndex())
    return;
  // As many blocks as a block has elements, if the stack holds them.
  block = leastBlock;
  while (getRankedBlocks(op, *block) > std::min(*block, mostBlocks))
    *block *= 2;
}

void ArgTopSchedule::check(ScheduleRules &rules, ReduceOp op) const {
  rules.requireWidth(width);
  if (block) {
    bool isPlace = getPlaceIndex(op) &&
                   !op.getBody().front().getTerminator()->getOperand(0).getType().isIndex();
    rules.require(isPlace, "block", "none but for places of numbers that are an index");
    rules.require(*block % width == 0 && getRankedBlocks(op, *block) <= kMostRankedBlocks, "block",
                  "whole vectors, of which there are at most " + Twine(kMostRankedBlocks));
  }
  tasks.check(rules);
}

void CheckSchedule::check(ScheduleRules &rules, CheckOp op) const {
  rules.requireWidth(width);
  rules.require(width == 1 || !op.getIndices().empty(), "width", "1 for a single element");
  rules.require(!vectors || !op.getIndices().empty(), "vectors", "no field for a single element");
}

void AttentionRowSchedule::check(ScheduleRules &rules, AttentionOp op) const {
  SmallVector<unsigned> positions = AttentionRoles(op).columns;
  int64_t size =
      positions.empty() ? 1 : FormulaOpInterface(op).getIndexAttr(positions.back()).getSize();
  rules.requireRepetition(columns, "columns");
  rules.require(size % columns == 0, "columns", "a divisor of the " + Twine(size) + " columns");
  tasks.check(rules);
}

void ReductionSchedule::check(ScheduleRules &rules, FormulaOpInterface op) const {
  SmallVector<unsigned> order = getStoredOrder(op);
  bool alongOutput = lane && !order.empty() && *lane == order.back();
  bool alongReduced = lane && *lane >= op.getNumOutputIndices() && *lane < op.getNumIndices() &&
                      op.isReduced(unsigned(*lane));
  rules.requireWidth(width);
  if (width == 1)
    rules.require(!lane, "lane", "no index at width 1");
  else
    rules.require(alongOutput || alongReduced, "lane",
                  "the position of the output's last index or of a reduced one");
  rules.requireRepetition(tile, "tile");
  rules.require(tile == 1 || !order.empty(), "tile", "1 for a single result");
  // They become the lanes of a vector.
  rules.require(!alongReduced || (llvm::isPowerOf2_64(uint64_t(tile)) && tile <= width), "tile",
                "a power of 2 up to the width, as the lanes are reduced");
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  bool isArgMax = reduce && reduce.getKind() == ReduceKind::ArgMax;
  rules.require(tile == 1 || !isArgMax, "tile", "1 for an argmax");
  auto contract = dyn_cast<ContractOp>(op.getOperation());
  rules.require(tile == 1 || !contract || !contract.getApart(), "tile",
                "1 for several sums of an element");
  rules.requireRepetition(across.value_or(1), "across");
  rules.require(!across || (alongOutput && order.size() > 1 && !isArgMax), "across",
                "none but for vectors along the output's last index, behind another one");
  rules.require(!across || !contract || !contract.getApart(), "across",
                "none for several sums of an element");
  rules.require(tile > 1 || !tilesOutside, "tiles_outside", "false without tiles");
  tasks.check(rules);
}

LoweringAttr weft::completeLowering(LoweringAttr given, LoweringAttr chosen) {
  static constexpr StringLiteral tasks[] = {"rows", "vectors"};
  DictionaryAttr fixed = given.getSchedule();
  NamedAttrList fields(chosen.getSchedule());
  if (llvm::any_of(tasks, [&](StringRef field) { return fixed.contains(field); }))
    for (StringRef field : tasks)
      fields.erase(field);
  for (NamedAttribute field : fixed)
    fields.set(field.getName(), field.getValue());
  MLIRContext *context = given.getContext();
  return LoweringAttr::get(context, given.getEmitter(), fields.getDictionary(context));
}

LoweringAttr weft::getScalarLowering(Operation *anchor) {
  MLIRContext *context = anchor->getContext();
  return llvm::TypeSwitch<Operation *, LoweringAttr>(anchor)
      .Case([&](MapOp) { return getLowering(context, emitters::map, RowSchedule()); })
      .Case([&](SoftmaxOp) { return getLowering(context, emitters::softmax, SoftmaxSchedule()); })
      .Case([&](RowOp) { return getLowering(context, emitters::row, RowOpSchedule()); })
      .Case([&](CheckOp) { return getLowering(context, emitters::check, CheckSchedule()); })
      .Case([&](AttentionOp) {
        return getLowering(context, emitters::attentionRows, AttentionRowSchedule());
      })
      .Case(
          [&](ContractOp) { return getLowering(context, emitters::contract, ReductionSchedule()); })
      .Case([&](ReduceOp op) {
        if (op.getKind() == ReduceKind::ArgTop)
          return getLowering(context, emitters::argtop, ArgTopSchedule());
        return getLowering(context, emitters::reduce, ReductionSchedule());
      })
      .Default([](Operation *) { return LoweringAttr(); });
}
