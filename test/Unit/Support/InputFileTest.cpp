//===- InputFileTest.cpp - Files that are read whole or mapped ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace weft;
using Names = std::vector<std::string>;

namespace {

class ListFolder : public testing::Test {
protected:
  ListFolder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("weft-list", folder)); }
  ~ListFolder() override { llvm::sys::fs::remove_directories(folder); }

  std::string pathOf(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  void write(llvm::StringRef name) const {
    std::error_code code;
    llvm::raw_fd_ostream(pathOf(name), code) << name;
    EXPECT_FALSE(code);
  }

  llvm::SmallString<128> folder;
};

TEST_F(ListFolder, SortsWhatIsWanted) {
  for (const char *name : {"c.model", "a.model", "b.txt", ".model", "B.model"})
    write(name);
  llvm::Expected<Names> found = listFolder(
      folder, [](llvm::StringRef name) { return llvm::sys::path::extension(name) == ".model"; });
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(*found,
            Names({pathOf(".model"), pathOf("B.model"), pathOf("a.model"), pathOf("c.model")}));
  found = listFolder(folder, [](llvm::StringRef name) { return name == "nothing"; });
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(found->empty());
}

TEST_F(ListFolder, NamesTheFolderThatIsNotThere) {
  std::string missing = pathOf("missing");
  llvm::Expected<Names> found = listFolder(missing, [](llvm::StringRef) { return true; });
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(llvm::toString(found.takeError()), missing + ": No such file or directory");
}

} // namespace
