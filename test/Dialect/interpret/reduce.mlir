// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: kinds
// CHECK-NEXT: tensor 2 real [6, 3]
// CHECK-NEXT: tensor 2 real [2, 1]
// CHECK-NEXT: tensor 2 real [3, 9]
// CHECK-NEXT: tensor 2 real [1, -4]
// CHECK-NEXT: tensor 2 real [6, 72]
// CHECK-NEXT: tensor 2 int [2, 1]
func.func @kinds() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [-2.0, 9.0, -4.0]]> : tensor<2x3xf32>
  %sum = weft.reduce sum [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  %mean = weft.reduce mean [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  %max = weft.reduce max [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  %min = weft.reduce min [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  %prod = weft.reduce prod [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  %argmax = weft.reduce argmax [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xi32>
  return %sum, %mean, %max, %min, %prod, %argmax : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}

// The mean divides by the number of elements that count; nothing at all is 0.
// CHECK-LABEL: predicate
// CHECK-NEXT: tensor 3 real [0, 1, 1.5]
func.func @predicate() -> tensor<3xf32> {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %mean = weft.reduce mean [i in 3, j in 3] ins(%x[j] : tensor<3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %i = weft.index 0
    %j = weft.index 1
    %c = arith.cmpi slt, %j, %i : index
    weft.yield %c : i1
  } -> tensor<3xf32>
  return %mean : tensor<3xf32>
}

// The j-th largest, ties by position; the first of equal elements is the largest.
// CHECK-LABEL: argtop
// CHECK-NEXT: tensor 4 int [1, 3, 2, 0]
// CHECK-NEXT: tensor int 1
func.func @argtop() -> (tensor<4xi32>, tensor<i32>) {
  %x = arith.constant dense<[1.0, 7.0, 5.0, 7.0]> : tensor<4xf32>
  %top = weft.reduce argtop [k in 4, j in 4] ins(%x[j] : tensor<4xf32>) {
  ^bb0(%0: f32):
    %k = weft.index 0
    weft.yield %0, %k : f32, index
  } -> tensor<4xi32>
  %first = weft.reduce argmax [j in 4] ins(%x[j] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<i32>
  return %top, %first : tensor<4xi32>, tensor<i32>
}
