// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// Rows minus their mean, over the mean distance from it, and both numbers.
// CHECK-LABEL: norm
// CHECK-NEXT: tensor 2x4 real {{\[\[}}-1, 1, -1, 1], [-2, 0, 0, 2]]
// CHECK-NEXT: tensor 2 real [3, 0]
// CHECK-NEXT: tensor 2 real [2, 4]
func.func @norm() -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[[1.0, 5.0, 1.0, 5.0], [-8.0, 0.0, 0.0, 8.0]]> : tensor<2x4xf32>
  %y:3 = weft.row axis 1 [t in 2, d in 4] ins(%x[t, d] : tensor<2x4xf32>)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>, affine_map<(t, d) -> (t)>]} mean {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } mean {
  ^bb0(%mean: f32, %0: f32):
    %1 = arith.subf %0, %mean : f32
    %2 = math.absf %1 : f32
    weft.yield %2 : f32
  } element {
  ^bb0(%mean: f32, %distance: f32, %0: f32):
    %1 = arith.subf %0, %mean : f32
    %2 = arith.divf %1, %distance : f32
    weft.yield %2, %mean, %distance : f32, f32, f32
  } -> tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>
  return %y#0, %y#1, %y#2 : tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>
}

// Rows across, in bytes of their largest element; the output is rounded as it is stored, the maximum is not.
// CHECK-LABEL: across
// CHECK-NEXT: tensor 2x2 int {{\[\[}}127, 63], [31, 127]]
// CHECK-NEXT: tensor 2 real [8, 2]
func.func @across() -> (tensor<2x2xui8>, tensor<2xf32>) {
  %x = arith.constant dense<[[8.0, 1.0], [2.0, 2.0]]> : tensor<2x2xf32>
  %y:2 = weft.row axis 0 [t in 2, d in 2] ins(%x[t, d] : tensor<2x2xf32>)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (d)>]} max {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%max: f32, %0: f32):
    %c = arith.constant 127.0 : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.divf %1, %max : f32
    %3 = arith.fptosi %2 : f32 to i32
    weft.yield %3, %max : i32, f32
  } -> tensor<2x2xui8>, tensor<2xf32>
  return %y#0, %y#1 : tensor<2x2xui8>, tensor<2xf32>
}
