// RUN: weft-opt %s --weft-split-axes | FileCheck %s

// A picture that is enlarged: points are rows, filters and places in a square are columns. What is added stays where it was.
// CHECK-LABEL: func.func private @enlarge
// CHECK: %[[PART:.+]] = weft.contract [n in N = 8, i1 in 5, i2 in 3, j1 in 7, j2 in 3, c in C = 16]
// CHECK-SAME: ins(%arg0[c, i1, j1], %arg1[c, n, i2, j2], %arg2[n] : {{.*}} attributes {weft.label = "y.part"}
// CHECK: -> tensor<8x5x3x7x3xf32>
// CHECK: weft.map [n in N = 8, i in 15, j in 21] ins(%[[PART]][n, i floordiv 3, i mod 3, j floordiv 3, j mod 3] : {{.*}} attributes {weft.label = "y"}
func.func private @enlarge(%x: tensor<16x5x7xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<8xf32>) -> tensor<8x15x21xf32> {
  %y = weft.contract [n in N = 8, i in 15, j in 21, c in C = 16]
      ins(%x[c, i floordiv 3, j floordiv 3], %w[c, n, i mod 3, j mod 3], %b[n] : tensor<16x5x7xf32>, tensor<16x8x3x3xf32>, tensor<8xf32>)
      attributes {weft.label = "y"} {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.addf %s, %e : f32
    weft.yield %0 : f32
  } -> tensor<8x15x21xf32>
  return %y : tensor<8x15x21xf32>
}

// Channels in groups, of which one factor reads one and the other each; in a sum with a condition.
// CHECK-LABEL: func.func private @groups
// CHECK: weft.reduce sum [t in T to 40, d1 in 3, d2 in 4, c in 4, u in 5] ins(%arg1[d1 * 4 + d2, c, u] :
// CHECK: %[[G:.+]] = weft.index 1
// CHECK: arith.muli %[[G]], %c4
// CHECK: -> tensor<?x3x4xf32, #weft.bounds<T to 40>>
// CHECK: weft.map [t in T to 40, d in 12] ins({{.*}}[t, d floordiv 4, d mod 4] :
func.func private @groups(%x: tensor<?x12xf32, #weft.bounds<T to 40>>, %w: tensor<12x4x5xf32>) -> tensor<?x12xf32, #weft.bounds<T to 40>> {
  %y = weft.reduce sum [t in T to 40, d in 12, c in 4, u in 5] ins(%w[d, c, u] : tensor<12x4x5xf32>) {
  ^bb0(%e: f32):
    %c4 = arith.constant 4 : index
    %t = weft.index 0
    %d = weft.index 1
    %c = weft.index 2
    %u = weft.index 3
    %0 = arith.addi %t, %u : index
    %1 = arith.floordivsi %d, %c4 : index
    %2 = arith.muli %1, %c4 : index
    %3 = arith.addi %2, %c : index
    %4 = weft.at %x[%0, %3] : tensor<?x12xf32, #weft.bounds<T to 40>>
    %5 = arith.mulf %4, %e : f32
    weft.yield %5 : f32
  } where {
  ^bb0(%e: f32):
    %t = weft.index 0
    %u = weft.index 3
    %0 = arith.addi %t, %u : index
    %T = weft.size "T" : index
    %1 = arith.cmpi slt, %0, %T : index
    weft.yield %1 : i1
  } -> tensor<?x12xf32, #weft.bounds<T to 40>>
  return %y : tensor<?x12xf32, #weft.bounds<T to 40>>
}

// Must not fire: heads that share keys, of which queries are rows and keys are columns already; a width that does not divide the range;
// a short sum.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: weft.map
// CHECK: return
func.func private @others(%q: tensor<6x9x16xf32>, %k: tensor<2x9x16xf32>, %x: tensor<16x6xf32>, %w: tensor<16x8x3xf32>, %s: tensor<4x6xf32>, %v: tensor<4x8x3xf32>)
    -> (tensor<6x9x9xf32>, tensor<8x16xf32>, tensor<8x18xf32>) {
  %0 = weft.contract [h in 6, t in 9, s in 9, c in 16] ins(%q[h, t, c], %k[h floordiv 3, s, c] : tensor<6x9x16xf32>, tensor<2x9x16xf32>) -> tensor<6x9x9xf32>
  %1 = weft.contract [n in 8, i in 16, c in 16] ins(%x[c, i floordiv 3], %w[c, n, i mod 3] : tensor<16x6xf32>, tensor<16x8x3xf32>) -> tensor<8x16xf32>
  %2 = weft.contract [n in 8, i in 18, c in 4] ins(%s[c, i floordiv 3], %v[c, n, i mod 3] : tensor<4x6xf32>, tensor<4x8x3xf32>) -> tensor<8x18xf32>
  return %0, %1, %2 : tensor<6x9x9xf32>, tensor<8x16xf32>, tensor<8x18xf32>
}
