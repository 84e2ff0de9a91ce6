//===- FrontendTest.h - What the frontend's unit tests share --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_FRONTENDTEST_H
#define WEFT_TEST_UNIT_FRONTENDTEST_H

#include "weft/Frontend/Parser.h"
#include "weft/Frontend/Printer.h"
#include <gtest/gtest.h>

namespace weft::test {

/// A text, its tree and its messages.
struct Parsed {
  explicit Parsed(llvm::StringRef text) : diagnostics(sources) {
    file = parseText(sources, sources.addText("test.weft", text), diagnostics);
  }

  std::string messages() const {
    std::string result;
    llvm::raw_string_ostream out(result);
    diagnostics.print(out);
    return result;
  }
  std::string printed() const {
    std::string result;
    llvm::raw_string_ostream out(result);
    print(*file, out);
    return result;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::File> file;
};

/// The tree of `fn f() = TEXT`.
inline std::string dumpExpr(llvm::StringRef text) {
  Parsed parsed(("fn f() = " + text).str());
  if (parsed.diagnostics.hasErrors() || parsed.file->items.size() != 1)
    return parsed.messages();
  return dump(*llvm::cast<ast::FnDecl>(*parsed.file->items[0]).body);
}

/// Checks that printing gives the same tree back and does not change on the second time.
inline void expectRoundTrip(llvm::StringRef text) {
  Parsed first(text);
  ASSERT_FALSE(first.diagnostics.hasErrors()) << first.messages();
  std::string printed = first.printed();
  Parsed second(printed);
  ASSERT_FALSE(second.diagnostics.hasErrors()) << second.messages() << printed;
  EXPECT_EQ(dump(*first.file), dump(*second.file)) << printed;
  EXPECT_EQ(printed, second.printed());
}

} // namespace weft::test

#endif // WEFT_TEST_UNIT_FRONTENDTEST_H
