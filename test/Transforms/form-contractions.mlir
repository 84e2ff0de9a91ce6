// RUN: weft-opt %s --weft-form-contractions | FileCheck %s

!x = tensor<4x8xf32>
!w = tensor<8x6xf32>
!y = tensor<4x6xf32>

// A constant becomes the scale, a factor of the row a map behind the sum, and a computed factor a
// formula over its own indices.
// CHECK-LABEL: @factors
// CHECK: %[[A:.+]] = weft.map [t in 4, d in 8] ins(%{{.*}}[t, d], %{{.*}}[d]
// CHECK: arith.addf
// CHECK: %[[Y:.+]] = weft.contract [t in 4, f in 6, d in 8] ins(%[[A]][t, d], %{{.*}}[d, f] {{.*}}scale = -2.500000e-01
// CHECK: weft.map [t in 4, f in 6] ins(%[[Y]][t, f], %{{.*}}[t]
// CHECK: arith.mulf
func.func @factors(%x: !x, %w: !w, %u: tensor<8xf32>, %g: tensor<4xf32>) -> !y {
  %0 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f], %u[d], %g[t] : !x, !w, tensor<8xf32>, tensor<4xf32>) attributes {weft.label = "y"} {
  ^bb0(%1: f32, %2: f32, %3: f32, %4: f32):
    %5 = arith.addf %1, %3 : f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.negf %2 : f32
    %8 = arith.mulf %6, %7 : f32
    %n = arith.constant 4.0 : f32
    %9 = arith.divf %8, %n : f32
    weft.yield %9 : f32
  } -> !y
  return %0 : !y
}

// CHECK-LABEL: @must_not
// CHECK-NOT: weft.contract
// CHECK: return
func.func @must_not(%x: !x, %w: !w, %i: tensor<8x6xi32>) -> (tensor<4xf32>, tensor<4xf32>, !y, !y, tensor<f32>) {
  // A square: one factor twice.
  %0 = weft.reduce sum [t in 4, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%1: f32):
    %2 = arith.mulf %1, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4xf32>
  // A mean.
  %3 = weft.reduce mean [t in 4, d in 8] ins(%x[t, d], %w[d, 0] : !x, !w) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.mulf %1, %2 : f32
    weft.yield %4 : f32
  } -> tensor<4xf32>
  // A predicate.
  %5 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.mulf %1, %2 : f32
    weft.yield %4 : f32
  } where {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.cmpf ogt, %1, %2 : f32
    weft.yield %4 : i1
  } -> !y
  // A sum of a sum.
  %6 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.addf %1, %2 : f32
    weft.yield %4 : f32
  } -> !y
  // A factor that does not run over all summed indices.
  %7 = weft.reduce sum [t in 4, d in 8] ins(%x[t, d], %w[d, 0] : !x, !w) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.mulf %1, %2 : f32
    weft.yield %4 : f32
  } -> tensor<f32>
  return %0, %3, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, !y, !y, tensor<f32>
}

// The whole product is rounded, not its sum alone.
// CHECK-LABEL: @rounds_once
// CHECK: %[[SUM:.+]] = weft.contract {{.*}} : tensor<4x8xbf16>, tensor<8x6xf16>) {{.*}}-> tensor<4x6xf32>
// CHECK: weft.map {{.*}} ins(%[[SUM]][t, f], %{{.*}}[f] :
// CHECK: } -> tensor<4x6xbf16>
// CHECK: weft.contract {{.*}} -> tensor<4x6xf16>
func.func @rounds_once(%x: tensor<4x8xbf16>, %w: tensor<8x6xf16>, %b: tensor<6xbf16>) -> (tensor<4x6xbf16>, tensor<4x6xf16>) {
  %0 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f], %b[f] : tensor<4x8xbf16>, tensor<8x6xf16>, tensor<6xbf16>) {
  ^bb0(%1: f32, %2: f32, %3: f32):
    %4 = arith.mulf %1, %2 : f32
    %5 = arith.mulf %4, %3 : f32
    weft.yield %5 : f32
  } -> tensor<4x6xbf16>
  %6 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : tensor<4x8xbf16>, tensor<8x6xf16>) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.mulf %1, %2 : f32
    weft.yield %4 : f32
  } -> tensor<4x6xf16>
  return %0, %6 : tensor<4x6xbf16>, tensor<4x6xf16>
}
