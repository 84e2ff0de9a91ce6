// RUN: weft-opt %s --split-input-file --weft-pack-weights --weft-split-rows | FileCheck %s

!x = tensor<?x48xf32, #weft.bounds<T to 40>>
!y = tensor<?x70xf32, #weft.bounds<T to 40>>

// The weight lies in panels of f32; what only the product reads is made in tiles of rows.
// CHECK-LABEL: func.func @made
// CHECK: weft.weight "w" : tensor<70x48xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
// CHECK: %[[H:.+]] = weft.map {{.*}} ins(%arg0[t, d]
// CHECK: -> tensor<?x48xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32], bounds = <T to 40>>>
// CHECK-NOT: weft.map
// CHECK: weft.contract {{.*}} ins(%[[H]][t, d],
func.func @made(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<70x48xf32>
  %h = weft.map [t in T to 40, d in 48] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  } -> !x
  %y = weft.contract [t in T to 40, n in 70, d in 48] ins(%h[t, d], %w[n, d] : !x, tensor<70x48xf32>) attributes {weft.parts = 3 : i64, weft.label = "y"} -> !y
  return %y : !y
}

// -----

!x = tensor<?x48xf32, #weft.bounds<T to 40>>
!y = tensor<?x70xf32, #weft.bounds<T to 40>>

// An input is copied, once for all who read it; a product of f32 reads it as it is.
// CHECK-LABEL: func.func @copied
// CHECK: %[[H:.+]] = weft.map {{.*}} ins(%arg0[
// CHECK-SAME: weft.label = "y.rows"
// CHECK: -> tensor<?x48xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32], bounds = <T to 40>>>
// CHECK-NOT: weft.map
// CHECK: weft.contract {{.*}} ins(%[[H]][t, d],
// CHECK: weft.contract {{.*}} ins(%[[H]][t, d],
// CHECK: weft.contract {{.*}} ins(%arg0[t, d],
func.func @copied(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}, !y {weft.name = "z"}, !y {weft.name = "v"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<70x48xf32>
  %u = weft.weight "u" : tensor<48x70xf32>
  %a = weft.weight "a" : tensor<70x48xf32>
  %y = weft.contract [t in T to 40, n in 70, d in 48] ins(%x[t, d], %w[n, d] : !x, tensor<70x48xf32>) attributes {weft.parts = 2 : i64, weft.label = "y"} -> !y
  %z = weft.contract [t in T to 40, n in 70, d in 48] ins(%x[t, d], %u[d, n] : !x, tensor<48x70xf32>) attributes {weft.parts = 2 : i64, weft.label = "z"} -> !y
  %v = weft.contract [t in T to 40, n in 70, d in 48] ins(%x[t, d], %a[n, d] : !x, tensor<70x48xf32>) attributes {weft.label = "v"} -> !y
  return %y, %z, %v : !y, !y, !y
}

// -----

!x = tensor<?x48xf32, #weft.bounds<T to 40>>
!h = tensor<?x3x48xf32, #weft.bounds<T to 40>>
!y = tensor<?x2x70xf32, #weft.bounds<T to 40>>

// Must not be stored where it is made: a tensor of whose rows the product reads some, at their own places.
// CHECK-LABEL: func.func @some
// CHECK: %[[H:.+]] = weft.map [t in T to 40, i in 3, d in 48]
// CHECK: -> tensor<?x3x48xf32, #weft.bounds<T to 40>>
// CHECK: %[[ROWS:.+]] = weft.map [t in T to 40, i in 2, d in 48] ins(%[[H]][t, i, d]
// CHECK: -> tensor<?x2x48xf32, #weft.layout<parts = 3, n = [0, 1], k = [2], tile = [32, 32], bounds = <T to 40>>>
// CHECK: weft.contract {{.*}} ins(%[[ROWS]][t, i, d],
func.func @some(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<70x48xf32>
  %h = weft.map [t in T to 40, i in 3, d in 48] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  } -> !h
  %y = weft.contract [t in T to 40, i in 2, n in 70, d in 48] ins(%h[t, i, d], %w[n, d] : !h, tensor<70x48xf32>) attributes {weft.parts = 3 : i64, weft.label = "y"} -> !y
  return %y : !y
}

// -----

// Where a weight of fewer bits is the rows, as the result's columns are another's, its parts are those of f32.
// CHECK-LABEL: func.func @weight_rows
// CHECK: %[[W:.+]] = weft.weight "w" : tensor<70x48xbf16>
// CHECK: %[[R:.+]] = weft.map {{.*}} ins(%[[W]][
// CHECK: -> tensor<70x48xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>>
// CHECK: weft.contract {{.*}} ins(%arg0[{{.*}}], %[[R]][
func.func @weight_rows(%x: tensor<48x64xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>) -> tensor<70x64xf32> {
  %w = weft.weight "w" : tensor<70x48xbf16>
  %y = weft.contract [n in 70, t in 64, d in 48] ins(%x[d, t], %w[n, d] : tensor<48x64xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>, tensor<70x48xbf16>) attributes {weft.parts = 3 : i64, weft.label = "y"} -> tensor<70x64xf32>
  return %y : tensor<70x64xf32>
}

// -----

// Must not fire: panels of the other product, which this one reads across and in part, where all of it would be other numbers.
// CHECK-LABEL: func.func @across
// CHECK: %[[ROWS:.+]] = weft.map {{.*}} ins(%arg0[
// CHECK: -> tensor<40x48xf32, #weft.layout<parts = 3
// CHECK: %[[Y:.+]] = weft.contract {{.*}} ins(%[[ROWS]][
// CHECK-NOT: weft.map
// CHECK: weft.contract [t in 40, d in 48, n in 64] ins(%[[Y]][t, n], %{{.+}}[n, d] :
func.func @across(%x: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %w = weft.weight "w" : tensor<96x48xf32>
  %y = weft.contract [t in 40, n in 96, d in 48] ins(%x[t, d], %w[n, d] : tensor<40x48xf32>, tensor<96x48xf32>) attributes {weft.parts = 3 : i64, weft.label = "y"} -> tensor<40x96xf32>
  %z = weft.contract [t in 40, d in 48, n in 64] ins(%y[t, n], %w[n, d] : tensor<40x96xf32>, tensor<96x48xf32>) attributes {weft.parts = 3 : i64, weft.label = "z"} -> tensor<40x48xf32>
  return %z : tensor<40x48xf32>
}
