//===- Reporter.cpp - Mistakes of a model ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Reporter.h"
#include "mlir/IR/Location.h"

using namespace llvm;

namespace weft::sema {

bool Reporter::isNew(SourceRange range, const std::string &text) {
  std::string place = std::to_string(range.begin.file) + ":" + std::to_string(range.begin.offset);
  return reported.insert(place + ":" + text).second;
}

void Reporter::warning(SourceRange range, const Twine &message) {
  if (std::string text = message.str(); isNew(range, text))
    diagnostics.warning(range, text);
}

std::nullopt_t Reporter::error(SourceRange range, const Twine &message, Notes notes) {
  std::string text = message.str();
  if (!isNew(range, text))
    return std::nullopt;
  Diagnostic &diagnostic = diagnostics.error(range, text);
  for (const auto &[place, note] : notes)
    if (place.isValid())
      diagnostic.note(place, note);
  constexpr size_t maxCalls = 4;
  for (const Call &call : reverse(ArrayRef(calls).take_back(maxCalls)))
    diagnostic.note(call.range, "in the call of '" + call.name + "' here");
  return std::nullopt;
}

std::nullopt_t Reporter::unusable(const Value &value, SourceRange range, StringRef wanted) {
  if (value.is(Value::Kind::Poison))
    return std::nullopt;
  if (value.is(Value::Kind::Null) && !value.text.empty())
    return error(range, "the configuration gives no value for '" + value.text + "', but " + wanted +
                            " is needed; '?"
                            "?' can give a default");
  return error(range, "this is " + value.describe() + ", but " + wanted + " is needed");
}

void Reporter::enterCall(const ast::Stmt &callee, StringRef name, SourceRange call) {
  calls.push_back({&callee, name.str(), call});
}

bool Reporter::isInProgress(const ast::Stmt &callee) const {
  return any_of(calls, [&](const Call &call) { return call.callee == &callee; });
}

mlir::Location Reporter::location(SourceRange range) const {
  return toMLIRLocation(&context, sources, range.begin);
}

std::string counted(size_t count, StringRef noun) {
  return (Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

std::pair<SourceRange, std::string> declaredHere(StringRef name, SourceRange range) {
  return {range, ("'" + name + "' is declared here").str()};
}

} // namespace weft::sema
