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
  folder.write("file", "");
  error = weft::writeOutputFile(folder.path("file/x"), writeMuch);
  EXPECT_EQ(folder.anonymous(toString(std::move(error))),
            "DIR/file/x: error: cannot write: Not a directory");
  error = weft::writeOutputFile(folder.path(), writeMuch);
  EXPECT_EQ(folder.anonymous(toString(std::move(error))),
            "DIR: error: cannot write: Is a directory");
}

Error writeWord(raw_ostream &os) {
  os << "new";
  return Error::success();
}

std::string textOf(const TemporaryFolder &folder, StringRef name) {
  auto file = MemoryBuffer::getFile(folder.path(name));
  return file ? (*file)->getBuffer().str() : "nothing";
}

TEST(OutputFiles, AppearTogetherOrNotAtAll) {
  TemporaryFolder folder;
  folder.write("a", "old");
  for (bool commits : {false, true}) {
    weft::OutputFiles files;
    cantFail(files.addFolder(folder.path("deep/er")));
    for (StringRef name : {"a", "b", "deep/er/c", "unwritten"})
      cantFail(files.addOutput(folder.path(name), "output"));
    cantFail(files.write(folder.path("a"), writeWord));
    cantFail(files.write(folder.path("deep/er/c"), writeWord));
    std::string reserved = cantFail(files.reserve(folder.path("b")));
    std::error_code code;
    raw_fd_ostream(reserved, code) << "linked";
    EXPECT_EQ(textOf(folder, "a"), "old");
    EXPECT_EQ(textOf(folder, "b"), "nothing");
    if (commits)
      cantFail(files.commit());
  }
  EXPECT_EQ(textOf(folder, "a"), "new");
  EXPECT_EQ(textOf(folder, "b"), "linked");
  EXPECT_EQ(textOf(folder, "deep/er/c"), "new");
  EXPECT_EQ(files(folder).size(), 3u); // a, b, deep
}

TEST(OutputFiles, NewFoldersGoWithTheirFiles) {
  TemporaryFolder folder;
  {
    weft::OutputFiles files;
    cantFail(files.addFolder(folder.path("deep/er")));
    cantFail(files.addOutput(folder.path("deep/er/c"), "output"));
    cantFail(files.write(folder.path("deep/er/c"), writeWord));
    EXPECT_TRUE(sys::fs::is_directory(folder.path("deep/er")));
  }
  EXPECT_EQ(files(folder).size(), 0u);
}

TEST(OutputFiles, NoneIsAnInputOrAnotherOutput) {
  TemporaryFolder folder;
  folder.write("in", "old");
  cantFail(errorCodeToError(sys::fs::create_link(folder.path("in"), folder.path("link"))));
  cantFail(errorCodeToError(sys::fs::create_hard_link(folder.path("in"), folder.path("hard"))));
  for (StringRef name : {"in", "link", "hard", "./in"}) {
    weft::OutputFiles before, after;
    cantFail(before.addInput(folder.path("in"), "the weights"));
    cantFail(after.addOutput(folder.path(name), "header"));
    for (const std::string &text : {toString(before.addOutput(folder.path(name), "header")),
                                    toString(after.addInput(folder.path("in"), "the weights"))})
      EXPECT_EQ(folder.anonymous(text),
                ("the output 'DIR/" + name + "' (header) is the file that is read as the weights" +
                 (name == "in" ? "" : ", 'DIR/in'"))
                    .str());
  }
  weft::OutputFiles files; // neither is there yet
  cantFail(files.addOutput(folder.path("x"), "header"));
  EXPECT_EQ(folder.anonymous(toString(files.addOutput(folder.path("./x"), "library"))),
            "the outputs 'DIR/x' (header) and 'DIR/./x' (library) are one file");
}

TEST(OutputFiles, ALinkIsWrittenThrough) {
  TemporaryFolder folder;
  folder.write("target", "old");
  cantFail(errorCodeToError(sys::fs::create_link(folder.path("target"), folder.path("link"))));
  cantFail(weft::writeOutputFile(folder.path("link"), writeWord));
  EXPECT_EQ(textOf(folder, "target"), "new");
  EXPECT_TRUE(sys::fs::is_symlink_file(folder.path("link")));
}

} // namespace
