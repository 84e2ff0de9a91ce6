//===- CheckpointTest.cpp - Names, shards and what does not fit -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/Checkpoint.h"
#include "TemporaryFolder.h"
#include "weft/Import/NamePattern.h"
#include "weft/Import/SafeTensors.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace weft;

namespace {

const uint8_t zeros[4096] = {};

StoredTensor tensor(StringRef name, std::vector<int64_t> shape,
                    ElementType type = ElementType::F32) {
  size_t bytes = size_t(*elementCount(shape)) * infoOf(type).bytes();
  return {name.str(), type, std::move(shape), ArrayRef(zeros, bytes)};
}

WeightRequest real(std::vector<std::string> names, std::vector<int64_t> shape) {
  return {std::move(names), std::move(shape), ElementType::F32, ""};
}

struct CheckpointTest : testing::Test {
  TemporaryFolder folder;

  void save(StringRef name, ArrayRef<StoredTensor> tensors) {
    cantFail(writeSafeTensors(folder.path(name), tensors));
  }
  Checkpoint open(CheckpointRules rules = {}) {
    return cantFail(Checkpoint::open(folder.path(), std::move(rules)));
  }
  std::string openError() {
    Expected<Checkpoint> checkpoint = Checkpoint::open(folder.path(), {});
    return checkpoint ? "" : folder.anonymous(toString(checkpoint.takeError()));
  }
  std::string matchError(const Checkpoint &checkpoint, ArrayRef<WeightRequest> requests) {
    auto result = checkpoint.match(requests);
    return result ? "" : folder.anonymous(toString(result.takeError()));
  }
};

TEST(NamePattern, Matches) {
  EXPECT_TRUE(matchPattern("a.b", "a.b"));
  EXPECT_FALSE(matchPattern("a.b", "a.bc"));
  EXPECT_TRUE(matchPattern("h.*.attn.bias", "h.10.attn.bias"));
  EXPECT_FALSE(matchPattern("h.*.attn.bias", "h.10.attn.c_attn.bias"));
  EXPECT_FALSE(matchPattern("a*a", "a"));
  EXPECT_TRUE(matchPattern("*", ""));
  EXPECT_EQ(*matchPattern("*.x.*", "a.x.b.x.c"), (SmallVector<StringRef>{"a", "b.x.c"}));
  EXPECT_EQ(*rewriteName("*.gamma", "*.weight", "a.LayerNorm.gamma"), "a.LayerNorm.weight");
  EXPECT_EQ(*rewriteName("h.*.w*", "l.*.v*.", "h.3.w1"), "l.3.v1.");
  EXPECT_FALSE(rewriteName("*.gamma", "*.weight", "a.gammas"));
  EXPECT_FALSE(matchPattern(std::string(2000, '*') + "b", std::string(100000, 'a')));
}

TEST(RowMajorView, SplitsAndMerges) {
  EXPECT_TRUE(isRowMajorView({48, 144}, {48, 3, 4, 12}));
  EXPECT_TRUE(isRowMajorView({4, 12, 48}, {48, 48}));
  EXPECT_TRUE(isRowMajorView({2, 3, 4}, {6, 2, 2}));
  EXPECT_TRUE(isRowMajorView({1, 5}, {5}));
  EXPECT_TRUE(isRowMajorView({}, {1}));
  EXPECT_TRUE(isRowMajorView({0, 3}, {7, 0}));
  EXPECT_FALSE(isRowMajorView({4, 6}, {6, 4}));
  EXPECT_FALSE(isRowMajorView({4, 6, 5}, {6, 4, 5}));
  EXPECT_FALSE(isRowMajorView({4, 6}, {4, 7}));
}

TEST_F(CheckpointTest, NamesMayHaveAPrefix) {
  save("model.safetensors", {tensor("bert.a", {2}), tensor("b", {3}), tensor("cls.c", {4})});
  Checkpoint checkpoint = open({{"bert."}, {}, {}});
  EXPECT_EQ(checkpoint.find("a")->name, "bert.a");
  EXPECT_EQ(checkpoint.find("bert.a")->name, "bert.a");
  EXPECT_EQ(checkpoint.find("bert.b")->name, "b");
  EXPECT_EQ(checkpoint.find("c"), nullptr);
}

TEST_F(CheckpointTest, RenamesAndIgnores) {
  save("model.safetensors",
       {tensor("bert.LayerNorm.gamma", {2}), tensor("bert.position_ids", {3})});
  Checkpoint checkpoint = open({{"bert."}, {{"*.gamma", "*.weight"}}, {"position_ids"}});
  EXPECT_EQ(matchError(checkpoint, {real({"LayerNorm.weight"}, {2})}), "");
}

TEST_F(CheckpointTest, TwoTensorsOfOneName) {
  save("model.safetensors", {tensor("n.gamma", {2}), tensor("n.weight", {2})});
  Expected<Checkpoint> checkpoint =
      Checkpoint::open(folder.path(), {{}, {{"*.gamma", "*.weight"}}, {}});
  ASSERT_FALSE(bool(checkpoint));
  EXPECT_NE(toString(checkpoint.takeError()).find("are both 'n.weight' to the model"),
            std::string::npos);
}

TEST_F(CheckpointTest, TakesTheFirstOfTiedNames) {
  save("model.safetensors", {tensor("wte", {2, 3})});
  Checkpoint checkpoint = open();
  auto found = checkpoint.match({real({"head", "wte"}, {2, 3}), real({"wte"}, {6})});
  ASSERT_TRUE(bool(found));
  EXPECT_EQ((*found)[0].parts, (*found)[1].parts);
}

TEST_F(CheckpointTest, ReportsEverythingThatDoesNotFit) {
  save("model.safetensors", {tensor("w", {4, 6}), tensor("ids", {3}, ElementType::I64),
                             tensor("extra", {}, ElementType::F16)});
  WeightRequest missing = real({"head", "wte"}, {8});
  missing.location = "m.weft:3:9";
  EXPECT_EQ(matchError(open(), {real({"w"}, {6, 4}), real({"ids"}, {3}), missing}),
            "DIR: error: tensor 'head' or 'wte' is missing (declared as real[8], see m.weft:3:9)\n"
            "DIR: error: tensor 'w' F32[4, 6] has the wrong shape (declared as real[6, 4])\n"
            "DIR: error: tensor 'ids' I64[3] has the wrong type (declared as real[3])\n"
            "DIR: error: tensor 'extra' F16[] is not used by the model");
}

TEST(StoredWeight, NamesOfStacks) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(tensorNames("a.b"), Names{"a.b"});
  EXPECT_EQ(tensorNames("e.{2}.w"), (Names{"e.0.w", "e.1.w"}));
  EXPECT_EQ(tensorNames("{2}.{3}"), (Names{"0.0", "0.1", "0.2", "1.0", "1.1", "1.2"}));
  EXPECT_EQ(tensorNames("{x}.{0}.{"), Names{"{x}.{0}.{"});
  EXPECT_EQ(tensorNames("{70000}"), Names{"{70000}"});
  EXPECT_EQ(tensorNames("{70000}.{70000}").size(), 1u);
  EXPECT_EQ(stackedDims("a.b"), 0u);
  EXPECT_EQ(stackedDims("{2}.x.{3}"), 2u);
}

TEST_F(CheckpointTest, StacksTensors) {
  save("model.safetensors", {tensor("bert.e.0.w", {2, 3}), tensor("bert.e.1.gamma", {6})});
  Checkpoint checkpoint = open({{"bert."}, {{"*.gamma", "*.w"}}, {}});
  auto found = checkpoint.match({real({"e.{2}.w"}, {2, 2, 3})});
  ASSERT_TRUE(bool(found)) << toString(found.takeError());
  ASSERT_EQ((*found)[0].parts.size(), 2u);
  EXPECT_EQ((*found)[0].parts[1]->name, "bert.e.1.gamma");
  EXPECT_EQ((*found)[0].count(), 12);
}

TEST_F(CheckpointTest, TakesAStackThatIsOneTensor) {
  EXPECT_EQ(stackName("l.0.e.{8}.w"), "l.0.e.{}.w");
  EXPECT_EQ(stackName("{2}.{3}"), "{}.{}");
  EXPECT_EQ(stackName("a.{x}"), "a.{x}");
  save("model.safetensors", {tensor("all", {2, 2, 3})});
  Checkpoint checkpoint = open({{}, {{"all", "e.{}.w"}}, {}});
  auto found = checkpoint.match({real({"e.{2}.w"}, {2, 2, 3})});
  ASSERT_TRUE(bool(found)) << toString(found.takeError());
  EXPECT_EQ((*found)[0].parts.size(), 1u);
  EXPECT_EQ(
      matchError(checkpoint, {real({"e.{3}.w"}, {3, 2, 3})}),
      "DIR: error: tensor 'all' F32[2, 2, 3] has the wrong shape (declared as real[3, 2, 3])");
}

TEST_F(CheckpointTest, ReportsWhatAStackLacks) {
  save("model.safetensors",
       {tensor("e.0.w", {2, 3}), tensor("e.2.w", {3, 2}), tensor("e.3.w", {2, 3})});
  EXPECT_EQ(matchError(open(), {real({"e.{3}.w"}, {3, 2, 3})}),
            "DIR: error: tensor 'e.1.w' is missing (declared as real[2, 3])\n"
            "DIR: error: tensor 'e.0.w' F32[2, 3] is not used by the model\n"
            "DIR: error: tensor 'e.2.w' F32[3, 2] is not used by the model\n"
            "DIR: error: tensor 'e.3.w' F32[2, 3] is not used by the model");
  save("model.safetensors",
       {tensor("e.0.w", {2, 3}), tensor("e.1.w", {3, 2}), tensor("e.2.w", {2, 3})});
  EXPECT_EQ(matchError(open(), {real({"e.{2}.w"}, {2, 2, 3})}),
            "DIR: error: tensor 'e.1.w' F32[3, 2] has the wrong shape (declared as real[2, 3])\n"
            "DIR: error: tensor 'e.2.w' F32[2, 3] is not used by the model");
  EXPECT_EQ(matchError(open({{}, {}, {"*"}}), {real({"f.{2}.w"}, {2, 2, 3})}),
            "DIR: error: tensor 'f.{2}.w' is missing (declared as real[2, 2, 3])");
}

TEST_F(CheckpointTest, ReadsShards) {
  save("a.safetensors", {tensor("x", {2})});
  save("b.safetensors", {tensor("y", {3}), tensor("z", {4})});
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"x":"a.safetensors","y":"b.safetensors","z":"b.safetensors"}})");
  EXPECT_EQ(open().find("z")->count(), 4);
  EXPECT_EQ(open().tensors().size(), 3u);
}

TEST_F(CheckpointTest, RefusesBadShards) {
  auto withIndex = [&](StringRef index) {
    folder.write("model.safetensors.index.json", index);
    return openError();
  };
  EXPECT_EQ(openError(),
            "DIR: error: neither model.safetensors nor model.safetensors.index.json is "
            "in this folder");
  save("a.safetensors", {tensor("x", {2}), tensor("w", {2})});
  StringRef index = "DIR/model.safetensors.index.json: error: ";
  EXPECT_EQ(withIndex("{}"), index.str() + "there is no object 'weight_map'");
  for (StringRef bad : {"../a.safetensors", "/etc/a.safetensors", "sub\\\\a.safetensors", "a.bin"})
    EXPECT_EQ(withIndex(("{\"weight_map\":{\"x\":\"" + bad + "\"}}").str()),
              index.str() + "tensor 'x': the shard must be the name of a .safetensors file");
  EXPECT_EQ(withIndex(R"({"weight_map":{"x":"a.safetensors"}})"),
            index.str() + "tensor 'w' of shard a.safetensors is not listed there");
  EXPECT_EQ(withIndex(R"({"weight_map":{"q":"a.safetensors"}})"),
            index.str() + "tensor 'q' is not in its shard a.safetensors");
  EXPECT_NE(withIndex(R"({"weight_map":{"q":"c.safetensors"}})").find("DIR/c.safetensors: error:"),
            std::string::npos);
}

} // namespace
