//===- Modules.cpp - Module calls and the functions they become -----------===//
//
// A module is elaborated once for each different set of compile-time arguments and tensor types.
// The parameters below it become arguments after its tensors; their full names are known at the
// call, so that all layers of a model share one function.
//
//===----------------------------------------------------------------------===//

#include "Elaborator.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

std::string Elaborator::uniqueSymbol(StringRef name) {
  std::string candidate = name.str();
  for (unsigned i = 1; !symbolNames.insert(candidate).second || module.lookupSymbol(candidate); ++i)
    candidate = (name + "_" + Twine(i)).str();
  return candidate;
}

/// Binds the dimension names of a parameter's type to the extents of the tensor that is passed.
bool Elaborator::bindDimensions(const ast::Parameter &parameter, const TensorValue &tensor,
                                SourceRange range, Env &env, TensorValue &local) {
  std::pair<SourceRange, std::string> note{parameter.name.range,
                                           "'" + parameter.name.text + "' is declared here"};
  const ast::TensorType &type = parameter.type;
  if (type.element != tensor.element || type.dims.size() != tensor.rank()) {
    error(range,
          "the argument '" + parameter.name.text + "' is " + typeText(tensor) +
              ", but the parameter has " + Twine(type.dims.size()) +
              (type.dims.size() == 1 ? " dimension" : " dimensions") + " of type " +
              ast::spelling(type.element),
          note);
    return false;
  }
  for (auto [i, dim] : enumerate(type.dims)) {
    Extent &extent = local.dims[i];
    auto *name = dyn_cast<ast::NameExpr>(dim.get());
    if (name && name->path.isIdentifier() && !env.names.count(name->path.str())) {
      Value value = Value::makeSymbol(extent);
      if (!extent.dynamic) {
        extent.name = name->path.str();
        value = Value::makeInt(extent.size);
        value.extent = std::make_shared<Extent>(extent);
      }
      bind(env, name->path.str(), value, dim->range);
      continue;
    }
    std::optional<Extent> wanted = evaluateExtent(*dim, env);
    if (!wanted)
      return false;
    if (!wanted->same(extent)) {
      error(range,
            "dimension " + Twine(i) + " of the argument '" + parameter.name.text + "' is " +
                extent.str() + ", but the parameter needs " + wanted->str(),
            note);
      return false;
    }
    if (!wanted->name.empty())
      extent = *wanted;
  }
  return true;
}

/// A compile-time value for a parameter with a type: `n: int`.
static bool fits(const Value &value, const ast::TensorType &type) {
  if (!type.dims.empty())
    return false;
  switch (type.element) {
  case ast::ElementKind::Int:
    return value.is(Value::Kind::Int) || value.is(Value::Kind::Symbol);
  case ast::ElementKind::Bool:
    return value.is(Value::Kind::Bool);
  case ast::ElementKind::Real:
    return value.isNumber();
  }
  return false;
}

static StringRef wanted(const ast::TensorType &type) {
  return !type.dims.empty()                       ? "a tensor"
         : type.element == ast::ElementKind::Int  ? "an integer"
         : type.element == ast::ElementKind::Bool ? "true or false"
                                                  : "a number";
}

/// Makes the function's tensor arguments and binds every parameter of the module.
bool Elaborator::bindModuleArguments(const ast::ModuleDecl &decl, const Bound &arguments,
                                     Function &function, Env &env) {
  for (auto [parameter, argument] : zip(decl.parameters, arguments))
    if (!argument.first.is(Value::Kind::Tensor)) {
      if (parameter.hasType && !fits(argument.first, parameter.type)) {
        error(argument.second,
              "the argument '" + parameter.name.text + "' is " + argument.first.describe() +
                  ", but " + wanted(parameter.type) + " is needed",
              {{parameter.name.range, "'" + parameter.name.text + "' is declared here"}});
        return false;
      }
      bind(env, parameter.name.text, argument.first, parameter.name.range);
    }
  mlir::Block &block = function.op.getBody().front();
  for (auto [parameter, argument] : zip(decl.parameters, arguments)) {
    if (!argument.first.is(Value::Kind::Tensor))
      continue;
    const Tensor &tensor = argument.first.tensor;
    auto local = std::make_shared<TensorValue>(*tensor);
    local->name = parameter.name.text;
    local->declared = parameter.name.range;
    local->passed = nullptr; // an argument of the caller
    local->mapped.clear();
    if (!tensor->weights.empty())
      local->weights = {{"", int(function.numTensors)}};
    if (parameter.hasType && !bindDimensions(parameter, *tensor, argument.second, env, *local))
      return false;
    local->value = block.addArgument(tensorType(tensor->element, tensor->dims),
                                     location(parameter.name.range));
    ++function.numTensors;
    bind(env, parameter.name.text, Value::makeTensor(local), parameter.name.range);
  }
  return true;
}

/// Returns the results; names the arguments.
void Elaborator::finishModule(const ast::ModuleDecl &decl, const Bound &arguments,
                              Function &function) {
  mlir::OpBuilder &builder = function.builder;
  SmallVector<mlir::Value> values;
  for (const Tensor &tensor : function.results)
    values.push_back(tensor->value);
  mlir::func::ReturnOp::create(builder, location(decl.range), values);
  mlir::Block &block = function.op.getBody().front();
  function.op.setType(
      builder.getFunctionType(block.getArgumentTypes(), mlir::ValueRange(values).getTypes()));
  unsigned slot = 0;
  for (auto [parameter, argument] : zip(decl.parameters, arguments))
    if (argument.first.is(Value::Kind::Tensor))
      function.op.setArgAttr(slot++, attrs::kName, builder.getStringAttr(parameter.name.text));
  for (const Parameter &parameter : function.parameters)
    function.op.setArgAttr(slot++, attrs::kName, builder.getStringAttr(parameter.name));
}

ModuleInstance *Elaborator::instantiate(const Value &callee, const Bound &arguments,
                                        const ast::CallExpr &expr) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  std::string key;
  raw_string_ostream os(key);
  os << &decl;
  for (const auto &argument : arguments) {
    os << ";";
    argument.first.printKey(os);
  }
  auto [it, added] = instances.try_emplace(key);
  ModuleInstance &instance = it->second;
  if (!added) // already there; while it is under construction the call is recursive
    return &instance;
  constexpr size_t maxCalls = 64;
  instance.failed = true;
  if (frames.size() >= maxCalls) {
    error(expr.range, "module calls are nested more than " + Twine(maxCalls) + " deep");
    return &instance;
  }
  instance.function = std::make_unique<Function>(&context);
  Function &function = *instance.function;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  function.op =
      mlir::func::FuncOp::create(builder, location(decl.name.range), uniqueSymbol(decl.name.text),
                                 builder.getFunctionType({}, {}));
  function.op.setPrivate();
  function.builder.setInsertionPointToEnd(function.op.addEntryBlock());
  Env env;
  env.file = callee.file;
  env.function = &function;
  frames.push_back({&decl, decl.name.text, expr.range});
  bool good = bindModuleArguments(decl, arguments, function, env) && executeBlock(decl.body, env);
  if (good && !function.returned) {
    error(decl.name.range, "the module '" + decl.name.text + "' does not return anything");
    good = false;
  }
  frames.pop_back();
  if (!good)
    return &instance;
  instance.failed = false;
  finishModule(decl, arguments, function);
  return &instance;
}

Result Elaborator::callModule(const Value &callee, const ast::CallExpr &expr, StringRef scope,
                              Env &env) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  Formula *mapping = std::exchange(env.mapping, nullptr);
  if (!env.function)
    return error(expr.range, "a function cannot call the module '" + decl.name.text + "'");
  auto bound = bindArguments(decl.parameters, decl.name.text, decl.name.range, expr, env,
                             callee.file, /*isModule=*/true, mapping);
  if (!bound)
    return std::nullopt;
  for (const Frame &frame : frames)
    if (frame.callee == &decl)
      return error(expr.range, "'" + decl.name.text + "' calls itself; recursion is not possible");
  for (const auto &[value, range] : *bound)
    if (value.is(Value::Kind::Tuple))
      return error(range, "this is " + value.describe() + "; an argument is a single one");
  ModuleInstance *instance = instantiate(callee, *bound, expr);
  if (instance->failed)
    return std::nullopt;
  return emitCall(*instance, decl, *bound, scope, expr.range, *env.function, mapping);
}

/// The names by which a parameter of a callee may be found, seen from the caller.
static std::vector<WeightRef> resolveTied(const Parameter &parameter, StringRef scope,
                                          ArrayRef<Tensor> tensors) {
  std::vector<WeightRef> names;
  for (const WeightRef &tied : parameter.tied) {
    if (tied.argument < 0) {
      names.push_back({scope.empty() ? tied.name : (scope + "." + tied.name).str(), -1});
      continue;
    }
    const std::vector<WeightRef> &passed = tensors[tied.argument]->weights;
    names.insert(names.end(), passed.begin(), passed.end());
  }
  return names;
}

/// A result of a mapped call has the dimensions of the indices in front.
static void addMappedDims(const Formula &mapping, TensorValue &result) {
  for (const Index *index : reverse(mapping.outputs)) {
    result.dims.insert(result.dims.begin(), *index->extent);
    result.indexNames.insert(result.indexNames.begin(), index->name);
  }
}

Result Elaborator::emitCall(ModuleInstance &instance, const ast::ModuleDecl &decl,
                            const Bound &arguments, StringRef scope, SourceRange range,
                            Function &caller, Formula *mapping) {
  Function &callee = *instance.function;
  SmallVector<mlir::Value> operands;
  SmallVector<Tensor> tensors;
  for (const auto &[value, argumentRange] : arguments)
    if (value.is(Value::Kind::Tensor)) {
      tensors.push_back(value.tensor);
      operands.push_back(value.tensor->value);
    }
  for (const Parameter &parameter : callee.parameters) {
    Parameter outer = parameter;
    outer.name = scope.empty() ? parameter.name : (scope + "." + parameter.name).str();
    outer.tied = resolveTied(parameter, scope, tensors);
    outer.value = {};
    Parameter *added = addParameter(caller, std::move(outer));
    if (!added)
      return std::nullopt;
    operands.push_back(added->value);
  }
  mlir::func::FuncOp target = callee.op;
  if (mapping && !(target = mapFunction(callee, decl.name.text, tensors, *mapping)))
    return std::nullopt;
  auto call = mlir::func::CallOp::create(caller.builder, location(range), target, operands);
  Value tuple(Value::Kind::Tuple);
  for (auto [i, tensor] : enumerate(callee.results)) {
    auto copy = std::make_shared<TensorValue>(*tensor);
    copy->value = call.getResult(i);
    copy->name = decl.name.text;
    copy->declared = range;
    copy->weights.clear();
    if (mapping)
      addMappedDims(*mapping, *copy);
    tuple.items.push_back(Value::makeTensor(copy));
  }
  return tuple.items.size() == 1 ? tuple.items[0] : tuple;
}

} // namespace weft::sema
