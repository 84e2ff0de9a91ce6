//===- GGUFTest.cpp - The GGUF reader -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/GGUF.h"
#include "GGUFBytes.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace weft;

namespace {

using Type = GgufValue::Type;

Expected<GgufFile> readBytes(const GgufBytes &file) {
  return GgufFile::read(MemoryBuffer::getMemBufferCopy(file.text, "t.gguf"));
}

/// The error that a file gives, or "" if it is read.
std::string errorOf(const GgufBytes &file) {
  Expected<GgufFile> result = readBytes(file);
  return result ? "" : toString(result.takeError());
}

TEST(GGUF, ReadsValuesOfAllTypes) {
  GgufBytes bytes = ggufHeader(0, 16, 2);
  bytes.key("u8", Type::U8).text += '\xff';
  bytes.key("i8", Type::I8).text += '\xff';
  bytes.key("u16", Type::U16).text += "\xfe\xff";
  bytes.key("i16", Type::I16).text += "\xfe\xff";
  bytes.key("u32", Type::U32).u32(~3u);
  bytes.key("i32", Type::I32).u32(~3u);
  bytes.key("u64", Type::U64).u64(uint64_t(1) << 40);
  bytes.key("i64", Type::I64).u64(~uint64_t(4));
  bytes.key("big", Type::U64).u64(uint64_t(1) << 63);
  bytes.key("f32", Type::F32).u32(bit_cast<uint32_t>(0.5f));
  bytes.key("f64", Type::F64).u64(bit_cast<uint64_t>(0.1));
  bytes.key("yes", Type::Bool).text += '\2';
  bytes.key("text", Type::String).string("caf\xc3\xa9");
  bytes.array("numbers", Type::I32, 2).u32(7).u32(~0u);
  bytes.array("texts", Type::String, 3).string("a").string("").string("bc");
  bytes.array("none", Type::F64, 0);
  Expected<GgufFile> file = readBytes(bytes);
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  ASSERT_EQ(file->keys().size(), 16u);
  EXPECT_EQ(file->key("absent"), nullptr);
  EXPECT_EQ(file->key("u8")->asInteger(), 255);
  EXPECT_EQ(file->key("i8")->asInteger(), -1);
  EXPECT_EQ(file->key("u16")->asInteger(), 65534);
  EXPECT_EQ(file->key("i16")->asInteger(), -2);
  EXPECT_EQ(file->key("u32")->asInteger(), 4294967292);
  EXPECT_EQ(file->key("i32")->asInteger(), -4);
  EXPECT_EQ(file->key("u64")->asInteger(), int64_t(1) << 40);
  EXPECT_EQ(file->key("i64")->asInteger(), -5);
  EXPECT_EQ(file->key("big")->asInteger(), std::nullopt);
  EXPECT_EQ(file->key("f32")->asReal(), 0.5);
  EXPECT_EQ(file->key("f32")->asInteger(), std::nullopt);
  EXPECT_EQ(file->key("f64")->asReal(), 0.1);
  EXPECT_EQ(file->key("u8")->asReal(), 255.0);
  EXPECT_EQ(file->key("yes")->asBool(), true);
  EXPECT_EQ(file->key("u8")->asBool(), std::nullopt);
  EXPECT_EQ(file->key("text")->asString(), "caf\xc3\xa9");
  EXPECT_EQ(file->key("numbers")->asString(), std::nullopt);
  std::vector<GgufValue> numbers = file->key("numbers")->elements();
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[0].asInteger(), 7);
  EXPECT_EQ(numbers[1].asInteger(), -1);
  std::vector<GgufValue> texts = file->key("texts")->elements();
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0].asString(), "a");
  EXPECT_EQ(texts[1].asString(), "");
  EXPECT_EQ(texts[2].asString(), "bc");
  EXPECT_TRUE(file->key("none")->elements().empty());
}

TEST(GGUF, ReadsTensors) {
  GgufBytes bytes = ggufHeader(4, 1);
  bytes.key("general.alignment", Type::U32).u32(64);
  bytes.tensor("late", {3, 2}, 0, 128).tensor("blocks", {64, 3}, 2, 0);
  bytes.tensor("half", {5}, 30, 192).tensor("scalar", {}, 26, 256).data(260, 64);
  Expected<GgufFile> file = readBytes(bytes);
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  ASSERT_EQ(file->tensors().size(), 4u);
  EXPECT_EQ(file->tensors()[0].name, "blocks"); // in the order of their data
  const StoredTensor &late = *file->find("late"), &blocks = *file->find("blocks");
  EXPECT_EQ(late.shape, (std::vector<int64_t>{2, 3})); // slowest first
  EXPECT_EQ(late.bytes[0], 128);
  EXPECT_EQ(late.storedAs(), "F32");
  EXPECT_EQ(late.numbers(), 6);
  EXPECT_EQ(blocks.type, ElementType::U8);
  EXPECT_EQ(blocks.format, "Q4_0");
  EXPECT_EQ(blocks.shape, (std::vector<int64_t>{3, 2, 18}));
  EXPECT_EQ(blocks.bytes.size(), 108u);
  EXPECT_EQ(blocks.numbers(), 192);
  EXPECT_EQ(blocks.storedAs(), "Q4_0");
  EXPECT_EQ(file->find("half")->type, ElementType::BF16);
  EXPECT_EQ(file->find("scalar")->count(), 1);
  EXPECT_EQ(file->find("nothing"), nullptr);
}

TEST(GGUF, KnowsTheBlocksOfEveryType) {
  // Bits of a number, as the formats are published.
  const std::pair<const char *, double> bits[] = {
      {"F32", 32},      {"F16", 16},       {"BF16", 16},     {"Q4_0", 4.5},   {"Q4_1", 5},
      {"Q5_0", 5.5},    {"Q5_1", 6},       {"Q8_0", 8.5},    {"Q4_K", 4.5},   {"Q5_K", 5.5},
      {"Q6_K", 6.5625}, {"IQ4_NL", 4.5},   {"IQ4_XS", 4.25}, {"MXFP4", 4.25}, {"Q2_K", 2.625},
      {"Q3_K", 3.4375}, {"IQ2_XS", 2.3125}};
  for (const auto &known : bits) {
    const GgufType *type = find_if(ggufTypes(), [&](auto &one) { return one.name == known.first; });
    ASSERT_NE(type, ggufTypes().end()) << known.first;
    EXPECT_EQ(8.0 * double(type->bytes) / double(type->blockSize), known.second) << known.first;
  }
}

TEST(GGUF, RefusesABrokenHeader) {
  EXPECT_EQ(errorOf(GgufBytes{"GGML"}),
            "t.gguf: error: not a GGUF file: it does not begin with 'GGUF'");
  EXPECT_EQ(errorOf(GgufBytes{"GGUF\1"}), "t.gguf: error: the file ends within its header");
  EXPECT_EQ(errorOf(GgufBytes{"GGUF"}.u32(3).u64(0)),
            "t.gguf: error: the file ends within its header");
  EXPECT_EQ(errorOf(ggufHeader(0, 0, 1)),
            "t.gguf: error: version 1 of GGUF is not supported; these are: 2, 3");
  EXPECT_EQ(errorOf(ggufHeader(0, 0, 0x03000000)),
            "t.gguf: error: the file is big-endian, which is not supported");
  EXPECT_EQ(errorOf(ggufHeader(0, 0)), "");
}

TEST(GGUF, AllocatesNothingForCountsBeyondTheFile) {
  EXPECT_EQ(errorOf(ggufHeader(uint64_t(1) << 60, 0)),
            "t.gguf: error: 0 keys and 1152921504606846976 tensors do not fit into its 24 bytes");
  EXPECT_EQ(errorOf(ggufHeader(0, ~uint64_t(0))),
            "t.gguf: error: 18446744073709551615 keys and 0 tensors do not fit into its 24 bytes");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).array("k", Type::U64, uint64_t(1) << 61)),
            "t.gguf: error: the file ends within key 'k', an array of 2305843009213693952 values");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).array("k", Type::String, 2).string("a").u64(9)),
            "t.gguf: error: the file ends within key 'k', at string 1 of 2");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).key("k", Type::String).u64(~uint64_t(0))),
            "t.gguf: error: the file ends within key 'k'");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).u64(uint64_t(1) << 50).u64(0)),
            "t.gguf: error: the file ends within the name of key 0");
}

TEST(GGUF, LimitsWhatItHolds) {
  GgufBytes bytes = ggufHeader(65537, 0);
  bytes.text.resize(65537 * 24 + 24);
  EXPECT_EQ(errorOf(bytes), "t.gguf: error: 0 keys and 65537 tensors are more than 65536");
}

TEST(GGUF, RefusesBrokenKeys) {
  EXPECT_EQ(errorOf(ggufHeader(0, 1).string("").u32(0).u32(0)),
            "t.gguf: error: the name of key 0 is not a text of up to 65535 bytes");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).string("\xff").u32(0).u32(0)),
            "t.gguf: error: the name of key 0 is not a text of up to 65535 bytes");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).string(std::string(65536, 'a')).u32(0).u32(0)),
            "t.gguf: error: the name of key 0 is not a text of up to 65535 bytes");
  EXPECT_EQ(errorOf(ggufHeader(0, 2).key("k", Type::U32).u32(0).key("k", Type::U32).u32(0)),
            "t.gguf: error: key 'k' is there twice");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).string("k").u32(13).u32(0)),
            "t.gguf: error: key 'k' has a value of the unknown type 13");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).array("k", Type::Array, 1).u64(0)),
            "t.gguf: error: key 'k' is an array of arrays, which is not supported");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).key("key", Type::U64).u32(0)),
            "t.gguf: error: the file ends within key 'key'");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).key("general.alignment", Type::U32).u32(48)),
            "t.gguf: error: general.alignment is not a power of two of up to 1048576");
  EXPECT_EQ(errorOf(ggufHeader(0, 1).key("general.alignment", Type::U32).u32(1 << 21)),
            "t.gguf: error: general.alignment is not a power of two of up to 1048576");
}

TEST(GGUF, RefusesBrokenTensors) {
  auto one = [](std::vector<uint64_t> sizes, uint32_t type, uint64_t offset, size_t bytes) {
    return errorOf(ggufHeader(1, 0).tensor("w", std::move(sizes), type, offset).data(bytes));
  };
  EXPECT_EQ(one({4}, 0, 0, 16), "");
  EXPECT_EQ(one({4}, 0, 0, 15),
            "t.gguf: error: tensor 'w': 16 bytes from 0 on do not lie in the 15 "
            "bytes of data");
  EXPECT_EQ(one({4}, 0, uint64_t(1) << 63, 16),
            "t.gguf: error: tensor 'w': 16 bytes from 9223372036854775808 on do not lie in the 16 "
            "bytes of data");
  EXPECT_EQ(one({4}, 0, 8, 32), "t.gguf: error: tensor 'w': its offset 8 is no multiple of 32");
  EXPECT_EQ(one({1, 1, 1, 1, 1}, 0, 0, 4),
            "t.gguf: error: tensor 'w': 5 dimensions are more than 4");
  EXPECT_EQ(one({uint64_t(1) << 63}, 0, 0, 4),
            "t.gguf: error: tensor 'w': the dimension 9223372036854775808 is too large");
  EXPECT_EQ(one({uint64_t(1) << 40, uint64_t(1) << 40}, 0, 0, 4),
            "t.gguf: error: tensor 'w': shape [1099511627776, 1099511627776] is too large");
  EXPECT_EQ(
      one({48, 2}, 8, 0, 68),
      "t.gguf: error: tensor 'w': its rows are no whole blocks of Q8_0, which have 32 numbers: "
      "shape [2, 48]");
  EXPECT_EQ(
      one({}, 8, 0, 68),
      "t.gguf: error: tensor 'w': its rows are no whole blocks of Q8_0, which have 32 numbers: "
      "shape []");
  EXPECT_NE(one({4}, 31, 0, 16)
                .find("tensor 'w': its GGUF type 31 is not known; the known ones are "
                      "F32, F16, Q4_0, "),
            std::string::npos);
  EXPECT_EQ(errorOf(ggufHeader(1, 0).string("weight").u32(1).u64(3).u64(0)),
            "t.gguf: error: the file ends within tensor 'weight'");
}

TEST(GGUF, RefusesTensorsThatOverlapOrRepeat) {
  EXPECT_EQ(errorOf(ggufHeader(2, 0).tensor("a", {9}, 0, 0).tensor("b", {9}, 0, 32).data(96)),
            "t.gguf: error: tensor 'b': its data overlap those of 'a'");
  EXPECT_EQ(errorOf(ggufHeader(2, 0).tensor("a", {9}, 0, 0).tensor("b", {9}, 0, 64).data(128)), "");
  EXPECT_EQ(errorOf(ggufHeader(2, 0).tensor("a", {9}, 0, 0).tensor("a", {9}, 0, 64).data(128)),
            "t.gguf: error: tensor 'a': it is there twice");
  EXPECT_EQ(errorOf(ggufHeader(2, 0).tensor("a", {0, 4}, 0, 0).tensor("b", {4}, 0, 0).data(16)),
            "");
}

TEST(GGUF, SurvivesEveryCut) {
  GgufBytes bytes = ggufHeader(2, 3);
  bytes.key("k", Type::String).string("text");
  bytes.array("a", Type::String, 2).string("x").string("yz");
  bytes.array("n", Type::U16, 2).u32(5);
  bytes.tensor("w", {2, 2}, 0, 0).tensor("q", {32}, 8, 32).data(66);
  EXPECT_EQ(errorOf(bytes), "");
  for (size_t size = 0; size < bytes.text.size(); ++size)
    EXPECT_NE(errorOf(GgufBytes{bytes.text.substr(0, size)}), "") << size;
}

TEST(GGUF, NamesThePartsOfAModel) {
  Expected<std::vector<std::string>> parts = ggufParts("d/m-00001-of-00003.gguf", 3);
  ASSERT_TRUE(bool(parts)) << toString(parts.takeError());
  EXPECT_EQ(*parts, (std::vector<std::string>{"d/m-00001-of-00003.gguf", "d/m-00002-of-00003.gguf",
                                              "d/m-00003-of-00003.gguf"}));
  for (StringRef path : {"m.gguf", "m-00002-of-00003.gguf", "m-00001-of-00004.gguf"})
    EXPECT_EQ(toString(ggufParts(path, 3).takeError()),
              (path + ": error: it is one of 3 parts of a model: give the first, which is called "
                      "NAME-00001-of-00003.gguf")
                  .str());
  EXPECT_TRUE(errorToBool(ggufParts("m-00001-of-00000.gguf", 0).takeError()));
}

} // namespace
