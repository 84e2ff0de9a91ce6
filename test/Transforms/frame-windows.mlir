// RUN: weft-opt %s --weft-frame-windows --split-input-file | FileCheck %s

!x = tensor<?x12xf32, #weft.bounds<T to 40>>
!y = tensor<?x3x16xf32, #weft.bounds<T to 40>>

// Channels in groups, along as many positions as there are: the groups come first in a copy that is as long as the bound allows.
// CHECK-LABEL: func.func private @groups
// CHECK: %[[FRAME:.+]] = weft.map [g in 3, d0 in 104, c in 4] attributes {weft.label = "y.frame"}
// CHECK-DAG: %[[P:.+]] = weft.index 1
// CHECK-DAG: %[[AT:.+]] = arith.addi %[[P]], %c-32
// CHECK: weft.at %arg0[%[[AT]], {{.+}}]
// CHECK: -> tensor<3x104x4xf32>
// CHECK: weft.contract [t in T to 40, g in 3, n in 16, c in 4, u in 65] ins(%[[FRAME]][g, t + u, c], %arg1[g, n, c, u] : {{.*}} attributes {weft.label = "y"}
func.func private @groups(%x: !x, %w: tensor<3x16x4x65xf32>) -> !y {
  %y = weft.reduce sum [t in T to 40, g in 3, n in 16, c in 4, u in 65] ins(%w[g, n, c, u] : tensor<3x16x4x65xf32>) attributes {weft.label = "y"} {
  ^bb0(%e: f32):
    %c32 = arith.constant 32 : index
    %c4 = arith.constant 4 : index
    %t = weft.index 0
    %g = weft.index 1
    %c = weft.index 3
    %u = weft.index 4
    %0 = arith.addi %t, %u : index
    %1 = arith.subi %0, %c32 : index
    %2 = arith.muli %g, %c4 : index
    %3 = arith.addi %2, %c : index
    %4 = weft.at %x[%1, %3] : !x
    %5 = arith.mulf %4, %e : f32
    weft.yield %5 : f32
  } where {
  ^bb0(%e: f32):
    %c32 = arith.constant 32 : index
    %t = weft.index 0
    %u = weft.index 4
    %0 = arith.addi %t, %u : index
    %1 = arith.cmpi sge, %0, %c32 : index
    %T = weft.size "T" : index
    %2 = arith.addi %T, %c32 : index
    %3 = arith.cmpi slt, %0, %2 : index
    %4 = arith.andi %1, %3 : i1
    weft.yield %4 : i1
  } -> !y
  return %y : !y
}

// -----

// Of one channel each, with one of two conditions, which says nothing but that there is an element: the order stays.
// CHECK-LABEL: func.func private @each
// CHECK: %[[FRAME:.+]] = weft.map [d0 in 40, d1 in 5]
// CHECK: weft.contract [t in 30, d in 5, u in 11] ins(%arg1[u, d], %[[FRAME]][t + u, d] :
func.func private @each(%x: tensor<30x5xf32>, %w: tensor<11x5xf32>) -> tensor<30x5xf32> {
  %y = weft.reduce sum [t in 30, d in 5, u in 11] ins(%w[u, d] : tensor<11x5xf32>) {
  ^bb0(%e: f32):
    %c5 = arith.constant 5 : index
    %t = weft.index 0
    %d = weft.index 1
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.subi %0, %c5 : index
    %2 = weft.at %x[%1, %d] : tensor<30x5xf32>
    %3 = arith.mulf %e, %2 : f32
    weft.yield %3 : f32
  } where {
  ^bb0(%e: f32):
    %c4 = arith.constant 4 : index
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.cmpi sgt, %0, %c4 : index
    weft.yield %1 : i1
  } -> tensor<30x5xf32>
  return %y : tensor<30x5xf32>
}

// -----

// Must not fire: a condition that leaves out an element of the input.
// CHECK-LABEL: func.func private @inside
// CHECK: weft.reduce sum
func.func private @inside(%x: tensor<30x5xf32>, %w: tensor<11x5xf32>) -> tensor<30x5xf32> {
  %y = weft.reduce sum [t in 30, d in 5, u in 11] ins(%w[u, d] : tensor<11x5xf32>) {
  ^bb0(%e: f32):
    %c5 = arith.constant 5 : index
    %t = weft.index 0
    %d = weft.index 1
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.subi %0, %c5 : index
    %2 = weft.at %x[%1, %d] : tensor<30x5xf32>
    %3 = arith.mulf %e, %2 : f32
    weft.yield %3 : f32
  } where {
  ^bb0(%e: f32):
    %c6 = arith.constant 6 : index
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.cmpi sge, %0, %c6 : index
    weft.yield %1 : i1
  } -> tensor<30x5xf32>
  return %y : tensor<30x5xf32>
}

// -----

!x = tensor<?x5xf32, #weft.bounds<T to 30>>

// Must not fire: few terms for each element of a copy that may be longer than the input.
// CHECK-LABEL: func.func private @short
// CHECK: weft.reduce sum
func.func private @short(%x: !x, %w: tensor<9x5xf32>) -> !x {
  %y = weft.reduce sum [t in T to 30, d in 5, u in 9] ins(%w[u, d] : tensor<9x5xf32>) {
  ^bb0(%e: f32):
    %c8 = arith.constant 8 : index
    %t = weft.index 0
    %d = weft.index 1
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.subi %0, %c8 : index
    %2 = weft.at %x[%1, %d] : !x
    %3 = arith.mulf %e, %2 : f32
    weft.yield %3 : f32
  } where {
  ^bb0(%e: f32):
    %c8 = arith.constant 8 : index
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.cmpi sge, %0, %c8 : index
    weft.yield %1 : i1
  } -> !x
  return %y : !x
}
