//===- FuseRows.cpp - weft-fuse-rows --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A norm is means over a row and maps that read them: one op, whose regions compute what they need
// of an element. RowGroup says what belongs together.
//
//===----------------------------------------------------------------------------------------===//

#include "ExtendRow.h"
#include "FormulaBuilder.h"
#include "RowGroup.h"

#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEROWSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// Puts one op in the place of a group.
class RowBuilder {
public:
  RowBuilder(RewriterBase &rewriter, const RowGroup &group);
  void run();

private:
  using Elements = DenseMap<Operation *, Value>;

  void orderIndices();
  void collectReads(FormulaOpInterface member);
  AffineMap getMap(FormulaOpInterface member, unsigned input) const;
  AffineMap getOutputMap(FormulaOpInterface member) const;
  IndexValues getIndices(FormulaOpInterface member) const;
  RowOp create();
  void fillRegion(RowOp row, Region &region, unsigned numStatistics,
                  ArrayRef<FormulaOpInterface> yielded);
  Value emit(OpBuilder &builder, Region &region, FormulaOpInterface member, Elements &elements);

  RewriterBase &rewriter;
  const RowGroup &group;
  SmallVector<FormulaOpInterface> members, reductions, outputs;
  /// The op's indices, and where among them those of the group are.
  SmallVector<IndexAttr> indices;
  SmallVector<unsigned> positions;
  /// What is read, each at a map of the op's indices.
  llvm::SetVector<std::pair<Value, AffineMap>> reads;
};
} // namespace

RowBuilder::RowBuilder(RewriterBase &rewriter, const RowGroup &group)
    : rewriter(rewriter), group(group), members(group.getMembers()) {
  for (FormulaOpInterface member : members)
    if (isa<ReduceOp>(member.getOperation()))
      reductions.push_back(member);
  // Rows first: an op's first output has all indices.
  for (bool isRow : {true, false})
    for (FormulaOpInterface member : members)
      if (group.isReadElsewhere(member) && group.isAlongAxis(member) == isRow)
        outputs.push_back(member);
  orderIndices();
  llvm::for_each(members, [&](FormulaOpInterface member) { collectReads(member); });
}

/// The indices of the op are those of its first output, by the names and in the order they have
/// there.
void RowBuilder::orderIndices() {
  FormulaOpInterface first = outputs.front();
  indices = first.getIndexList();
  positions.resize(indices.size());
  for (auto [i, position] : llvm::enumerate(group.getPlace(first)))
    positions[position] = i;
}

IndexValues RowBuilder::getIndices(FormulaOpInterface member) const {
  IndexValues values;
  for (unsigned position : group.getPlace(member))
    values.push_back({rewriter.getAffineDimExpr(positions[position]), Value()});
  return values;
}

/// Where the op reads an input of `member`.
AffineMap RowBuilder::getMap(FormulaOpInterface member, unsigned input) const {
  auto at = getAffineCoordinates(member.getInputMap(input), getIndices(member));
  return AffineMap::get(indices.size(), 0, *at, rewriter.getContext());
}

AffineMap RowBuilder::getOutputMap(FormulaOpInterface member) const {
  auto at = getAffineCoordinates(member.getOutputIndexingMap(), getIndices(member));
  return AffineMap::get(indices.size(), 0, *at, rewriter.getContext());
}

void RowBuilder::collectReads(FormulaOpInterface member) {
  for (auto [i, input] : llvm::enumerate(member.getInputs()))
    if (!group.isMade(input))
      reads.insert({input, getMap(member, i)});
}

/// Emits the element of `member`: what a map yields, what a reduction takes in.
Value RowBuilder::emit(OpBuilder &builder, Region &region, FormulaOpInterface member,
                       Elements &elements) {
  Value &element = elements[member];
  if (element)
    return element;
  unsigned first = region.getNumArguments() - reads.size();
  SmallVector<Value> arguments;
  for (auto [i, input] : llvm::enumerate(member.getInputs())) {
    if (!group.isMade(input)) {
      auto *read = llvm::find(reads, std::pair(input, getMap(member, i)));
      arguments.push_back(region.getArgument(first + (read - reads.begin())));
      continue;
    }
    auto source = cast<FormulaOpInterface>(input.getDefiningOp());
    auto *reduction = llvm::find(reductions, source);
    arguments.push_back(reduction == reductions.end()
                            ? emit(builder, region, source, elements)
                            : region.getArgument(reduction - reductions.begin()));
  }
  Value value =
      cloneScalarCode(builder, member->getRegion(0), arguments, getIndices(member)).front();
  return elements[member] = value;
}

/// Writes a region behind `numStatistics` reductions that yields the elements of `yielded`; of a
/// reduction its result.
void RowBuilder::fillRegion(RowOp row, Region &region, unsigned numStatistics,
                            ArrayRef<FormulaOpInterface> yielded) {
  Location loc = row.getLoc();
  Block &block = region.emplaceBlock();
  for (unsigned i = 0; i != numStatistics; ++i)
    block.addArgument(rewriter.getF32Type(), reductions[i].getLoc());
  for (auto &[tensor, map] : reads)
    block.addArgument(getComputeTypeOf(tensor), tensor.getLoc());
  OpBuilder builder = getBuilderAtEnd(region, rewriter.getContext());
  Elements elements;
  SmallVector<Value> results;
  for (FormulaOpInterface member : yielded) {
    auto *reduction = llvm::find(ArrayRef(reductions).take_front(numStatistics), member);
    results.push_back(reduction == reductions.begin() + numStatistics
                          ? emit(builder, region, member, elements)
                          : region.getArgument(reduction - reductions.begin()));
  }
  YieldOp::create(builder, loc, results);
}

RowOp RowBuilder::create() {
  SmallVector<Location> locations;
  for (FormulaOpInterface member : members)
    if (member != outputs.front())
      locations.push_back(member.getLoc());
  locations.push_back(outputs.front().getLoc()); // last what the result stands for
  SmallVector<Attribute> kinds;
  for (FormulaOpInterface member : reductions)
    kinds.push_back(cast<ReduceOp>(member.getOperation()).getKindAttr());
  SmallVector<Type> types;
  SmallVector<AffineMap> outputMaps;
  for (FormulaOpInterface member : outputs) {
    types.push_back(member->getResult(0).getType());
    outputMaps.push_back(getOutputMap(member));
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto &[tensor, map] : reads) {
    inputs.push_back(tensor);
    maps.push_back(map);
  }
  bool isPlain = llvm::all_of(outputMaps, [](AffineMap map) { return map.isIdentity(); });
  return RowOp::create(
      rewriter, rewriter.getFusedLoc(locations), types, inputs, ValueRange(),
      rewriter.getI64IntegerAttr(positions[group.getAxis()]), rewriter.getArrayAttr(kinds),
      getIndexArray(rewriter.getContext(), indices), rewriter.getAffineMapArrayAttr(maps),
      isPlain ? ArrayAttr() : rewriter.getAffineMapArrayAttr(outputMaps), reductions.size());
}

void RowBuilder::run() {
  rewriter.setInsertionPoint(group.getFirstReader());
  RowOp row = create();
  for (auto [i, reduction] : llvm::enumerate(reductions))
    fillRegion(row, row.getReductions()[i], i, reduction);
  fillRegion(row, row.getElement(), reductions.size(), outputs);
  copyLabel(outputs.front(), row);
  for (FormulaOpInterface member : members)
    addFolded(row, member);
  for (auto [output, result] : llvm::zip_equal(outputs, row.getResults()))
    rewriter.replaceAllUsesWith(output->getResult(0), result);
  for (FormulaOpInterface member : llvm::reverse(members))
    rewriter.eraseOp(member);
}

namespace {
class FuseRowsPass : public weft::impl::FuseRowsPassBase<FuseRowsPass> {
public:
  using FuseRowsPassBase::FuseRowsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    fuseGroups(rewriter);
    SmallVector<MapOp> maps;
    getOperation()->walk([&](MapOp op) { maps.push_back(op); });
    for (MapOp map : maps)
      numFused += extendRow(rewriter, map);
  }

private:
  void fuseGroups(RewriterBase &rewriter) {
    SmallVector<ReduceOp> seeds;
    getOperation()->walk([&](ReduceOp op) { seeds.push_back(op); });
    llvm::SmallPtrSet<Operation *, 16> erased;
    for (ReduceOp seed : seeds) {
      if (erased.contains(seed))
        continue;
      RowGroup group(seed);
      if (!group.isRow())
        continue;
      for (FormulaOpInterface member : group.getMembers())
        erased.insert(member);
      numFused += group.getMembers().size();
      RowBuilder(rewriter, group).run();
    }
  }
};
} // namespace
