//===- RowScale.cpp - what does not depend on the scale of its row --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowScale.h"

#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

static constexpr RowForm kUnknown{RowForm::Unknown, 0};

/// A rate of 0 is none.
static RowForm makeForm(RowForm::Kind kind, double rate) {
  return rate == 0 ? RowForm() : RowForm{kind, rate};
}

/// Of what may be either one: the sum, the larger one, a choice.
static RowForm join(RowForm a, RowForm b) {
  if (a == b)
    return a;
  if (a.isFree() && b.isFree())
    return RowForm();
  if (a.kind == RowForm::Zero && b.kind == RowForm::Scaled)
    return b;
  if (b.kind == RowForm::Zero && a.kind == RowForm::Scaled)
    return a;
  return kUnknown;
}

static RowForm add(RowForm a, RowForm b, double sign) {
  bool areSums =
      (a.isFree() || a.kind == RowForm::Linear) && (b.isFree() || b.kind == RowForm::Linear);
  if (areSums && (a.kind == RowForm::Linear || b.kind == RowForm::Linear))
    return makeForm(RowForm::Linear, a.rate + sign * b.rate);
  return join(a, b);
}

static RowForm multiply(RowForm a, RowForm b, double sign) {
  if (a.isFree() && b.isFree())
    return a.kind == RowForm::Zero ? a : RowForm();
  bool areProducts =
      (a.isFree() || a.kind == RowForm::Scaled) && (b.isFree() || b.kind == RowForm::Scaled);
  return areProducts ? makeForm(RowForm::Scaled, a.rate + sign * b.rate) : kUnknown;
}

/// A multiple of c * x + a.
static RowForm stretch(RowForm form, Value factor, bool divides) {
  std::optional<double> constant = getConstantFloat(factor);
  if (form.kind != RowForm::Linear || !constant || *constant == 0)
    return kUnknown;
  return makeForm(RowForm::Linear, divides ? form.rate / *constant : form.rate * *constant);
}

namespace {
/// The forms of a region's scalars.
class ScalarForms {
public:
  ScalarForms(FormulaOpInterface op, ArrayRef<RowForm> inputs) : op(op), inputs(inputs) {}

  RowForm get(Value value) {
    auto [place, isNew] = known.try_emplace(value);
    if (isNew) {
      RowForm form = compute(value); // which adds others
      known[value] = form;
      return form;
    }
    return place->second;
  }

private:
  RowForm compute(Value value);
  RowForm computeOther(Operation *def);

  FormulaOpInterface op;
  ArrayRef<RowForm> inputs;
  llvm::DenseMap<Value, RowForm> known;
};
} // namespace

RowForm ScalarForms::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == op.getOperation() ? inputs[argument.getArgNumber()]
                                                                   : RowForm();
  if (std::optional<double> constant = getConstantFloat(value))
    return {*constant == 0 ? RowForm::Zero : RowForm::Free, 0};
  using Form = RowForm;
  return TypeSwitch<Operation *, RowForm>(value.getDefiningOp())
      .Case([&](arith::AddFOp a) { return add(get(a.getLhs()), get(a.getRhs()), 1); })
      .Case([&](arith::SubFOp a) { return add(get(a.getLhs()), get(a.getRhs()), -1); })
      .Case([&](arith::MulFOp a) {
        RowForm lhs = get(a.getLhs()), rhs = get(a.getRhs());
        if (lhs.kind == Form::Linear)
          return stretch(lhs, a.getRhs(), /*divides=*/false);
        if (rhs.kind == Form::Linear)
          return stretch(rhs, a.getLhs(), /*divides=*/false);
        return multiply(lhs, rhs, 1);
      })
      .Case([&](arith::DivFOp a) {
        RowForm lhs = get(a.getLhs()), rhs = get(a.getRhs());
        return lhs.kind == Form::Linear ? stretch(lhs, a.getRhs(), /*divides=*/true)
                                        : multiply(lhs, rhs, -1);
      })
      .Case([&](arith::NegFOp a) {
        RowForm form = get(a.getOperand());
        return form.kind == Form::Linear ? RowForm{Form::Linear, -form.rate} : form;
      })
      .Case([&](math::ExpOp a) {
        RowForm form = get(a.getOperand());
        return form.kind == Form::Linear ? RowForm{Form::Scaled, form.rate} : computeOther(a);
      })
      .Case([&](math::LogOp a) {
        RowForm form = get(a.getOperand());
        return form.kind == Form::Scaled ? RowForm{Form::Linear, form.rate} : computeOther(a);
      })
      .Case([&](math::AbsFOp a) { return get(a.getOperand()); })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto a) { return join(get(a.getLhs()), get(a.getRhs())); })
      .Case([&](arith::SelectOp a) {
        return get(a.getCondition()).isFree() ? join(get(a.getTrueValue()), get(a.getFalseValue()))
                                              : kUnknown;
      })
      .Case([&](arith::CmpFOp a) {
        return join(get(a.getLhs()), get(a.getRhs())).kind == Form::Unknown ? kUnknown : RowForm();
      })
      .Default([&](Operation *def) { return computeOther(def); });
}

/// Of what is free of x nothing depends on it.
RowForm ScalarForms::computeOther(Operation *def) {
  auto depends = def->walk([&](Operation *nested) {
    return llvm::all_of(nested->getOperands(),
                        [&](Value operand) {
                          return isa<ShapedType>(operand.getType()) || get(operand).isFree();
                        })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return depends.wasInterrupted() ? kUnknown : RowForm();
}

RowForm RowScale::getYield(FormulaOpInterface formula, unsigned input) {
  SmallVector<RowForm> inputs(formula.getInputs().size());
  inputs[input] = {RowForm::Linear, 1};
  return ScalarForms(formula, inputs).get(formula->getRegion(0).front().back().getOperand(0));
}

void RowScale::start(Value tensor, AffineMap row, RowForm form) {
  tensors.insert({tensor, {row, form}});
}

SmallVector<Value> RowScale::getTensors() const {
  return llvm::map_to_vector(tensors, [](const auto &entry) { return entry.first; });
}

/// What the formula makes of inputs of these forms.
static RowForm getResultForm(FormulaOpInterface op, ArrayRef<RowForm> inputs) {
  if (auto contract = dyn_cast<ContractOp>(*op))
    return contract.getEpilogue().empty() ? multiply(inputs[0], inputs[1], 1) : kUnknown;
  Value yielded = op->getRegion(0).front().back().getOperand(0);
  RowForm form = ScalarForms(op, inputs).get(yielded);
  auto reduce = dyn_cast<ReduceOp>(*op);
  if (!reduce || form.isFree())
    return form;
  // Nothing is made of no elements: 0, which is no c * x + a.
  ReduceKind kind = reduce.getKind();
  bool isChoice = kind == ReduceKind::Max || kind == ReduceKind::Min || kind == ReduceKind::Mean;
  bool keeps = form.kind == RowForm::Scaled
                   ? isChoice || kind == ReduceKind::Sum
                   : form.kind == RowForm::Linear && isChoice && reduce.getPredicate().empty();
  return keeps ? form : kUnknown;
}

/// Whether a region other than the body reads one of the inputs.
static bool isConditionFree(FormulaOpInterface op, ArrayRef<RowForm> inputs) {
  auto reduce = dyn_cast<ReduceOp>(*op);
  return !reduce || reduce.getPredicate().empty() ||
         llvm::all_of(reduce.getPredicate().getArguments(), [&](BlockArgument argument) {
           return argument.use_empty() || inputs[argument.getArgNumber()].isFree();
         });
}

bool RowScale::follow(Operation *def) {
  auto op = dyn_cast<FormulaOpInterface>(def);
  if (!op || !isa<MapOp, ReduceOp, ContractOp>(def) || op.getOutputMapsAttr() ||
      !isStoredAsComputed(def->getResult(0)))
    return false;
  SmallVector<RowForm> inputs(op.getInputs().size());
  AffineMap row;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto found = tensors.find(input);
    if (found == tensors.end())
      continue;
    AffineMap at = found->second.row.compose(op.getInputMap(i));
    if (row && row != at)
      return false;
    row = at;
    inputs[i] = found->second.form;
  }
  // Else a place that data choose is read.
  if (!row || !isConditionFree(op, inputs))
    return false;
  RowForm form = getResultForm(op, inputs);
  if (form.isFree())
    return true;
  std::optional<SmallVector<unsigned>> dims = getDistinctDims(row);
  unsigned numOutput = op.getNumOutputIndices();
  if (form.kind == RowForm::Unknown || !dims ||
      llvm::any_of(*dims, [&](unsigned dim) { return dim >= numOutput; }))
    return false;
  start(def->getResult(0), AffineMap::get(numOutput, 0, row.getResults(), def->getContext()), form);
  return true;
}

bool RowScale::cancels(ArrayRef<Operation *> known) {
  Block *block = tensors.front().first.getDefiningOp()->getBlock();
  for (Operation &op : *block) {
    if (llvm::is_contained(known, &op))
      continue;
    bool reads = false, reads_at = false;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (tensors.contains(operand))
          (nested == &op ? reads : reads_at) = true;
    });
    if (reads_at || (reads && !follow(&op)))
      return false;
  }
  return true;
}
