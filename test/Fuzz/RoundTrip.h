//===- RoundTrip.h - The property every text must have --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Whatever the bytes are, parsing ends without a crash; what parses prints to a text that parses to
// an equal tree and prints the same again. Shared by the fuzzer and by the unit test that replays
// its corpus.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_FUZZ_ROUNDTRIP_H
#define WEFT_TEST_FUZZ_ROUNDTRIP_H

#include "weft/Frontend/Parser.h"
#include "weft/Frontend/Printer.h"

namespace weft::test {

inline std::string printed(const ast::File &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(file, out);
  return text;
}

inline std::string messages(const DiagnosticEngine &diagnostics) {
  std::string text;
  llvm::raw_string_ostream out(text);
  diagnostics.print(out);
  return text;
}

/// Empty if the property holds for `text`, otherwise what is wrong.
inline std::string roundTripFailure(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  std::unique_ptr<ast::File> first =
      parseText(sources, sources.addText("first", text), diagnostics);
  // Messages about any bytes can be printed, and a failure is never silent.
  std::string reported = messages(diagnostics);
  if (!first && !diagnostics.hasErrors())
    return "no tree and no error";
  if (diagnostics.hasErrors())
    return reported.empty() ? "an error without a text" : "";
  std::string once = printed(*first);
  std::unique_ptr<ast::File> second =
      parseText(sources, sources.addText("second", once), diagnostics);
  if (diagnostics.hasErrors())
    return "the printed text does not parse:\n" + messages(diagnostics) + once;
  if (!equal(*first, *second))
    return "the printed text has another tree:\n" + once + dump(*first) + dump(*second);
  std::string twice = printed(*second);
  if (once != twice)
    return "printing is not stable:\n" + once + "--- and then\n" + twice;
  return "";
}

} // namespace weft::test

#endif // WEFT_TEST_FUZZ_ROUNDTRIP_H
