// RUN: weft-opt %s --weft-unfold-windows | FileCheck %s

// Patches of a picture are rows: each pixel is read once, and the sum is a product.
// CHECK-LABEL: func.func private @patches
// CHECK: %[[ROWS:.+]] = weft.map [n in N = 4, c in C = 3, u in P = 8, v in P = 8] ins(%arg0[c, (n floordiv 2) * 8 + u, (n mod 2) * 8 + v] : tensor<3x16x16xf32>) attributes {weft.label = "y.windows"}
// CHECK: -> tensor<4x3x8x8xf32>
// CHECK: weft.contract [n in N = 4, d in D = 32, c in C = 3, u in P = 8, v in P = 8] ins(%[[ROWS]][n, c, u, v], %arg1[d, c, u, v] :
func.func private @patches(%x: tensor<3x16x16xf32>, %w: tensor<32x3x8x8xf32>) -> tensor<4x32xf32> {
  %y = weft.contract [n in N = 4, d in D = 32, c in C = 3, u in P = 8, v in P = 8]
      ins(%x[c, (n floordiv 2) * 8 + u, (n mod 2) * 8 + v], %w[d, c, u, v] : tensor<3x16x16xf32>, tensor<32x3x8x8xf32>)
      attributes {weft.label = "y"} -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The same from the other side; what the epilogue reads stays. Windows of a series that overlap by half are twice as much.
// CHECK-LABEL: func.func private @series
// CHECK: %[[ROWS:.+]] = weft.map [t in T = 15, u in U = 4, d in D = 16] ins(%arg0[t * 2 + u, d] : tensor<32x16xbf16>)
// CHECK: -> tensor<15x4x16xbf16>
// CHECK: weft.contract {{.*}} ins(%arg1[n, d, u], %[[ROWS]][t, u, d], %arg2[n] :
func.func private @series(%x: tensor<32x16xbf16>, %w: tensor<8x16x4xf32>, %b: tensor<8xf32>) -> tensor<15x8xf32> {
  %y = weft.contract [t in T = 15, n in N = 8, u in U = 4, d in D = 16]
      ins(%w[n, d, u], %x[t * 2 + u, d], %b[n] : tensor<8x16x4xf32>, tensor<32x16xbf16>, tensor<8xf32>) {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.addf %s, %e : f32
    weft.yield %0 : f32
  } -> tensor<15x8xf32>
  return %y : tensor<15x8xf32>
}

// Frames of a film, as many as there are.
// CHECK-LABEL: func.func private @frames
// CHECK: weft.map [t in T to 40, i in I = 15, d in D = 16, u in U = 4] ins(%arg0[t, i * 2 + u, d] :
// CHECK: -> tensor<?x15x16x4xf32, #weft.bounds<T to 40>>
func.func private @frames(%x: tensor<?x32x16xf32, #weft.bounds<T to 40>>, %w: tensor<8x16x4xf32>) -> tensor<?x15x8xf32, #weft.bounds<T to 40>> {
  %y = weft.contract [t in T to 40, i in I = 15, n in N = 8, d in D = 16, u in U = 4]
      ins(%x[t, i * 2 + u, d], %w[n, d, u] : tensor<?x32x16xf32, #weft.bounds<T to 40>>, tensor<8x16x4xf32>) -> tensor<?x15x8xf32, #weft.bounds<T to 40>>
  return %y : tensor<?x15x8xf32, #weft.bounds<T to 40>>
}

// Must not fire: rows of all places as they are; windows that overlap more (9 for 1); for fewer than 8 columns; a sum of whose indices
// one factor knows nothing.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: weft.map
// CHECK: return
func.func private @others(%x: tensor<32x16xf32>, %w: tensor<8x16xf32>, %p: tensor<16x34x34xf32>, %f: tensor<8x16x3x3xf32>,
                          %s: tensor<4x16x4xf32>, %g: tensor<8x16xf32>)
    -> (tensor<32x8xf32>, tensor<8x32x32xf32>, tensor<15x4xf32>, tensor<15x8xf32>) {
  %0 = weft.contract [t in T = 32, n in N = 8, d in D = 16] ins(%x[t, d], %w[n, d] : tensor<32x16xf32>, tensor<8x16xf32>) -> tensor<32x8xf32>
  %1 = weft.contract [n in N = 8, i in I = 32, j in J = 32, c in C = 16, u in U = 3, v in V = 3]
      ins(%p[c, i + u, j + v], %f[n, c, u, v] : tensor<16x34x34xf32>, tensor<8x16x3x3xf32>) -> tensor<8x32x32xf32>
  %2 = weft.contract [t in T = 15, n in N = 4, d in D = 16, u in U = 4]
      ins(%x[t * 2 + u, d], %s[n, d, u] : tensor<32x16xf32>, tensor<4x16x4xf32>) -> tensor<15x4xf32>
  %3 = weft.contract [t in T = 15, n in N = 8, d in D = 16, u in U = 4]
      ins(%x[t * 2 + u, d], %g[n, d] : tensor<32x16xf32>, tensor<8x16xf32>) -> tensor<15x8xf32>
  return %0, %1, %2, %3 : tensor<32x8xf32>, tensor<8x32x32xf32>, tensor<15x4xf32>, tensor<15x8xf32>
}
