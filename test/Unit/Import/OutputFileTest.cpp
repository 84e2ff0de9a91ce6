//===- OutputFileTest.cpp - Files that appear whole or not at all ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/OutputFile.h"
#include "TemporaryFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace {

Error writeMuch(raw_ostream &os) {
  for (int i = 0; i < 100000; ++i)
    os << "0123456789";
  return Error::success();
}

/// Everything in `folder`.
std::vector<std::string> files(const TemporaryFolder &folder) {
  std::vector<std::string> result;
  std::error_code code;
  for (sys::fs::directory_iterator it(folder.path(), code), end; it != end; it.increment(code))
    result.push_back(it->path());
  return result;
}

TEST(OutputFile, AppearsWhole) {
  TemporaryFolder folder;
  ASSERT_FALSE(bool(weft::writeOutputFile(folder.path("x"), writeMuch)));
  EXPECT_EQ((*MemoryBuffer::getFile(folder.path("x")))->getBufferSize(), 1000000u);
  EXPECT_EQ(files(folder).size(), 1u);
}

TEST(OutputFile, AnErrorLeavesTheOldFile) {
  TemporaryFolder folder;
  folder.write("x", "old");
  Error error = weft::writeOutputFile(folder.path("x"), [](raw_ostream &os) {
    os << "new";
    return createStringError("stopped");
  });
  EXPECT_EQ(toString(std::move(error)), "stopped");
  EXPECT_EQ((*MemoryBuffer::getFile(folder.path("x")))->getBuffer(), "old");
  EXPECT_EQ(files(folder).size(), 1u);
}

TEST(OutputFile, ReportsWhatCannotBeWritten) {
  Error error = weft::writeOutputFile("/dev/full", writeMuch);
  EXPECT_EQ(toString(std::move(error)), "/dev/full: error: cannot write: No space left on device");
  TemporaryFolder folder;
  error = weft::writeOutputFile(folder.path("no/x"), writeMuch);
  EXPECT_EQ(folder.anonymous(toString(std::move(error))),
            "DIR/no/x: error: cannot write: No such file or directory");
  error = weft::writeOutputFile(folder.path(), writeMuch);
  EXPECT_EQ(folder.anonymous(toString(std::move(error))),
            "DIR: error: cannot write: Is a directory");
}

} // namespace
