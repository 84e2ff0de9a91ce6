//===- Names.cpp - What a name means --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Names.h"

#include "Builtins.h"
#include "Dimensions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "ScalarBuilder.h"
#include "weft/Library/Library.h"
#include "weft/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

Names::Names(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// Adds what a piece of a path stands for; false after an error.
bool Names::appendPiece(const ast::Path::Piece &piece, std::string &text, Env &env,
                        SmallVectorImpl<Extent> *stacks) {
  if (!piece.expr) {
    text += piece.text;
    return true;
  }
  if (piece.isStack() && !stacks)
    return reporter.error(piece.range, "'{" + piece.text +
                                           ": ...}' stacks the tensors of a "
                                           "parameter; it belongs to the name of a 'param'"),
           false;
  if (piece.isStack()) {
    std::optional<Extent> extent = shared.dimensions->evaluateExtent(*piece.expr, env);
    if (!extent)
      return false;
    text += "{" + std::to_string(extent->size) + "}";
    stacks->push_back(std::move(*extent));
    return true;
  }
  Result value = shared.evaluator->evaluateCompileTime(*piece.expr, env, "a part of a name");
  if (!value)
    return false;
  if (!value->is(Value::Kind::Int) && !value->is(Value::Kind::String))
    return reporter.unusable(*value, piece.expr->range, "an integer or a string"), false;
  text += value->is(Value::Kind::Int) ? std::to_string(value->integer) : value->text;
  return true;
}

std::optional<std::vector<std::string>> Names::evaluatePath(const ast::Path &path, Env &env,
                                                            SmallVectorImpl<Extent> *stacks) {
  std::vector<std::string> segments;
  for (const ast::Path::Segment &segment : path.segments) {
    std::string &text = segments.emplace_back();
    for (const ast::Path::Piece &piece : segment.pieces)
      if (!appendPiece(piece, text, env, stacks))
        return std::nullopt;
  }
  return segments;
}

std::optional<ast::Identifier> Names::declaredName(const ast::Path &path, Env &env) {
  auto segments = evaluatePath(path, env);
  if (!segments)
    return std::nullopt;
  return ast::Identifier{join(*segments, "."), path.range};
}

/// How to name something of a file that is imported, or of one of the library that is not; or "".
static std::string importHint(StringRef name, const FileScope &file) {
  SmallVector<std::string> imported;
  for (const auto &entry : file.imports)
    if (entry.second.first->declarations.count(name))
      imported.push_back((entry.getKey() + "." + name).str());
  if (!imported.empty())
    return "; did you mean '" + *llvm::min_element(imported) + "'?";
  auto [library, member] = name.split('.');
  if (member.empty() || !findLibraryFile((library + ".weft").str()))
    return "";
  return ("; write 'import " + library + "' at the top of the file").str();
}

std::nullopt_t Names::unknownName(StringRef name, SourceRange range, Env &env) {
  if (std::string hint = importHint(name, *env.file); !hint.empty())
    return reporter.error(range, "unknown name '" + name + "'" + hint);
  SmallVector<StringRef> candidates;
  for (const Index *index : reverse(env.indices))
    candidates.push_back(index->name);
  SmallVector<StringRef> sorted;
  for (const auto &entry : env.names)
    sorted.push_back(entry.getKey());
  for (const auto &entry : env.file->declarations)
    sorted.push_back(entry.getKey());
  for (const auto &entry : env.file->imports)
    sorted.push_back(entry.getKey());
  llvm::sort(sorted); // the order of a StringMap is no order
  candidates.append(sorted);
  append_range(candidates, builtinNames());
  append_range(candidates, ast::reductionNames());
  return reporter.error(range, "unknown name '" + name + "'" + suggestion(name, candidates));
}

/// A fn or module declared in `file`, or something it imports.
static std::optional<Value> fileMember(FileScope &file, StringRef name) {
  if (const ast::Stmt *decl = file.declarations.lookup(name)) {
    Value value(isa<ast::FnDecl>(decl) ? Value::Kind::Fn : Value::Kind::Module);
    value.declaration = decl;
    value.file = &file;
    return value;
  }
  auto it = file.imports.find(name);
  if (it == file.imports.end())
    return std::nullopt;
  Value library(Value::Kind::Library);
  library.file = it->second.first;
  library.text = name.str();
  return library;
}

Result Names::member(const Value &value, StringRef name, SourceRange range, StringRef path) {
  switch (value.kind) {
  case Value::Kind::Poison:
    return value;
  case Value::Kind::Null: {
    Value null;
    null.text = (value.text.empty() ? name : value.text + "." + name).str();
    return null;
  }
  case Value::Kind::Config: {
    std::string full = value.text + "." + name.str();
    if (const ConfigValue *found = value.config->get(name))
      return Value::makeConfig(*found, full);
    Value null;
    null.text = full;
    return null;
  }
  case Value::Kind::Library: {
    std::optional<Value> found;
    if (value.file->declarations.count(name))
      found = fileMember(*value.file, name);
    if (found)
      return found;
    SmallVector<StringRef> candidates;
    for (const auto &entry : value.file->declarations)
      candidates.push_back(entry.getKey());
    llvm::sort(candidates);
    return reporter.error(range, "'" + value.text + "' declares no '" + name + "'" +
                                     suggestion(name, candidates));
  }
  default:
    return reporter.error(range, "'" + path + "' is " + value.describe() + " and has no member '" +
                                     name + "'");
  }
}

Result Names::lookup(ArrayRef<std::string> segments, SourceRange range, Env &env) {
  Result found;
  size_t used = segments.size();
  for (; used && !found; --used) {
    auto it = env.names.find(join(segments.take_front(used), "."));
    if (it != env.names.end())
      found = it->second.value;
    else if (used == 1)
      found = fileMember(*env.file, segments[0]);
    if (found)
      break;
  }
  if (!found)
    return unknownName(segments.size() == 1 ? segments[0] : join(segments, "."), range, env);
  for (; used < segments.size() && found; ++used)
    found = member(*found, segments[used], range, join(segments.take_front(used), "."));
  return found;
}

static bool namesCallable(const Env &env, StringRef name) {
  auto it = env.names.find(name);
  return it != env.names.end() &&
         (it->second.value.is(Value::Kind::Fn) || it->second.value.is(Value::Kind::Module));
}

bool callsBuiltin(ArrayRef<std::string> segments, const Env &env) {
  const std::string &name = segments.front();
  return segments.size() == 1 && isBuiltin(name) && !env.file->declarations.count(name) &&
         !namesCallable(env, name);
}

Result Names::lookupCallee(ArrayRef<std::string> segments, SourceRange range, Env &env) {
  if (segments.size() == 1 && !namesCallable(env, segments[0]))
    if (Result declared = fileMember(*env.file, segments[0]))
      return declared;
  return lookup(segments, range, env);
}

Result Names::evaluateName(const ast::NameExpr &expr, Env &env, Formula *formula, bool isBase) {
  auto segments = evaluatePath(expr.path, env);
  if (!segments)
    return std::nullopt;
  if (segments->size() == 1 && !(isBase && env.names.count(segments->front())))
    for (Index *index : reverse(env.indices))
      if (index->name == segments->front())
        return formula
                   ? toResult(ScalarBuilder(reporter, *formula)
                                  .checked(formula->addIndexValue(index, expr.range), expr.range))
                   : reporter.error(expr.range, "the index '" + index->name +
                                                    "' has a value only at run time, but a "
                                                    "compile-time value is needed");
  return lookup(*segments, expr.range, env);
}

Result Names::evaluateMember(const ast::MemberExpr &expr, Env &env, Formula *formula) {
  Result base = shared.evaluator->evaluate(*expr.base, env, formula);
  if (!base)
    return std::nullopt;
  return member(*base, expr.member.text, expr.range, "this");
}

} // namespace weft::sema
