//===- SafeTensorsTest.cpp - The safetensors reader and writer ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/SafeTensors.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace llvm;
using namespace weft;

namespace {

/// A file of `header` (its length is put before it) and `dataBytes` bytes 0, 1, 2, ...
std::string makeFile(StringRef header, size_t dataBytes) {
  std::string file(8, 0);
  support::endian::write64le(file.data(), header.size());
  file += header;
  for (size_t i = 0; i < dataBytes; ++i)
    file.push_back(char(i));
  return file;
}

Expected<SafeTensorsFile> readBytes(StringRef file) {
  return SafeTensorsFile::read(MemoryBuffer::getMemBufferCopy(file, "t.safetensors"));
}

/// The error that a file gives, or "" if it is read.
std::string errorOf(StringRef file) {
  Expected<SafeTensorsFile> result = readBytes(file);
  return result ? "" : toString(result.takeError());
}

std::string errorOf(StringRef header, size_t dataBytes) {
  return errorOf(makeFile(header, dataBytes));
}

TEST(SafeTensors, ReadsEveryKindOfTensor) {
  Expected<SafeTensorsFile> file = readBytes(makeFile(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[1,3],"data_offsets":[4,10]},
          "scalar":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
          "none":{"dtype":"I64","shape":[0,7],"data_offsets":[4,4]},
          "flag":{"dtype":"BOOL","shape":[2],"data_offsets":[10,12]}}   )",
      12));
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  ASSERT_EQ(file->tensors().size(), 4u);
  EXPECT_EQ(file->tensors()[0].name, "scalar");
  EXPECT_EQ(file->find("scalar")->count(), 1);
  EXPECT_EQ(file->find("none")->count(), 0);
  EXPECT_EQ(file->find("b")->bytes[0], 4);
  EXPECT_EQ(file->find("b")->shape, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(file->find("x"), nullptr);
  EXPECT_EQ(file->metadata().at("format"), "pt");
}

TEST(SafeTensors, AnEmptyFileHasNoTensors) { EXPECT_EQ(errorOf("{}", 0), ""); }

TEST(SafeTensors, RefusesABrokenFrame) {
  EXPECT_EQ(errorOf(StringRef("abc")),
            "t.safetensors: error: not a safetensors file: it has 3 bytes");
  std::string huge(8, '\xff');
  EXPECT_NE(errorOf(huge).find("more than 100 MB"), std::string::npos);
  std::string cut = makeFile("{}", 0);
  cut.pop_back();
  EXPECT_NE(errorOf(cut).find("ends within its header"), std::string::npos);
  EXPECT_NE(errorOf("[]", 0).find("does not start with '{'"), std::string::npos);
  EXPECT_NE(errorOf(" {}", 0).find("does not start with '{'"), std::string::npos);
  EXPECT_NE(errorOf("{", 0).find("t.safetensors:1:"), std::string::npos);
  EXPECT_NE(errorOf("{\"\xff\":1}", 0).find("UTF-8"), std::string::npos);
}

TEST(SafeTensors, RefusesABrokenEntry) {
  auto entry = [](StringRef fields) { return errorOf(("{\"w\":{" + fields + "}}").str(), 8); };
  auto has = [&](StringRef fields, StringRef part) {
    std::string error = entry(fields);
    return StringRef(error).contains(part) ? testing::AssertionSuccess()
                                           : testing::AssertionFailure() << error;
  };
  EXPECT_TRUE(has("", "dtype is missing"));
  EXPECT_TRUE(has(R"("dtype":"F4","shape":[8],"data_offsets":[0,8])", "'F4' is not"));
  EXPECT_TRUE(has(R"("dtype":"F32","data_offsets":[0,8])", "shape is missing"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])", "whole number"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])", "whole number"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[2],"data_offsets":[0])", "two numbers"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])", "do not lie in the 8"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[3],"data_offsets":[0,12])", "do not lie in the 8"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])",
                  "tensor 'w': shape [3] of F32 needs 12 bytes, but its range has 8"));
  EXPECT_TRUE(
      has(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])", "too large"));
  EXPECT_TRUE(
      has(R"("dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0])", "too large"));
  EXPECT_TRUE(
      has(R"("dtype":"F32","shape":[2305843009213693952],"data_offsets":[0,0])", "too large"));
  EXPECT_TRUE(has(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1)", "unknown field 'x'"));
  EXPECT_NE(errorOf(R"({"w":1})", 0).find("expected an object"), std::string::npos);
}

TEST(SafeTensors, RefusesRangesThatDoNotTileTheData) {
  EXPECT_NE(errorOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},
                        "b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
                    7)
                .find("tensor 'b': its data overlaps"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},
                        "b":{"dtype":"U8","shape":[2],"data_offsets":[5,7]}})",
                    7)
                .find("tensor 'b': unused bytes 4 to 5"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 5)
                .find("cover 4 of 5 bytes"),
            std::string::npos);
  EXPECT_NE(
      errorOf(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})", 5).find("unused bytes"),
      std::string::npos);
}

TEST(SafeTensors, RefusesADuplicateNameAndDeepNesting) {
  EXPECT_NE(errorOf(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},
                        "\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                    1)
                .find("appears twice"),
            std::string::npos);
  EXPECT_NE(errorOf("{\"a\":" + std::string(100000, '['), 0).find("nested"), std::string::npos);
  EXPECT_NE(errorOf(R"({"__metadata__":{"a":1}})", 0).find("is not a string"), std::string::npos);
  EXPECT_NE(errorOf(R"({"__metadata__":[]})", 0).find("is not an object"), std::string::npos);
}

TEST(SafeTensors, ReadsWhatItWrites) {
  std::vector<uint8_t> bytes(24);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 7);
  ArrayRef<uint8_t> all(bytes);
  std::vector<StoredTensor> tensors = {{"flags", ElementType::Bool, {3}, all.take_front(3)},
                                       {"a \"name\"", ElementType::F32, {2, 3}, all},
                                       {"id", ElementType::I64, {}, all.take_front(8)},
                                       {"nothing", ElementType::F16, {0}, {}}};
  std::string text;
  raw_string_ostream os(text);
  writeSafeTensors(os, tensors, {{"made", "by a test"}});
  Expected<SafeTensorsFile> file = readBytes(text);
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  EXPECT_EQ(file->metadata().at("made"), "by a test");
  for (const StoredTensor &tensor : tensors) {
    const StoredTensor *read = file->find(tensor.name);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->type, tensor.type);
    EXPECT_EQ(read->shape, tensor.shape);
    EXPECT_EQ(read->bytes, tensor.bytes);
  }
}

TEST(SafeTensors, FilesOnDisk) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("weft", "safetensors", path));
  uint8_t bytes[4] = {1, 2, 3, 4};
  EXPECT_FALSE(bool(writeSafeTensors(path, {{"x", ElementType::U8, {4}, bytes}})));
  Expected<SafeTensorsFile> file = SafeTensorsFile::open(path);
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  EXPECT_EQ(file->find("x")->bytes, ArrayRef<uint8_t>(bytes));
  Expected<SafeTensorsFile> endless = SafeTensorsFile::open("/dev/zero");
  ASSERT_FALSE(bool(endless));
  EXPECT_EQ(toString(endless.takeError()), "/dev/zero: error: cannot read: not a regular file");
  sys::fs::remove(path);
  Expected<SafeTensorsFile> gone = SafeTensorsFile::open(path);
  ASSERT_FALSE(bool(gone));
  EXPECT_NE(toString(gone.takeError()).find("cannot read: No such file"), std::string::npos);
}

} // namespace
