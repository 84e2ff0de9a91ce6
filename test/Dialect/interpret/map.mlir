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
        attributes {output_maps = [affine_map<(i, j) -> (j, i)>]} {
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

  // Elements are rounded, or cut, where they are stored.
  // CHECK-LABEL: stored
  // CHECK-NEXT: tensor 3 real [1, 1.00781, 65536]
  // CHECK-NEXT: tensor 3 real [1.00098, 1.00586, inf]
  // CHECK-NEXT: tensor 3 int [1, -56, 44]
  func.func @stored() -> (tensor<3xbf16>, tensor<3xf16>, tensor<3xi8>) {
    %x = arith.constant dense<[1.001, 1.006, 65520.0]> : tensor<3xf32>
    %n = arith.constant dense<[1, 200, 300]> : tensor<3xi32>
    %a = weft.map [i in 3] ins(%x[i] : tensor<3xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3xbf16>
    %b = weft.map [i in 3] ins(%x[i] : tensor<3xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3xf16>
    %c = weft.map [i in 3] ins(%n[i] : tensor<3xi32>) {
    ^bb0(%0: i32):
      weft.yield %0 : i32
    } -> tensor<3xi8>
    return %a, %b, %c : tensor<3xbf16>, tensor<3xf16>, tensor<3xi8>
  }

  // CHECK-LABEL: unsigned
  // CHECK-NEXT: tensor 3 int [1, 200, 44]
  // CHECK-NEXT: tensor 3 int [2, 400, 88]
  func.func @unsigned() -> (tensor<3xui8>, tensor<3xi32>) {
    %n = arith.constant dense<[1, 200, 300]> : tensor<3xi32>
    %a = weft.map [i in 3] ins(%n[i] : tensor<3xi32>) {
    ^bb0(%0: i32):
      weft.yield %0 : i32
    } -> tensor<3xui8>
    %b = weft.map [i in 3] ins(%a[i] : tensor<3xui8>) {
    ^bb0(%0: i32):
      %1 = arith.addi %0, %0 : i32
      weft.yield %1 : i32
    } -> tensor<3xi32>
    return %a, %b : tensor<3xui8>, tensor<3xi32>
  }

  // CHECK-LABEL: read
  // CHECK-NEXT: tensor 2 int [-3, 254]
  func.func @read() -> tensor<2xi32> {
    %x = arith.constant dense<[-1, 127]> : tensor<2xi8>
    %y = weft.map [i in 2] ins(%x[i] : tensor<2xi8>) {
    ^bb0(%0: i32):
      %i = weft.index 0
      %1 = weft.at %x[%i] : tensor<2xi8>
      %2 = arith.addi %0, %1 : i32
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %less = arith.cmpi slt, %0, %zero : i32
      %3 = arith.select %less, %one, %zero : i32
      %4 = arith.subi %2, %3 : i32
      weft.yield %4 : i32
    } -> tensor<2xi32>
    return %y : tensor<2xi32>
  }
}
