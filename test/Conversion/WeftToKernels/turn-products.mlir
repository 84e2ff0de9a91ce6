// RUN: weft-opt --weft-turn-products --split-input-file %s | FileCheck %s
!a = tensor<?x?x64xf32, #weft.bounds<T to 128, T to 128>>

// CHECK: #[[STORED:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d1)>
// CHECK-LABEL: func.func @matrices
// CHECK-SAME: (%[[A:.+]]: tensor<?x?x64xf32, {{.*}}>, %[[B:.+]]: tensor<?x?x64xf32
// CHECK: %[[ROWS:.+]] = weft.map [c in C = 64, i in T to 128, k in T to 128] ins(%[[A]][i, k, c]
// CHECK: %[[U:.+]] = weft.contract [i in T to 128, j in T to 128, c in C = 64, k in T to 128] ins(%[[ROWS]][c, i, k], %[[B]][j, k, c]
// CHECK-SAME: output_maps = [#[[STORED]]]
// CHECK-SAME: -> tensor<64x?x?xf32, #weft.bounds<T to 128, T to 128>>
// CHECK: %[[Y:.+]] = weft.map {{.*}} ins(%[[U]][d2, d0, d1] : tensor<64x?x?xf32
// CHECK: return %[[Y]] : tensor<?x?x64xf32
func.func @matrices(%a: !a, %b: !a) -> !a attributes {weft.entry} {
  %u = weft.contract [i in T to 128, j in T to 128, c in C = 64, k in T to 128] ins(%a[i, k, c], %b[j, k, c] : !a, !a) -> !a
  return %u : !a
}

// Must not fire: columns that the output stores side by side; too few rows, columns or products of a sum; a weight.
// CHECK-LABEL: func.func @others
// CHECK-NOT: weft.map
// CHECK: return
func.func @others(%a: !a, %b: !a, %q: tensor<?x8x64xf32, #weft.bounds<T to 128>>) -> (tensor<64x?x?xf32, #weft.bounds<T to 128, T to 128>>, tensor<?x8x64xf32, #weft.bounds<T to 128>>, !a) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x64xf32>
  %0 = weft.contract [c in C = 64, i in T to 128, j in T to 128, k in T to 128] ins(%a[i, k, c], %b[j, k, c] : !a, !a) -> tensor<64x?x?xf32, #weft.bounds<T to 128, T to 128>>
  %1 = weft.contract [i in T to 128, h in H = 8, c in C = 64, k in T to 128] ins(%a[i, k, c], %q[k, h, c] : !a, tensor<?x8x64xf32, #weft.bounds<T to 128>>) -> tensor<?x8x64xf32, #weft.bounds<T to 128>>
  %2 = weft.contract [i in T to 128, j in T to 128, c in C = 64, k in 32] ins(%a[i, j, c], %w[k, c] : !a, tensor<32x64xf32>) -> !a
  return %0, %1, %2 : tensor<64x?x?xf32, #weft.bounds<T to 128, T to 128>>, tensor<?x8x64xf32, #weft.bounds<T to 128>>, !a
}

// -----

// Must not fire: a module with a step.
!a = tensor<?x?x64xf32, #weft.bounds<T to 128, T to 128>>
// CHECK-LABEL: func.func @y(
// CHECK-NOT: weft.map
// CHECK: return
func.func @y(%a: !a, %b: !a) -> (!a {weft.name = "y"}) attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
  %u = weft.contract [i in T to 128, j in T to 128, c in C = 64, k in T to 128] ins(%a[i, k, c], %b[j, k, c] : !a, !a) -> !a
  return %u : !a
}
