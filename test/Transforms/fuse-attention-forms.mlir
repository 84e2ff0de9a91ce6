// Every form of attention gives the same numbers before and after the fusions, for odd sizes.
// RUN: weft-opt %s --weft-interpret -o /dev/null > %t.before
// RUN: weft-opt %s --weft-fusion-pipeline --weft-interpret -o /dev/null > %t.after
// RUN: diff %t.before %t.after
// RUN: weft-opt %s --weft-fusion-pipeline=remarks=true 2>&1 | FileCheck %s --implicit-check-not=weft.softmax --implicit-check-not=remark:

!q = tensor<4x?x3xf32, #weft.bounds<T to 16>>
!k = tensor<4x?x3xf32, #weft.bounds<S to 16>>
!g = tensor<2x?x3xf32, #weft.bounds<S to 16>>
!s = tensor<4x?x?xf32, #weft.bounds<T to 16, S to 16>>
!ids = tensor<?xi32, #weft.bounds<S to 16>>

module attributes {test.symbols = {T = 7 : i64, S = 5 : i64}} {

func.func private @query() -> !q {
  %y = weft.map [h in H = 4, t in T to 16, c in C = 3] {
    %h = weft.index 0
    %t = weft.index 1
    %c = weft.index 2
    %n3 = arith.constant 3 : index
    %n11 = arith.constant 11 : index
    %n7 = arith.constant 7 : index
    %0 = arith.muli %t, %n3 : index
    %1 = arith.muli %c, %n11 : index
    %2 = arith.muli %h, %n7 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.addi %3, %2 : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.sitofp %5 : i32 to f32
    %7 = math.sin %6 : f32
    weft.yield %7 : f32
  } -> !q
  return %y : !q
}

func.func private @key() -> !k {
  %y = weft.map [h in H = 4, s in S to 16, c in C = 3] {
    %h = weft.index 0
    %t = weft.index 1
    %c = weft.index 2
    %n5 = arith.constant 5 : index
    %n13 = arith.constant 13 : index
    %0 = arith.muli %t, %n5 : index
    %1 = arith.muli %c, %n13 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.addi %3, %h : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.sitofp %5 : i32 to f32
    %7 = math.cos %6 : f32
    weft.yield %7 : f32
  } -> !k
  return %y : !k
}

// 1 for some keys, 0 for others.
func.func private @mask() -> !ids {
  %y = weft.map [s in S to 16] {
    %s = weft.index 0
    %n3 = arith.constant 3 : index
    %0 = arith.remsi %s, %n3 : index
    %one = arith.constant 1 : index
    %1 = arith.minsi %0, %one : index
    %2 = arith.index_cast %1 : index to i32
    weft.yield %2 : i32
  } -> !ids
  return %y : !ids
}

// Dot product, scaled behind the sum; padding as a predicate on data.
// CHECK-LABEL: @padding
// CHECK: weft.attention softmax dots 1 scales [5.000000e-01]
// CHECK-NEXT: ^bb0(%{{[^,]*}}: f32, %{{[^,]*}}: i32)
// CHECK: } where {
// CHECK-NEXT: ^bb0(%{{[^,]*}}: i32)
func.func @padding() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %m = call @mask() : () -> !ids
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %e = weft.map [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s] : !s) {
  ^bb0(%0: f32):
    %n = arith.constant 0.5 : f32
    %1 = arith.mulf %0, %n : f32
    weft.yield %1 : f32
  } -> !s
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%e[h, t, s], %m[s] : !s, !ids) {
  ^bb0(%0: f32, %1: i32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32, %1: i32):
    %z = arith.constant 0 : i32
    %2 = arith.cmpi sgt, %1, %z : i32
    weft.yield %2 : i1
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// Grouped heads (k[h // 2, s, c]), the result in another order, a sliding window and padding.
// CHECK-LABEL: @grouped
// CHECK: weft.attention softmax dots 1 scales [1.000000e+00] [t in T to 16, h in H = 4, c in C = 3, s in S to 16, c1 in C = 3]
// CHECK-SAME: %{{.*}}[h floordiv 2, s, c1]
// CHECK-SAME: key_lower = #{{.*}}, key_upper = #
// CHECK: where
// CHECK-NOT: weft.index
// CHECK: tensor<?x4x3xf32
func.func @grouped() -> tensor<?x4x3xf32, #weft.bounds<T to 16>> {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %m = call @mask() : () -> !ids
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h floordiv 2, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s], %m[s] : !s, !ids) {
  ^bb0(%0: f32, %1: i32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32, %1: i32):
    %t = weft.index 1
    %s = weft.index 2
    %n3 = arith.constant 3 : index
    %z = arith.constant 0 : i32
    %2 = arith.cmpi sle, %s, %t : index
    %3 = arith.subi %t, %s : index
    %4 = arith.cmpi slt, %3, %n3 : index
    %5 = arith.cmpi sgt, %1, %z : i32
    %6 = arith.andi %2, %4 : i1
    %7 = arith.andi %6, %5 : i1
    weft.yield %7 : i1
  } -> !s
  %y = weft.reduce sum [t in T to 16, h in H = 4, c in C = 3, s in S to 16] ins(%k[h floordiv 2, s, c], %w[h, t, s] : !k, !s) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<?x4x3xf32, #weft.bounds<T to 16>>
  return %y : tensor<?x4x3xf32, #weft.bounds<T to 16>>
}

// An additive mask, a nested condition, and a slope by distance (ALiBi).
// CHECK-LABEL: @additive
// CHECK: weft.attention softmax dots 1
// CHECK-SAME: key_lower = #{{.*}}, key_upper = #
// CHECK-NOT: arith.select
// CHECK-NOT: where
// CHECK: return
func.func @additive() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %e = weft.map [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s] : !s) {
  ^bb0(%0: f32):
    %t = weft.index 1
    %s = weft.index 2
    %1 = arith.subi %t, %s : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %n = arith.constant 0.25 : f32
    %4 = arith.mulf %3, %n : f32
    %5 = arith.subf %0, %4 : f32
    %big = arith.constant 0xFF800000 : f32
    %6 = arith.cmpi sgt, %s, %t : index
    %7 = arith.select %6, %big, %5 : f32
    weft.yield %7 : f32
  } -> !s
  %b = weft.map [t in T to 16, s in S to 16] {
    %t = weft.index 0
    %s = weft.index 1
    %1 = arith.subi %t, %s : index
    %a = math.absi %1 : index
    %n4 = arith.constant 4 : index
    %2 = arith.cmpi sle, %a, %n4 : index
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %3 = arith.select %2, %zero, %inf : f32
    weft.yield %3 : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%e[h, t, s], %b[t, s] : !s, tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// The perceptron: a sum that is no product of two tensors stays a sum inside the score.
// CHECK-LABEL: @perceptron
// CHECK: weft.attention softmax dots 0 scales []
// CHECK: weft.inner sum (c in C = 3)
// CHECK: math.tanh
func.func @perceptron() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    %3 = math.tanh %2 : f32
    %4 = arith.mulf %3, %0 : f32
    weft.yield %4 : f32
  } -> !s
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s] : !s) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// Content and position: two products, one of them with a table of relative keys (t - s + 15).
// CHECK-LABEL: @relative
// CHECK: weft.attention softmax dots 1 scales [5.000000e-01]
// CHECK: weft.inner sum (c in C = 3)
func.func @relative() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %rel = weft.map [r in 31, c in C = 3] {
    %r = weft.index 0
    %c = weft.index 1
    %0 = arith.muli %r, %r : index
    %1 = arith.addi %0, %c : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = math.cos %3 : f32
    weft.yield %4 : f32
  } -> tensor<31x3xf32>
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %p = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %rel[t - s + 15, c] : !q, tensor<31x3xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s], %p[h, t, s] : !s, !s) {
  ^bb0(%0: f32, %1: f32):
    %n = arith.constant 0.5 : f32
    %m = arith.constant 0.25 : f32
    %2 = arith.mulf %0, %n : f32
    %3 = arith.mulf %1, %m : f32
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// Data-dependent in a disjunction: no bounds, the predicate stays whole.
// CHECK-LABEL: @longformer
// CHECK: weft.attention softmax dots 1
// CHECK-NOT: key_
// CHECK: arith.ori
func.func @longformer() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %m = call @mask() : () -> !ids
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s], %m[s] : !s, !ids) {
  ^bb0(%0: f32, %1: i32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32, %1: i32):
    %t = weft.index 1
    %s = weft.index 2
    %n1 = arith.constant 1 : index
    %z = arith.constant 0 : i32
    %3 = arith.subi %t, %s : index
    %a = math.absi %3 : index
    %4 = arith.cmpi sle, %a, %n1 : index
    %5 = arith.cmpi sgt, %1, %z : i32
    %7 = arith.ori %4, %5 : i1
    weft.yield %7 : i1
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %y : !q
}

// Retention: decaying weights that nothing normalises.
// CHECK-LABEL: @retention
// CHECK: weft.attention none dots 1 scales [1.000000e+00]
// CHECK-SAME: key_upper = #
// CHECK-NOT: where
// CHECK: return
func.func @retention() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %w = weft.map [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s] : !s) {
  ^bb0(%0: f32):
    %t = weft.index 1
    %s = weft.index 2
    %1 = arith.subi %t, %s : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %n = arith.constant 0.5 : f32
    %4 = math.powf %n, %3 : f32
    %5 = arith.mulf %0, %4 : f32
    weft.yield %5 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } where {
  ^bb0(%0: f32, %1: f32):
    %t = weft.index 1
    %s = weft.index 3
    %2 = arith.cmpi sle, %s, %t : index
    weft.yield %2 : i1
  } -> !q
  return %y : !q
}

// Must not fire: the features between two layers are no keys, although they are summed over.
// CHECK-LABEL: @features
// CHECK-COUNT-2: weft.contract
// CHECK-NOT: weft.attention
func.func @features(%x: tensor<?x8xf32, #weft.bounds<T to 16>>, %a: tensor<8x32xf32>, %b: tensor<32x8xf32>) -> tensor<?x8xf32, #weft.bounds<T to 16>> {
  %0 = weft.reduce sum [t in T to 16, f in F = 32, d in D = 8] ins(%x[t, d], %a[d, f] : tensor<?x8xf32, #weft.bounds<T to 16>>, tensor<8x32xf32>) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<?x32xf32, #weft.bounds<T to 16>>
  %4 = weft.reduce sum [t in T to 16, d in D = 8, f in F = 32] ins(%0[t, f], %b[f, d] : tensor<?x32xf32, #weft.bounds<T to 16>>, tensor<32x8xf32>) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<?x8xf32, #weft.bounds<T to 16>>
  return %4 : tensor<?x8xf32, #weft.bounds<T to 16>>
}

// A bias of positions that two attentions share is computed in both.
// CHECK-LABEL: @shared_bias
// CHECK-COUNT-2: weft.attention softmax dots 1
// CHECK: return
func.func @shared_bias() -> !q {
  %q = call @query() : () -> !q
  %k = call @key() : () -> !k
  %m = call @mask() : () -> !ids
  %b = weft.map [t in T to 16, s in S to 16] ins(%m[s] : !ids) {
  ^bb0(%0: i32):
    %t = weft.index 0
    %s = weft.index 1
    %1 = arith.subi %t, %s : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.addi %2, %0 : i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = math.sin %4 : f32
    weft.yield %5 : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>
  %d = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%q[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %w = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%d[h, t, s], %b[t, s] : !s, tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%w[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  %e = weft.reduce sum [h in H = 4, t in T to 16, s in S to 16, c in C = 3] ins(%y[h, t, c], %k[h, s, c] : !q, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %v = weft.softmax softmax axis 2 [h in H = 4, t in T to 16, s in S to 16] ins(%e[h, t, s], %b[t, s] : !s, tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %z = weft.reduce sum [h in H = 4, t in T to 16, c in C = 3, s in S to 16] ins(%v[h, t, s], %k[h, s, c] : !s, !k) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  return %z : !q
}
}
