//===- RealMath.h - functions of f32 as arithmetic -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// exp, tanh and erf are what activations are made of, so they are written here, with one division
// at most; the polynomials are minimax fits, their errors below what rounding adds. Multiplications
// and additions may be fused. Targets share them, in lanes or as scalars.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_KERNELSTOLLVM_REALMATH_H
#define WEFT_CONVERSION_KERNELSTOLLVM_REALMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace weft {

/// Writes arithmetic on numbers of one type: f32 or f64, or vectors of it.
class RealMath {
public:
  /// For what replaces `op`, which has results of this type.
  RealMath(mlir::OpBuilder &b, mlir::Operation *op)
      : RealMath(b, op->getLoc(), op->getResult(0).getType()) {}
  RealMath(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type) : b(b), loc(loc), type(type) {}

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) { return add(mul(x, y), z); }
  mlir::Value abs(mlir::Value x) { return mlir::math::AbsFOp::create(b, loc, x); }
  mlir::Value copySign(mlir::Value x, mlir::Value sign);
  /// `yes` where x and y compare so, otherwise `no`.
  mlir::Value select(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y,
                     mlir::Value yes, mlir::Value no);
  /// The smaller one; x if that is NaN.
  mlir::Value atMost(mlir::Value x, float limit);
  /// The nearest number of [-limit, limit]; NaN for NaN.
  mlir::Value clamp(mlir::Value x, float limit);
  /// Coefficients from that of 1 on. Even and odd terms are added up side by side: as many
  /// operations and one more, but half as many wait for each other.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<float> coefficients);
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  /// x rounded to a whole number, in two forms.
  struct Rounded {
    mlir::Value whole;
    mlir::Value inLowBits; ///< a number whose lowest bits are it
  };
  /// Of x * factor.
  Rounded round(mlir::Value x, float factor);
  /// x * 2^n, if neither leaves the range of normal numbers.
  mlir::Value scale(mlir::Value x, const Rounded &n);
  /// x - n * ln(2) / d for a power of two d: the first product is exact.
  mlir::Value reduce(mlir::Value x, const Rounded &n, float d);

  mlir::Type getType() const { return type; }
  /// The type of as many other elements.
  mlir::Type like(mlir::Type element) const;

private:
  template <typename Real>
  mlir::Value writePolynomial(mlir::Value x, llvm::ArrayRef<Real> coefficients);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
};

/// e^x within 1 ulp; 0 where the result would be below the smallest normal number.
mlir::Value emitExp(RealMath &math, mlir::Value x);
/// Within 2.5 ulp.
mlir::Value emitTanh(RealMath &math, mlir::Value x);
/// Within 2 ulp.
mlir::Value emitErf(RealMath &math, mlir::Value x);

/// Within 8e-5, and 3e-4 of the result; 1 from 2.8 on.
mlir::Value emitRoughErf(RealMath &math, mlir::Value x);

/// Replaces an op by what `emit` writes, if it `IsMine` (a type of f32).
template <typename Op, mlir::Value (*emit)(RealMath &, mlir::Value), typename IsMine>
struct ApproximateFunction : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!mlir::isa<IsMine>(op.getType()) || !mlir::getElementTypeOrSelf(op.getType()).isF32())
      return mlir::failure();
    RealMath math(rewriter, op);
    rewriter.replaceOp(op, emit(math, op.getOperand()));
    return mlir::success();
  }
};

} // namespace weft

#endif // WEFT_CONVERSION_KERNELSTOLLVM_REALMATH_H
