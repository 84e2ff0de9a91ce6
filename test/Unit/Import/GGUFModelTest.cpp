//===- GGUFModelTest.cpp - What a text sees of a GGUF file ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/GGUFModel.h"
#include "GGUFBytes.h"

#include "gtest/gtest.h"

#include <limits>

using namespace llvm;
using namespace weft;

namespace {

using Type = GgufValue::Type;

Expected<ConfigValue> describe(const GgufBytes &bytes) {
  Expected<GgufFile> file = GgufFile::read(MemoryBuffer::getMemBufferCopy(bytes.text, "t.gguf"));
  if (!file)
    return file.takeError();
  std::vector<const StoredTensor *> tensors;
  for (const StoredTensor &tensor : file->tensors())
    tensors.push_back(&tensor);
  return describeGguf(*file, tensors);
}

TEST(GGUFModel, SortsKeysByTheirPlaces) {
  GgufBytes bytes = ggufHeader(3, 8);
  bytes.key("general.architecture", Type::String).string("toy");
  bytes.key("general.name", Type::String).string("not seen");
  bytes.key("toy.attention.head_count", Type::U32).u32(4);
  bytes.array("toy.list", Type::U32, 2).u32(1).u32(2);
  bytes.key("toy.scale", Type::F32).u32(bit_cast<uint32_t>(0.5f));
  bytes.key("toy.none", Type::F32).u32(bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN()));
  bytes.key("tokenizer.ggml.eos_token_id", Type::U32).u32(2);
  bytes.array("tokenizer.ggml.tokens", Type::String, 2).string("a").string("b");
  bytes.tensor("blk.0.w", {32, 3}, 8, 0).tensor("norm", {2}, 0, 128).tensor("odd", {1}, 0, 160);
  bytes.data(128).u32(bit_cast<uint32_t>(1.5f)).u32(0).data(0);
  bytes.u32(bit_cast<uint32_t>(std::numeric_limits<float>::infinity()));
  Expected<ConfigValue> value = describe(bytes);
  ASSERT_TRUE(bool(value)) << toString(value.takeError());
  EXPECT_EQ(value->str(), R"({"architecture":"toy",)"
                          R"("keys":{"attention":{"head_count":4},"list":[1,2],"scale":0.5},)"
                          R"("tensors":{"blk":{"0":{"w":{"shape":[3,32]}}},)"
                          R"("norm":{"shape":[2],"values":[1.5,0.0]},"odd":{"shape":[1]}},)"
                          R"("tokenizer":{"eos_token_id":2,"size":2}})");
}

TEST(GGUFModel, LeavesOutWhatHasNoPlace) {
  GgufBytes bytes = ggufHeader(0, 4);
  bytes.key("general.architecture", Type::String).string("toy");
  bytes.key("toy.a", Type::U32).u32(1);
  bytes.key("toy.a.b", Type::U32).u32(2);
  bytes.key("toy" + std::string(40, '.'), Type::U32).u32(3);
  Expected<ConfigValue> value = describe(bytes);
  ASSERT_TRUE(bool(value)) << toString(value.takeError());
  EXPECT_EQ(value->get("keys")->str(), R"({"a":1})");
}

TEST(GGUFModel, NeedsAnArchitecture) {
  EXPECT_EQ(toString(describe(ggufHeader(0, 0)).takeError()),
            "t.gguf: error: no key general.architecture says what kind of model it is");
}

} // namespace
