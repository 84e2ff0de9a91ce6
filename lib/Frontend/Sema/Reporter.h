//===- Reporter.h - Mistakes of a model -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every part of the elaboration reports through here. A mistake is reported once for each place
// and text, however often a loop or a call leads to it, and ends with the calls that led there.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_REPORTER_H
#define WEFT_LIB_FRONTEND_SEMA_REPORTER_H

#include "Value.h"
#include "weft/Frontend/Diagnostics.h"
#include <set>

namespace weft::sema {

class Reporter {
public:
  Reporter(mlir::MLIRContext &context, const SourceManager &sources, DiagnosticEngine &diagnostics)
      : context(context), sources(sources), diagnostics(diagnostics) {}

  using Notes = llvm::ArrayRef<std::pair<SourceRange, std::string>>;
  /// Reports an error; gives what a failed evaluation gives.
  std::nullopt_t error(SourceRange range, const llvm::Twine &message, Notes notes = {});
  void warning(SourceRange range, const llvm::Twine &message);
  /// `value` cannot stand where `wanted` is needed. A poisoned value was reported before.
  std::nullopt_t unusable(const Value &value, SourceRange range, llvm::StringRef wanted);

  /// The calls of fns and modules in progress, outermost first.
  void enterCall(const ast::Stmt &callee, llvm::StringRef name, SourceRange call);
  void leaveCall() { calls.pop_back(); }
  bool isInProgress(const ast::Stmt &callee) const;
  size_t callDepth() const { return calls.size(); }

  mlir::Location location(SourceRange range) const;
  llvm::StringRef text(SourceRange range) const { return sources.text(range); }

private:
  struct Call {
    const ast::Stmt *callee;
    std::string name;
    SourceRange range;
  };

  mlir::MLIRContext &context;
  const SourceManager &sources;
  DiagnosticEngine &diagnostics;
  std::vector<Call> calls;
  /// Whether this was not said before of this place.
  bool isNew(SourceRange range, const std::string &text);

  std::set<std::string> reported;
};

/// "1 dimension", "2 dimensions".
std::string counted(size_t count, llvm::StringRef noun);

/// The note that leads to a declaration: "'x' is declared here".
std::pair<SourceRange, std::string> declaredHere(llvm::StringRef name, SourceRange range);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_REPORTER_H
