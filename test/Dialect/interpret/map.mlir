// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s
module attributes {test.symbols = {T = 3 : i64}} {
  // CHECK-LABEL: broadcast
  // CHECK-NEXT: tensor 2x3 real {{\[\[}}11, 22, 33], [14, 25, 36]]
  func.func @broadcast() -> tensor<2x3xf32> {
    %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %b = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
    %y = weft.map [i in 2, j in 3] ins(%x[i, j], %b[j] : tensor<2x3xf32>, tensor<3xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      weft.yield %2 : f32
    } -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }

  // The output map is the stored layout.
  // CHECK-LABEL: transposed
  // CHECK-NEXT: tensor 3x2 real {{\[\[}}1, 4], [2, 5], [3, 6]]
  func.func @transposed() -> tensor<3x2xf32> {
    %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %y = weft.map [i in 2, j in 3] ins(%x[i, j] : tensor<2x3xf32>)
        attributes {output_map = affine_map<(i, j) -> (j, i)>} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }

  // CHECK-LABEL: gather
  // CHECK-NEXT: tensor 3x2 real {{\[\[}}5, 6], [0, 0], [1, 2]]
  func.func @gather() -> tensor<?x2xf32, #weft.bounds<T to 8>> {
    %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %ids = arith.constant dense<[2, -1, 0]> : tensor<3xi32>
    %y = weft.map [t in T to 8, d in D = 2] {
      %t = weft.index 0
      %d = weft.index 1
      %0 = weft.at %ids[%t] : tensor<3xi32>
      %1 = arith.index_cast %0 : i32 to index
      %2 = weft.at %table[%1, %d] : tensor<3x2xf32>
      weft.yield %2 : f32
    } -> tensor<?x2xf32, #weft.bounds<T to 8>>
    return %y : tensor<?x2xf32, #weft.bounds<T to 8>>
  }
}
