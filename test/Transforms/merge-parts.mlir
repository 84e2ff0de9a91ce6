// RUN: weft-opt %s --weft-merge-parts | FileCheck %s

!x = tensor<4x8xf32>
!z = tensor<4x4xf32>
!y = tensor<4x6xf32>
!w = tensor<6x8xf32>

// A part that is an earlier formula but for an index's name, be that named or a part.
// CHECK-LABEL: @merged
// CHECK: %[[Z:z]] = weft.reduce sum
// CHECK-NOT: weft.reduce
// CHECK: %[[E:.+]] = weft.map [t in T = 4, s in T = 4] ins(%[[Z]][t, s]
// CHECK: return %[[Z]], %[[E]], %[[Z]]
func.func @merged(%x: !x, %y: !x) -> (!z, !z, !z) {
  %z = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "z"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %a = weft.reduce sum [t in T = 4, u in T = 4, d in 8] ins(%x[t, d], %y[u, d] : !x, !x) attributes {weft.label = "e.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %e = weft.map [t in T = 4, s in T = 4] ins(%a[t, s] : !z) attributes {weft.label = "e"} {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> !z
  %b = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "f.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  return %z, %e, %b : !z, !z, !z
}

// A product is computed with what follows it.
// CHECK-LABEL: @products
// CHECK-COUNT-2: weft.reduce
// CHECK: return
func.func @products(%x: !x, %w: !w) -> (!y, !y) {
  %a = weft.reduce sum [t in T = 4, n in 6, c in 8] ins(%x[t, c], %w[n, c] : !x, !w) attributes {weft.label = "a.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !y
  %b = weft.reduce sum [t in T = 4, n in 6, c in 8] ins(%x[t, c], %w[n, c] : !x, !w) attributes {weft.label = "b.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !y
  return %a, %b : !y, !y
}

// Not: what the text names; another kind, operand, place, code or keys.
// CHECK-LABEL: @kept
// CHECK-COUNT-7: weft.reduce
// CHECK: return
func.func @kept(%x: !x, %y: !x) -> (!z, !z, !z, !z, !z, !z, !z) {
  %a = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "a.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %b = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "b"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %c = weft.reduce max [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "c.max"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %d = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {weft.label = "d.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %e = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[s, c], %y[t, c] : !x, !x) attributes {weft.label = "e.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %f = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "f.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !z
  %g = weft.reduce sum [t in T = 4, s in T = 4, c in 8] ins(%x[t, c], %y[s, c] : !x, !x) attributes {weft.label = "g.sum"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } where {
  ^bb0(%0: f32, %1: f32):
    %t = weft.index 0
    %s = weft.index 1
    %2 = arith.cmpi sle, %s, %t : index
    weft.yield %2 : i1
  } -> !z
  return %a, %b, %c, %d, %e, %f, %g : !z, !z, !z, !z, !z, !z, !z
}
