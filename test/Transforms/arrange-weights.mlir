// RUN: weft-opt %s --weft-arrange-weights | FileCheck %s

!x = tensor<?x12xf32, #weft.bounds<T to 40>>

// The weight of each channel, whose windows lie side by side: channels do. Columns that two indices count are two dimensions.
// CHECK-LABEL: func.func @each
// CHECK: %[[E:.+]] = weft.weight "e"
// CHECK: %[[BY:.+]] = weft.map [u in 5, d in 12] ins(%[[E]][d, 0, u] : tensor<12x1x5xf32>)
// CHECK: weft.contract [t in 36, d in 12, u in 5] ins(%arg0[t + u, d], %[[BY]][u, d] :
// CHECK: %[[W:.+]] = weft.weight "w"
// CHECK: %[[TWO:.+]] = weft.map [g in 3, n in 4, d in 12] ins(%[[W]][g * 4 + n, d] : tensor<12x12xf32>)
// CHECK: weft.contract [t in T to 40, g in 3, n in 4, d in 12] ins(%arg1[t, d], %[[TWO]][g, n, d] :
func.func @each(%p: tensor<40x12xf32> {weft.name = "p"}, %x: !x {weft.name = "x"})
    -> (tensor<36x12xf32> {weft.name = "y"}, tensor<?x3x4xf32, #weft.bounds<T to 40>> {weft.name = "z"}) attributes {weft.entry} {
  %e = weft.weight "e" : tensor<12x1x5xf32>
  %y = weft.contract [t in 36, d in 12, u in 5] ins(%p[t + u, d], %e[d, 0, u] : tensor<40x12xf32>, tensor<12x1x5xf32>) -> tensor<36x12xf32>
  %w = weft.weight "w" : tensor<12x12xf32>
  %z = weft.contract [t in T to 40, g in 3, n in 4, d in 12] ins(%x[t, d], %w[g * 4 + n, d] : !x, tensor<12x12xf32>) -> tensor<?x3x4xf32, #weft.bounds<T to 40>>
  return %y, %z : tensor<36x12xf32>, tensor<?x3x4xf32, #weft.bounds<T to 40>>
}

// Must not fire: a product of matrices, also in groups; channels first, whose vectors share a weight; a factor that is no weight.
// CHECK-LABEL: func.func @others
// CHECK-NOT: weft.map
// CHECK: return
func.func @others(%x: !x {weft.name = "x"}, %z: tensor<9x3x4xf32> {weft.name = "z"}, %p: tensor<12x40xf32> {weft.name = "p"}, %s: tensor<40x12xf32> {weft.name = "s"}, %f: tensor<12x5xf32> {weft.name = "f"})
    -> (!x {weft.name = "y0"}, tensor<9x3x8xf32> {weft.name = "y1"}, tensor<12x36xf32> {weft.name = "y2"}, tensor<36x12xf32> {weft.name = "y3"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x12xf32>
  %y0 = weft.contract [t in T to 40, n in 12, d in 12] ins(%x[t, d], %w[n, d] : !x, tensor<12x12xf32>) -> !x
  %g = weft.weight "g" : tensor<3x8x4xf32>
  %y1 = weft.contract [t in 9, g in 3, n in 8, c in 4] ins(%z[t, g, c], %g[g, n, c] : tensor<9x3x4xf32>, tensor<3x8x4xf32>) -> tensor<9x3x8xf32>
  %e = weft.weight "e" : tensor<12x1x5xf32>
  %y2 = weft.contract [d in 12, t in 36, u in 5] ins(%p[d, t + u], %e[d, 0, u] : tensor<12x40xf32>, tensor<12x1x5xf32>) -> tensor<12x36xf32>
  %y3 = weft.contract [t in 36, d in 12, u in 5] ins(%s[t + u, d], %f[d, u] : tensor<40x12xf32>, tensor<12x5xf32>) -> tensor<36x12xf32>
  return %y0, %y1, %y2, %y3 : !x, tensor<9x3x8xf32>, tensor<12x36xf32>, tensor<36x12xf32>
}
