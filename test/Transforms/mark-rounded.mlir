// RUN: weft-opt --weft-mark-rounded %s | FileCheck %s
// RUN: weft-opt --weft-mark-rounded --weft-fuse-elementwise %s | FileCheck %s --check-prefix=FUSED

// A product that is the value of a formula stays one of its own where it is computed in the sum that reads it.
// CHECK-LABEL: @value
// CHECK: arith.mulf %{{.*}}, %{{.*}} {weft.rounded} : f32
// FUSED-LABEL: @value
// FUSED: weft.map
// FUSED: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} {weft.rounded} : f32
// FUSED: arith.addf %[[PRODUCT]], %{{.*}} : f32
// FUSED-NOT: weft.map
// FUSED: return
func.func @value(%x: tensor<8xf32>, %g: tensor<8xf32>, %p: tensor<8xf32>) -> tensor<8xf32> {
  %z = weft.map [i in I = 8] ins(%x[i], %g[i] : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8xf32>
  %u = weft.map [i in I = 8] ins(%z[i], %p[i] : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8xf32>
  return %u : tensor<8xf32>
}

// The largest of products is one of them.
// CHECK-LABEL: @largest
// CHECK: weft.reduce max
// CHECK: arith.mulf %{{.*}}, %{{.*}} {weft.rounded} : f32
func.func @largest(%x: tensor<8xf32>) -> tensor<f32> {
  %y = weft.reduce max [i in I = 8] ins(%x[i] : tensor<8xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// Must not fire: products that a sum adds up, or that the formula itself adds something to.
// CHECK-LABEL: @sums
// CHECK-NOT: weft.rounded
// CHECK: return
func.func @sums(%x: tensor<8xf32>, %p: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  %y = weft.reduce sum [i in I = 8] ins(%x[i] : tensor<8xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  } -> tensor<f32>
  %u = weft.map [i in I = 8] ins(%x[i], %p[i] : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %0 : f32
    %3 = arith.addf %2, %1 : f32
    weft.yield %3 : f32
  } -> tensor<8xf32>
  return %y, %u : tensor<f32>, tensor<8xf32>
}
