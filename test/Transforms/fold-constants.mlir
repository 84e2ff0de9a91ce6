// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weft-fold-constants))' | FileCheck %s
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weft-fold-constants{max-bytes=8}))' | FileCheck %s --check-prefix=LIMIT

// A table of functions of the position; the cheap map it reads is evaluated with it.
// CHECK-LABEL: func @table
// CHECK-NOT: weft.map
// CHECK: arith.constant dense<[1.000000e+00, 0.540302277, -0.416146845]> : tensor<3xf32>
// LIMIT-LABEL: func @table
// LIMIT-NOT: dense
// LIMIT-LABEL: func @sum
func.func @table() -> tensor<3xf32> {
  %position = weft.map [t in 3] {
    %t = weft.index 0
    %0 = arith.index_cast %t : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    weft.yield %1 : f32
  } -> tensor<3xf32>
  %y = weft.map [t in 3] ins(%position[t] : tensor<3xf32>) {
  ^bb0(%0: f32):
    %1 = math.cos %0 : f32
    weft.yield %1 : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Every element is rounded once, from the float64 result.
// CHECK-LABEL: func @sum
// CHECK: arith.constant dense<1.00000012> : tensor<f32>
func.func @sum() -> tensor<f32> {
  %x = arith.constant dense<[1.0, 4.0e-8, 4.0e-8]> : tensor<3xf32>
  %y = weft.reduce sum [t in 3] ins(%x[t] : tensor<3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Asked for by the text.
// CHECK-LABEL: func @asked
// CHECK: arith.constant dense<[0, 1, 2]> : tensor<3xi32>
func.func @asked() -> tensor<3xi32> {
  %y = weft.map [t in 3] attributes {weft.constant} {
    %t = weft.index 0
    %0 = arith.index_cast %t : index to i32
    weft.yield %0 : i32
  } -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// -----

// Index arithmetic stays: it is cheaper to compute and the fusions read it.
// CHECK-LABEL: func @must_not_cheap
// CHECK: weft.map
func.func @must_not_cheap() -> tensor<3x3xi1> {
  %y = weft.map [t in 3, s in 3] {
    %t = weft.index 0
    %s = weft.index 1
    %0 = arith.cmpi sle, %s, %t : index
    weft.yield %0 : i1
  } -> tensor<3x3xi1>
  return %y : tensor<3x3xi1>
}

// -----

// CHECK-LABEL: func @must_not_input
// CHECK: math.cos
// CHECK: math.sin
func.func @must_not_input(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = weft.map [t in 3] ins(%x[t] : tensor<3xf32>) {
  ^bb0(%0: f32):
    %1 = math.cos %0 : f32
    weft.yield %1 : f32
  } -> tensor<3xf32>
  %z = weft.map [t in 3] {
    %t = weft.index 0
    %0 = weft.at %x[%t] : tensor<3xf32>
    %1 = math.sin %0 : f32
    weft.yield %1 : f32
  } -> tensor<3xf32>
  return %y, %z : tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @must_not_weight
// CHECK: math.cos
func.func @must_not_weight() -> tensor<3xf32> {
  %x = weft.weight "w" : tensor<3xf32>
  %y = weft.map [t in 3] ins(%x[t] : tensor<3xf32>) {
  ^bb0(%0: f32):
    %1 = math.cos %0 : f32
    weft.yield %1 : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// CHECK-LABEL: func @must_not_symbol
// CHECK: math.cos
// CHECK: math.sin
func.func @must_not_symbol() -> (tensor<?xf32, #weft.bounds<T to 4>>, tensor<2xf32>) {
  %one = arith.constant 1.0 : f32
  %y = weft.map [t in T to 4] {
    %0 = math.cos %one : f32
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 4>>
  %z = weft.map [t in 2] {
    %n = weft.size "T" : index
    %0 = arith.index_cast %n : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = math.sin %1 : f32
    weft.yield %2 : f32
  } -> tensor<2xf32>
  return %y, %z : tensor<?xf32, #weft.bounds<T to 4>>, tensor<2xf32>
}

// -----

// Elements are rounded as the tensor stores them, and what reads them sees that.
// CHECK-LABEL: func @rounded
// CHECK-DAG: dense<[1.000000e+00, 1.007810e+00]> : tensor<2xbf16>
// CHECK-DAG: dense<[1.000000e+00, 1.0078125]> : tensor<2xf32>
// CHECK-DAG: dense<[-56, 44]> : tensor<2xi8>
func.func @rounded() -> (tensor<2xbf16>, tensor<2xf32>, tensor<2xi8>) {
  %x = arith.constant dense<[1.001, 1.006]> : tensor<2xf32>
  %n = arith.constant dense<[200, 300]> : tensor<2xi32>
  %y = weft.map [t in 2] ins(%x[t] : tensor<2xf32>) attributes {weft.constant} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xbf16>
  %z = weft.map [t in 2] ins(%y[t] : tensor<2xbf16>) attributes {weft.constant} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  %i = weft.map [t in 2] ins(%n[t] : tensor<2xi32>) attributes {weft.constant} {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  } -> tensor<2xi8>
  return %y, %z, %i : tensor<2xbf16>, tensor<2xf32>, tensor<2xi8>
}
