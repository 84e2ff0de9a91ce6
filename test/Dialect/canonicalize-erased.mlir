// Whatever a pattern erases is taken off the driver's list: it is not looked at again (MLIR's own memory, so Valgrind's
// business and not a sanitizer's).
// RUN: valgrind -q --error-exitcode=9 weft-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @true_predicate
// CHECK: weft.reduce sum
// CHECK-NOT: arith.constant true
func.func @true_predicate(%x: tensor<4xf32>) -> tensor<f32> {
  %y = weft.reduce sum [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %true = arith.constant true
    weft.yield %true : i1
  } -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func @identity_epilogue
// CHECK: weft.contract
func.func @identity_epilogue(%x: tensor<4xf32>) -> tensor<f32> {
  %z = weft.contract [i in 4] ins(%x[i], %x[i] : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  return %z : tensor<f32>
}
