//===- Diagnostics.h - Errors of the frontend -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The lexer, the parser and the elaboration report here. Messages are collected, not printed at
// once, so that a caller (a tool, a test, a language server) decides what becomes of them:
//
//   diagnostics.error(node.range, "index 'd' ranges over D = 768 here")
//       .note(declaration.range, "'c_proj.weight' is declared here");
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_DIAGNOSTICS_H
#define WEFT_FRONTEND_DIAGNOSTICS_H

#include "weft/Frontend/SourceFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>

namespace mlir {
class FileLineColLoc;
class MLIRContext;
} // namespace mlir

namespace weft {

/// How bad a message is; only an error stops a compilation. A note belongs to another message.
enum class Severity { Error, Warning, Remark, Note };

/// One message and the notes that explain it.
class Diagnostic {
public:
  Diagnostic(Severity severity, SourceRange range, std::string message)
      : severity(severity), range(range), message(std::move(message)) {}

  /// Adds "FILE:LINE:COLUMN: note: TEXT" below this message. An invalid range prints no source
  /// line.
  Diagnostic &note(SourceRange range, const llvm::Twine &text);

  Severity severity;
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;
};

/// Collects messages. After `maxErrors` errors further errors are counted as suppressed and not
/// kept.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}

  /// More errors than this are not kept.
  static constexpr unsigned maxErrors = 20;

  /// The returned reference stays valid; use it to attach notes.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  /// A message that does not stop the compilation: something is allowed but looks like a mistake.
  Diagnostic &warning(SourceRange range, const llvm::Twine &message);
  /// A message that only informs.
  Diagnostic &remark(SourceRange range, const llvm::Twine &message);

  /// The number of errors, with those that were not kept.
  unsigned errorCount() const { return errors; }
  /// Whether the compilation has failed.
  bool hasErrors() const { return errors != 0; }
  /// True when more errors would not be shown: a good moment to give up.
  bool tooManyErrors() const { return errors >= maxErrors; }

  /// All messages that were kept, in the order of reporting.
  const std::deque<Diagnostic> &diagnostics() const { return kept; }

  /// Prints every message as `file:line:col: error: text`, the source line and a caret, in the
  /// order of reporting.
  void print(llvm::raw_ostream &out) const;
  /// The same of one message and its notes.
  void print(llvm::raw_ostream &out, const Diagnostic &diagnostic) const;

private:
  Diagnostic &add(Severity severity, SourceRange range, const llvm::Twine &message);

  const SourceManager &sources;
  std::deque<Diagnostic> kept;
  Diagnostic dropped{Severity::Error, {}, ""};
  unsigned errors = 0;
};

/// The location for operations made from this place of the text.
mlir::FileLineColLoc toMLIRLocation(mlir::MLIRContext *context, const SourceManager &sources,
                                    SourceLocation location);

} // namespace weft

#endif // WEFT_FRONTEND_DIAGNOSTICS_H
