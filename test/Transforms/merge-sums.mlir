// RUN: weft-opt %s --weft-split-separable | FileCheck %s

// A sum of products with a sum, of pairs of positions that are weights, is one over both indices: a product of mixed
// queries, and of wider heads.

!q = tensor<2x?x3xf32, #weft.bounds<T to 8>>
!s = tensor<2x?x?xf32, #weft.bounds<T to 8, T to 8>>
module attributes {weft.symbols = #weft.bounds<T to 8>} {

// CHECK-LABEL: @mixed
// CHECK: %[[Q:.+]] = weft.map {{.*}} ins(%{{.*}}[{{.*}}], %{{.*}}[{{.*}}] :
// CHECK: weft.reduce sum [g in G = 2, t in T to 8, s in T to 8, h in H = 2, c in C = 3] ins(
// CHECK: weft.softmax
func.func @mixed(%q: !q, %k: !q, %v: !q, %mix: tensor<2x2xf32>) -> !q {
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %m = weft.reduce sum [g in G = 2, t in T to 8, s in T to 8, h in H = 2] ins(%mix[g, h], %z[h, t, s] : tensor<2x2xf32>, !s) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %p = weft.softmax softmax axis 2 [g in G = 2, t in T to 8, s in T to 8] ins(%m[g, t, s] : !s) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !s
  %y = weft.reduce sum [g in G = 2, t in T to 8, c in C = 3, s in T to 8] ins(%p[g, t, s], %v[g, s, c] : !s, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// Must not fire: scores that something else reads as well, or that make no weights; sums over positions.
// CHECK-LABEL: @kept
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3]
// CHECK: weft.reduce sum [g in G = 2, t in T to 8, s in T to 8, h in H = 2]
// CHECK: return
func.func @kept(%q: !q, %k: !q, %mix: tensor<2x2xf32>) -> !s {
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %m = weft.reduce sum [g in G = 2, t in T to 8, s in T to 8, h in H = 2] ins(%mix[g, h], %z[h, t, s] : tensor<2x2xf32>, !s) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  return %m : !s
}

// Nor a sum that is multiplied with itself.
// CHECK-LABEL: @squares
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3]
// CHECK: weft.reduce sum [g in G = 2, t in T to 8, s in T to 8, h in H = 2]
// CHECK: weft.softmax
func.func @squares(%q: !q, %k: !q, %v: !q, %mix: tensor<2x2xf32>) -> !q {
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %m = weft.reduce sum [g in G = 2, t in T to 8, s in T to 8, h in H = 2] ins(%mix[g, h], %z[h, t, s] : tensor<2x2xf32>, !s) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.mulf %0, %2 : f32
    weft.yield %3 : f32
  } -> !s
  %p = weft.softmax softmax axis 2 [g in G = 2, t in T to 8, s in T to 8] ins(%m[g, t, s] : !s) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !s
  %y = weft.reduce sum [g in G = 2, t in T to 8, c in C = 3, s in T to 8] ins(%p[g, t, s], %v[g, s, c] : !s, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// Mixed queries of half a gigabyte are no gain in memory.
// CHECK-LABEL: @large
// CHECK: weft.reduce sum [h in H = 64, t in T to 8, s in T to 8, c in C = 4096]
// CHECK: weft.reduce sum [g in G = 64, t in T to 8, s in T to 8, h in H = 64]
// CHECK: weft.softmax
func.func @large(%q: tensor<64x?x4096xf32, #weft.bounds<T to 8>>, %v: tensor<64x?x3xf32, #weft.bounds<T to 8>>, %mix: tensor<64x64xf32>) -> tensor<64x?x3xf32, #weft.bounds<T to 8>> {
  %z = weft.reduce sum [h in H = 64, t in T to 8, s in T to 8, c in C = 4096] ins(%q[h, t, c], %q[h, s, c] : tensor<64x?x4096xf32, #weft.bounds<T to 8>>, tensor<64x?x4096xf32, #weft.bounds<T to 8>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<64x?x?xf32, #weft.bounds<T to 8, T to 8>>
  %m = weft.reduce sum [g in G = 64, t in T to 8, s in T to 8, h in H = 64] ins(%mix[g, h], %z[h, t, s] : tensor<64x64xf32>, tensor<64x?x?xf32, #weft.bounds<T to 8, T to 8>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<64x?x?xf32, #weft.bounds<T to 8, T to 8>>
  %p = weft.softmax softmax axis 2 [g in G = 64, t in T to 8, s in T to 8] ins(%m[g, t, s] : tensor<64x?x?xf32, #weft.bounds<T to 8, T to 8>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<64x?x?xf32, #weft.bounds<T to 8, T to 8>>
  %y = weft.reduce sum [g in G = 64, t in T to 8, c in C = 3, s in T to 8] ins(%p[g, t, s], %v[g, s, c] : tensor<64x?x?xf32, #weft.bounds<T to 8, T to 8>>, tensor<64x?x3xf32, #weft.bounds<T to 8>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<64x?x3xf32, #weft.bounds<T to 8>>
  return %y : tensor<64x?x3xf32, #weft.bounds<T to 8>>
}

// CHECK-LABEL: @positions
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, u in T to 8, c in C = 3]
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, u in T to 8]
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, c in C = 3, s in T to 8]
// CHECK: return
func.func @positions(%q: !q, %k: !q, %v: !q, %a: !s) -> !q {
  %z = weft.reduce sum [h in H = 2, t in T to 8, u in T to 8, c in C = 3] ins(%q[h, t, c], %k[h, u, c] : !q, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %m = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, u in T to 8] ins(%a[h, u, s], %z[h, t, u] : !s, !s) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 2, t in T to 8, c in C = 3, s in T to 8] ins(%m[h, t, s], %v[h, s, c] : !s, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}
}
