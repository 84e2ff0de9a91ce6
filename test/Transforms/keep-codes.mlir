// RUN: weft-opt %s --weft-keep-codes | FileCheck %s
// RUN: weft-opt %s --weft-keep-codes="store=int8" | FileCheck %s --check-prefix=PLAIN
// RUN: weft-opt %s --weft-keep-codes="compute=int8" | FileCheck %s --check-prefix=PLAIN
// RUN: weft-opt %s --weft-keep-codes="tensors=a=f32" | FileCheck %s --check-prefix=ONE
// RUN: not weft-opt %s --weft-keep-codes="store=int5" 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not weft-opt %s --weft-keep-codes="compute=int5" 2>&1 | FileCheck %s --check-prefix=COMPUTE
// STORE: error: unknown type 'int5' in option store
// COMPUTE: error: unknown type in option compute
// PLAIN-NOT: coded
// ONE-NOT: weft.weight "a" coded
// ONE: weft.weight "b" coded

// Two layers of different codes become two functions; groups of a whole matrix are those of a row; a table is read element by element.
// CHECK-DAG: weft.weight "a" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "int4*f16"> : tensor<6x64xf32>
// CHECK-DAG: weft.weight "b" coded <reals along [1] of [6, 64] group = 64 table = "int8*f32"> : tensor<6x64xf32>
// CHECK-DAG: weft.weight "t" coded <reals along [1] of [9, 64] bits = 4 group = 16 table = "uint4*i8+i8 of f16/4"> : tensor<9x64xf32>
// Rows that a product sums over are none of the checkpoint's.
// CHECK-DAG: weft.weight "across" : tensor<64x64xf32>
// What is no factor.
// CHECK-DAG: weft.weight "bias" : tensor<6x64xf32>
// CHECK-DAG: call @layer(
// CHECK-DAG: call @layer_0(
func.func private @layer(%x: tensor<5x64xf32>, %w: tensor<6x64xf32>) -> tensor<5x6xf32> {
  %0 = weft.contract [t in 5, n in 6, k in 64] ins(%x[t, k], %w[n, k] : tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

func.func @main(%x: tensor<5x64xf32>, %ids: tensor<5xi32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x64xf32>, tensor<5x64xf32>, tensor<6x64xf32>) attributes {weft.entry} {
  %a = weft.weight "a" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "int4*f16"> : tensor<6x64xf32>
  %b = weft.weight "b" coded <reals along [1] of [6, 64] group = 0 table = "int8*f32"> : tensor<6x64xf32>
  %t = weft.weight "t" coded <reals along [1] of [9, 64] bits = 4 group = 16 table = "uint4*i8+i8 of f16/4"> : tensor<9x64xf32>
  %across = weft.weight "across" coded <reals along [1] of [64, 64] bits = 4 group = 32 table = "int4*f16"> : tensor<64x64xf32>
  %bias = weft.weight "bias" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "int4*f16"> : tensor<6x64xf32>
  %0 = call @layer(%x, %a) : (tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  %1 = call @layer(%x, %b) : (tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  %2 = weft.map [i in 5, c in 64] ins(%ids[i] : tensor<5xi32>) {
  ^bb0(%id: i32):
    %at = arith.index_cast %id : i32 to index
    %c = weft.index 1
    %e = weft.at %t[%at, %c] : tensor<9x64xf32>
    weft.yield %e : f32
  } -> tensor<5x64xf32>
  %3 = weft.contract [i in 5, n in 64, k in 64] ins(%x[i, k], %across[k, n] : tensor<5x64xf32>, tensor<64x64xf32>) -> tensor<5x64xf32>
  %4 = weft.map [i in 6, c in 64] ins(%bias[i, c] : tensor<6x64xf32>) {
  ^bb0(%one: f32):
    %two = arith.addf %one, %one : f32
    weft.yield %two : f32
  } -> tensor<6x64xf32>
  return %0, %1, %2, %3, %4 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x64xf32>, tensor<5x64xf32>, tensor<6x64xf32>
}
