// RUN: weft-opt %s --weft-fold-scale | FileCheck %s

!x = tensor<4x8xf32>
!y = tensor<4x4xf32>

// CHECK-LABEL: @behind
// CHECK: weft.contract {{.*}}scale = 1.250000e-01 : f64, weft.label = "scaled"
// CHECK-NOT: weft.map
// CHECK: return
func.func @behind(%x: !x) -> !y {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {scale = 0.5, weft.label = "score"} -> !y
  %1 = weft.map [t in 4, s in 4] ins(%0[t, s] : !y) attributes {weft.label = "scaled"} {
  ^bb0(%2: f32):
    %n = arith.constant 4.0 : f32
    %3 = arith.divf %2, %n : f32
    weft.yield %3 : f32
  } -> !y
  return %1 : !y
}

// CHECK-LABEL: @in_score
// CHECK: weft.attention softmax dots 1 scales [-2.500000e-01]
// CHECK-NEXT: ^bb0(%[[DOT:.+]]: f32):
// CHECK-NEXT: weft.yield %[[DOT]]
func.func @in_score(%x: !x) -> !x {
  %0 = weft.attention softmax dots 1 scales [0.5] [t in 4, v in 8, s in 4, c in 8] ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %n = arith.constant 0.5 : f32
    %2 = arith.mulf %n, %1 : f32
    %3 = arith.negf %2 : f32
    weft.yield %3 : f32
  } -> !x
  return %0 : !x
}

// Must not fire: the product is used unscaled too, or the factor is no constant, or read elsewhere.
// CHECK-LABEL: @must_not
// CHECK: weft.contract {{.*}} {scale = 5.000000e-01 : f64}
// CHECK: weft.map
// CHECK: weft.map
// CHECK: weft.attention softmax dots 1 scales [5.000000e-01]
func.func @must_not(%x: !x, %g: tensor<4xf32>) -> (!y, !y, !x) {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {scale = 0.5} -> !y
  %1 = weft.map [t in 4, s in 4] ins(%0[t, s] : !y) {
  ^bb0(%2: f32):
    %n = arith.constant 4.0 : f32
    %3 = arith.divf %2, %n : f32
    weft.yield %3 : f32
  } -> !y
  %4 = weft.map [t in 4, s in 4] ins(%0[t, s], %g[t] : !y, tensor<4xf32>) {
  ^bb0(%2: f32, %5: f32):
    %3 = arith.mulf %2, %5 : f32
    weft.yield %3 : f32
  } -> !y
  %6 = weft.attention softmax dots 1 scales [0.5] [t in 4, v in 8, s in 4, c in 8] ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%7: f32):
    %n = arith.constant 0.5 : f32
    %2 = arith.mulf %n, %7 : f32
    %3 = arith.maximumf %2, %7 : f32
    weft.yield %3 : f32
  } -> !x
  return %1, %4, %6 : !y, !y, !x
}
