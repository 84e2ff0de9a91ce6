//===- GoldenTest.cpp - The library's models against reference values -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every golden case is elaborated and then run by the interpreter, in float64 and without any code
// generation: if this fails, a formula of the library or the importer is wrong.
//
//===----------------------------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Frontend/Frontend.h"
#include "weft/Frontend/Parser.h"
#include "weft/Import/Checkpoint.h"
#include "weft/Import/ImpliedConfig.h"
#include "weft/Import/SafeTensors.h"
#include "weft/Library/Library.h"
#include "weft/Reference/Interpreter.h"
#include "weft/Reference/Verify.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace weft;

namespace {

/// The root of the source tree: the environment's WEFT_SOURCE_DIR, or the current folder.
std::string sourceFolder() {
  const char *folder = std::getenv("WEFT_SOURCE_DIR");
  return folder ? folder : ".";
}

/// The last elements of a stored tensor as the interpreter holds them: of a batch, which may have
/// several dimensions, the last example, which has the most padding.
TensorRef lastExample(const StoredTensor &stored, size_t rank) {
  ArrayRef<int64_t> shape = ArrayRef(stored.shape).take_back(rank);
  size_t count = size_t(*elementCount(shape));
  const uint8_t *data = stored.bytes.end() - count * infoOf(stored.type).bytes();
  if (!infoOf(stored.type).isReal()) {
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

  /// The entries whose inputs the file holds, and which know all of its tensors.
  std::vector<mlir::func::FuncOp> entries(const SafeTensorsFile &inputs) {
    std::vector<mlir::func::FuncOp> result;
    for (auto function : model->module->getOps<mlir::func::FuncOp>()) {
      if (!attrs::Entry::isOn(function))
        continue;
      size_t known = 0;
      bool complete = true;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        bool found = inputs.find(inputName(function, i));
        known += found;
        complete &=
            found || attrs::Default::getArg(function, i) || attrs::Given::getArg(function, i);
      }
      if (complete && known == inputs.tensors().size())
        result.push_back(function);
    }
    return result;
  }

  /// Empty for an argument that says whether the one before it is given.
  static StringRef inputName(mlir::func::FuncOp function, unsigned i) {
    return attrs::Name::getArgText(function, i);
  }

  /// What follows "inputs" in the names of the runs that compare one call: those that generate, and
  /// those with options of weft-run, are compared in compiled code only.
  std::vector<std::string> runs() {
    std::vector<std::string> result;
    std::error_code code;
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code)) {
      StringRef name = sys::path::filename(it->path());
      if (!name.consume_front("inputs") || name.starts_with("_gen"))
        continue;
      if (!sys::fs::exists(folder + "/options" + sys::path::stem(name) + ".txt"))
        result.push_back(name.str());
    }
    llvm::sort(result);
    return result;
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

  /// An optional input that the file does not hold.
  static TensorRef makeDefault(mlir::func::FuncOp function, unsigned i,
                               const StringMap<int64_t> &symbols) {
    auto tensorType = cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
    std::vector<int64_t> shape(tensorType.getShape());
    auto bounds = dyn_cast_or_null<BoundsAttr>(tensorType.getEncoding());
    for (size_t i = 0, dynamic = 0; i < shape.size(); ++i)
      if (mlir::ShapedType::isDynamic(shape[i]))
        shape[i] = symbols.lookup(bounds.getSymbols()[dynamic++].getValue());
    return defaultInput(function, i, shape);
  }

  Expected<TensorRef> weight(WeightOp op) {
    WeightRequest wanted = request(op);
    for (StringRef name : wanted.names)
      if (StoredWeight stored = checkpoint->findWeight(name)) {
        std::vector<float> values(size_t(stored.count()));
        stored.readReals(0, values);
        return std::make_shared<Tensor>(wanted.shape,
                                        std::vector<double>(values.begin(), values.end()));
      }
    return createStringError("no weight " + op.getName());
  }

  /// The results for the last example; a tensor without a batch is every example's.
  Expected<std::vector<TensorRef>> run(mlir::func::FuncOp function, const SafeTensorsFile &inputs) {
    InterpreterOptions options;
    options.weights = [&](WeightOp op) { return weight(op); };
    StringMap<int64_t> symbols;
    std::vector<TensorRef> arguments(function.getNumArguments());
    for (auto [i, argument] : enumerate(arguments)) {
      if (auto given = attrs::Given::getArg(function, unsigned(i)))
        argument = std::make_shared<Tensor>(
            Tensor::Kind::Bool, ArrayRef<int64_t>(),
            std::vector<int64_t>{inputs.find(given.getValue()) != nullptr});
      const StoredTensor *tensor = inputs.find(inputName(function, unsigned(i)));
      if (!tensor)
        continue;
      auto type = cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
      argument = lastExample(*tensor, size_t(type.getRank()));
      if (auto bounds = dyn_cast_or_null<BoundsAttr>(type.getEncoding()))
        for (unsigned d = 0, dynamic = 0; d < unsigned(type.getRank()); ++d)
          if (type.isDynamicDim(d))
            symbols[bounds.getSymbols()[dynamic++].getValue()] = argument->shape()[d];
    }
    for (auto [i, argument] : enumerate(arguments))
      if (!argument)
        argument = makeDefault(function, unsigned(i), symbols);
    return interpret(function, arguments, options);
  }

  /// Compares the results of `function` that the file of expected values holds, and counts them.
  void compare(mlir::func::FuncOp function, const SafeTensorsFile &inputs,
               const SafeTensorsFile &expected, unsigned &compared) {
    Expected<std::vector<TensorRef>> results = run(function, inputs);
    ASSERT_TRUE(bool(results)) << toString(results.takeError());
    for (auto [i, result] : enumerate(*results)) {
      StringRef name = attrs::Name::getResultText(function, unsigned(i));
      const StoredTensor *stored = expected.find(name);
      if (!stored)
        continue;
      ++compared;
      TensorRef want = lastExample(*stored, result->shape().size());
      ASSERT_EQ(result->shape(), want->shape()) << name.str();
      double worst = 0, largest = 0;
      for (size_t j = 0; j < want->reals.size(); ++j) {
        worst = std::max(worst, std::abs(want->reals[j] - result->reals[j]));
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

  for (const std::string &name : runs()) {
    SCOPED_TRACE(name);
    auto inputs = cantFail(SafeTensorsFile::open(folder + "/inputs" + name));
    auto expected = cantFail(SafeTensorsFile::open(folder + "/expected" + name));
    unsigned compared = 0;
    for (mlir::func::FuncOp function : entries(inputs))
      compare(function, inputs, expected, compared);
    EXPECT_EQ(compared, expected.tensors().size());
  }
}

/// The folders with models, relative to the source tree.
std::vector<std::string> cases() {
  std::vector<std::string> result;
  std::error_code code;
  for (sys::fs::directory_iterator it(sourceFolder() + "/test/Golden", code), end;
       it != end && !code; it.increment(code))
    if (sys::fs::exists(it->path() + "/config.json"))
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
