// What a score reads as a tensor and what it computes (Cost.h).
// RUN: weft-opt %s --weft-fuse-attention=remarks=true 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: weft-opt %s --weft-fuse-attention --weft-explain-pairs | FileCheck %s --check-prefix=PAIRS

!n = tensor<4x?x?x8xf32, #weft.bounds<N to 24, N to 24>>
!z = tensor<?x?x16xf32, #weft.bounds<N to 24, N to 24>>
!e = tensor<4x?x?xf32, #weft.bounds<N to 24, N to 24>>
!w = tensor<4x?x?x?xf32, #weft.bounds<N to 24, N to 24, N to 24>>

// A bias of pairs (j, k) lacks i: it is made once, if it is no larger than what it is made of.
// CHECK-LABEL: @edge
// CHECK: %[[E:.+]] = weft.contract {{.*}}weft.label = "edge"
// CHECK: weft.attention softmax dots 1 {{.*}} %[[E]][h, j, k] :
// CHECK-NOT: weft.inner
// PAIRS-LABEL: @edge
// PAIRS: weft.label = "edge", weft.unfused_reason = "to compute it in every score that reads it would cost more"
func.func @edge(%q: !n, %k: !n, %v: !n, %z: !z, %b: tensor<4x16xf32>) -> !n {
  %edge = weft.contract [h in 4, j in N to 24, k in N to 24, e in 16] ins(%z[j, k, e], %b[h, e] : !z, tensor<4x16xf32>) attributes {weft.label = "edge"} -> !e
  %0 = weft.contract [h in 4, i in N to 24, j in N to 24, k in N to 24, c in 8] ins(%q[h, i, j, c], %k[h, i, k, c] : !n, !n) -> !w
  %1 = weft.softmax softmax axis 3 [h in 4, i in N to 24, j in N to 24, k in N to 24] ins(%0[h, i, j, k], %edge[h, j, k] : !w, !e) {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !w
  %5 = weft.contract [h in 4, i in N to 24, j in N to 24, c in 8, k in N to 24] ins(%1[h, i, j, k], %v[h, i, k, c] : !w, !n) -> !n
  return %5 : !n
}

// Must not be made: a few operations on pairs; a dot product that the positions alone would not hold.
// CHECK-LABEL: @must_not
// CHECK-NOT: weft.map
// CHECK-NOT: weft.contract
// CHECK: weft.attention softmax dots 2
func.func @must_not(%q: !n, %k: !n, %v: !n, %z: tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>, %p: tensor<?x2xf32, #weft.bounds<N to 24>>) -> !n {
  %far = weft.contract [j in N to 24, k in N to 24, e in 2] ins(%p[j, e], %p[k, e] : tensor<?x2xf32, #weft.bounds<N to 24>>, tensor<?x2xf32, #weft.bounds<N to 24>>)
      -> tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>
  %mask = weft.map [j in N to 24, k in N to 24] ins(%z[j, k] : tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>) {
  ^bb0(%1: f32):
    %one = arith.constant 1.0 : f32
    %much = arith.constant -1.0e9 : f32
    %2 = arith.subf %one, %1 : f32
    %3 = arith.mulf %2, %much : f32
    weft.yield %3 : f32
  } -> tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>
  %0 = weft.contract [h in 4, i in N to 24, j in N to 24, k in N to 24, c in 8] ins(%q[h, i, j, c], %k[h, i, k, c] : !n, !n) -> !w
  %1 = weft.softmax softmax axis 3 [h in 4, i in N to 24, j in N to 24, k in N to 24]
      ins(%0[h, i, j, k], %mask[j, k], %far[j, k] : !w, tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>, tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>) {
  ^bb0(%2: f32, %3: f32, %4: f32):
    %5 = arith.addf %2, %3 : f32
    %6 = arith.subf %5, %4 : f32
    weft.yield %6 : f32
  } -> !w
  %5 = weft.contract [h in 4, i in N to 24, j in N to 24, c in 8, k in N to 24] ins(%1[h, i, j, k], %v[h, i, k, c] : !w, !n) -> !n
  return %5 : !n
}

!x = tensor<?x8xf32, #weft.bounds<N to 24>>
!s = tensor<?x?xf32, #weft.bounds<N to 24, N to 24>>

// What cannot be computed in a score, over blocks of positions, is read.
// CHECK-LABEL: @blocks
// CHECK: weft.reduce max
// CHECK: weft.attention softmax dots 1 {{.*}}[t floordiv 8, s floordiv 8]
func.func @blocks(%x: !x, %g: tensor<3x3x5xf32>) -> !x {
  %picked = weft.reduce max [a in 3, b in 3, c in 5] ins(%g[a, b, c] : tensor<3x3x5xf32>) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } where {
  ^bb0(%1: f32):
    %zero = arith.constant 0.0 : f32
    %2 = arith.cmpf ogt, %1, %zero : f32
    weft.yield %2 : i1
  } -> tensor<3x3xf32>
  %0 = weft.contract [t in N to 24, s in N to 24, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  %1 = weft.softmax softmax axis 1 [t in N to 24, s in N to 24] ins(%0[t, s], %picked[t floordiv 8, s floordiv 8] : !s, tensor<3x3xf32>) {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %5 = weft.contract [t in N to 24, c in 8, s in N to 24] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5 : !x
}

// One score, two softmaxes: each computes it, and no pair is kept.
// CHECK-LABEL: @two_weights
// CHECK-NOT: weft.contract
// CHECK-COUNT-2: weft.attention softmax dots 1
// CHECK-NOT: weft.contract
// CHECK: return
func.func @two_weights(%x: !x, %m: tensor<?xf32, #weft.bounds<N to 24>>) -> (!x, !x) {
  %0 = weft.contract [t in N to 24, s in N to 24, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  %1 = weft.softmax softmax axis 1 [t in N to 24, s in N to 24] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %3 = weft.softmax softmax axis 1 [t in N to 24, s in N to 24] ins(%0[t, s], %m[s] : !s, tensor<?xf32, #weft.bounds<N to 24>>) {
  ^bb0(%2: f32, %4: f32):
    %5 = arith.mulf %2, %4 : f32
    weft.yield %5 : f32
  } -> !s
  %5 = weft.contract [t in N to 24, c in 8, s in N to 24] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  %6 = weft.contract [t in N to 24, c in 8, s in N to 24] ins(%3[t, s], %x[s, c] : !s, !x) -> !x
  return %5, %6 : !x, !x
}

// A stabiliser by hand keeps the score in memory: the attention reads it there.
// CHECK-LABEL: @stabilised
// CHECK: %[[S:.+]] = weft.contract
// CHECK: weft.reduce max {{.*}}ins(%[[S]][t, s]
// CHECK: weft.attention softmax dots 0 {{.*}}%[[S]][t, s]
func.func @stabilised(%x: !x) -> !x {
  %0 = weft.contract [t in N to 24, s in N to 24, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  %r = weft.reduce max [t in N to 24, s in N to 24] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> tensor<?xf32, #weft.bounds<N to 24>>
  %1 = weft.softmax softmax axis 1 [t in N to 24, s in N to 24] ins(%0[t, s], %r[t] : !s, tensor<?xf32, #weft.bounds<N to 24>>) {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.subf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %5 = weft.contract [t in N to 24, c in 8, s in N to 24] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5 : !x
}

// 0 where a condition on the pair fails is no term of the sum.
// CHECK-LABEL: @masked_terms
// CHECK: weft.attention none dots 1
// CHECK: where {
// CHECK: arith.cmpi sle
// CHECK: return
func.func @masked_terms(%x: !x) -> !x {
  %0 = weft.contract [t in N to 24, s in N to 24, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  %1 = weft.reduce sum [t in N to 24, d in 8, s in N to 24] ins(%0[t, s], %x[s, d] : !s, !x) {
  ^bb0(%2: f32, %3: f32):
    %t = weft.index 0
    %s = weft.index 2
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpi sle, %s, %t : index
    %4 = arith.select %p, %2, %zero : f32
    %5 = arith.mulf %4, %3 : f32
    weft.yield %5 : f32
  } -> !x
  return %1 : !x
}
