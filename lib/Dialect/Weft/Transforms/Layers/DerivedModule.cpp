//===- DerivedModule.cpp - the functions of derived weights ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Layers/DerivedModule.h"

#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/IR/FunctionEquivalence.h"
#include "weft/Support/TensorSize.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------------------------===//

std::optional<int64_t> weft::getShift(AffineExpr place) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(place);
  auto shift = sum && sum.getKind() == AffineExprKind::Add && isa<AffineDimExpr>(sum.getLHS())
                   ? dyn_cast<AffineConstantExpr>(sum.getRHS())
                   : nullptr;
  return shift ? std::optional(shift.getValue()) : std::nullopt;
}

bool weft::isPart(Operation *op) {
  if (!isCopy(op))
    return false;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  ArrayRef<AffineExpr> places = FormulaOpInterface(op).getInputMap(0).getResults();
  int64_t points = llvm::count_if(places, llvm::IsaPred<AffineConstantExpr>);
  // Else it has an element more than once.
  bool readsAll = int64_t(places.size()) - points == type.getRank();
  return isa<FloatType>(type.getElementType()) && type.hasStaticShape() &&
         type.getElementType() == from.getElementType() && readsAll &&
         (points != 0 || llvm::any_of(places, [](AffineExpr place) { return getShift(place); }));
}

std::optional<int64_t> weft::findFirstOfPart(Operation *op) {
  if (!isPart(op))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  ArrayRef<AffineExpr> places = FormulaOpInterface(op).getInputMap(0).getResults();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  int64_t first = 0;
  unsigned next = 0;
  for (auto [place, size] : llvm::zip_equal(places, type.getShape())) {
    auto constant = dyn_cast<AffineConstantExpr>(place);
    bool isNext = constant ? next == 0
                           : next < shape.size() && shape[next] == size &&
                                 place == getAffineDimExpr(next, op->getContext());
    if (!isNext)
      return std::nullopt;
    next += !constant;
    first = first * size + (constant ? constant.getValue() : 0);
  }
  return first;
}

std::optional<int64_t> weft::findFirstOfPart(func::FuncOp function) {
  Block &body = function.front();
  return llvm::hasNItems(body, 2) ? findFirstOfPart(&body.front()) : std::nullopt;
}

ModuleOp weft::findDerivedModule(ModuleOp module) {
  auto nested = module.getOps<ModuleOp>();
  return nested.empty() ? ModuleOp() : *nested.begin();
}

OwningOpRef<ModuleOp> weft::takeDerivedModule(ModuleOp module) {
  ModuleOp derived = findDerivedModule(module);
  if (derived)
    derived->remove();
  return derived;
}

std::vector<DerivedWeight> weft::listDerivedWeights(ModuleOp derived) {
  std::vector<DerivedWeight> weights;
  for (auto function : derived.getOps<func::FuncOp>())
    if (ArrayAttr list = attrs::Derives::get(function))
      for (auto names : list.getAsRange<ArrayAttr>()) {
        auto all = llvm::map_to_vector(names.getAsValueRange<StringAttr>(),
                                       [](StringRef name) { return name.str(); });
        weights.push_back({all.front(), {all.begin() + 1, all.end()}, function});
      }
  return weights;
}

int64_t weft::countParameters(ModuleOp module) {
  if (auto known = attrs::Parameters::get(module))
    return known.getInt();
  llvm::StringSet<> names;
  int64_t count = 0;
  module.walk([&](WeightOp op) {
    CodePart part = op.getCoded() ? op.getCoded()->getPart() : CodePart::Codes;
    bool isBeside = part == CodePart::Scales || part == CodePart::Sums;
    if (!isBeside && names.insert(op.getName()).second)
      count += *elementCount(cast<ShapedType>(op.getType()).getShape());
  });
  return count;
}

//===----------------------------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------------------------===//

DerivedModule::DerivedModule(ModuleOp module) : module(module) {
  module.walk([&](WeightOp op) { taken[op.getName()] = {}; });
}

/// The weights that the ops read, in the order in which they read them.
static SmallVector<WeightOp> findWeights(ArrayRef<Operation *> slice) {
  llvm::SetVector<WeightOp> weights;
  for (Operation *op : slice)
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (auto weight = operand.getDefiningOp<WeightOp>())
          weights.insert(weight);
    });
  return weights.takeVector();
}

/// A function of the weights in the module of functions, which is made for the first one.
func::FuncOp DerivedModule::outline(Value value, ArrayRef<Operation *> slice,
                                    ArrayRef<WeightOp> weights) {
  OpBuilder builder(module.getContext());
  if (!derived) {
    builder.setInsertionPointToEnd(module.getBody());
    derived = ModuleOp::create(builder, module.getLoc(), "derived_weights");
  }
  builder.setInsertionPointToEnd(derived.getBody());
  auto types = llvm::map_to_vector(weights, [](WeightOp op) { return op.getResult().getType(); });
  StringRef label = attrs::Label::getText(value.getDefiningOp());
  auto function = func::FuncOp::create(builder, value.getLoc(), label.empty() ? "weight" : label,
                                       builder.getFunctionType(types, {value.getType()}));
  IRMapping mapping;
  Block *body = function.addEntryBlock();
  for (auto [i, weight] : llvm::enumerate(weights))
    mapping.map(weight->getResult(0), Value(body->getArgument(i)));
  builder.setInsertionPointToEnd(body);
  for (Operation *op : slice)
    builder.clone(*op, mapping);
  // What is computed is f32: it is stored in its type when weights are packed.
  Value result = mapping.lookup(value);
  auto computed = cast<RankedTensorType>(result.getType()).clone(builder.getF32Type());
  result.setType(computed);
  func::ReturnOp::create(builder, value.getLoc(), result);
  function.setFunctionType(builder.getFunctionType(types, {computed}));
  attrs::Entry::set(function);
  for (unsigned i = 0; i != weights.size(); ++i)
    attrs::Name::setArg(function, i, ("w" + Twine(i)).str());
  attrs::Name::setResult(function, 0, "weight");
  return function;
}

/// The same function that there was before, if there was one.
func::FuncOp DerivedModule::share(func::FuncOp function) {
  for (auto known : derived.getOps<func::FuncOp>()) {
    if (known == function)
      continue;
    Attribute derives = attrs::Derives::get(known);
    known->removeDiscardableAttr(attrs::Derives::name);
    bool isSame = areEquivalent(known, function);
    known->setDiscardableAttr(attrs::Derives::name, derives);
    if (!isSame)
      continue;
    function.erase();
    return known;
  }
  std::string name = function.getName().str();
  unsigned number = 2;
  auto isTaken = [&](func::FuncOp known) { return known != function && known.getName() == name; };
  while (llvm::any_of(derived.getOps<func::FuncOp>(), isTaken))
    name = (function.getName() + "_" + Twine(number++)).str();
  function.setName(name);
  return function;
}

/// The innermost scope of the weights that it is made of, and the name in the text.
std::string DerivedModule::chooseName(Value value, ArrayRef<Attribute> from,
                                      func::FuncOp function) {
  auto countScopes = [](Attribute name) { return cast<StringAttr>(name).getValue().count('.'); };
  StringRef scope = cast<StringAttr>(*llvm::max_element(from, [&](Attribute a, Attribute b) {
                      return countScopes(a) < countScopes(b);
                    })).getValue();
  scope = scope.take_front(scope.rfind('.') + 1);
  StringRef label = attrs::Label::getText(value.getDefiningOp());
  std::string name = (kDerivedPrefix + scope + (label.empty() ? "weight" : label)).str();
  auto parts = ArrayAttr::get(module.getContext(), from);
  for (unsigned number = 2;; ++number) {
    auto [slot, isNew] = taken.try_emplace(name, function, parts);
    if (isNew || slot->second == std::pair(function.getOperation(), parts))
      return name;
    name = slot->first().split('#').first.str() + "#" + std::to_string(number);
  }
}

std::string DerivedModule::add(Value value, ArrayRef<Operation *> slice) {
  SmallVector<WeightOp> weights = findWeights(slice);
  func::FuncOp function = share(outline(value, slice, weights));
  SmallVector<Attribute> names =
      llvm::map_to_vector(weights, [](WeightOp op) -> Attribute { return op.getNameAttr(); });
  std::string name = chooseName(value, names, function);
  names.insert(names.begin(), StringAttr::get(module.getContext(), name));
  SmallVector<Attribute> lists;
  if (ArrayAttr known = attrs::Derives::get(function))
    llvm::append_range(lists, known);
  Attribute added = ArrayAttr::get(module.getContext(), names);
  if (!llvm::is_contained(lists, added))
    lists.push_back(added);
  attrs::Derives::set(function, ArrayAttr::get(module.getContext(), lists));
  return name;
}
