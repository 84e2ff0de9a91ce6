//===- Lanes.h - values for several neighbouring elements at once ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A formula's element expression is scalar. To vectorise it, `width` neighbouring values of one
// index (the lane index) are computed together. Most values do not depend on that index and stay
// scalar; index values usually are `base + lane * stride`, which is kept symbolic because it
// decides whether a load is a broadcast, a vector load or a gather. Only what is left becomes a
// vector. With width 1 everything is scalar and the same code writes the plain loop nest.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_LANES_H
#define WEFT_CODEGEN_COMMON_LANES_H

#include "weft/Support/Interval.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace weft {

/// The value of `width` lanes.
struct Lanes {
  /// A scalar, or a vector with one element for each lane. Vectors that stand for values of type
  /// `index` have elements of type i32 where the interval allows it, otherwise i64.
  mlir::Value value;
  /// Of a scalar of type `index`: lane l holds `value + l * stride`. 0: the same in all lanes.
  int64_t stride = 0;
  /// Of a scalar of type `index`: a known divisor of `value` (0 divides only 0).
  int64_t divisor = 1;
  /// Of values of type `index`: where they lie.
  Interval interval;

  bool isVector() const { return mlir::isa<mlir::VectorType>(value.getType()); }
  bool isUniform() const { return !isVector() && stride == 0; }
  /// The value, if it is a constant of type `index`.
  std::optional<int64_t> getConstant() const;
};

/// What a power of two is for (emitExp2 in Exponential.h): a number of its own, one that is rounded
/// to bf16, or the weight of a key.
enum class Power { Exact, Rounded, Weight };

/// Writes loops and arithmetic on lanes.
class LaneBuilder {
public:
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t width)
      : b(builder), loc(loc), width(width) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const int64_t width;
  /// Writes 2^x as emitExp2 promises it (Exponential.h), where the target has an instruction for
  /// it; null: as a polynomial.
  mlir::Value (*powerOfTwo)(LaneBuilder &lanes, mlir::Value x, Power power) = nullptr;
  /// Writes a product that is rounded before anything is added to it, where the target would not
  /// round it; null: as any product.
  mlir::Value (*roundedProduct)(LaneBuilder &lanes, mlir::Value a, mlir::Value b) = nullptr;
  /// Results have the same bits, however the formulas are fused.
  bool keepsBits = false;
  /// Looks numbers of 0 to 15, the lower half bytes of a vector of words, up among 16 values, where
  /// the target has a unit for it; null: by choosing between them.
  mlir::Value (*lookUp)(LaneBuilder &lanes, mlir::Value words,
                        llvm::ArrayRef<float> values) = nullptr;
  /// Where asked for: becomes false with the first value of type `index` that may not lie within
  /// `kShort`, so that such values can be i32.
  bool *areShort = nullptr;
  /// What a step of a loop adds to it fits i32, too.
  static constexpr Interval kShort = {-(1 << 30), 1 << 30};

  /// The same code for another number of lanes.
  LaneBuilder withWidth(int64_t newWidth) const {
    LaneBuilder other(b, loc, newWidth);
    other.powerOfTwo = powerOfTwo;
    other.roundedProduct = roundedProduct;
    other.keepsBits = keepsBits;
    other.lookUp = lookUp;
    other.areShort = areShort;
    return other;
  }

  // Values.
  mlir::Value indexConstant(int64_t value);
  mlir::Value floatConstant(float value);
  /// The constant in every lane.
  mlir::Value floatVector(float value);
  mlir::Value intVector(int32_t value);
  Lanes constant(int64_t value);
  Lanes uniform(mlir::Value value, Interval interval = {}, int64_t divisor = 1);
  /// `base + lane`.
  Lanes iota(const Lanes &base);
  mlir::Type vectorOf(mlir::Type element) const;
  /// One value for each lane: broadcasts scalars and spells out strides. At width 1 the scalar.
  /// Index values become i64 lanes if `wide`, or if they may not fit i32.
  mlir::Value materialize(const Lanes &lanes, bool wide = false);

  /// A product of reals that may be the value of a formula, as the fusions choose: rounded before
  /// anything is added to it where results are to have the same bits.
  mlir::Value multiplyValue(mlir::Value a, mlir::Value c);

  // Arithmetic on index values. Divisors are positive constants; `mod` is never negative.
  Lanes add(const Lanes &a, const Lanes &b);
  Lanes sub(const Lanes &a, const Lanes &b);
  Lanes mul(const Lanes &a, const Lanes &b);
  Lanes floorDiv(const Lanes &a, int64_t divisor);
  Lanes ceilDiv(const Lanes &a, int64_t divisor);
  Lanes mod(const Lanes &a, int64_t divisor);
  Lanes min(const Lanes &a, const Lanes &b);
  Lanes max(const Lanes &a, const Lanes &b);
  /// Any other arith op on index values, by its name.
  Lanes binary(llvm::StringRef opName, const Lanes &a, const Lanes &b, Interval interval);
  Lanes apply(mlir::AffineExpr expr, llvm::ArrayRef<Lanes> dims,
              llvm::ArrayRef<Lanes> symbols = {});
  llvm::SmallVector<Lanes> apply(mlir::AffineMap map, llvm::ArrayRef<Lanes> dims,
                                 llvm::ArrayRef<Lanes> symbols = {});
  /// Splits a position in a row-major box into coordinates. All extents but the first are used.
  llvm::SmallVector<Lanes> delinearize(const Lanes &position, llvm::ArrayRef<Lanes> extents);
  /// i1 lanes (or a scalar): compares index values.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, const Lanes &a, const Lanes &b);

  // Masks are vectors of i1, or null for "all lanes".
  mlir::Value andMask(mlir::Value a, mlir::Value b);
  /// `value` where the mask holds, otherwise `other`.
  mlir::Value select(mlir::Value mask, mlir::Value value, mlir::Value other);

  // Control flow.
  using LoopBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value iv, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper, int64_t step,
                                      mlir::ValueRange inits, LoopBody body);
  /// A loop over `0 .. extent-1` for uniform values.
  llvm::SmallVector<mlir::Value>
  loop(const Lanes &extent, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(const Lanes &iv, mlir::ValueRange)> body);
  using LaneBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      const Lanes &index, mlir::Value mask, mlir::ValueRange carried)>;
  /// Visits `lower .. upper-1`, `width` at a time; the last step may have a mask. `lower` must be
  /// a multiple of the width.
  llvm::SmallVector<mlir::Value> laneLoop(const Lanes &lower, const Lanes &upper,
                                          mlir::ValueRange inits, LaneBody body);
  /// As long as the condition holds of what the body carried.
  llvm::SmallVector<mlir::Value>
  repeat(mlir::ValueRange inits, llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body);
  /// if (condition) then results of `body`, otherwise `otherwise`.
  llvm::SmallVector<mlir::Value> ifThen(mlir::Value condition, mlir::ValueRange otherwise,
                                        llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);
  /// The results of one of two pieces of code.
  llvm::SmallVector<mlir::Value> either(mlir::Value condition,
                                        llvm::function_ref<llvm::SmallVector<mlir::Value>()> yes,
                                        llvm::function_ref<llvm::SmallVector<mlir::Value>()> no);
  /// One of two pieces of code without results.
  void choose(mlir::Value condition, llvm::function_ref<void()> yes, llvm::function_ref<void()> no);
  /// The code of `step` values from `first` on, `whole` where the range `0 .. extent-1` has so many
  /// and `rest` at its end; `first` is a multiple of the step.
  void chooseWhole(const Lanes &first, int64_t step, const Lanes &extent,
                   llvm::function_ref<void()> whole, llvm::function_ref<void()> rest);
  /// Cuts `0 .. count-1` into tiles and calls `body` with the first element and the size of each:
  /// tiles of `size` in a loop, then what is left in powers of two; 6 + 2 are 4 + 4. The code of a
  /// size is written once, so it may be unrolled.
  void tileLoop(const Lanes &count, int64_t size,
                llvm::function_ref<void(const Lanes &first, int64_t size)> body);
  /// The mask of the lanes `index + lane < upper`.
  mlir::Value maskBelow(mlir::Value index, mlir::Value upper);

private:
  void note(Interval interval);
  Lanes scalarBinary(llvm::StringRef opName, const Lanes &a, const Lanes &b, Interval interval);
  Lanes vectorBinary(llvm::StringRef opName, const Lanes &a, const Lanes &b, Interval interval);
};

} // namespace weft

#endif
