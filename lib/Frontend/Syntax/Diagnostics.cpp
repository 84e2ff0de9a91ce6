//===- Diagnostics.cpp - Errors of the frontend ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Frontend/Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace weft;

Diagnostic &Diagnostic::note(SourceRange noteRange, const llvm::Twine &text) {
  notes.emplace_back(Severity::Note, noteRange, text.str());
  return *this;
}

Diagnostic &DiagnosticEngine::add(Severity severity, SourceRange range,
                                  const llvm::Twine &message) {
  kept.emplace_back(severity, range, message.str());
  return kept.back();
}

Diagnostic &DiagnosticEngine::error(SourceRange range, const llvm::Twine &message) {
  ++errors;
  if (errors <= maxErrors)
    return add(Severity::Error, range, message);
  dropped.notes.clear();
  return dropped;
}

Diagnostic &DiagnosticEngine::warning(SourceRange range, const llvm::Twine &message) {
  return add(Severity::Warning, range, message);
}

Diagnostic &DiagnosticEngine::remark(SourceRange range, const llvm::Twine &message) {
  return add(Severity::Remark, range, message);
}

//===----------------------------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------------------------===//

static llvm::StringRef word(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "";
}

static bool isContinuation(char c) { return (c & 0xC0) == 0x80; }

/// Prints text of a source file so that a terminal cannot be harmed: control characters become '?'.
static void printPrintable(llvm::raw_ostream &out, llvm::StringRef text, bool ascii) {
  for (char c : text) {
    bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
    bool foreign = ascii && static_cast<unsigned char>(c) >= 0x80;
    out << (control || foreign ? '?' : c);
  }
}

/// Prints the line of the range and `^~~~` below it. Of a very long line only the surroundings of
/// the caret are shown.
static void printSnippet(llvm::raw_ostream &out, const SourceManager &sources, SourceRange range) {
  constexpr size_t window = 120;
  llvm::StringRef line = sources.lineText(range.begin);
  size_t column = range.begin.offset - (line.data() - sources.text(range.begin.file).data());
  column = std::min(column, line.size()); // a location on the line break itself
  size_t first = 0, last = line.size();
  if (line.size() > window) {
    first = column > window / 2 ? column - window / 2 : 0;
    last = std::min(line.size(), first + window);
    while (first < column && isContinuation(line[first]))
      ++first;
    while (last > column && last < line.size() && isContinuation(line[last]))
      --last;
  }
  bool cut = first != 0;
  // If the text is not UTF-8 the terminal gets no byte of it that is not ASCII.
  bool ascii = !llvm::json::isUTF8(line.slice(first, last));
  out << (cut ? "..." : "");
  printPrintable(out, line.slice(first, last), ascii);
  out << (last != line.size() ? "...\n" : "\n") << (cut ? "   " : "");
  for (char c : line.slice(first, column))
    if (ascii || !isContinuation(c))
      out << (c == '\t' ? '\t' : ' ');
  out << '^';
  size_t end = column + (range.end > range.begin.offset ? range.end - range.begin.offset : 1);
  for (char c : line.slice(column + 1, std::min(end, last)))
    if (ascii || !isContinuation(c))
      out << '~';
  out << '\n';
}

void DiagnosticEngine::print(llvm::raw_ostream &out, const Diagnostic &diagnostic) const {
  SourceLocation at = diagnostic.range.begin;
  if (at.isValid()) {
    LineColumn position = sources.lineColumn(at);
    out << sources.name(at.file) << ':' << position.line << ':' << position.column << ": ";
  }
  out << word(diagnostic.severity) << ": " << diagnostic.message << '\n';
  if (at.isValid())
    printSnippet(out, sources, diagnostic.range);
  for (const Diagnostic &note : diagnostic.notes)
    print(out, note);
}

void DiagnosticEngine::print(llvm::raw_ostream &out) const {
  for (const Diagnostic &diagnostic : kept)
    print(out, diagnostic);
  if (tooManyErrors())
    out << "error: too many errors: only the first " << maxErrors << " are looked for\n";
}

mlir::FileLineColLoc weft::toMLIRLocation(mlir::MLIRContext *context, const SourceManager &sources,
                                          SourceLocation location) {
  if (!location.isValid())
    return mlir::FileLineColLoc::get(context, "", 0, 0);
  LineColumn position = sources.lineColumn(location);
  return mlir::FileLineColLoc::get(context, sources.name(location.file), position.line,
                                   position.column);
}
