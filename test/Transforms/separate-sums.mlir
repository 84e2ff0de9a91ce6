// RUN: weft-opt %s --weft-separate-sums | FileCheck %s

// Both sums of an element are a tensor with a dimension more, which is no formula of the text; the map has the epilogue's code.
// CHECK-LABEL: func.func @two
// CHECK: %[[SUMS:.+]] = weft.contract [t in T to 40, plane in 2, n in 6, d in 8] ins(%arg0[t, plane, d], %arg1[n, d] : {{[^{]*}}) attributes {weft.lane = 0 : i64} -> tensor<?x2x6xi32, #weft.bounds<T to 40>>
// CHECK: weft.map [t in T to 40, n in 6] ins(%[[SUMS]][t, 0, n], %[[SUMS]][t, 1, n], %arg2[n] : {{.*}}) attributes {weft.label = "y"} {
// CHECK: ^bb0(%[[FIRST:.+]]: i32, %[[SECOND:.+]]: i32, %[[BIAS:.+]]: f32):
// CHECK: arith.subi %[[FIRST]], %[[SECOND]]
// CHECK: -> tensor<?x6xf32
func.func @two(%q: tensor<?x2x8xui8, #weft.bounds<T to 40>>, %c: tensor<6x8xi8>, %b: tensor<6xf32>) -> tensor<?x6xf32, #weft.bounds<T to 40>> {
  %y = weft.contract [t in T to 40, n in 6, d in 8, plane in 2] ins(%q[t, plane, d], %c[n, d], %b[n] : tensor<?x2x8xui8, #weft.bounds<T to 40>>, tensor<6x8xi8>, tensor<6xf32>) attributes {apart, weft.label = "y", weft.lane = 0 : i64} {
  ^bb0(%0: i32, %1: i32, %2: f32):
    %3 = arith.subi %0, %1 : i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.addf %4, %2 : f32
    weft.yield %5 : f32
  } -> tensor<?x6xf32, #weft.bounds<T to 40>>
  return %y : tensor<?x6xf32, #weft.bounds<T to 40>>
}

// What an epilogue reads of a chosen matrix is read at the choice, or of the first one.
// CHECK-LABEL: func.func @chosen
// CHECK: %[[SUMS:.+]] = weft.contract [t in 4, plane in 2, n in 6, d in 8, e in 3] ins(%{{.+}}[t, plane, d], %{{.+}}[e, n, d], %[[C:.+]][t] : {{.*}} attributes {chosen} -> tensor<4x2x6xi32>
// CHECK: weft.map [t in 4, n in 6] ins(%[[SUMS]][t, 0, n], %[[SUMS]][t, 1, n], %[[C]][t] :
// CHECK: ^bb0(%{{.+}}: i32, %{{.+}}: i32, %[[CHOICE:.+]]: i32):
// CHECK: %[[CAST:.+]] = arith.index_cast %[[CHOICE]] : i32 to index
// CHECK: %[[KNOWN:.+]] = arith.cmpi ult, %[[CAST]], %c3
// CHECK: %[[E:.+]] = arith.select %[[KNOWN]], %[[CAST]], %c0
// CHECK: weft.at %{{.+}}[%[[E]], %{{.+}}] inbounds : tensor<3x6xi32>
func.func @chosen(%q: tensor<4x2x8xui8>, %c: tensor<3x6x8xi8>, %e: tensor<4xi32>, %z: tensor<3x6xi32>) -> tensor<4x6xi32> {
  %y = weft.contract [t in 4, n in 6, d in 8, plane in 2, e in 3] ins(%q[t, plane, d], %c[e, n, d], %e[t], %z[e, n] : tensor<4x2x8xui8>, tensor<3x6x8xi8>, tensor<4xi32>, tensor<3x6xi32>) attributes {apart, chosen} {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.addi %0, %1 : i32
    %4 = arith.subi %3, %2 : i32
    weft.yield %4 : i32
  } -> tensor<4x6xi32>
  return %y : tensor<4x6xi32>
}

// Rows that are stored behind columns.
// CHECK-LABEL: func.func @across
// CHECK: %[[SUMS:.+]] = weft.contract [n in 6, t in 4, plane in 2, d in 8] ins(%{{.+}}[n, d], %{{.+}}[t, plane, d] : {{.*}} -> tensor<6x4x2xi32>
// CHECK: weft.map [n in 6, t in 4] ins(%[[SUMS]][n, t, 0], %[[SUMS]][n, t, 1] :
func.func @across(%q: tensor<4x2x8xui8>, %c: tensor<6x8xi8>) -> tensor<6x4xi32> {
  %y = weft.contract [n in 6, t in 4, d in 8, plane in 2] ins(%c[n, d], %q[t, plane, d] : tensor<6x8xi8>, tensor<4x2x8xui8>) attributes {apart} {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.addi %0, %1 : i32
    weft.yield %2 : i32
  } -> tensor<6x4xi32>
  return %y : tensor<6x4xi32>
}

// Must not fire: one sum.
// CHECK-LABEL: func.func @one
// CHECK-NOT: weft.map
// CHECK: return
func.func @one(%q: tensor<4x8xui8>, %c: tensor<6x8xi8>) -> tensor<4x6xi32> {
  %y = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %c[n, d] : tensor<4x8xui8>, tensor<6x8xi8>) -> tensor<4x6xi32>
  return %y : tensor<4x6xi32>
}
