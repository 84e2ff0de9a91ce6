//===- Inputs.cpp - Inputs of the model and their defaults ----------------===//
//
// The default of an input is one value for all elements, or a formula. A value becomes an attribute
// of the argument: whoever calls the entry without the tensor gets a tensor of it. A formula is
// part of the entry, which learns from one more argument, a condition behind the tensor, whether
// the tensor was passed: the input is `if given then tensor[...] else formula`. `given(name)` reads
// the same condition.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "Elaborator.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft::sema {

//===----------------------------------------------------------------------===//
// given
//===----------------------------------------------------------------------===//

/// The condition whether the caller has passed the input; its argument is made when first asked
/// for.
Tensor Elaborator::presenceOf(Function &function, const std::string &name) {
  Input &input = function.inputs[name];
  if (input.presence)
    return input.presence;
  mlir::Builder builder(&context);
  auto argument = mlir::cast<mlir::BlockArgument>(input.tensor->value);
  unsigned position = argument.getArgNumber() + 1;
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(attrs::kGiven, builder.getStringAttr(name)));
  if (failed(function.op.insertArgument(position, tensorType(ast::ElementKind::Bool, {}),
                                        attributes, argument.getLoc())))
    return nullptr;
  ++function.numTensors;
  auto presence = std::make_shared<TensorValue>();
  presence->element = ast::ElementKind::Bool;
  presence->name = "given(" + name + ")";
  presence->declared = input.tensor->declared;
  presence->value = function.op.getArgument(position);
  return input.presence = presence;
}

/// `given(name)`: true if the caller has passed the input.
Result Elaborator::evaluateGiven(const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto *name =
      expr.arguments.size() == 1 ? dyn_cast<ast::NameExpr>(expr.arguments[0].value.get()) : nullptr;
  if (!name || !expr.arguments[0].keyword.text.empty())
    return error(expr.range, "'given' asks for an input by its name: 'given(NAME)'");
  if (!env.function || !env.function->isEntry)
    return error(expr.range, "'given' asks for an input of the model, which is not known here; the "
                             "model can pass the answer as an argument");
  auto segments = evaluatePath(name->path, env);
  if (!segments)
    return std::nullopt;
  std::string text = join(*segments, ".");
  auto input = env.function->inputs.find(text);
  if (input == env.function->inputs.end()) {
    auto known = env.names.find(text);
    if (known != env.names.end() && known->second.value.is(Value::Kind::Poison))
      return std::nullopt;
    SmallVector<StringRef> candidates;
    for (const auto &[candidate, other] : env.function->inputs)
      candidates.push_back(candidate);
    return error(name->range,
                 "'" + text + "' is no input of the model" + suggestion(text, candidates));
  }
  if (!input->second.optional)
    return Value::makeBool(true);
  if (!formula)
    return error(expr.range, "whether '" + text +
                                 "' is given is known only at run time, but a compile-time value "
                                 "is needed");
  Tensor presence = presenceOf(*env.function, text);
  if (!presence)
    return std::nullopt;
  return scalarResult(formula->addRead(presence, {}, expr.range), expr.range);
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

mlir::TypedAttr Elaborator::defaultAttribute(const Value &value, ast::ElementKind element,
                                             SourceRange range) {
  mlir::Builder builder(&context);
  if (element == ast::ElementKind::Bool) {
    if (value.is(Value::Kind::Bool))
      return builder.getBoolAttr(value.integer);
    unusable(value, range, "true or false");
    return {};
  }
  if (element == ast::ElementKind::Int) {
    if (value.is(Value::Kind::Int) && isInt<32>(value.integer))
      return builder.getI32IntegerAttr(value.integer);
    unusable(value, range, "an integer of 32 bits");
    return {};
  }
  if (value.isNumber())
    return builder.getF32FloatAttr(value.asReal());
  unusable(value, range, "a number");
  return {};
}

/// What a caller without the tensor passes on where the default is a formula: it is not used.
static mlir::TypedAttr unusedElement(ast::ElementKind element, mlir::MLIRContext &context) {
  mlir::Builder builder(&context);
  switch (element) {
  case ast::ElementKind::Bool:
    return builder.getBoolAttr(false);
  case ast::ElementKind::Int:
    return builder.getI32IntegerAttr(0);
  case ast::ElementKind::Real:
    return builder.getF32FloatAttr(0);
  }
  llvm_unreachable("unknown element");
}

/// Makes the indices of the input's formula: those that are written, which name its dimensions.
bool Elaborator::bindInputIndices(const ast::Identifier &name, ArrayRef<ast::Binder> binders,
                                  const TensorValue &tensor, Formula &formula) {
  if (!binders.empty() && binders.size() != tensor.rank()) {
    error(name.range, "'" + name.text + "' has " + Twine(tensor.rank()) +
                          (tensor.rank() == 1 ? " dimension, but " : " dimensions, but ") +
                          Twine(binders.size()) + (binders.size() == 1 ? " index" : " indices"));
    return false;
  }
  for (unsigned i = 0; i < tensor.rank(); ++i) {
    Index *index = binders.empty() ? formula.addIndex(tensor.indexNames[i], name.range)
                                   : formula.addIndex(binders[i].name.text, binders[i].name.range);
    for (Index *known : formula.outputs)
      if (known->name == index->name && !binders.empty()) {
        error(index->range, "the index '" + index->name + "' stands here twice");
        return false;
      }
    if (!binders.empty() && binders[i].range) {
      error(binders[i].range->range, "the type of the input says the range of its indices");
      return false;
    }
    index->extent = tensor.dims[i];
    index->isExplicit = true;
    index->sourceRange = name.range;
    formula.outputs.push_back(index);
  }
  return true;
}

/// The default as an element of `formula`, or a compile-time value.
Result Elaborator::evaluateDefault(const ast::Expr &expr, bool hasIndices,
                                   const TensorValue &tensor, Formula &formula, Env &env) {
  if (hasIndices) {
    env.indices.assign(formula.outputs.begin(), formula.outputs.end());
    Result value = evaluate(expr, env, &formula);
    env.indices.clear();
    return value;
  }
  Result value = evaluateWhole(expr, env, tensor.name);
  if (!value)
    return value;
  bool one = value->is(Value::Kind::Symbol) ||
             (value->is(Value::Kind::Tensor) && value->tensor->rank() == 0);
  if (one && tensor.rank() != 0)
    return error(expr.range, "the default is one number, but '" + tensor.name + "' is " +
                                 typeText(tensor) + "; write '" + tensor.name +
                                 "[...]' with its indices");
  if (one || !value->is(Value::Kind::Tensor))
    return value;
  const TensorValue &given = *value->tensor;
  bool equal = given.rank() == tensor.rank();
  for (unsigned i = 0; equal && i < given.rank(); ++i)
    equal = given.dims[i].same(tensor.dims[i]);
  if (!equal)
    return error(expr.range, "the default is " + typeText(given) + ", but '" + tensor.name +
                                 "' is " + typeText(tensor));
  SmallVector<Scalar *> coordinates;
  for (Index *index : formula.outputs)
    coordinates.push_back(formula.addIndexValue(index, expr.range));
  return scalarResult(formula.addRead(value->tensor, coordinates, expr.range), expr.range);
}

/// The element of a default as an element of the input.
Scalar *Elaborator::defaultElement(const Value &value, ast::ElementKind element, SourceRange range,
                                   Formula &formula) {
  Scalar *scalar = toScalar(value, range, &formula);
  if (!scalar || scalar->type == element)
    return scalar;
  if (element == ast::ElementKind::Real && scalar->isInt())
    return toReal(scalar, range, &formula);
  error(range, "the default is " + Twine(ast::spelling(scalar->type)) + ", but the input is " +
                   ast::spelling(element));
  return nullptr;
}

/// `if given then tensor[...] else fallback`.
Tensor Elaborator::chooseInput(const std::string &name, Scalar *fallback, Formula &formula,
                               Function &function) {
  Tensor tensor = function.inputs[name].tensor;
  SourceRange range = tensor->declared;
  Tensor presence = presenceOf(function, name);
  if (!presence)
    return nullptr;
  SmallVector<Scalar *> coordinates;
  for (Index *index : formula.outputs)
    coordinates.push_back(formula.addIndexValue(index, range));
  Scalar *given = formula.addRead(presence, {}, range);
  Scalar *passed = formula.addRead(tensor, coordinates, range);
  Scalar *root = checked(
      formula.add(ScalarOp::Select, tensor->element, range, {given, passed, fallback}), range);
  Tensor chosen = root ? emitFormula(*this, function, formula, root, name, range, false) : nullptr;
  if (!chosen)
    return nullptr;
  auto result = std::make_shared<TensorValue>(*chosen);
  result->indexNames = tensor->indexNames;
  result->passed = tensor;
  if (fallback->isInt())
    if (Interval interval = BoundsAnalysis().interval(fallback); interval.isKnown())
      result->defaultBounds = {interval.low, interval.high};
  return result;
}

//===----------------------------------------------------------------------===//
// input
//===----------------------------------------------------------------------===//

/// Adds the argument of an input behind the other tensors.
bool Elaborator::addInputArgument(std::shared_ptr<TensorValue> tensor, mlir::TypedAttr value,
                                  bool computed, Function &function) {
  mlir::Builder builder(&context);
  SmallVector<mlir::NamedAttribute> named{
      builder.getNamedAttr(attrs::kName, builder.getStringAttr(tensor->name))};
  if (value)
    named.push_back(builder.getNamedAttr(attrs::kDefault, value));
  if (computed)
    named.push_back(builder.getNamedAttr(attrs::kComputed, builder.getUnitAttr()));
  unsigned position = function.numTensors++;
  if (failed(function.op.insertArgument(position, tensorType(tensor->element, tensor->dims),
                                        builder.getDictionaryAttr(named),
                                        location(tensor->declared))))
    return false;
  tensor->value = function.op.getArgument(position);
  function.inputs[tensor->name] = {tensor, /*optional=*/bool(value), nullptr};
  return true;
}

bool Elaborator::declareInput(const ast::Identifier &name, ArrayRef<ast::Binder> indices,
                              const ast::TensorType &type, const ast::Expr *defaultValue,
                              Env &env) {
  Function &function = *env.function;
  auto known = env.names.find(name.text);
  if (known != env.names.end()) {
    error(name.range, "'" + name.text + "' is already declared",
          {{known->second.range, "the first declaration is here"}});
    return false;
  }
  auto tensor = std::make_shared<TensorValue>();
  if (!evaluateDims(type, env, tensor->dims) || !checkSize(tensor->dims, name.range, name.text))
    return false;
  tensor->element = type.element;
  tensor->name = name.text;
  tensor->declared = name.range;
  tensor->indexNames = indexNames(tensor->dims);
  Formula formula;
  if (!bindInputIndices(name, indices, *tensor, formula))
    return false;
  if (!defaultValue) {
    if (!addInputArgument(tensor, {}, /*computed=*/false, function))
      return false;
    bind(env, name.text, Value::makeTensor(tensor), name.range);
    return true;
  }
  Result value = evaluateDefault(*defaultValue, !indices.empty(), *tensor, formula, env);
  if (!value || value->is(Value::Kind::Poison))
    return false;
  if (value->isCompileTime()) {
    mlir::TypedAttr attribute = defaultAttribute(*value, type.element, defaultValue->range);
    if (!attribute || !addInputArgument(tensor, attribute, /*computed=*/false, function))
      return false;
    bind(env, name.text, Value::makeTensor(tensor), name.range);
    return true;
  }
  Scalar *fallback = defaultElement(*value, type.element, defaultValue->range, formula);
  if (!fallback || !addInputArgument(tensor, unusedElement(type.element, context),
                                     /*computed=*/true, function))
    return false;
  Tensor chosen = chooseInput(name.text, fallback, formula, function);
  if (chosen)
    bind(env, name.text, Value::makeTensor(chosen), name.range);
  return chosen != nullptr;
}

bool Elaborator::executeInput(const ast::InputStmt &stmt, Env &env) {
  if (!env.function->isEntry) {
    error(stmt.range, "an input belongs to the model; a module takes tensors as arguments");
    return false;
  }
  bool good = true;
  for (const ast::InputStmt::Input &input : stmt.inputs) {
    std::optional<ast::Identifier> name = declaredName(input.name, env);
    bool declared =
        name && declareInput(*name, input.indices, input.type, input.defaultValue.get(), env);
    if (name && !declared)
      bind(env, name->text, Value(Value::Kind::Poison), name->range);
    good &= declared;
  }
  return good;
}

} // namespace weft::sema
