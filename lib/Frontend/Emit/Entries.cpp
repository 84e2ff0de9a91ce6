//===- Entries.cpp - Entries of a model -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Entries.h"

#include "Dimensions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "FunctionTable.h"
#include "Inputs.h"
#include "Outputs.h"
#include "Statements.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

Entries::Entries(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// `config` is the configuration; any other parameter is its value of that name, or the default.
bool Entries::bindModelParameters(const ast::ModelDecl &model, Env &env) {
  static const ConfigValue empty = ConfigValue::makeObject();
  const ConfigValue &config = shared.options.config ? *shared.options.config : empty;
  for (const ast::Parameter &parameter : model.parameters) {
    const std::string &name = parameter.name.text;
    Value value;
    if (name == "config") {
      value = Value::makeConfig(config, "config");
    } else {
      shared.result.definable.insert(name);
      if (const ConfigValue *given = config.get(name))
        value = Value::makeConfig(*given, name);
    }
    if (value.is(Value::Kind::Null) && parameter.defaultValue) {
      Result fallback =
          shared.evaluator->evaluateCompileTime(*parameter.defaultValue, env, "a default");
      if (!fallback)
        return false;
      value = *fallback;
    }
    if (value.is(Value::Kind::Null))
      value.text = name;
    env.bind(name, value, parameter.name.range);
  }
  return true;
}

/// `entry encode(ids: int[T], n = 2)`: tensors are inputs, the rest is known at compile time.
bool Entries::bindEntryParameters(const ast::EntryStmt &entry, Env &env) {
  for (const ast::Parameter &parameter : entry.parameters) {
    if (parameter.hasType) {
      if (!shared.inputs->declareInput(parameter.name, {}, parameter.type,
                                       parameter.defaultValue.get(), env))
        return false;
      continue;
    }
    if (!parameter.defaultValue) {
      reporter.error(parameter.name.range,
                     "the parameter '" + parameter.name.text +
                         "' of an entry needs a type (then it is an input) or a value");
      return false;
    }
    Result value = shared.evaluator->evaluateCompileTime(*parameter.defaultValue, env, "a default");
    if (!value)
      return false;
    env.bind(parameter.name.text, *value, parameter.name.range);
  }
  return true;
}

bool Entries::elaborateEntry(const ast::ModelDecl &model, const ast::EntryStmt *entry,
                             FileScope *file) {
  Function function(&shared.context);
  function.isEntry = true;
  shared.functions->begin(function, "entry", entry ? entry->name.range : model.name.range);
  Env env;
  env.file = file;
  env.function = &function;
  bool good = bindModelParameters(model, env);
  for (const ast::StmtPtr &stmt : model.body.statements) {
    if (!shared.limits.goOn())
      return false;
    if (!isa<ast::EntryStmt>(stmt.get()))
      good &= shared.statements->execute(*stmt, env);
  }
  if (entry && good) {
    function.inEntryBlock = true;
    good = bindEntryParameters(*entry, env) && shared.statements->executeBlock(entry->body, env);
  }
  return good && !shared.limits.hasStopped() && finishEntry(function, model, entry);
}

/// Erases the formulas that no output needs, and the checks on which only such formulas rely.
static void dropUnusedFormulas(Function &function) {
  DenseSet<mlir::Value> dropped;
  auto isIdle = [&](mlir::Operation &check) {
    return all_of(function.checked.lookup(&check),
                  [&](mlir::Value formula) { return dropped.contains(formula); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (mlir::Operation &op : make_early_inc_range(reverse(function.op.getBody().front()))) {
      bool unused = isa<FormulaOpInterface, mlir::func::CallOp>(op) && op.use_empty();
      if (!unused && !(isa<CheckOp>(op) && isIdle(op)))
        continue;
      dropped.insert_range(op.getResults());
      op.erase();
      changed = true;
    }
  }
}

/// What a model with several entries declares for another entry is not this one's.
static void dropUnusedInputs(Function &function) {
  dropUnusedFormulas(function);
  mlir::Block &block = function.op.getBody().front();
  bool asked = false; // whether the argument before is given
  BitVector unused(block.getNumArguments());
  for (unsigned i = function.numTensors; i-- > 0;) {
    bool used = asked || !block.getArgument(i).use_empty();
    asked = used && function.inputAttrs[i].contains(attrs::Given::name);
    unused[i] = !used;
  }
  block.eraseArguments(unused);
  SmallVector<mlir::DictionaryAttr> kept;
  for (auto [i, attributes] : enumerate(function.inputAttrs))
    if (!unused[i])
      kept.push_back(attributes);
  function.inputAttrs = kept;
  for (const Parameter &parameter : function.parameters)
    if (parameter.value.use_empty())
      parameter.value.getDefiningOp()->erase();
}

/// Every output is a value of its own: an input or a parameter that is one is copied, and so is
/// what is stored in another type.
bool Entries::finishOutputs(Function &function, SmallVectorImpl<mlir::Value> &values) {
  for (const Output &output : function.outputs) {
    Tensor tensor = output.tensor;
    mlir::Operation *definition = tensor->value.getDefiningOp();
    bool own = definition && !isa<WeightOp>(definition) && !is_contained(values, tensor->value) &&
               tensor->element == output.element;
    if (!own)
      tensor = shared.outputs->storeAs(output.element, tensor, output.name, function);
    if (!tensor)
      return false;
    values.push_back(tensor->value);
  }
  return true;
}

/// The name of the entry; that of a model without entries follows from its outputs.
std::optional<std::string> Entries::chooseName(const Function &function,
                                               const ast::ModelDecl &model,
                                               const ast::EntryStmt *entry) {
  if (entry)
    return entry->name.text;
  std::string name = function.outputs.size() > 1 ? "forward" : function.outputs[0].name.text;
  const std::string &wanted = shared.options.entry;
  if (!wanted.empty() && wanted != name)
    return reporter.error(model.name.range,
                          "the model has no entry '" + wanted + "'" + choices(wanted, {name}));
  return name;
}

bool Entries::finishGenerate(Function &function) {
  const ast::GenerateStmt &stmt = *function.generate;
  SmallVector<StringRef> names;
  for (const Output &output : function.outputs)
    names.push_back(output.name.text);
  if (!is_contained(names, stmt.output.text)) {
    reporter.error(stmt.output.range, "'" + stmt.output.text + "' is not an output" +
                                          suggestion(stmt.output.text, names));
    return false;
  }
  if (shared.dimensions->runtime().count(stmt.dimension.text))
    attrs::Generate::set(function.op, stmt.output.text, stmt.dimension.text);
  return true;
}

/// The type of the function, and what it says of its arguments and results.
void Entries::setInterface(Function &function, mlir::ValueRange values) {
  mlir::OpBuilder &builder = function.builder;
  mlir::Block &block = function.op.getBody().front();
  function.op.setType(builder.getFunctionType(block.getArgumentTypes(), values.getTypes()));
  SmallVector<mlir::DictionaryAttr> names;
  for (const Output &output : function.outputs)
    names.push_back(nameAttribute(builder, output.name.text));
  function.op.setAllArgAttrs(function.inputAttrs);
  function.op.setAllResultAttrs(names);
  attrs::Entry::set(function.op);
}

bool Entries::finishEntry(Function &function, const ast::ModelDecl &model,
                          const ast::EntryStmt *entry) {
  const ast::Identifier &owner = entry ? entry->name : model.name;
  if (function.outputs.empty()) {
    reporter.error(owner.range, "'" + owner.text + "' has no output");
    return false;
  }
  std::optional<std::string> name = chooseName(function, model, entry);
  if (!name)
    return false;
  shared.functions->nameEntry(function, *name);
  if (function.generate && !finishGenerate(function))
    return false;
  SmallVector<mlir::Value> values;
  if (!finishOutputs(function, values))
    return false;
  shared.unreadTensors.finishEntry();
  mlir::func::ReturnOp::create(function.builder, reporter.location(owner.range), values);
  if (shared.severalEntries)
    dropUnusedInputs(function);
  setInterface(function, values);
  return true;
}

} // namespace weft::sema
