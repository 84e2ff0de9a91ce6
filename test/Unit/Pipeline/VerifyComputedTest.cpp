//===- VerifyComputedTest.cpp - wrong numbers of computed weights are found -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Import/TemporaryFolder.h"

#include "weft/Import/SafeTensors.h"
#include "weft/Pipeline/VerifyComputed.h"

#include "gtest/gtest.h"

using namespace weft;

namespace {

/// What code makes of a rule, and what the interpreter does.
class Numbers : public TensorValues {
public:
  Numbers(std::vector<float> computed, std::vector<double> interpreted, std::string problem)
      : computed(std::move(computed)), interpreted(std::move(interpreted)),
        problem(std::move(problem)) {}
  void read(int64_t first, llvm::MutableArrayRef<float> out) override {
    std::copy_n(computed.begin() + first, out.size(), out.begin());
  }
  llvm::Expected<std::vector<double>> interpret() override { return interpreted; }
  llvm::StringRef failure() const override { return problem; }
  uint64_t storedBytes() const override { return 4 * computed.size(); }

private:
  std::vector<float> computed;
  std::vector<double> interpreted;
  std::string problem;
};

class VerifyComputed : public ::testing::Test {
protected:
  void SetUp() override {
    std::string path = folder.path("m.safetensors");
    float one = 1;
    StoredTensor plain;
    plain.name = "plain";
    plain.shape = {1};
    plain.bytes = {reinterpret_cast<const uint8_t *>(&one), sizeof(one)};
    ASSERT_FALSE(bool(writeSafeTensors(path, {plain})));
    checkpoint.emplace(llvm::cantFail(Checkpoint::open(path, {})));
  }
  void add(std::string name, std::vector<float> computed, std::vector<double> interpreted,
           std::string problem = "") {
    StoredTensor tensor;
    tensor.name = std::move(name);
    tensor.shape = {int64_t(computed.size())};
    tensor.values = std::make_shared<Numbers>(computed, interpreted, problem);
    checkpoint->addComputed(std::move(tensor), {});
  }
  VerifyReport verify() { return llvm::cantFail(verifyComputed(*checkpoint, 1e-4)); }

  TemporaryFolder folder;
  std::optional<Checkpoint> checkpoint;
};

TEST_F(VerifyComputed, CountsThoseThatAgree) {
  EXPECT_EQ(verify().compared, 0);
  add("a", {1, 2}, {1, 2.00001});
  add("b", {0}, {0});
  VerifyReport report = verify();
  EXPECT_EQ(report.compared, 2);
  EXPECT_FALSE(report.difference);
  EXPECT_GT(report.worst, 1e-6);
}

TEST_F(VerifyComputed, NamesTheFirstThatDiffers) {
  add("a", {1, 2}, {1, 2});
  add("b", {1, 2, 3}, {1, 2, 3.1});
  add("c", {5}, {6});
  VerifyReport report = verify();
  EXPECT_EQ(report.compared, 1);
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->formula, "b");
}

TEST_F(VerifyComputed, SaysWhatWentWrong) {
  add("a", {1}, {1}, "an index is too large");
  llvm::Expected<VerifyReport> report = verifyComputed(*checkpoint, 1e-4);
  EXPECT_NE(toString(report.takeError()).find("an index is too large"), std::string::npos);
}

} // namespace
