//===- GoldenTest.cpp - The library's models against reference values -------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every golden case is elaborated and then run by the interpreter, in float64 and without any code
// generation: if this fails, a formula of the library or the importer is wrong.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Frontend/Frontend.h"
#include "weft/Frontend/Parser.h"
#include "weft/Import/Checkpoint.h"
#include "weft/Import/ImpliedConfig.h"
#include "weft/Library/Library.h"
#include "weft/Reference/Interpreter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace weft;

namespace {

/// The root of the source tree: the environment's WEFT_SOURCE_DIR, or the current folder.
std::string sourceFolder() {
  const char *folder = std::getenv("WEFT_SOURCE_DIR");
  return folder ? folder : ".";
}

/// The elements of one example of a stored tensor as the interpreter holds them.
TensorRef makeTensor(const StoredTensor &stored, ArrayRef<int64_t> shape, int64_t example = 0) {
  size_t count = size_t(*elementCount(shape));
  const uint8_t *data =
      stored.bytes.data() + size_t(example) * count * tensorTypeBytes(stored.type);
  if (!isRealType(stored.type)) {
    std::vector<int32_t> values(count);
    EXPECT_TRUE(convertToInt(stored.type, data, values));
    return std::make_shared<Tensor>(Tensor::Kind::Int, shape,
                                    std::vector<int64_t>(values.begin(), values.end()));
  }
  std::vector<float> values(count);
  convertToFloat(stored.type, data, values);
  return std::make_shared<Tensor>(shape, std::vector<double>(values.begin(), values.end()));
}

struct GoldenTest : testing::TestWithParam<std::string> {
  std::string folder = sourceFolder() + "/" + GetParam();
  mlir::MLIRContext context;
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  ConfigValue config;
  std::optional<FrontendResult> model;
  std::optional<Checkpoint> checkpoint;

  void SetUp() override {
    context.loadDialect<WeftDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect>();
    config = cantFail(ConfigValue::parseFile(folder + "/config.json"));
    addImpliedValues(config);
    std::optional<LibraryFile> text = findModelFile(config.get("model_type")->asString());
    ASSERT_TRUE(text);
    std::unique_ptr<ast::File> file =
        parseText(sources, sources.addText(text->name, text->text), diagnostics);
    FrontendOptions options;
    options.modelName = config.get("architectures")->elements()[0].asString();
    options.config = &config;
    if (file)
      model = emitModel(context, sources, *file, options, diagnostics);
    diagnostics.print(errs());
    ASSERT_TRUE(model);
    checkpoint = cantFail(Checkpoint::open(folder, model->rules));
  }

  mlir::func::FuncOp entry() {
    for (auto function : model->module->getOps<mlir::func::FuncOp>())
      if (function->hasAttr("weft.entry"))
        return function;
    return nullptr;
  }

  static WeightRequest request(WeightOp op) {
    WeightRequest result;
    result.names.push_back(op.getName().str());
    if (auto tied = op.getTied())
      for (StringRef name : tied->getAsValueRange<mlir::StringAttr>())
        result.names.push_back(name.str());
    auto type = cast<mlir::ShapedType>(op.getResult().getType());
    result.shape.assign(type.getShape().begin(), type.getShape().end());
    return result;
  }

  /// The outputs for one example of a batch.
  std::vector<TensorRef> run(const SafeTensorsFile &inputs, int64_t example) {
    mlir::func::FuncOp function = entry();
    InterpreterOptions options;
    options.weights = [&](WeightOp op) -> Expected<TensorRef> {
      WeightRequest wanted = request(op);
      for (StringRef name : wanted.names)
        if (const StoredTensor *tensor = checkpoint->find(name))
          return makeTensor(*tensor, wanted.shape);
      return createStringError("no weight " + op.getName());
    };
    ArrayRef<int64_t> ids = inputs.find("input_ids")->shape;
    std::vector<TensorRef> arguments;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto name = function.getArgAttrOfType<mlir::StringAttr>(i, "weft.name");
      if (const StoredTensor *tensor = inputs.find(name.getValue())) {
        arguments.push_back(makeTensor(*tensor, tensor->shape[1], example));
        continue;
      }
      auto missing = function.getArgAttrOfType<mlir::IntegerAttr>(i, "weft.default");
      arguments.push_back(std::make_shared<Tensor>(
          Tensor::Kind::Int, ids[1], std::vector<int64_t>(size_t(ids[1]), missing.getInt())));
    }
    Expected<std::vector<TensorRef>> results = interpret(function, arguments, options);
    if (!results) {
      ADD_FAILURE() << toString(results.takeError());
      return {};
    }
    return *results;
  }

  /// Compares the last example of a batch: the one with the most padding.
  void compare(const SafeTensorsFile &inputs, const SafeTensorsFile &expected) {
    mlir::func::FuncOp function = entry();
    int64_t example = inputs.find("input_ids")->shape[0] - 1;
    std::vector<TensorRef> results = run(inputs, example);
    for (size_t i = 0; i < results.size(); ++i) {
      auto name = function.getResultAttrOfType<mlir::StringAttr>(unsigned(i), "weft.name");
      const StoredTensor *stored = expected.find(name.getValue());
      ASSERT_NE(stored, nullptr) << name.str();
      TensorRef want = makeTensor(*stored, ArrayRef(stored->shape).drop_front(), example);
      ASSERT_EQ(results[i]->shape(), want->shape());
      double worst = 0, largest = 0;
      for (size_t j = 0; j < want->reals.size(); ++j) {
        worst = std::max(worst, std::abs(want->reals[j] - results[i]->reals[j]));
        largest = std::max(largest, std::abs(want->reals[j]));
      }
      EXPECT_LE(worst, 1e-5 * largest + 1e-6) << name.str();
    }
  }
};

TEST_P(GoldenTest, FormulasAgreeWithTheReference) {
  // All weights fit, and none is left over.
  std::vector<WeightRequest> requests;
  model->module->walk([&](WeightOp op) { requests.push_back(request(op)); });
  auto matched = checkpoint->match(requests);
  ASSERT_TRUE(bool(matched)) << toString(matched.takeError());

  for (StringRef suffix : {"", "_pad", "_len1"}) {
    SCOPED_TRACE(suffix.str());
    std::string inputs = folder + "/inputs" + suffix.str() + ".safetensors";
    std::string expected = folder + "/expected" + suffix.str() + ".safetensors";
    if (sys::fs::exists(inputs))
      compare(cantFail(SafeTensorsFile::open(inputs)), cantFail(SafeTensorsFile::open(expected)));
  }
}

/// The folders with models, relative to the source tree.
std::vector<std::string> cases() {
  std::vector<std::string> result;
  std::error_code code;
  for (sys::fs::directory_iterator it(sourceFolder() + "/test/Golden", code), end;
       it != end && !code; it.increment(code))
    if (sys::fs::is_directory(it->path()))
      result.push_back("test/Golden/" + sys::path::filename(it->path()).str());
  llvm::sort(result);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest, testing::ValuesIn(cases()), [](const auto &info) {
  std::string name = sys::path::filename(info.param).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
