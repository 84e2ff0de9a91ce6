//===- CompiledModelTest.cpp - opening and calling ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Import/TemporaryFolder.h"
#include "TestModel.h"

#include "weft/Runner/Execute.h"
#include "weft/Runner/Measure.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace weft;
using namespace weft::test;

namespace {

// y = x + the first weight, which the scratch memory holds for a while.
int addWeight(const void *weights, void *scratch, const int64_t *sizes, void *const *inputs,
              void *const *outputs) {
  if (reinterpret_cast<uintptr_t>(scratch) % 64 || sizes[0] == 3)
    return WEFT_ERROR_LENGTH;
  auto *x = static_cast<const float *>(inputs[0]);
  auto *y = static_cast<float *>(outputs[0]);
  auto *kept = static_cast<float *>(scratch);
  *kept = weights ? *static_cast<const float *>(weights) : 100;
  for (int64_t i = 0; i < sizes[0]; ++i)
    y[i] = x[i] + *kept;
  return WEFT_OK;
}

TestModel addingModel() {
  TestModel model;
  model.symbol("T", 4);
  model.entry("add", {{"x", WEFT_F32, {symbol0}}}, {{"y", WEFT_F32, {symbol0}}}, addWeight);
  return model;
}

std::string loadError(const std::string &path) {
  return errorOf(CompiledModel::load(path, llvm::StringRef()));
}

TEST(CompiledModel, RefusesWhatIsNoModel) {
  TemporaryFolder folder;
  folder.write("text.so", "no library");
  EXPECT_EQ(loadError(folder.path("none.so")), folder.path("none.so") + ": no such file");
  std::string message = loadError(folder.path("text.so"));
  EXPECT_EQ(message.find(folder.path("text.so") + ": not a shared library: "), 0u) << message;
  Dl_info library;
  ASSERT_TRUE(dladdr(reinterpret_cast<void *>(&std::free), &library));
  EXPECT_EQ(loadError(library.dli_fname), std::string(library.dli_fname) +
                                              ": not a model compiled by weftc: it has no "
                                              "weft_get_info");
}

// The system would give the library that it has under the name.
TEST(CompiledModel, IsWhatTheFileIsNow) {
  TemporaryFolder folder;
  std::string path = folder.path("model.so");
  std::vector<std::unique_ptr<CompiledModel>> models;
  for (std::string version : {"1", "2", "3"}) {
    folder.write("model.c", "static const int info[256] = {" + version +
                                "};\nconst void *weft_get_info(void) { return info; }\n");
    llvm::sys::fs::remove(path); // it stays mapped
    ASSERT_EQ(std::system(("cc -shared -fPIC -o " + path + " " + folder.path("model.c")).c_str()),
              0);
    for (int again = 0; again != 2; ++again) {
      models.push_back(
          llvm::cantFail(CompiledModel::load(path, std::unique_ptr<llvm::MemoryBuffer>())));
      EXPECT_EQ(std::to_string(models.back()->info().abi_version), version);
    }
  }
  EXPECT_EQ(models.front()->info().abi_version, 1);
}

TEST(CompiledModel, CallsWithItsWeights) {
  TestModel text = addingModel();
  auto weights = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(64, "weights", llvm::Align(64));
  float five = 5;
  std::memcpy(weights->getBufferStart(), &five, 4);
  for (float expected : {6.0f, 101.0f}) { // the second model has no weights
    CompiledModel model(text.info, std::move(weights));
    float x = 1, y = 0;
    EXPECT_EQ(errorOf(model.run(model.entries()[0], {1}, {&x}, {&y})), "none");
    EXPECT_EQ(y, expected);
  }
}

TEST(CompiledModel, SaysWhatACallReturned) {
  TestModel text = addingModel();
  CompiledModel model(text.info);
  float x[3] = {}, y[3];
  std::string message = errorOf(model.run(model.entries()[0], {3}, {x}, {y}));
  EXPECT_EQ(message, "entry 'add': " + std::string(weft_error_string(WEFT_ERROR_LENGTH)));
}

// A program has no library of its own whose runtime could be told.
TEST(CompiledModel, NeedsNoRuntime) {
  TestModel text = addingModel();
  CompiledModel model(text.info);
  model.setThreads(3);
  EXPECT_EQ(model.threads(), 1);
  EXPECT_FALSE(model.getProfile());
  model.startProfile(std::nullopt);
  float x = 1, y = 0;
  EXPECT_EQ(errorOf(model.run(model.entries()[0], {1}, {&x}, {&y})), "none");
  model.resetProfile();
  EXPECT_TRUE(model.getProfile()->kernels().empty());
}

TEST(CompiledModel, FindsEntries) {
  TestModel text = addingModel();
  EXPECT_STREQ(llvm::cantFail(CompiledModel(text.info).findEntry(""))->name, "add");
  text.entry("other", {}, {});
  CompiledModel model(text.info);
  EXPECT_STREQ(llvm::cantFail(model.findEntry("other"))->name, "other");
  EXPECT_EQ(errorOf(model.findEntry("")),
            "the model has several entries, choose one by --entry: add, other");
  text.generates(0, 0);
  EXPECT_STREQ(llvm::cantFail(model.findEntry(""))->name, "add");
}

TEST(Execute, PutsTheBatchInFront) {
  TestModel text = addingModel();
  CompiledModel model(text.info);
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  auto binding = llvm::cantFail(
      bindInputs(text.info, text.info.entries[0], stored("x", ElementType::F32, {3, 2}, x)));
  auto results = llvm::cantFail(execute(model, text.info.entries[0], binding));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(valuesOf<float>(results[0]), (std::vector<float>{101, 102, 103, 104, 105, 106}));
}

TEST(Measure, CallsOnceMore) {
  static int calls;
  calls = 0;
  TestModel text;
  text.symbol("T", 8).symbol("S", 2);
  text.entry(
      "f",
      {{"ids", WEFT_I32, {symbol0}, false, 3},
       {"mask", WEFT_BOOL, {symbol1}},
       {"x", WEFT_F32, {2}, true}},
      {{"y", WEFT_F32, {symbol0}}},
      [](const void *, void *, const int64_t *sizes, void *const *inputs, void *const *) -> int {
        ++calls;
        auto *ids = static_cast<const int32_t *>(inputs[0]);
        bool inRange = ids[sizes[0] - 1] >= 0 && ids[sizes[0] - 1] < 3;
        return inRange && *static_cast<const uint8_t *>(inputs[1]) == 1 && !inputs[2]
                   ? WEFT_OK
                   : WEFT_ERROR_ARGUMENT;
      });
  EXPECT_EQ(sizesAt(text.info, 5), (llvm::SmallVector<int64_t>{5, 2}));
  CompiledModel model(text.info);
  RandomCall call(text.info.entries[0], sizesAt(text.info, 5));
  auto times = llvm::cantFail(measure(model, text.info.entries[0], call, 3));
  EXPECT_EQ(calls, 4);
  ASSERT_EQ(times.seconds.size(), 3u);
  EXPECT_LE(times.least(), times.median());
}

} // namespace
