//===- RoundTripTest.cpp - Printed text parses back -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Over every Weft file of the repository and over the corpus of the fuzzer.
//
//===----------------------------------------------------------------------------------------===//

#include "../../Fuzz/RoundTrip.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace weft;

/// The root of the repository, which the test runner tells, so that no path is compiled in.
static const char *const sourceDir = std::getenv("WEFT_SOURCE_DIR");

/// Calls `visit(path, text)` for the files below a folder of the repository.
template <typename Visit> static void forEachFile(llvm::StringRef folder, Visit visit) {
  std::error_code code;
  llvm::SmallString<128> root(sourceDir);
  llvm::sys::path::append(root, folder);
  llvm::sys::fs::recursive_directory_iterator it(root, code), end;
  for (; !code && it != end; it.increment(code)) {
    if (it->type() != llvm::sys::fs::file_type::regular_file)
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(static_cast<bool>(buffer)) << it->path();
    visit(llvm::StringRef(it->path()), (*buffer)->getBuffer());
  }
  EXPECT_FALSE(code) << code.message();
}

TEST(RoundTrip, EveryFileOfTheRepository) {
  if (!sourceDir)
    GTEST_SKIP() << "WEFT_SOURCE_DIR is not set";
  unsigned count = 0;
  for (llvm::StringRef folder : {"lib/Library", "docs", "test"})
    forEachFile(folder, [&](llvm::StringRef path, llvm::StringRef text) {
      if (!path.ends_with(".weft"))
        return;
      ++count;
      EXPECT_EQ(test::roundTripFailure(text), "") << path.str();
      // A test may be about an error; everything else parses.
      if (folder == "test")
        return;
      SourceManager sources;
      DiagnosticEngine diagnostics(sources);
      parseText(sources, sources.addText(path, text), diagnostics);
      EXPECT_EQ(test::messages(diagnostics), "");
    });
  EXPECT_GE(count, 3u);
}

/// The error a text gives, or "" if it parses and prints properly.
static std::string whatIsWrong(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  parseText(sources, sources.addText("example", text), diagnostics);
  return diagnostics.hasErrors() ? test::messages(diagnostics) : test::roundTripFailure(text);
}

TEST(RoundTrip, EveryExampleOfTheDocumentation) {
  if (!sourceDir)
    GTEST_SKIP() << "WEFT_SOURCE_DIR is not set";
  unsigned count = 0;
  forEachFile("docs", [&](llvm::StringRef path, llvm::StringRef text) {
    if (!path.ends_with(".md"))
      return;
    llvm::StringRef rest = text.split("\n```weft\n").second;
    for (; !rest.empty(); rest = rest.split("\n```weft\n").second) {
      llvm::StringRef example = rest.take_front(rest.find("\n```"));
      ++count;
      // An example is a file, or statements of a model.
      std::string statements = ("model Example(config) {\n" + example + "\n}\n").str();
      if (whatIsWrong(statements) != "")
        EXPECT_EQ(whatIsWrong(example), "") << path.str();
    }
  });
  EXPECT_GE(count, 2u);
}

TEST(RoundTrip, CorpusOfTheFuzzer) {
  if (!sourceDir)
    GTEST_SKIP() << "WEFT_SOURCE_DIR is not set";
  unsigned count = 0;
  forEachFile("test/Fuzz/Corpus/Parser", [&](llvm::StringRef path, llvm::StringRef text) {
    ++count;
    EXPECT_EQ(test::roundTripFailure(text), "") << path.str();
  });
  EXPECT_GE(count, 10u);
}
