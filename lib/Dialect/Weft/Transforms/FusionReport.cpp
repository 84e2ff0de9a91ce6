//===- FusionReport.cpp - what the fusions made of a model ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/FusionReport.h"

#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/IR/LocationText.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------------------------===//

static std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = function ? attrs::Name::getArg(function, argument.getArgNumber()) : StringAttr();
    return name ? name.str() : "an argument";
  }
  if (auto weight = value.getDefiningOp<WeightOp>())
    return weight.getName().str();
  auto label = attrs::Label::get(value.getDefiningOp());
  return label ? label.str() : "a formula";
}

/// `expr` in the names of the formula's indices and of `symbols`.
static std::string textOf(AffineExpr expr, AttentionOp op) {
  std::string text, named;
  llvm::raw_string_ostream(text) << expr;
  for (size_t i = 0; i != text.size();) {
    size_t end = i + 1;
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
    unsigned position = 0;
    bool isVariable = (text[i] == 'd' || text[i] == 's') &&
                      !StringRef(text).slice(i + 1, end).getAsInteger(10, position);
    if (!isVariable)
      named += StringRef(text).slice(i, end);
    else if (text[i] == 'd')
      named += op.getIndexAttr(position).getName();
    else
      named += cast<StringAttr>((*op.getBoundSymbols())[position]).getValue();
    i = end;
  }
  return named;
}

//===----------------------------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------------------------===//

static std::string operationsOf(Region &region) {
  unsigned count = 0;
  region.walk([&](Operation *op) { count += !isa<YieldOp, arith::ConstantOp, weft::IndexOp>(op); });
  return count ? fmt::format("{} operation{}", count, count == 1 ? "" : "s") : "";
}

static std::string namesOf(FormulaOpInterface op, const llvm::SmallBitVector &indices) {
  SmallVector<StringRef> names;
  for (unsigned i : indices.set_bits())
    names.push_back(op.getIndexAttr(i).getName());
  return llvm::join(names, ", ");
}

/// The output indices that a score depends on: heads and queries, not the features of the values.
static llvm::SmallBitVector getQueries(AttentionOp op) {
  auto formula = cast<FormulaOpInterface>(op.getOperation());
  llvm::SmallBitVector used(formula.getNumIndices());
  for (unsigned i = 0, e = op.getInputs().size(); i != e; ++i)
    if (i != 2 * op.getDots())
      used |= getUsedIndices(formula.getInputMap(i));
  op->walk([&](weft::IndexOp index) { used.set(index.getPosition()); });
  used.reset(formula.getNumOutputIndices(), formula.getNumIndices());
  return used;
}

/// "0 <= s < min(t + 1, T)"; empty if all keys are visited.
static std::string keysOf(AttentionOp op) {
  auto join = [&](std::optional<AffineMap> map, StringRef several) {
    auto bounds =
        llvm::map_to_vector(map->getResults(), [&](AffineExpr expr) { return textOf(expr, op); });
    std::string text = llvm::join(bounds, ", ");
    return bounds.size() > 1 ? fmt::format("{}({})", several, text) : text;
  };
  std::string key = op.getIndexAttr(op.getKeyIndex()).getName().str();
  if (!op.getKeyLower() && !op.getKeyUpper())
    return "";
  std::string lower = op.getKeyLower() ? join(op.getKeyLower(), "max") + " <= " : "";
  std::string upper = op.getKeyUpper() ? " < " + join(op.getKeyUpper(), "min") : "";
  return fmt::format("; keys {}{}{}", lower, key, upper);
}

/// What the predicate reads that is left of a mask.
static std::string maskOf(AttentionOp op) {
  Region &predicate = op.getPredicate();
  if (predicate.empty())
    return "";
  std::vector<std::string> names;
  auto addName = [&](Value tensor) {
    if (std::string name = nameOf(tensor); !llvm::is_contained(names, name))
      names.push_back(name);
  };
  unsigned first = op.getInputs().size() - predicate.getNumArguments();
  for (BlockArgument argument : predicate.getArguments())
    if (!argument.use_empty())
      addName(op.getInputs()[first + argument.getArgNumber()]);
  predicate.walk([&](AtOp at) { addName(at.getSource()); });
  return "; a mask for each pair" + (names.empty() ? "" : " of " + llvm::join(names, ", "));
}

static std::string formOf(AttentionOp op) {
  unsigned dots = op.getDots();
  std::string scales, score = operationsOf(op.getScore());
  for (double scale : op.getScales())
    scales += fmt::format("{}{:g}", scales.empty() ? "" : ", ", scale);
  return fmt::format("{} over {} streams for each {}: {} dot product{}{}{}{}{}",
                     op.getNormalizer() == Normalizer::None ? "sum" : "softmax",
                     op.getIndexAttr(op.getKeyIndex()).getName(), namesOf(op, getQueries(op)), dots,
                     dots == 1 ? "" : "s", dots ? " (scale " + scales + ")" : "",
                     score.empty() ? "" : ", a score of " + score, keysOf(op), maskOf(op));
}

static std::string formOf(RowOp op) {
  SmallVector<StringRef> kinds;
  for (unsigned i = 0; i != op.getNumReductions(); ++i)
    kinds.push_back(stringifyReduceKind(op.getKind(i)));
  std::string element = operationsOf(op.getElement());
  return fmt::format("{} over {} in rows{}", llvm::join(kinds, ", "),
                     FormulaOpInterface(op).getIndexAttr(op.getAxis()).getName(),
                     element.empty() ? "" : ", and " + element + " on each element");
}

static std::string formOf(FormulaOpInterface op) {
  if (auto attention = dyn_cast<AttentionOp>(*op))
    return formOf(attention);
  if (auto row = dyn_cast<RowOp>(*op))
    return formOf(row);
  if (auto softmax = dyn_cast<SoftmaxOp>(*op))
    return fmt::format("{} over {}", stringifyNormalizer(softmax.getNormalizer()),
                       op.getIndexAttr(softmax.getAxis()).getName());
  llvm::SmallBitVector reduced(op.getNumIndices());
  reduced.set(op.getNumOutputIndices(), op.getNumIndices());
  if (auto contract = dyn_cast<ContractOp>(*op)) {
    std::string text = "product over " + namesOf(op, reduced);
    if (double scale = contract.getScale().convertToDouble(); scale != 1)
      text += fmt::format(" (scale {:g})", scale);
    std::string epilogue = operationsOf(contract.getEpilogue());
    return epilogue.empty() ? text : text + " and " + epilogue + " on its result";
  }
  if (auto reduce = dyn_cast<ReduceOp>(*op))
    return fmt::format("{} over {}", stringifyReduceKind(reduce.getKind()), namesOf(op, reduced));
  return "element by element";
}

/// The formula of the text that a name stands for: parts are "score.sum", "score.part".
static StringRef formulaOf(StringRef name) {
  auto [formula, part] = name.rsplit('.');
  bool isPart = part == "part" || symbolizeReduceKind(part) || symbolizeNormalizer(part);
  return isPart ? formulaOf(formula) : name;
}

static FusedFormula describe(FormulaOpInterface op) {
  FusedFormula result{nameOf(op->getResult(0)),
                      locationText(op->getLoc()),
                      formOf(op),
                      isa<AttentionOp>(*op),
                      {},
                      ""};
  llvm::SetVector<StringRef> names;
  if (auto folded = attrs::Folded::get(op))
    for (StringRef name : folded.getAsValueRange<StringAttr>())
      names.insert(formulaOf(name));
  names.remove(formulaOf(result.name));
  result.folded.assign(names.begin(), names.end());
  if (auto reason = attrs::UnfusedReason::get(op))
    result.reason =
        (isa<SoftmaxOp>(*op) ? "not fused: " : "a tensor of position pairs: ") + reason.str();
  else if (isa<SoftmaxOp>(*op))
    result.reason = "no attention: nothing sums its weights with values";
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------===//

/// The entries of the text and the layers that they call.
static llvm::SetVector<Operation *> findFunctions(ModuleOp module) {
  llvm::SetVector<Operation *> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (attrs::Entry::isOn(function) && !attrs::Step::isOn(function) &&
        !attrs::Start::isOn(function))
      functions.insert(function);
  SymbolTableCollection symbols;
  for (size_t i = 0; i != functions.size(); ++i)
    functions[i]->walk([&](func::CallOp call) {
      if (auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()))
        functions.insert(callee);
    });
  return functions;
}

std::vector<FunctionFusions> weft::reportFusion(ModuleOp module) {
  std::vector<FunctionFusions> report;
  for (Operation *op : findFunctions(module)) {
    auto function = cast<func::FuncOp>(op);
    FunctionFusions &fusions = report.emplace_back();
    fusions.function = function.getName().str();
    fusions.entry = attrs::Entry::isOn(function);
    for (auto formula : function.getOps<FormulaOpInterface>()) {
      FusedFormula described = describe(formula);
      bool hasFused = described.streams || !described.folded.empty();
      if (hasFused || !described.reason.empty())
        fusions.formulas.push_back(std::move(described));
      else
        ++fusions.numOthers;
    }
  }
  return report;
}

void weft::printFusion(const std::vector<FunctionFusions> &report, llvm::raw_ostream &os) {
  for (const FunctionFusions &fusions : report) {
    print(os, "fusion: {} {}\n", fusions.entry ? "entry" : "layer", fusions.function);
    for (const FusedFormula &formula : fusions.formulas) {
      print(os, "  {}: {} ({})\n", formula.name, formula.form, formula.place);
      if (!formula.folded.empty())
        print(os, "    with {}\n", llvm::join(formula.folded, ", "));
      if (!formula.reason.empty())
        print(os, "    {}\n", formula.reason);
    }
    if (fusions.numOthers)
      print(os, "  formulas into which nothing was folded: {}\n", fusions.numOthers);
  }
}
