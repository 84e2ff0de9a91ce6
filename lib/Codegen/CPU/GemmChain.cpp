//===- GemmChain.cpp - products that one task makes -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task makes all of its rows and columns of one product, then those of the next. What is between
// lies on the stack, in the order of the task's rows and columns, and is read and written there as
// any buffer is: for each row its first element is as far in front of the row's memory as the
// task's columns are from the first one. So rows may be any, those that choose a matrix as well.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "GemmTask.h"

using namespace mlir;
using namespace weft;

Buffer GemmTask::getLocal(Value memory) {
  Value result = formula.getOutputs()[0];
  Buffer local{memory, cast<MemRefType>(result.getType()).getElementType(), {}, {}, {}};
  // Of each index of a column, how far its neighbours are from each other.
  SmallVector<Lanes> apart(formula.getNumIndices(), lanes.constant(0));
  Lanes step = lanes.constant(1);
  for (unsigned position : llvm::reverse(product.n)) {
    apart[position] = step;
    step = lanes.mul(step, kernel.getExtent(lanes, formula.getIndexAttr(position)));
  }
  for (AffineExpr expr : formula.getOutputIndexingMap(0).getResults()) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    local.sizes.push_back(kernel.getExtent(lanes, formula.getIndexAttr(position)));
    local.strides.push_back(apart[position]);
  }
  return local;
}

void GemmTask::moveLocals(Kernel &ofRow, const Lanes &row) {
  if (countLocals(op) == 0)
    return;
  Lanes columns = lanes.constant(plan.panelsPerTask * plan.shape.nr);
  Lanes before = lanes.sub(lanes.mul(row, columns), lanes.mul(group, columns));
  for (auto &[value, buffer] : ofRow.buffers)
    if (value.getDefiningOp<LocalOp>())
      buffer.pointer =
          getElementPointer(lanes, buffer.pointer, getMemoryType(buffer.elementType), before.value);
}

namespace {

class GemmChainEmitter : public KernelEmitter {
public:
  struct Link {
    ContractOp op;
    GemmPlan plan;
  };
  explicit GemmChainEmitter(std::vector<Link> links) : links(std::move(links)) {}

  bool isParallel() const override { return links.front().plan.schedule.parallel; }
  Lanes getNumTasks(LaneBuilder &outer, const Kernel &kernel) override {
    LaneBuilder lanes = outer.withWidth(links.front().plan.schedule.width);
    return GemmTask(lanes, kernel, links.front().op, links.front().plan).getNumTasks();
  }
  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    StackBlocks blocks;
    Kernel own = kernel;
    own.stack = &blocks;
    LaneBuilder lanes = outer.withWidth(links.front().plan.schedule.width);
    std::vector<GemmTask> products;
    for (const Link &link : links) {
      products.emplace_back(lanes, own, link.op, link.plan);
      products.back().setMatrixOf(task);
    }
    products.front().forRows([&] {
      for (auto [i, link] : llvm::enumerate(links)) {
        bool isLast = i + 1 == links.size();
        products[i].takeRows(products.front());
        products[i].setAfter(isLast ? products.front().getPanels(/*nextGroup=*/1)
                                    : products[i + 1].getPanels());
        if (!isLast) {
          Value memory = kernel.allocateStack(lanes, getLocalBytes(link.plan.schedule));
          own.buffers[FormulaOpInterface(link.op).getOutputs()[0]] = products[i].getLocal(memory);
        }
        products[i].multiply();
        blocks.freeAll();
      }
    });
  }

private:
  std::vector<Link> links;
};

} // namespace

/// What both have of their own tasks is one task of each.
static LogicalResult verifyOneTask(ContractOp op, const GemmSchedule &own,
                                   const GemmSchedule &other) {
  auto differ = [&](StringRef field, int64_t is, int64_t expected) {
    return op.emitError("lowering \"gemm\": '") << field << "' is " << is << ", but " << expected
                                                << " in another product that the same task makes";
  };
  if (own.rows != other.rows)
    return differ("rows", own.rows, other.rows);
  if (own.panels != other.panels)
    return differ("panels", own.panels, other.panels);
  if (own.near != other.near)
    return differ("near", own.near.value_or(0), other.near.value_or(0));
  if (own.width != other.width)
    return differ("width", own.width, other.width);
  if (own.parallel != other.parallel)
    return differ("parallel", own.parallel, other.parallel);
  if (own.tile != other.tile)
    return op.emitError("lowering \"gemm\": 'tile' is not that of another product that the same "
                        "task makes");
  return success();
}

/// A product of a kernel in which each but the last makes what later ones read, so that all have
/// rows and columns of one size.
static LogicalResult verifyLink(Operation *anchor, bool isLast) {
  auto op = dyn_cast<ContractOp>(anchor);
  if (!op || attrs::Lowering::get(anchor).getEmitter() != emitters::gemm ||
      !Product::matchPacked(op))
    return anchor->emitError("only products with lowering \"gemm\" make what others of their "
                             "kernel read");
  bool isLocal = FormulaOpInterface(op).getOutputs()[0].getDefiningOp<LocalOp>() != nullptr;
  if (isLocal == isLast)
    return anchor->emitError("of products that one task makes, the last has a buffer for its "
                             "result, and no other");
  return success();
}

std::unique_ptr<KernelEmitter> weft::createGemmChainEmitter(ArrayRef<Operation *> anchors) {
  std::vector<GemmChainEmitter::Link> links;
  if (anchors.size() > kMostChained) {
    anchors.back()->emitError("one task makes at most ") << kMostChained << " products";
    return nullptr;
  }
  for (Operation *anchor : anchors) {
    if (failed(verifyLink(anchor, anchor == anchors.back())))
      return nullptr;
    auto op = cast<ContractOp>(anchor);
    std::optional<GemmSchedule> schedule =
        readSchedule<GemmSchedule>(op, attrs::Lowering::get(anchor));
    if (!schedule ||
        (!links.empty() && failed(verifyOneTask(op, *schedule, links.front().plan.schedule))))
      return nullptr;
    links.push_back({op, GemmPlan(op, *schedule)});
  }
  return std::make_unique<GemmChainEmitter>(std::move(links));
}
