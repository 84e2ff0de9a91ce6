//===- VerifyTest.cpp - weft::compare and weft::verifyCode ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Reference/Verify.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace weft;

namespace {

Tensor real(std::vector<double> values) {
  int64_t size = values.size();
  return Tensor({size}, std::move(values));
}

TEST(Compare, ToleranceIsRelativeToTheLargestElement) {
  EXPECT_FALSE(compare(real({100.0, 0.0}), real({100.0, 0.009}), 1e-4));
  std::optional<Difference> difference = compare(real({100.0, 0.0}), real({100.0, 0.011}), 1e-4);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->index, (llvm::SmallVector<int64_t>{1}));
  EXPECT_DOUBLE_EQ(difference->error, 0.011);
}

TEST(Compare, SpecialValues) {
  EXPECT_FALSE(compare(real({1.0, -INFINITY}), real({1.0, -3.4e38}), 1e-4));
  EXPECT_TRUE(compare(real({1.0, -INFINITY}), real({1.0, 3.4e38}), 1e-4));
  EXPECT_TRUE(compare(real({1.0, 2.0}), real({1.0, NAN}), 1e-4));
  EXPECT_FALSE(compare(real({NAN}), real({NAN}), 1e-4));
}

TEST(Compare, IntegersAreEqual) {
  Tensor a(Tensor::Kind::Int, {2}, std::vector<int64_t>{1000000, 2});
  Tensor b(Tensor::Kind::Int, {2}, std::vector<int64_t>{1000000, 3});
  EXPECT_FALSE(compare(a, a, 1e-4));
  EXPECT_TRUE(compare(a, b, 1e-4));
}

TEST(Compare, Text) {
  Difference difference{"score", "gpt2.weft:31:3", 0.3, 0.1, {0, 4, 2}, 1.5, 1.2};
  EXPECT_EQ(toString(difference), "formula 'score' (gpt2.weft:31:3) differs by 0.3 at [0, 4, 2]: "
                                  "expected 1.5, computed 1.2");
}

/// y = 2 x, z = y + id, with y exposed.
constexpr const char *kModule = R"(
!x = tensor<?xf32, #weft.bounds<T to 64>>
!ids = tensor<?xi32, #weft.bounds<T to 64>>
module attributes {weft.symbols = #weft.bounds<T to 64>} {
  func.func @main(%x: !x, %ids: !ids) -> (!x {weft.name = "z"}, !x {weft.name = "y", weft.location = "m.weft:1:1"}) {
    weft.check "range" [t in T to 64] ins(%ids[t] : !ids) {
    ^bb0(%0: i32):
      %c = arith.constant 5 : i32
      %1 = arith.cmpi ult, %0, %c : i32
      weft.yield %1 : i1
    }
    %y = weft.map [t in T to 64] ins(%x[t] : !x) {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      weft.yield %1 : f32
    } -> !x
    %z = weft.map [t in T to 64] ins(%y[t], %ids[t] : !x, !ids) {
    ^bb0(%0: f32, %1: i32):
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.addf %0, %2 : f32
      weft.yield %3 : f32
    } -> !x
    return %z, %y : !x, !x
  }
})";

class VerifyCode : public testing::Test {
protected:
  VerifyCode() {
    mlir::DialectRegistry registry;
    registry.insert<WeftDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>();
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context);
  }

  /// Runs code that computes y + `yError` and z + `zError`.
  VerifyReport run(double yError, double zError) {
    CompiledCall call = [=](const llvm::StringMap<int64_t> &symbols,
                            llvm::ArrayRef<TensorRef> inputs) {
      EXPECT_EQ(inputs[0]->shape()[0], symbols.lookup("T"));
      std::vector<double> y, z;
      for (auto [x, id] : llvm::zip(inputs[0]->reals, inputs[1]->integers)) {
        EXPECT_TRUE(id >= 0 && id < 5);
        y.push_back(2 * x + yError);
        z.push_back(2 * x + double(id) + zError);
      }
      return std::vector<TensorRef>{std::make_shared<Tensor>(inputs[0]->shape(), z),
                                    std::make_shared<Tensor>(inputs[0]->shape(), y)};
    };
    return llvm::cantFail(verifyCode(*module, "main", call, {}));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(VerifyCode, Agrees) {
  VerifyReport report = run(1e-7, 1e-7);
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.compared, 6u);
  EXPECT_GT(report.worst, 0.0);
}

TEST_F(VerifyCode, NamesTheFirstWrongFormula) {
  VerifyReport report = run(0.5, 0.5);
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->formula, "y");
  EXPECT_EQ(report.difference->location, "m.weft:1:1");
}

TEST_F(VerifyCode, NamesAnOutput) {
  VerifyReport report = run(0.0, 0.5);
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->formula, "z");
  EXPECT_NEAR(report.difference->error, 0.5, 1e-6);
}

/// The integer part of log(4 + 0 x) / 1.3862943649 (ln 4 as f32 has it): 0 in float64, 1 in f32.
constexpr const char *kQuotient = R"(
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xi32> {weft.name = "n"}) {
    %n = weft.map [i in 3] ins(%x[i] : tensor<3xf32>) {
    ^bb0(%0: f32):
      %zero = arith.constant 0.0 : f32
      %four = arith.constant 4.0 : f32
      %log4 = arith.constant 1.38629436 : f32
      %1 = arith.mulf %0, %zero : f32
      %2 = arith.addf %1, %four : f32
      %3 = math.log %2 : f32
      %4 = arith.divf %3, %log4 : f32
      %5 = arith.fptosi %4 : f32 to i32
      weft.yield %5 : i32
    } -> tensor<3xi32>
    return %n : tensor<3xi32>
  }
})";

class VerifyRounding : public testing::Test {
protected:
  VerifyRounding() {
    mlir::DialectRegistry registry;
    registry.insert<WeftDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                    mlir::math::MathDialect>();
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(kQuotient, &context);
  }

  VerifyReport run(std::vector<int64_t> n) {
    CompiledCall call = [=](const auto &, auto) {
      return std::vector<TensorRef>{
          std::make_shared<Tensor>(Tensor::Kind::Int, llvm::ArrayRef<int64_t>{3}, n)};
    };
    return llvm::cantFail(verifyCode(*module, "main", call, {}));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(VerifyRounding, AsF32Computes) {
  VerifyReport report = run({1, 1, 1});
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.undecided, 0u);
}

TEST_F(VerifyRounding, AsNobodyCanSay) {
  VerifyReport report = run({1, 0, 1});
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.undecided, 3u);
}

TEST_F(VerifyRounding, AsNoRoundingMakesIt) {
  VerifyReport report = run({1, 7, 1});
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->formula, "n");
}

/// What a last place of y makes is a tenth of z.
constexpr const char *kAmplified = R"(
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32> {weft.name = "z"}, tensor<3xf32> {weft.name = "y", weft.location = "m.weft:1:1"}) {
    %y = weft.map [i in 3] ins(%x[i] : tensor<3xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3xf32>
    %z = weft.map [i in 3] ins(%y[i], %x[i] : tensor<3xf32>, tensor<3xf32>) {
    ^bb0(%0: f32, %1: f32):
      %many = arith.constant 1048576.0 : f32
      %one = arith.constant 1.0 : f32
      %2 = arith.subf %0, %1 : f32
      %3 = arith.mulf %2, %many : f32
      %4 = arith.addf %3, %one : f32
      weft.yield %4 : f32
    } -> tensor<3xf32>
    return %z, %y : tensor<3xf32>, tensor<3xf32>
  }
})";

class VerifyGiven : public VerifyRounding {
protected:
  VerifyGiven() { module = mlir::parseSourceString<mlir::ModuleOp>(kAmplified, &context); }

  VerifyReport runAmplified(double yError, double z) {
    CompiledCall call = [=](const auto &, llvm::ArrayRef<TensorRef> inputs) {
      std::vector<double> y;
      for (double x : inputs[0]->reals)
        y.push_back(x + yError);
      return std::vector<TensorRef>{
          std::make_shared<Tensor>(inputs[0]->shape(), std::vector<double>(3, z)),
          std::make_shared<Tensor>(inputs[0]->shape(), y)};
    };
    return llvm::cantFail(verifyCode(*module, "main", call, {}));
  }
};

TEST_F(VerifyGiven, WhatTheCodeComputedBefore) {
  VerifyReport report = runAmplified(0x1p-23, 1.125);
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.undecided, 0u);
}

TEST_F(VerifyGiven, NotWhatItDidNot) {
  VerifyReport report = runAmplified(0x1p-23, 2);
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->formula, "z");
}

TEST_F(VerifyCode, UnknownEntry) {
  auto report = verifyCode(*module, "other", {}, {});
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(llvm::toString(report.takeError()), "the module has no entry 'other'");
}

} // namespace
