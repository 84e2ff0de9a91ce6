// weft.hpp with the hand-written model, which is linked, and a generating one, which is loaded:
//   cpp_test fake.weights generator.so
#include "weft/Runtime/weft.hpp"

#include "../../Inputs/check.h"

#include <array>
#include <cmath>
#include <thread>

extern "C" const weft_model_info fake_info;

// Whether `act` throws an Error of this code with this in its sentence.
template <typename F> static bool fails(int code, const std::string &part, F act) {
  try {
    act();
  } catch (const weft::Error &error) {
    if (error.code() == code && std::string(error.what()).find(part) != std::string::npos)
      return true;
    printf("%d: %s\n", error.code(), error.what());
  }
  return false;
}

static void testCalls(const weft::Model &model, const weft::Weights &weights) {
  weft::Scratch scratch(model);
  CHECK(scratch.size() == 256);
  std::vector<int32_t> ids = {1, 2, 3};
  std::vector<float> logits(3 * 256);
  std::array<float, 3> pooled;
  weft::Entry entry = model.entry("logits");
  entry.call(weights, scratch, {{"input_ids", ids}},
             {{"logits", logits, {3, 256}}, {"pooled", pooled}});
  CHECK(logits[2] == 10 && logits[256 + 3] == 10 && logits[0] == 0 && pooled[1] == 6);

  // An optional input, as truth values of either type, and results of the call's own.
  bool mask[] = {true, false, true};
  std::vector<uint8_t> bytes = {1, 0, 1};
  std::vector<weft::Tensor> results =
      model.entry().call(weights, scratch, {{"input_ids", ids}, {"attention_mask", mask}});
  CHECK(results.size() == 2 && results[0].name() == std::string("logits"));
  CHECK(results[0].shape() == (weft::Shape{3, 256}) && results[0].dtype() == WEFT_F32);
  CHECK(results[1].elements<float>()[1] == 4 && results[1].elements<float>().size() == 3);
  results = entry.call(weights, scratch, {{"attention_mask", bytes}, {"input_ids", ids}});
  CHECK(results[1].elements<float>()[1] == 4);
  CHECK(fails(WEFT_ERROR_ARGUMENT, "has elements float, not int32_t",
              [&] { results[0].elements<int32_t>(); }));

  // Two dimensions, of a pointer, in threads.
  float x[] = {1, 2, 3, 4}, y[2];
  model.entry("scale").call(weights, scratch, {{"x", x, {2, 2}}}, {{"y", y}});
  CHECK(y[0] == 1.5f && y[1] == 3.5f);
}

static void testErrors(const weft::Model &model, const weft::Weights &weights) {
  weft::Scratch scratch(model);
  weft::Entry entry = model.entry("logits");
  std::vector<int32_t> ids = {1, 2, 3};
  std::vector<float> reals(3 * 256);
  std::vector<uint8_t> mask(4, 1);
  auto call = [&](const weft::Inputs &inputs) { entry.call(weights, scratch, inputs); };
  auto bad = [&](const char *part, const weft::Inputs &inputs) {
    return fails(WEFT_ERROR_ARGUMENT, part, [&] { call(inputs); });
  };
  CHECK(bad("input 'input_ids' has shape [1, 3], the model declares [T]",
            {{"input_ids", ids, {1, 3}}}));
  CHECK(bad("input 'input_ids' is given as float, the model has int32_t", {{"input_ids", reals}}));
  CHECK(bad("the model has no input 'ids'; it has: input_ids, attention_mask", {{"ids", ids}}));
  CHECK(bad("input 'input_ids' is missing; the model needs it", {{"attention_mask", mask}}));
  CHECK(bad("input 'input_ids' is given twice", {{"input_ids", ids}, {"input_ids", ids}}));
  CHECK(bad("input 'attention_mask' has T = 4, but input 'input_ids' has T = 3",
            {{"input_ids", ids}, {"attention_mask", mask}}));
  CHECK(bad("input 'input_ids' is a null pointer",
            {{"input_ids", static_cast<int32_t *>(nullptr), {2}}}));
  CHECK(fails(WEFT_ERROR_ARGUMENT, "tensor 'input_ids' has 3 elements, its shape is [4]",
              [&] { call({{"input_ids", ids, {4}}}); }));
  ids.resize(9);
  CHECK(fails(WEFT_ERROR_LENGTH, "input 'input_ids' has T = 9, the model takes 1 to 8",
              [&] { call({{"input_ids", ids}}); }));
  ids.clear();
  CHECK(fails(WEFT_ERROR_LENGTH, "has T = 0", [&] { call({{"input_ids", ids}}); }));
  ids = {256};
  CHECK(fails(WEFT_ERROR_INDEX, "entry 'logits': an element that is used as an index",
              [&] { call({{"input_ids", ids}}); }));
  ids = {1, 2};
  float pooled[3];
  auto write = [&](const weft::Outputs &outputs) {
    entry.call(weights, scratch, {{"input_ids", ids}}, outputs);
  };
  CHECK(fails(WEFT_ERROR_ARGUMENT, "output 'pooled' is missing",
              [&] { write({{"logits", reals.data(), {2, 256}}}); }));
  CHECK(fails(WEFT_ERROR_ARGUMENT, "output 'logits' has T = 3, but input 'input_ids' has T = 2",
              [&] { write({{"pooled", pooled}, {"logits", reals, {3, 256}}}); }));
  CHECK(fails(WEFT_ERROR_ARGUMENT,
              "output 'logits' has shape [2, 255], the model declares [T, 256]",
              [&] { write({{"pooled", pooled}, {"logits", reals.data(), {2, 255}}}); }));

  CHECK(fails(WEFT_ERROR_ARGUMENT, "no entry 'none' in the model; it has: logits, scale",
              [&] { model.entry("none"); }));
  CHECK(fails(WEFT_ERROR_ARGUMENT, "model 'fake' has no step",
              [&] { weft::State(model, weights, scratch); }));
  CHECK(fails(WEFT_ERROR_FILE, "none.weights: cannot open",
              [&] { weft::Weights(model, "none.weights"); }));
  CHECK(fails(WEFT_ERROR_ARGUMENT, "model 'fake' needs a weights file",
              [&] { weft::Weights{model}; }));
  CHECK(fails(WEFT_ERROR_FILE, "none.so: cannot load", [] { weft::Model::load("none.so"); }));
  weft_model_info old = fake_info;
  old.abi_version = 1;
  CHECK(fails(WEFT_ERROR_VERSION, "interface version 1", [&] { weft::Model{old}; }));
}

static void testOwners(const weft::Model &model, const char *path) {
  std::vector<int32_t> ids = {1};
  weft::Entry entry = model.entry("logits");
  weft::Scratch scratch(model), room(std::move(scratch));
  weft::Weights first(model, path), weights(std::move(first));
  entry.call(weights, room, {{"input_ids", ids}});
  CHECK(fails(WEFT_ERROR_ARGUMENT, "the scratch was moved away",
              [&] { entry.call(weights, scratch, {{"input_ids", ids}}); }));
  CHECK(fails(WEFT_ERROR_ARGUMENT, "the weights were closed or moved away",
              [&] { entry.call(first, room, {{"input_ids", ids}}); }));
  first = std::move(weights);
  entry.call(first, room, {{"input_ids", ids}});
  first.close();
  first.close();
  CHECK(fails(WEFT_ERROR_ARGUMENT, "the weights were closed", [&] { first.data(); }));
  weft::Model moved = model, copy = std::move(moved);
  CHECK(moved.entry("scale").name() == std::string("scale") && &copy.info() == &model.info());
}

static void testThreads(const weft::Model &model, const weft::Weights &weights) {
  std::array<int, 4> good = {};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < good.size(); ++i)
    threads.emplace_back([&, i] {
      weft::Scratch scratch(model);
      for (int32_t round = 0; round < 200; ++round) {
        std::vector<int32_t> ids(1 + i, int32_t(i));
        auto results = model.entry("logits").call(weights, scratch, {{"input_ids", ids}});
        good[i] += results[1].elements<float>()[1] == float(i * (1 + i));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int count : good)
    CHECK(count == 200);
}

static bool isRow(const weft::Tensor &all, size_t row, const weft::Tensor &one) {
  weft::Span<const float> a = all.elements<float>(), b = one.elements<float>();
  for (size_t i = 0; i < b.size(); ++i)
    if (std::fabs(a[row * b.size() + i] - b[i]) > 1e-4f)
      return false;
  return true;
}

static void testSteps(const char *path, const weft::Weights &foreign) {
  weft::Model model = weft::Model::load(path);
  weft::Weights weights(model); // beside the library
  weft::Scratch scratch(model);
  std::vector<int32_t> ids = {3, 1, 4, 1, 5}, two(ids.begin(), ids.begin() + 2),
                       rest(ids.begin() + 2, ids.end());
  weft::Tensor all = std::move(model.entry().call(weights, scratch, {{"ids", ids}})[0]);
  CHECK(all.shape() == (weft::Shape{5, 32}));

  weft::State state(model, weights, scratch);
  CHECK(state.length() == 0);
  weft::Tensor last = std::move(state.stepLast(weights, scratch, {{"ids", two}})[0]);
  CHECK(last.shape() == weft::Shape{32} && isRow(all, 1, last) && state.length() == 2);
  weft::State fork = state;
  std::vector<float> rows(3 * 32), row(32);
  state.step(weights, scratch, {{"ids", rest}}, {{"logits", rows, {3, 32}}});
  CHECK(state.length() == 5 && std::fabs(rows[2 * 32] - all.elements<float>()[4 * 32]) < 1e-4f);

  // The copy still has two positions; and so has the other, cut back.
  CHECK(fork.length() == 2);
  state.truncate(2);
  state.stepLast(weights, scratch, {{"ids", rest}}, {{"logits", row}});
  fork.stepLast(weights, scratch, {{"ids", rest}}, {{"logits", rows.data(), {32}}});
  CHECK(!std::memcmp(row.data(), rows.data(), 32 * sizeof(float)));
  CHECK(fails(WEFT_ERROR_LENGTH, "cannot be cut to 6", [&] { state.truncate(6); }));

  std::vector<int32_t> many(36, 1);
  CHECK(fails(WEFT_ERROR_LENGTH, "logits_step",
              [&] { fork.step(weights, scratch, {{"ids", many}}); }));
  CHECK(fork.length() == 5);
  weft::State moved = std::move(fork);
  CHECK(moved.length() == 5);
  CHECK(fails(WEFT_ERROR_ARGUMENT, "the state was moved away", [&] { fork.length(); }));
  CHECK(fails(WEFT_ERROR_ARGUMENT, "the state was moved away", [&] { weft::State copy = fork; }));
  fork = moved;
  CHECK(fork.length() == 5);
  CHECK(
      fails(WEFT_ERROR_ARGUMENT, "output 'logits' has shape [3, 32], the model declares [32]",
            [&] { fork.stepLast(weights, scratch, {{"ids", two}}, {{"logits", rows, {3, 32}}}); }));
  CHECK(fails(WEFT_ERROR_WEIGHTS, "the weights are those of model 'fake', not of 'generator'",
              [&] { fork.step(foreign, scratch, {{"ids", two}}); }));
  model.setThreads(1);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  weft::Model model(fake_info);
  weft::Weights weights(model, argv[1]);
  testCalls(model, weights);
  testErrors(model, weights);
  testOwners(model, argv[1]);
  testThreads(model, weights);
  testSteps(argv[2], weights);
  puts("all hold");
}
