//===- DiscardableRules.cpp - what the attributes weft.NAME may say -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DiscardableRules.h"

#include "weft/Support/WorkCount.h"

#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Rules of several attributes
//===----------------------------------------------------------------------------------------===//

static std::string notEmpty(const Site &, Attribute value) {
  return cast<StringAttr>(value).empty() ? "a text that is not empty" : "";
}

static std::string notNegative(const Site &, Attribute value) {
  return cast<IntegerAttr>(value).getInt() < 0 ? "a number that is not negative" : "";
}

static std::string beside(StringRef name) { return ("'" + name + "' beside it").str(); }

/// The name of a function that is not this one.
static std::string anotherEntry(const Site &site, Attribute value) {
  return cast<FlatSymbolRefAttr>(value).getValue() == site.getFunction().getName()
             ? "the name of another entry"
             : "";
}

//===----------------------------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------------------------===//

static std::string symbols(const Site &, Attribute value) {
  llvm::StringSet<> names;
  for (StringAttr name : cast<BoundsAttr>(value).getSymbols())
    if (!names.insert(name.getValue()).second)
      return "every symbol once";
  return "";
}

static std::string batch(const Site &site, Attribute value) {
  auto all = site.get<attrs::Symbols>();
  bool known = all && llvm::is_contained(all.getSymbols(), cast<StringAttr>(value));
  return known ? "" : "one of the module's symbols";
}

/// What a caller passes has a name of its own, and so has what he gets; only what a comparison asks
/// for may be called as an output is.
static std::string entry(const Site &site, Attribute) {
  auto function = dyn_cast<func::FuncOp>(site.op);
  if (!function || attrs::Kernel::isOn(function))
    return function ? "no kernel" : "a func.func";
  llvm::StringSet<> inputs, outputs;
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    StringRef name = attrs::Name::getArgText(function, i);
    llvm::StringSet<> &names = attrs::Output::getArg(function, i) ? outputs : inputs;
    if (!name.empty() && !attrs::Location::getArg(function, i) && !names.insert(name).second)
      return "arguments with different names, two are '" + name.str() + "'";
  }
  return "";
}

static std::string generate(const Site &site, Attribute value) {
  func::FuncOp function = site.getFunction();
  StringRef output = cast<GenerateAttr>(value).getOutput();
  for (unsigned i = 0; i != function.getNumResults(); ++i)
    if (attrs::Name::getResultText(function, i) == output)
      return "";
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (attrs::Output::getArg(function, i) && attrs::Name::getArgText(function, i) == output)
      return "";
  return "the name of an output of '" + function.getName().str() + "'";
}

static std::string step(const Site &site, Attribute value) {
  return anotherEntry(site, cast<StepAttr>(value).getEntry());
}

/// It continues what its step continues.
static std::string last(const Site &site, Attribute value) {
  if (!site.get<attrs::Step>())
    return beside(attrs::Step::name);
  return anotherEntry(site, value);
}

static std::string flops(const Site &, Attribute value) {
  ArrayRef<double> coefficients = cast<DenseF64ArrayAttr>(value);
  bool valid = coefficients.size() == 3 && llvm::all_of(coefficients, [](double coefficient) {
                 return std::isfinite(coefficient) && coefficient >= 0;
               });
  return valid ? "" : "3 numbers that are not negative";
}

static std::string flopCount(const Site &site, Attribute value) {
  SmallVector<StringRef> names;
  auto module = site.op->getParentOfType<ModuleOp>();
  if (BoundsAttr all = module ? attrs::Symbols::get(module) : BoundsAttr())
    for (StringAttr symbol : all.getSymbols())
      names.push_back(symbol.getValue());
  bool valid = Count::parse(cast<StringAttr>(value), names).has_value();
  return valid ? "" : "a count of the module's symbols";
}

/// A weight has at least one that it is computed from, and a function has all of them as arguments.
static std::string derives(const Site &site, Attribute value) {
  auto function = dyn_cast<func::FuncOp>(site.op);
  auto isWhole = [&](Attribute list) {
    size_t names = cast<ArrayAttr>(list).size();
    return names > 1 && function && names == function.getNumArguments() + 1;
  };
  return llvm::all_of(cast<ArrayAttr>(value), isWhole)
             ? ""
             : "lists of a name and one for each argument";
}

static std::string stateBytes(const Site &site, Attribute value) {
  return site.get<attrs::Step>() ? notNegative(site, value) : beside(attrs::Step::name);
}

//===----------------------------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------------------------===//

/// Parts of the state are joined by name.
static std::string state(const Site &site, Attribute) {
  if (!attrs::Step::isOn(site.op) && !attrs::Start::isOn(site.op))
    return "the function to continue or begin a sequence";
  return site.get<attrs::Name>() ? "" : beside(attrs::Name::name);
}

static std::string stateOffset(const Site &site, Attribute value) {
  if (!site.get<attrs::State>())
    return beside(attrs::State::name);
  auto bytes = attrs::StateBytes::get(site.op);
  int64_t offset = cast<IntegerAttr>(value).getInt();
  if (bytes && offset > bytes.getInt())
    return "a place in the state of " + std::to_string(bytes.getInt()) + " bytes";
  return notNegative(site, value);
}

static std::string window(const Site &site, Attribute value) {
  ShapedType type = site.getType();
  if (!site.get<attrs::State>() || !type || type.getRank() == 0 || type.isDynamicDim(0))
    return "a part of the state with a fixed number of rows";
  int64_t rows = type.getDimSize(0), reach = cast<IntegerAttr>(value).getInt();
  return reach >= 0 && reach < rows ? "" : "a number below its " + std::to_string(rows) + " rows";
}

static std::string defaultValue(const Site &site, Attribute value) {
  ShapedType type = site.getType();
  if (type && getComputeType(type.getElementType()) == cast<TypedAttr>(value).getType())
    return "";
  return "a value of the elements' compute type";
}

static std::string computed(const Site &site, Attribute) {
  return site.get<attrs::Default>() ? "" : beside(attrs::Default::name);
}

static std::string defaultOffset(const Site &site, Attribute value) {
  return site.get<attrs::Default>() ? notNegative(site, value) : beside(attrs::Default::name);
}

static std::string given(const Site &site, Attribute value) {
  ShapedType type = site.getType();
  unsigned before = site.position - 1;
  bool valid = type && type.getRank() == 0 && type.getElementType().isInteger(1) &&
               site.position > 0 &&
               attrs::Name::getArg(site.getFunction(), before) == cast<StringAttr>(value) &&
               attrs::Default::getArg(site.getFunction(), before);
  return valid ? "" : "one bool behind the input of this name, which has a default";
}

static std::string indexBound(const Site &site, Attribute value) {
  ShapedType type = site.getType();
  if (!type || !getComputeType(type.getElementType()).isInteger(32))
    return "a tensor of integers";
  return cast<IntegerAttr>(value).getInt() < 1 ? "a number above 0" : "";
}

static std::string output(const Site &site, Attribute) {
  return isa_and_nonnull<MemRefType>(site.getType()) ? "" : "a buffer";
}

static std::string bounds(const Site &site, Attribute value) {
  auto type = dyn_cast_or_null<MemRefType>(site.getType());
  int64_t dynamic = type ? type.getNumDynamicDims() : 0;
  if (type && size_t(dynamic) == cast<BoundsAttr>(value).getSymbols().size())
    return "";
  return "a symbol for each of the buffer's " + std::to_string(dynamic) + " run-time sizes";
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

/// What the fields of the schedule may be is the business of the target that has the emitter.
static std::string lowering(const Site &, Attribute value) {
  return cast<LoweringAttr>(value).getEmitter().empty() ? "the name of an emitter" : "";
}

static std::string parts(const Site &site, Attribute value) {
  int64_t number = cast<IntegerAttr>(value).getInt();
  if (!isa<ContractOp>(site.op))
    return "a product";
  return number == 2 || number == 3 ? "" : "2 or 3";
}

static std::string lane(const Site &site, Attribute value) {
  int64_t summed = cast<IntegerAttr>(value).getInt();
  auto formula = dyn_cast<FormulaOpInterface>(site.op);
  if (!isa<ReduceOp, ContractOp>(site.op))
    return "a sum";
  int64_t count = formula.getNumIndices() - formula.getNumOutputIndices();
  return summed >= -1 && summed < count ? "" : "-1 or the number of a summed index";
}

namespace {
using Rule = std::string (*)(const Site &site, Attribute value);
} // namespace

static constexpr std::pair<StringLiteral, Rule> rules[] = {
    {attrs::Model::name, notEmpty},
    {attrs::Stage::name, notEmpty},
    {attrs::Symbols::name, symbols},
    {attrs::Batch::name, batch},
    {attrs::Parameters::name, notNegative},
    {attrs::WeightsBytes::name, notNegative},
    {attrs::Entry::name, entry},
    {attrs::Generate::name, generate},
    {attrs::Step::name, step},
    {attrs::Start::name, anotherEntry},
    {attrs::Last::name, last},
    {attrs::Flops::name, flops},
    {attrs::FlopCount::name, flopCount},
    {attrs::Derives::name, derives},
    {attrs::Scratch::name, notNegative},
    {attrs::StateBytes::name, stateBytes},
    {attrs::Name::name, notEmpty},
    {attrs::Location::name, notEmpty},
    {attrs::State::name, state},
    {attrs::StateOffset::name, stateOffset},
    {attrs::Window::name, window},
    {attrs::Default::name, defaultValue},
    {attrs::Computed::name, computed},
    {attrs::Given::name, given},
    {attrs::DefaultOffset::name, defaultOffset},
    {attrs::IndexBound::name, indexBound},
    {attrs::Output::name, output},
    {attrs::Bounds::name, bounds},
    {attrs::Arena::name, notNegative},
    {attrs::Label::name, notEmpty},
    {attrs::Parts::name, parts},
    {attrs::Lane::name, lane},
    {attrs::UnfusedReason::name, notEmpty},
    {attrs::Lowering::name, lowering},
};

std::string weft::expectedInstead(StringRef name, const Site &site, Attribute value) {
  const auto *rule = llvm::find_if(rules, [&](const auto &rule) { return rule.first == name; });
  return rule == std::end(rules) ? "" : rule->second(site, value);
}
