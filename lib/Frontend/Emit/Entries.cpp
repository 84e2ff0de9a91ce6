//===- Entries.cpp - From a model to the functions of its entries ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An entry executes the statements that the entries share, then its own block; what it does not
// need of the shared ones is dropped at the end.
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

/// `config` is the configuration; any other parameter is its value of that name, or the default.
bool Elaborator::bindModelParameters(const ast::ModelDecl &model, Env &env) {
  const ConfigValue &config = options.config ? *options.config : emptyConfig;
  for (const ast::Parameter &parameter : model.parameters) {
    const std::string &name = parameter.name.text;
    Value value;
    if (name == "config") {
      value = Value::makeConfig(config, "config");
    } else {
      result.definable.insert(name);
      if (const ConfigValue *given = config.get(name))
        value = Value::makeConfig(*given, name);
    }
    if (value.is(Value::Kind::Null) && parameter.defaultValue) {
      Result fallback = evaluateCompileTime(*parameter.defaultValue, env, "a default");
      if (!fallback)
        return false;
      value = *fallback;
    }
    if (value.is(Value::Kind::Null))
      value.text = name;
    bind(env, name, value, parameter.name.range);
  }
  return true;
}

/// `entry encode(ids: int[T], n = 2)`: tensors are inputs, the rest is known at compile time.
bool Elaborator::bindEntryParameters(const ast::EntryStmt &entry, Env &env) {
  for (const ast::Parameter &parameter : entry.parameters) {
    if (parameter.hasType) {
      if (!declareInput(parameter.name, {}, parameter.type, parameter.defaultValue.get(), env))
        return false;
      continue;
    }
    if (!parameter.defaultValue) {
      error(parameter.name.range,
            "the parameter '" + parameter.name.text +
                "' of an entry needs a type (then it is an input) or a value");
      return false;
    }
    Result value = evaluateCompileTime(*parameter.defaultValue, env, "a default");
    if (!value)
      return false;
    bind(env, parameter.name.text, *value, parameter.name.range);
  }
  return true;
}

bool Elaborator::elaborateEntry(const ast::ModelDecl &model, const ast::EntryStmt *entry,
                                FileScope *file) {
  Function function(&context);
  function.isEntry = true;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  const ast::Identifier &name = entry ? entry->name : model.name;
  function.op = mlir::func::FuncOp::create(builder, location(name.range), uniqueSymbol("entry"),
                                           builder.getFunctionType({}, {}));
  function.builder.setInsertionPointToEnd(function.op.addEntryBlock());
  Env env;
  env.file = file;
  env.function = &function;
  bool good = bindModelParameters(model, env);
  for (const ast::StmtPtr &stmt : model.body.statements) {
    if (stopped || diagnostics.tooManyErrors())
      return false;
    if (isa<ast::EntryStmt>(stmt.get()))
      continue;
    if (execute(*stmt, env))
      continue;
    good = false;
    poison(*stmt, env);
  }
  if (entry && good) {
    function.inEntryBlock = true;
    good = bindEntryParameters(*entry, env) && executeBlock(entry->body, env);
  }
  return good && !stopped && finishEntry(function, model, entry);
}

bool Elaborator::checkGenerate(Function &function) {
  const ast::GenerateStmt &stmt = *function.generate;
  SmallVector<StringRef> names;
  for (const Output &output : function.outputs) {
    names.push_back(output.name.text);
    if (output.name.text == stmt.output.text)
      return true;
  }
  error(stmt.output.range,
        "'" + stmt.output.text + "' is not an output" + suggestion(stmt.output.text, names));
  return false;
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
void Elaborator::dropUnusedInputs(Function &function) {
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

/// The name of an entry is part of the compiled interface: a module of that name gives way.
void Elaborator::nameEntry(Function &function, StringRef name) {
  bool isFree = symbolNames.try_emplace(name, 1).second && mappers.empty();
  auto other = isFree ? mlir::func::FuncOp() : module.lookupSymbol<mlir::func::FuncOp>(name);
  if (other && other != function.op) {
    auto fresh = mlir::StringAttr::get(&context, uniqueSymbol(name));
    (void)mlir::SymbolTable::replaceAllSymbolUses(other, fresh, module);
    other.setSymName(fresh);
  }
  function.op.setSymName(name);
}

/// The elements of a tensor in one of their own, stored in the type.
Tensor Elaborator::storeAs(ElementType element, const Tensor &tensor, const ast::Identifier &name,
                           Function &function) {
  Formula copy;
  copy.whole = true;
  Scalar *root = scalars(&copy).wholeElement(tensor, name.range);
  Tensor computed = root ? emit(copy, root, function, name.text, name.range) : nullptr;
  if (!computed || computed->element == element)
    return computed;
  auto stored = std::make_shared<TensorValue>(*computed);
  stored->element = element;
  stored->bounds.reset(); // what does not fit is cut
  stored->below.reset();
  stored->value.setType(computed->type().clone(getStorageType(&context, element)));
  return stored;
}

/// Every output is a value of its own: an input or a parameter that is one is copied, and so is
/// what is stored in another type.
bool Elaborator::finishOutputs(Function &function, SmallVectorImpl<mlir::Value> &values) {
  for (const Output &output : function.outputs) {
    Tensor tensor = output.tensor;
    mlir::Operation *definition = tensor->value.getDefiningOp();
    bool own = definition && !isa<WeightOp>(definition) && !is_contained(values, tensor->value) &&
               tensor->element == output.element;
    if (!own)
      tensor = storeAs(output.element, tensor, output.name, function);
    if (!tensor)
      return false;
    values.push_back(tensor->value);
  }
  return true;
}

bool Elaborator::finishEntry(Function &function, const ast::ModelDecl &model,
                             const ast::EntryStmt *entry) {
  const ast::Identifier &owner = entry ? entry->name : model.name;
  if (function.outputs.empty()) {
    error(owner.range, "'" + owner.text + "' has no output");
    return false;
  }
  mlir::OpBuilder &builder = function.builder;
  std::string name = entry                         ? entry->name.text
                     : function.outputs.size() > 1 ? "forward"
                                                   : function.outputs[0].name.text;
  if (!entry && !options.entry.empty() && options.entry != name) {
    error(owner.range,
          "the model has no entry '" + options.entry + "'" + choices(options.entry, {name}));
    return false;
  }
  nameEntry(function, name);
  if (function.generate) {
    if (!checkGenerate(function))
      return false;
    if (symbols.count(function.generate->dimension.text))
      attrs::Generate::set(function.op, function.generate->output.text,
                           function.generate->dimension.text);
  }
  SmallVector<mlir::Value> values;
  if (!finishOutputs(function, values))
    return false;
  unreadTensors.finishEntry();
  mlir::func::ReturnOp::create(builder, location(owner.range), values);
  if (severalEntries)
    dropUnusedInputs(function);
  mlir::Block &block = function.op.getBody().front();
  function.op.setType(
      builder.getFunctionType(block.getArgumentTypes(), mlir::ValueRange(values).getTypes()));
  SmallVector<mlir::DictionaryAttr> names;
  for (const Output &output : function.outputs)
    names.push_back(nameAttribute(builder, output.name.text));
  function.op.setAllArgAttrs(function.inputAttrs);
  function.op.setAllResultAttrs(names);
  attrs::Entry::set(function.op);
  return true;
}

} // namespace weft::sema
