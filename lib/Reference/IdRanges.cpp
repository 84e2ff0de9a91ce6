//===- IdRanges.cpp - which values of an input pass its checks ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "IdRanges.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

namespace {
/// scale * id plus something between `low` and `high`. Small numbers: products do not overflow.
struct ScaledId {
  int64_t scale, low, high;

  bool isSmall() const {
    constexpr int64_t limit = int64_t(1) << 31;
    return std::abs(scale) <= limit && std::abs(low) <= limit && std::abs(high) <= limit;
  }
};

/// The comparisons of one check, as conditions on the elements of one of its tensors.
class CheckReader {
public:
  CheckReader(CheckOp check, Value tensor, IdRange &range)
      : check(check), tensor(tensor), range(range) {}

  bool read() { return read(check.getBody().front().getTerminator()->getOperand(0)); }

private:
  bool read(Value condition);
  bool isElement(Value value);
  std::optional<ScaledId> scaledIdOf(Value value);
  std::optional<ScaledId> scaledIdOf(Operation *op);
  bool readComparison(arith::CmpIPredicate predicate, ScaledId value, ScaledId bound);
  void require(ScaledId value, int64_t low, int64_t high);

  CheckOp check;
  Value tensor;
  IdRange &range;
};
} // namespace

bool CheckReader::isElement(Value value) {
  if (auto at = value.getDefiningOp<AtOp>())
    return at.getSource() == tensor;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &check.getBody().front() &&
         check.getInputs()[argument.getArgNumber()] == tensor;
}

std::optional<ScaledId> CheckReader::scaledIdOf(Value value) {
  IntegerAttr constant;
  std::optional<ScaledId> form;
  if (isElement(value))
    form = ScaledId{1, 0, 0};
  else if (matchPattern(value, m_Constant(&constant)))
    form = ScaledId{0, constant.getInt(), constant.getInt()};
  else if (Operation *op = value.getDefiningOp())
    form = scaledIdOf(op);
  return form && form->isSmall() ? form : std::nullopt;
}

std::optional<ScaledId> CheckReader::scaledIdOf(Operation *op) {
  if (auto index = dyn_cast<weft::IndexOp>(op))
    return ScaledId{0, 0, cast<IndexAttr>(check.getIndices()[index.getPosition()]).getSize() - 1};
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return scaledIdOf(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<ScaledId> a = scaledIdOf(op->getOperand(0)), b = scaledIdOf(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return ScaledId{a->scale + b->scale, a->low + b->low, a->high + b->high};
  if (isa<arith::SubIOp>(op))
    return ScaledId{a->scale - b->scale, a->low - b->high, a->high - b->low};
  if (b->scale || b->low != b->high)
    std::swap(a, b);
  if (b->scale || b->low != b->high)
    return std::nullopt;
  auto [low, high] = std::minmax(a->low * b->low, a->high * b->low);
  return ScaledId{a->scale * b->low, low, high};
}

/// Narrows the range to the ids for which `value` lies between `low` and `high`, if there are any.
void CheckReader::require(ScaledId value, int64_t low, int64_t high) {
  if (value.scale < 0) {
    std::tie(low, high) = std::make_pair(-high, -low);
    value = {-value.scale, -value.high, -value.low};
  }
  constexpr int64_t limit = int64_t(1) << 32; // no bound
  IdRange next = range;
  if (low > -limit)
    next.low = std::max(next.low, llvm::divideCeilSigned(low - value.low, value.scale));
  if (high < limit)
    next.high = std::min(next.high, llvm::divideFloorSigned(high - value.high, value.scale));
  if (next.low <= next.high)
    range = next;
}

bool CheckReader::readComparison(arith::CmpIPredicate predicate, ScaledId value, ScaledId bound) {
  constexpr int64_t none = int64_t(1) << 32;
  if (!value.scale || bound.scale)
    return false;
  switch (predicate) {
  case arith::CmpIPredicate::ult:
    return require(value, 0, bound.low - 1), true;
  case arith::CmpIPredicate::ule:
    return require(value, 0, bound.low), true;
  case arith::CmpIPredicate::slt:
    return require(value, -none, bound.low - 1), true;
  case arith::CmpIPredicate::sle:
    return require(value, -none, bound.low), true;
  case arith::CmpIPredicate::sgt:
    return require(value, bound.high + 1, none), true;
  case arith::CmpIPredicate::sge:
    return require(value, bound.high, none), true;
  case arith::CmpIPredicate::eq:
    return require(value, bound.high, bound.low), true;
  default:
    return false;
  }
}

/// True if a comparison tells something: one that `condition` consists of, not one that a value in
/// it is chosen by.
bool CheckReader::read(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return false;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    std::optional<ScaledId> lhs = scaledIdOf(compare.getLhs()), rhs = scaledIdOf(compare.getRhs());
    return lhs && rhs && readComparison(compare.getPredicate(), *lhs, *rhs);
  }
  bool found = false;
  if (isa<arith::AndIOp, arith::OrIOp>(op))
    for (Value part : op->getOperands())
      found |= read(part);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    for (Value part : {choice.getTrueValue(), choice.getFalseValue()})
      found |= read(part);
  return found;
}

static bool addRanges(BlockArgument argument, IdRange &range) {
  bool found = false;
  llvm::SmallPtrSet<Operation *, 4> read;
  for (OpOperand &use : argument.getUses()) {
    auto check = dyn_cast<CheckOp>(use.getOwner());
    if (!check)
      check = use.getOwner()->getParentOfType<CheckOp>();
    if (check && read.insert(check).second)
      found |= CheckReader(check, argument, range).read();
    if (auto call = dyn_cast<func::CallOp>(use.getOwner()))
      if (auto callee =
              SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()))
        found |= addRanges(callee.getArgument(use.getOperandNumber()), range);
  }
  return found;
}

std::optional<IdRange> weft::reference::findIdRange(BlockArgument argument) {
  IdRange range;
  if (!addRanges(argument, range))
    return std::nullopt;
  // Where one side is open the other one, or 0, is near.
  if (range.low == INT64_MIN)
    range.low = std::min<int64_t>(0, range.high);
  if (range.high == INT64_MAX)
    range.high = range.low + 1;
  return range;
}
