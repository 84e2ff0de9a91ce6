// RUN: weft-opt --weft-outline-kernels --split-input-file %s | FileCheck %s

// Two formulas with the same text are one kernel, whatever they are called; captured scalars and
// gathered tensors move in.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<4xf32>, %[[U:[a-z0-9]*]]: memref<4xf32>, %[[Y:[a-z0-9]*]]: memref<4xf32> {weft.output}, %[[Z:[a-z0-9]*]]: memref<4xf32> {weft.name = "z", weft.output})
// CHECK: weft.launch @a.map ins(%[[X]], %[[U]] : memref<4xf32>, memref<4xf32>) outs(%[[Y]] : memref<4xf32>)
// CHECK: weft.launch @a.map ins(%[[Y]], %[[U]] : {{.*}}) outs(%[[Z]] : {{.*}})
// CHECK: func.func private @a.map
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2
// CHECK-NEXT: weft.map
// CHECK-NOT: func.func
func.func @shared(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {weft.name = "z"}) attributes {weft.entry} {
  %two = arith.constant 2.0 : f32
  %a = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) attributes {weft.label = "a"} {
  ^bb0(%0: f32):
    %i = weft.index 0
    %1 = weft.at %unused[%i] : tensor<4xf32>
    %2 = arith.mulf %0, %two : f32
    %3 = arith.addf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<4xf32>
  %b = weft.map [i in 4] ins(%a[i] : tensor<4xf32>) attributes {weft.label = "b"} {
  ^bb0(%0: f32):
    %i = weft.index 0
    %1 = weft.at %unused[%i] : tensor<4xf32>
    %2 = arith.mulf %0, %two : f32
    %3 = arith.addf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is returned as it came, or twice, is copied; constants are globals.
// CHECK: memref.global "private" constant @constant.1 : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]> {alignment = 64 : i64}
// CHECK-LABEL: func.func @copies
// CHECK: %[[C:.*]] = memref.get_global @constant.1
// CHECK: weft.launch @copy.map ins(%arg0 : {{.*}}) outs(%arg1 : {{.*}})
// CHECK: weft.launch @copy.map ins(%[[C]] : {{.*}}) outs(%arg2 : {{.*}})
func.func @copies(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {weft.entry} {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %x, %c : tensor<2xf32>, tensor<2xf32>
}
