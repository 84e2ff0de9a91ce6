// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// The same product with both orders of the weight's dimensions.
// CHECK-LABEL: product
// CHECK-NEXT: tensor 2x2 real {{\[\[}}14, 32], [32, 77]]
// CHECK-NEXT: tensor 2x2 real {{\[\[}}9, 12], [18, 27]]
func.func @product() -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %w = arith.constant dense<[[0.0, 1.0], [0.0, 1.0], [3.0, 3.0]]> : tensor<3x2xf32>
  %y = weft.contract [t in 2, f in 2, d in 3] ins(%x[t, d], %x[f, d] : tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %z = weft.contract [t in 2, f in 2, d in 3] ins(%x[t, d], %w[d, f] : tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: scale_and_epilogue
// CHECK-NEXT: tensor 2 real [107, 216]
func.func @scale_and_epilogue() -> tensor<2xf32> {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %v = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = arith.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %y = weft.contract [t in 2, d in 3] ins(%x[t, d], %v[d], %b[t] : tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>)
      attributes {scale = 0.5 : f64} {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Grouped heads: two query heads share a key head.
// CHECK-LABEL: groups
// CHECK-NEXT: tensor 4 real [10, 20, 60, 80]
func.func @groups() -> tensor<4xf32> {
  %x = arith.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %k = arith.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %y = weft.contract [h in 4, c in 1] ins(%x[h, c], %k[h floordiv 2, c] : tensor<4x1xf32>, tensor<2x1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Two sums of each element, scaled each; of a chosen matrix, too.
// CHECK-LABEL: apart
// CHECK-NEXT: tensor 2x2 real {{\[\[}}-7.5, -18], [-13.5, -42]]
// CHECK-NEXT: tensor 2x2 real {{\[\[}}2, 2], [6, 8]]
func.func @apart() -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 10.0]]]> : tensor<2x2x2xf32>
  %w = arith.constant dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %v = arith.constant dense<[[[1.0, 1.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf32>
  %c = arith.constant dense<[1, 0]> : tensor<2xi32>
  %y = weft.contract [t in 2, f in 2, d in 2, p in 2] ins(%x[t, p, d], %w[f, d] : tensor<2x2x2xf32>, tensor<2x2xf32>) attributes {apart, scale = 1.5 : f64} {
  ^bb0(%first: f32, %second: f32):
    %0 = arith.addf %second, %second : f32
    %1 = arith.subf %first, %0 : f32
    weft.yield %1 : f32
  } -> tensor<2x2xf32>
  %z = weft.contract [t in 2, f in 2, d in 2, p in 2, e in 2] ins(%x[t, p, d], %v[e, f, d], %c[t] : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xi32>) attributes {apart, chosen} {
  ^bb0(%first: f32, %second: f32):
    %0 = arith.subf %second, %first : f32
    weft.yield %0 : f32
  } -> tensor<2x2xf32>
  return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
}

// Each row with the matrix of its choice and that one's bias; what is no matrix is the first.
// CHECK-LABEL: chosen
// CHECK-NEXT: tensor 4x2 real {{\[\[}}112, 113], [204, 203], [106, 113], [108, 115]]
func.func @chosen() -> tensor<4x2xf32> {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %w = arith.constant dense<[[[0.0, 1.0], [1.0, 0.0]], [[2.0, 5.0], [3.0, 5.0]], [[0.0, 1.0], [1.0, 0.0]]]> : tensor<3x2x2xf32>
  %b = arith.constant dense<[[100.0, 108.0], [100.0, 100.0], [200.0, 200.0]]> : tensor<3x2xf32>
  %c = arith.constant dense<[1, 2, -1, 7]> : tensor<4xi32>
  %y = weft.contract [t in 4, f in 2, d in 2, e in 3] ins(%x[t, d], %w[e, f, d], %c[t], %b[e, f] : tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<4xi32>, tensor<3x2xf32>) attributes {chosen} {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
