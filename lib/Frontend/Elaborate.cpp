//===- Elaborate.cpp - The model and its entries --------------------------===//

#include "Elaborator.h"
#include "mlir/IR/Verifier.h"
#include "weft/Dialect/Weft/IR/Weft.h"

using namespace llvm;

namespace weft::sema {

std::nullopt_t Elaborator::error(SourceRange range, const Twine &message, Notes notes) {
  std::string text = message.str();
  std::string key =
      std::to_string(range.begin.file) + ":" + std::to_string(range.begin.offset) + ":" + text;
  if (!reported.insert(key).second)
    return std::nullopt;
  Diagnostic &diagnostic = diagnostics.error(range, text);
  for (const auto &[place, note] : notes)
    if (place.isValid())
      diagnostic.note(place, note);
  constexpr size_t maxFrames = 4;
  for (const Frame &frame : reverse(ArrayRef(frames).take_back(maxFrames)))
    diagnostic.note(frame.call, "in the call of '" + frame.name + "' here");
  return std::nullopt;
}

mlir::Location Elaborator::location(SourceRange range) {
  return toMLIRLocation(&context, sources, range.begin);
}

const ast::ModelDecl *Elaborator::findModel(const ast::File &file) {
  std::vector<std::string> names = modelNames(file);
  SourceRange top(SourceLocation{file.id, 0});
  if (names.empty())
    return error(top, "the file declares no model"), nullptr;
  for (const ast::StmtPtr &item : file.items)
    if (auto *model = dyn_cast<ast::ModelDecl>(item.get()))
      if (options.modelName.empty() || model->name.text == options.modelName)
        return model;
  SmallVector<StringRef> candidates(names.begin(), names.end());
  error(top, "the file declares no model '" + options.modelName + "'" +
                 suggestion(options.modelName, candidates));
  return nullptr;
}

/// The model that another name in `scope` stands for, however many names later; `scope` becomes its
/// file's.
const ast::ModelDecl *Elaborator::resolveAlias(const ast::ModelDecl &model, FileScope *&scope) {
  const ast::ModelDecl *found = &model;
  while (found->isAlias()) { // imports form no cycle
    auto library = scope->imports.find(found->import.text);
    if (library == scope->imports.end())
      return error(found->import.range,
                   "no imported file has the name '" + found->import.text + "'"),
             nullptr;
    scope = library->second.first;
    std::vector<std::string> names = modelNames(*scope->file);
    SmallVector<StringRef> candidates(names.begin(), names.end());
    const ast::Stmt *declaration = scope->declarations.lookup(found->original.text);
    auto *original = dyn_cast_or_null<ast::ModelDecl>(declaration);
    if (!original)
      return error(found->original.range, "'" + found->import.text + "' has no model '" +
                                              found->original.text + "'" +
                                              suggestion(found->original.text, candidates)),
             nullptr;
    found = original;
  }
  return found;
}

/// `config` is the configuration; any other parameter is its value of that name, or the default.
bool Elaborator::bindModelParameters(const ast::ModelDecl &model, Env &env) {
  const ConfigValue &config = options.config ? *options.config : emptyConfig;
  for (const ast::Parameter &parameter : model.parameters) {
    const std::string &name = parameter.name.text;
    Value value;
    if (name == "config")
      value = Value::makeConfig(config, "config");
    else if (const ConfigValue *given = config.get(name))
      value = Value::makeConfig(*given, name);
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
  for (auto &[name, tensor] : function.outputs) {
    names.push_back(name.text);
    if (name.text == stmt.output.text)
      return true;
  }
  error(stmt.output.range,
        "'" + stmt.output.text + "' is not an output" + suggestion(stmt.output.text, names));
  return false;
}

/// True if nothing reads through the indices that a check is about.
static bool isIdleCheck(CheckOp check) {
  return all_of(check.getInputs(),
                [](mlir::Value input) { return all_of(input.getUsers(), llvm::IsaPred<CheckOp>); });
}

/// Erases the formulas that no output needs.
static void dropUnusedFormulas(mlir::Block &block) {
  for (bool changed = true; changed;) {
    changed = false;
    for (mlir::Operation &op : make_early_inc_range(reverse(block))) {
      auto check = dyn_cast<CheckOp>(op);
      bool unused = isa<FormulaOpInterface, mlir::func::CallOp>(op) && op.use_empty();
      if (!unused && !(check && isIdleCheck(check)))
        continue;
      op.erase();
      changed = true;
    }
  }
}

/// What a model with several entries declares for another entry is not this one's.
void Elaborator::dropUnusedInputs(Function &function) {
  dropUnusedFormulas(function.op.getBody().front());
  mlir::Block &block = function.op.getBody().front();
  bool asked = false; // whether the argument before is given
  for (unsigned i = function.numTensors; i-- > 0;) {
    bool used = asked || !block.getArgument(i).use_empty();
    asked = used && function.op.getArgAttr(i, attrs::kGiven);
    if (!used)
      (void)function.op.eraseArgument(i);
  }
  for (const Parameter &parameter : function.parameters)
    if (parameter.value.use_empty())
      parameter.value.getDefiningOp()->erase();
}

/// The name of an entry is part of the compiled interface: a module of that name gives way.
void Elaborator::nameEntry(Function &function, StringRef name) {
  if (auto other = module.lookupSymbol<mlir::func::FuncOp>(name); other && other != function.op) {
    auto fresh = mlir::StringAttr::get(&context, uniqueSymbol(name));
    (void)mlir::SymbolTable::replaceAllSymbolUses(other, fresh, module);
    other.setSymName(fresh);
  }
  symbolNames.insert(name);
  function.op.setSymName(name);
}

/// Every output is a value of its own: an input or a parameter that is one is copied.
bool Elaborator::finishOutputs(Function &function, SmallVectorImpl<mlir::Value> &values) {
  for (auto &[output, tensor] : function.outputs) {
    mlir::Operation *definition = tensor->value.getDefiningOp();
    bool own = definition && !isa<WeightOp>(definition) && !is_contained(values, tensor->value);
    Tensor result = tensor;
    if (!own) {
      Formula copy;
      copy.whole = true;
      Scalar *element = wholeElement(tensor, output.range, &copy);
      result = element
                   ? emitFormula(*this, function, copy, element, output.text, output.range, false)
                   : nullptr;
      if (!result)
        return false;
    }
    values.push_back(result->value);
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
                                                   : function.outputs[0].first.text;
  nameEntry(function, name);
  if (function.generate) {
    if (!checkGenerate(function))
      return false;
    if (symbols.count(function.generate->dimension.text))
      function.op->setAttr(attrs::kGenerate,
                           builder.getStrArrayAttr({function.generate->output.text,
                                                    function.generate->dimension.text}));
  }
  SmallVector<mlir::Value> values;
  if (!finishOutputs(function, values))
    return false;
  for (auto &[value, key] : declaredParameters)
    parameterUses[key].used |= !value.use_empty();
  declaredParameters.clear();
  mlir::func::ReturnOp::create(builder, location(owner.range), values);
  if (severalEntries)
    dropUnusedInputs(function);
  mlir::Block &block = function.op.getBody().front();
  function.op.setType(
      builder.getFunctionType(block.getArgumentTypes(), mlir::ValueRange(values).getTypes()));
  for (auto [i, output] : enumerate(function.outputs))
    function.op.setResultAttr(i, attrs::kName, builder.getStringAttr(output.first.text));
  function.op->setAttr(attrs::kEntry, builder.getUnitAttr());
  return true;
}

void Elaborator::warnUnusedParameters() {
  for (const auto &[key, use] : parameterUses)
    if (!use.used)
      diagnostics.warning(SourceLocation{FileId(key >> 32), uint32_t(key)},
                          "the parameter '" + use.name + "' is never read");
}

/// The verifier only fails on mistakes of this compiler; say so instead of going on.
bool Elaborator::verifyModule() {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    raw_string_ostream os(text);
    if (text.empty())
      os << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  if (succeeded(mlir::verify(module)))
    return true;
  diagnostics.error({}, "internal error: the frontend made an invalid module: " + text);
  return false;
}

std::optional<FrontendResult> Elaborator::run(const ast::File &file) {
  FileScope *scope = loader.load(file);
  if (!scope)
    return std::nullopt;
  const ast::ModelDecl *named = findModel(file);
  const ast::ModelDecl *model = named ? resolveAlias(*named, scope) : nullptr;
  if (!model)
    return std::nullopt;
  module = mlir::ModuleOp::create(location(model->name.range));
  result.module = module;
  result.modelName = named->name.text;
  SmallVector<const ast::EntryStmt *> entries;
  SmallVector<StringRef> names;
  for (const ast::StmtPtr &stmt : model->body.statements)
    if (auto *entry = dyn_cast<ast::EntryStmt>(stmt.get())) {
      if (is_contained(names, entry->name.text))
        return error(entry->name.range, "the entry '" + entry->name.text + "' is already declared");
      names.push_back(entry->name.text);
      entries.push_back(entry);
    }
  severalEntries = !entries.empty();
  if (!options.entry.empty() && severalEntries) {
    auto it = find(names, options.entry);
    if (it == names.end())
      return error(model->name.range, "the model has no entry '" + options.entry + "'" +
                                          suggestion(options.entry, names));
    entries = {entries[it - names.begin()]};
  }
  if (entries.empty())
    entries.push_back(nullptr);
  for (const ast::EntryStmt *entry : entries)
    if (!elaborateEntry(*model, entry, scope))
      return std::nullopt;
  if (!mappers.empty())
    eraseUncalled(module); // the modules for one value of an index
  mlir::Builder builder(&context);
  module->setAttr(attrs::kModel, builder.getStringAttr(result.modelName));
  SmallVector<mlir::StringAttr> symbolAttrs;
  SmallVector<int64_t> bounds;
  for (const auto &[name, extent] : symbols) {
    symbolAttrs.push_back(builder.getStringAttr(name));
    bounds.push_back(extent.size);
  }
  if (!symbolAttrs.empty())
    module->setAttr(attrs::kSymbols, BoundsAttr::get(&context, symbolAttrs, bounds));
  if (!verifyModule() || diagnostics.hasErrors())
    return std::nullopt;
  warnUnusedParameters();
  return std::move(result);
}

} // namespace weft::sema

std::vector<std::string> weft::modelNames(const ast::File &file) {
  std::vector<std::string> names;
  for (const ast::StmtPtr &item : file.items)
    if (auto *model = dyn_cast<ast::ModelDecl>(item.get()))
      names.push_back(model->name.text);
  return names;
}

std::optional<weft::FrontendResult> weft::emitModel(mlir::MLIRContext &context,
                                                    SourceManager &sources, const ast::File &file,
                                                    const FrontendOptions &options,
                                                    DiagnosticEngine &diagnostics) {
  context.loadDialect<WeftDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::func::FuncDialect>();
  return sema::Elaborator(context, sources, options, diagnostics).run(file);
}
