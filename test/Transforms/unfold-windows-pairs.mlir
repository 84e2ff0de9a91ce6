// RUN: weft-opt %s --weft-unfold-windows=in-pairs | FileCheck %s

// A convolution of 3 x 3 with channels last, in bf16: three runs of memory are no row of pairs. The same of as many pictures as there are.
// CHECK-LABEL: func.func private @picture
// CHECK: %[[ROWS:.+]] = weft.map {{.*}} ins(%arg0[i + u, j + v, c] : tensor<34x34x16xbf16>)
// CHECK: weft.contract {{.*}} ins(%[[ROWS]][{{.*}}], %arg1[n, c, u, v] :
// CHECK-LABEL: func.func private @frames
// CHECK: weft.map {{.*}} ins(%arg0[t, i + u, j + v, c] : tensor<?x34x34x16xbf16, #weft.bounds<T to 40>>)
func.func private @picture(%x: tensor<34x34x16xbf16>, %w: tensor<8x16x3x3xbf16>) -> tensor<32x32x8xf32> {
  %0 = weft.contract [i in I = 32, j in J = 32, n in N = 8, c in C = 16, u in U = 3, v in V = 3]
      ins(%x[i + u, j + v, c], %w[n, c, u, v] : tensor<34x34x16xbf16>, tensor<8x16x3x3xbf16>) -> tensor<32x32x8xf32>
  return %0 : tensor<32x32x8xf32>
}
func.func private @frames(%x: tensor<?x34x34x16xbf16, #weft.bounds<T to 40>>, %w: tensor<8x16x3x3xbf16>) -> tensor<?x32x32x8xf32, #weft.bounds<T to 40>> {
  %0 = weft.contract [t in T to 40, i in I = 32, j in J = 32, n in N = 8, c in C = 16, u in U = 3, v in V = 3]
      ins(%x[t, i + u, j + v, c], %w[n, c, u, v] : tensor<?x34x34x16xbf16, #weft.bounds<T to 40>>, tensor<8x16x3x3xbf16>) -> tensor<?x32x32x8xf32, #weft.bounds<T to 40>>
  return %0 : tensor<?x32x32x8xf32, #weft.bounds<T to 40>>
}

// Must not fire: f32; windows that are one run, be it with indices of one place; windows whose places are columns of the result; windows
// of more than 64 copies.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: weft.map
// CHECK: return
func.func private @others(%r: tensor<34x34x16xf32>, %f: tensor<8x16x3x3xf32>, %x: tensor<34x34x16xbf16>, %w: tensor<8x16x3x3xbf16>, %s: tensor<34x16xbf16>, %v: tensor<8x16x3xbf16>,
                          %one: tensor<8x16x1x1xbf16>, %p: tensor<16x34x34xbf16>, %l: tensor<8x16x17x17xbf16>)
    -> (tensor<32x32x8xf32>, tensor<32x8xf32>, tensor<34x34x8xf32>, tensor<8x32x32xf32>, tensor<18x18x8xf32>) {
  %0 = weft.contract [i in I = 32, j in J = 32, n in N = 8, c in C = 16, u in U = 3, v in V = 3]
      ins(%r[i + u, j + v, c], %f[n, c, u, v] : tensor<34x34x16xf32>, tensor<8x16x3x3xf32>) -> tensor<32x32x8xf32>
  %1 = weft.contract [t in T = 32, n in N = 8, c in C = 16, u in U = 3] ins(%s[t + u, c], %v[n, c, u] : tensor<34x16xbf16>, tensor<8x16x3xbf16>) -> tensor<32x8xf32>
  %2 = weft.contract [i in I = 34, j in J = 34, n in N = 8, c in C = 16, u in 1, v in 1]
      ins(%x[i + u, j + v, c], %one[n, c, u, v] : tensor<34x34x16xbf16>, tensor<8x16x1x1xbf16>) -> tensor<34x34x8xf32>
  %3 = weft.contract [n in N = 8, i in I = 32, j in J = 32, c in C = 16, u in U = 3, v in V = 3]
      ins(%p[c, i + u, j + v], %w[n, c, u, v] : tensor<16x34x34xbf16>, tensor<8x16x3x3xbf16>) -> tensor<8x32x32xf32>
  %4 = weft.contract [i in I = 18, j in J = 18, n in N = 8, c in C = 16, u in U = 17, v in V = 17]
      ins(%x[i + u, j + v, c], %l[n, c, u, v] : tensor<34x34x16xbf16>, tensor<8x16x17x17xbf16>) -> tensor<18x18x8xf32>
  return %0, %1, %2, %3, %4 : tensor<32x32x8xf32>, tensor<32x8xf32>, tensor<34x34x8xf32>, tensor<8x32x32xf32>, tensor<18x18x8xf32>
}
