//===- Builtins.cpp - The functions of the language -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Builtins.h"

#include "BitFunctions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "Inputs.h"
#include "ScalarBuilder.h"
#include "Sema/Fold.h"
#include <cmath>

using namespace llvm;

namespace weft::sema {

BuiltinCalls::BuiltinCalls(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

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
    {"given", 1, 1, ScalarOp::Constant, nullptr},   {"bits", 3, 3, ScalarOp::BitAnd, nullptr},
    {"signed", 2, 2, ScalarOp::BitAnd, nullptr},    {"half", 1, 1, ScalarOp::Half, nullptr},
    {"bfloat", 1, 1, ScalarOp::BFloat, nullptr},    {"float8", 1, 1, ScalarOp::ShortReal, nullptr},
    {"begins", 2, 2, ScalarOp::Constant, nullptr},  {"stored", 1, 1, ScalarOp::Constant, nullptr},
};

static const Builtin *findBuiltin(StringRef name) {
  for (const Builtin &builtin : builtins)
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

bool isBuiltin(StringRef name) { return findBuiltin(name) != nullptr; }

ArrayRef<StringRef> builtinNames() {
  static const SmallVector<StringRef> names =
      map_to_vector(builtins, [](const Builtin &builtin) { return builtin.name; });
  return names;
}

//===----------------------------------------------------------------------------------------===//
// Compile time
//===----------------------------------------------------------------------------------------===//

/// The larger or the smaller of two numbers: an integer if both are.
static Value pick(const Value &a, const Value &b, bool larger) {
  bool integers = a.is(Value::Kind::Int) && b.is(Value::Kind::Int);
  bool isLess = integers ? a.integer < b.integer : a.asReal() < b.asReal();
  const Value &chosen = isLess == larger ? b : a;
  return integers ? chosen : Value::makeReal(chosen.asReal());
}

/// `int(x)`: rounds towards 0.
static Result foldInt(const Value &x, SourceRange range, Reporter &reporter) {
  if (x.is(Value::Kind::Int))
    return x;
  double value = std::trunc(x.real);
  if (!(std::fabs(value) < 0x1p62))
    return reporter.error(range, "the number does not fit an integer");
  return Value::makeInt(int64_t(value));
}

/// The function of numbers.
static Result foldBuiltin(const Builtin &builtin, ArrayRef<Value> args, SourceRange range,
                          Reporter &reporter) {
  StringRef name = builtin.name;
  if (builtin.fold) {
    double value = builtin.fold(args[0].asReal());
    if (std::isnan(value))
      return reporter.error(range, "the result of '" + name + "' is not a number");
    return Value::makeReal(value);
  }
  if (name == "real")
    return Value::makeReal(args[0].asReal());
  if (name == "int")
    return foldInt(args[0], range, reporter);
  if (name == "abs" && args[0].is(Value::Kind::Real))
    return Value::makeReal(std::fabs(args[0].real));
  if (name == "abs")
    return args[0].integer < 0 ? foldNegate(args[0], range, reporter) : Result(args[0]);
  if (name == "clip")
    return pick(pick(args[0], args[1], /*larger=*/true), args[2], /*larger=*/false);
  Value chosen = args[0];
  for (const Value &value : args.drop_front())
    chosen = pick(chosen, value, name == "max");
  return chosen;
}

/// The functions of texts: how one begins, whether the checkpoint has a tensor of such a name.
static Result describeText(StringRef name, ArrayRef<Value> args, const ast::CallExpr &expr,
                           const FrontendOptions &options, Reporter &reporter) {
  for (auto [value, argument] : zip(args, expr.arguments))
    if (!value.is(Value::Kind::String))
      return reporter.unusable(value, argument.value->range, "a text");
  if (name == "begins")
    return Value::makeBool(StringRef(args[0].text).starts_with(args[1].text));
  std::optional<bool> isStored;
  if (options.isStored)
    isStored = options.isStored(args[0].text);
  return isStored ? Value::makeBool(*isStored) : Value();
}

/// The functions of other values: of lists and the configuration.
static Result describeValue(StringRef name, ArrayRef<Value> args, const ast::CallExpr &expr,
                            Reporter &reporter) {
  auto rangeOf = [&](unsigned i) { return expr.arguments[i].value->range; };
  if (name == "is_list")
    return Value::makeBool(args[0].is(Value::Kind::List));
  if (name == "len") {
    if (args[0].is(Value::Kind::List))
      return Value::makeInt(args[0].items.size());
    if (args[0].is(Value::Kind::Config))
      return Value::makeInt(args[0].config->keys().size());
    return reporter.unusable(args[0], rangeOf(0), "a list");
  }
  if (!args[0].is(Value::Kind::Config) || !args[0].config->isObject())
    return reporter.unusable(args[0], rangeOf(0), "a configuration");
  if (!args[1].is(Value::Kind::String))
    return reporter.unusable(args[1], rangeOf(1), "a name");
  return Value::makeBool(args[0].config->get(args[1].text) != nullptr);
}

//===----------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------===//

/// min, max and clip of operands of one type.
static Scalar *buildExtreme(StringRef name, ArrayRef<Scalar *> args, SourceRange range,
                            ScalarBuilder &build) {
  SmallVector<Scalar *> operands(args);
  if (any_of(operands, [](Scalar *scalar) { return scalar->isReal(); }))
    for (Scalar *&operand : operands) {
      operand = build.toReal(operand, range);
      if (!operand)
        return nullptr;
    }
  Scalar *chosen = operands[0];
  for (auto [i, operand] : enumerate(ArrayRef(operands).drop_front())) {
    bool larger = name == "max" || (name == "clip" && i == 0);
    if (chosen)
      chosen =
          build.add(larger ? ScalarOp::Max : ScalarOp::Min, chosen->type, range, {chosen, operand});
  }
  return chosen;
}

/// The function of elements.
static Scalar *buildBuiltin(const Builtin &builtin, ArrayRef<Scalar *> args, SourceRange range,
                            ScalarBuilder build) {
  StringRef name = builtin.name;
  Scalar *first = args[0];
  if (name == "real")
    return build.toReal(first, range);
  if (name == "int")
    return first->isInt() ? first : build.add(builtin.op, ast::ElementKind::Int, range, {first});
  if (name == "abs")
    return build.add(builtin.op, first->type, range, {first});
  if (builtin.fold)
    return build.add(builtin.op, ast::ElementKind::Real, range, {build.toReal(first, range)});
  return buildExtreme(name, args, range, build);
}

//===----------------------------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------------------------===//

/// The arguments of a call, which have no names; nothing after an error.
std::optional<SmallVector<Value>> BuiltinCalls::evaluateArguments(const ast::CallExpr &expr,
                                                                  StringRef name, Env &env,
                                                                  Formula *formula) {
  SmallVector<Value> values;
  for (const ast::Argument &argument : expr.arguments) {
    if (!argument.keyword.text.empty())
      return reporter.error(argument.keyword.range,
                            "the arguments of '" + name + "' have no names");
    Result value = shared.evaluator->evaluate(*argument.value, env, formula);
    if (!value || value->is(Value::Kind::Poison))
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

Result BuiltinCalls::callBuiltin(StringRef name, const ast::CallExpr &expr, Env &env,
                                 Formula *formula) {
  if (name == "given") // asks for a name, not for a value
    return shared.inputs->evaluateGiven(expr, env, formula);
  const Builtin &builtin = *findBuiltin(name);
  size_t count = expr.arguments.size();
  if (count < builtin.minArguments || count > builtin.maxArguments)
    return reporter.error(expr.range,
                          "'" + name + "' takes " + Twine(builtin.minArguments) +
                              (builtin.minArguments == builtin.maxArguments ? "" : " or more") +
                              (builtin.minArguments == 1 ? " argument, but " : " arguments, but ") +
                              Twine(count) + (count == 1 ? " is given" : " are given"));
  auto values = evaluateArguments(expr, name, env, formula);
  if (!values)
    return std::nullopt;
  if (name == "is_list" || name == "len" || name == "has")
    return describeValue(name, *values, expr, reporter);
  if (name == "begins" || name == "stored")
    return describeText(name, *values, expr, shared.options, reporter);
  for (auto [value, argument] : zip(*values, expr.arguments)) {
    if (value.isCompileTime() && !value.isNumber())
      return reporter.unusable(value, argument.value->range, "a number");
    if (!value.isCompileTime() && !formula)
      return reporter.error(argument.value->range,
                            "this is " + value.describe() + ", but a compile-time value is needed");
  }
  if (isBitFunction(name))
    return callBitFunction(name, *values, expr, formula, reporter);
  if (all_of(*values, [](const Value &value) { return value.isCompileTime(); }))
    return foldBuiltin(builtin, *values, expr.range, reporter);
  ScalarBuilder build(reporter, *formula);
  SmallVector<Scalar *> operands;
  for (auto [value, argument] : zip(*values, expr.arguments)) {
    operands.push_back(build.toNumber(value, argument.value->range));
    if (!operands.back())
      return std::nullopt;
  }
  return toResult(buildBuiltin(builtin, operands, expr.range, build));
}

} // namespace weft::sema
