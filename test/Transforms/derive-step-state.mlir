// RUN: weft-opt %s --weft-derive-step --split-input-file --verify-diagnostics | FileCheck %s

// What an output holds, the input of its name gets in the next call: such a model needs no step.
// CHECK-LABEL: func.func @total(
// CHECK-NOT: _step
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @total(%x: !x {weft.name = "x"}, %m: tensor<8xf32> {weft.name = "m"})
      -> (!x {weft.name = "y"}, tensor<8xf32> {weft.name = "m"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %y = weft.map [t in T to 32, d in 8] ins(%x[t, d], %m[d] : !x, tensor<8xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      weft.yield %2 : f32
    } -> !x
    %n = weft.map [d in 8] ins(%m[d] : tensor<8xf32>) {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      weft.yield %1 : f32
    } -> tensor<8xf32>
    return %y, %n : !x, tensor<8xf32>
  }
}

// -----

// Of a tensor of the positions each call has its own rows: it is no state.
// CHECK-LABEL: func.func @same(
// CHECK: func.func @same_step(
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @same(%x: !x {weft.name = "x"}) -> (!x {weft.name = "x"})
      attributes {weft.entry, weft.generate = #weft.generate<"x", along = "T">} {
    %y = weft.map [t in T to 32, d in 8] ins(%x[t, d] : !x) {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
}
