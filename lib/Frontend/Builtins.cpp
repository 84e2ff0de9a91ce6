//===- Builtins.cpp - The built-in functions ------------------------------===//

#include "Elaborator.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace llvm;

namespace weft::sema {

namespace {
struct Builtin {
  StringRef name;
  unsigned minArguments, maxArguments;
  ScalarOp op;            ///< of the functions of one real
  double (*fold)(double); ///< the same at compile time
};
} // namespace

static double rsqrt(double x) { return 1 / std::sqrt(x); }

static const Builtin builtins[] = {
    {"exp", 1, 1, ScalarOp::Exp, std::exp},         {"log", 1, 1, ScalarOp::Log, std::log},
    {"sin", 1, 1, ScalarOp::Sin, std::sin},         {"cos", 1, 1, ScalarOp::Cos, std::cos},
    {"sqrt", 1, 1, ScalarOp::Sqrt, std::sqrt},      {"rsqrt", 1, 1, ScalarOp::Rsqrt, rsqrt},
    {"tanh", 1, 1, ScalarOp::Tanh, std::tanh},      {"erf", 1, 1, ScalarOp::Erf, std::erf},
    {"floor", 1, 1, ScalarOp::Floor, std::floor},   {"abs", 1, 1, ScalarOp::Abs, nullptr},
    {"min", 1, 64, ScalarOp::Min, nullptr},         {"max", 1, 64, ScalarOp::Max, nullptr},
    {"clip", 3, 3, ScalarOp::Min, nullptr},         {"int", 1, 1, ScalarOp::ToInt, nullptr},
    {"real", 1, 1, ScalarOp::ToReal, nullptr},      {"len", 1, 1, ScalarOp::Constant, nullptr},
    {"is_list", 1, 1, ScalarOp::Constant, nullptr}, {"has", 2, 2, ScalarOp::Constant, nullptr},
};

static const Builtin *findBuiltin(StringRef name) {
  for (const Builtin &builtin : builtins)
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

bool Elaborator::isBuiltin(StringRef name) { return findBuiltin(name) != nullptr; }

ArrayRef<StringRef> Elaborator::builtinNames() {
  static const SmallVector<StringRef> names = [] {
    SmallVector<StringRef> list;
    for (const Builtin &builtin : builtins)
      list.push_back(builtin.name);
    return list;
  }();
  return names;
}

Result Elaborator::callBuiltin(StringRef name, const ast::CallExpr &expr, Env &env,
                               Formula *formula) {
  const Builtin &builtin = *findBuiltin(name);
  size_t count = expr.arguments.size();
  if (count < builtin.minArguments || count > builtin.maxArguments)
    return error(expr.range,
                 "'" + name + "' takes " + Twine(builtin.minArguments) +
                     (builtin.minArguments == builtin.maxArguments ? "" : " or more") +
                     (builtin.minArguments == 1 ? " argument, but " : " arguments, but ") +
                     Twine(count) + (count == 1 ? " is given" : " are given"));
  SmallVector<Value> values;
  bool compileTime = true;
  for (const ast::Argument &argument : expr.arguments) {
    if (!argument.keyword.text.empty())
      return error(argument.keyword.range, "the arguments of '" + name + "' have no names");
    Result value = evaluate(*argument.value, env, formula);
    if (!value || value->is(Value::Kind::Poison))
      return std::nullopt;
    compileTime &= value->isCompileTime();
    values.push_back(std::move(*value));
  }
  if (name == "is_list")
    return Value::makeBool(values[0].is(Value::Kind::List));
  if (name == "len") {
    const Value &list = values[0];
    if (list.is(Value::Kind::List))
      return Value::makeInt(list.items.size());
    if (list.is(Value::Kind::Config))
      return Value::makeInt(list.config->keys().size());
    return unusable(list, expr.arguments[0].value->range, "a list");
  }
  if (name == "has") {
    if (!values[0].is(Value::Kind::Config) || !values[0].config->isObject())
      return unusable(values[0], expr.arguments[0].value->range, "a configuration");
    if (!values[1].is(Value::Kind::String))
      return unusable(values[1], expr.arguments[1].value->range, "a name");
    return Value::makeBool(values[0].config->get(values[1].text) != nullptr);
  }
  for (auto [value, argument] : zip(values, expr.arguments)) {
    if (value.isCompileTime() && !value.isNumber())
      return unusable(value, argument.value->range, "a number");
    if (!value.isCompileTime() && !formula)
      return error(argument.value->range,
                   "this is " + value.describe() + ", but a compile-time value is needed");
  }
  if (compileTime)
    return foldBuiltin(name, values, expr.range);
  SmallVector<Scalar *> scalars;
  for (auto [value, argument] : zip(values, expr.arguments)) {
    Scalar *scalar = toScalar(value, argument.value->range, formula);
    if (!scalar)
      return std::nullopt;
    if (scalar->isBool() && !toReal(scalar, argument.value->range, formula))
      return std::nullopt;
    scalars.push_back(scalar);
  }
  return scalarBuiltin(name, scalars, expr.range, formula);
}

Result Elaborator::foldBuiltin(StringRef name, ArrayRef<Value> args, SourceRange range) {
  const Builtin &builtin = *findBuiltin(name);
  if (builtin.fold) {
    double value = builtin.fold(args[0].asReal());
    if (std::isnan(value))
      return error(range, "the result of '" + name + "' is not a number");
    return Value::makeReal(value);
  }
  if (name == "real")
    return Value::makeReal(args[0].asReal());
  if (name == "int") {
    double value = std::trunc(args[0].asReal());
    if (args[0].is(Value::Kind::Int))
      return args[0];
    if (!(std::fabs(value) < 0x1p62))
      return error(range, "the number does not fit an integer");
    return Value::makeInt(int64_t(value));
  }
  if (name == "abs") {
    if (args[0].is(Value::Kind::Real))
      return Value::makeReal(std::fabs(args[0].real));
    return args[0].integer >= 0 ? Result(args[0])
                                : foldInteger(ast::BinaryOp::Subtract, 0, args[0].integer, range);
  }
  auto pick = [](const Value &a, const Value &b, bool larger) {
    Value chosen =
        (a.is(Value::Kind::Int) && b.is(Value::Kind::Int) ? (a.integer < b.integer) == larger
                                                          : (a.asReal() < b.asReal()) == larger)
            ? b
            : a;
    bool real = a.is(Value::Kind::Real) || b.is(Value::Kind::Real);
    return real ? Value::makeReal(chosen.asReal()) : chosen;
  };
  if (name == "clip")
    return pick(pick(args[0], args[1], true), args[2], false);
  Value chosen = args[0];
  for (const Value &value : args.drop_front())
    chosen = pick(chosen, value, name == "max");
  return chosen;
}

/// min, max and clip of operands of one type.
Result Elaborator::scalarBuiltin(StringRef name, ArrayRef<Scalar *> args, SourceRange range,
                                 Formula *formula) {
  const Builtin &builtin = *findBuiltin(name);
  Scalar *first = args[0];
  if (name == "real")
    return scalarResult(toReal(first, range, formula), range);
  if (name == "int")
    return first->isInt()
               ? Value::makeScalar(first)
               : scalarResult(formula->add(ScalarOp::ToInt, ast::ElementKind::Int, range, {first}),
                              range);
  if (name == "abs")
    return scalarResult(formula->add(ScalarOp::Abs, first->type, range, {first}), range);
  if (builtin.fold) {
    Scalar *real = toReal(first, range, formula);
    if (!real)
      return std::nullopt;
    return scalarResult(formula->add(builtin.op, ast::ElementKind::Real, range, {real}), range);
  }
  SmallVector<Scalar *> operands(args);
  bool anyReal = any_of(operands, [](Scalar *scalar) { return scalar->isReal(); });
  for (Scalar *&operand : operands)
    if (anyReal && !(operand = toReal(operand, range, formula)))
      return std::nullopt;
  Scalar *chosen = operands[0];
  for (auto [i, operand] : enumerate(ArrayRef(operands).drop_front())) {
    bool larger = name == "max" || (name == "clip" && i == 0);
    chosen = formula->add(larger ? ScalarOp::Max : ScalarOp::Min, chosen->type, range,
                          {chosen, operand});
    if (!chosen)
      break;
  }
  return scalarResult(chosen, range);
}

} // namespace weft::sema
