// RUN: weft-opt %s --split-input-file --weft-expose-formulas --verify-diagnostics | FileCheck %s
// RUN: weft-opt %s --split-input-file --weft-expose-formulas=max-bytes=127 --verify-diagnostics | FileCheck %s --check-prefix=SMALL

!x = tensor<?x2xf32, #weft.bounds<T to 16>>
module attributes {weft.symbols = #weft.bounds<T to 16>} {
// CHECK-NOT: @layer
func.func private @layer(%x: !x) -> !x {
  %h = weft.map [t in T to 16, d in 2] ins(%x[t, d] : !x) attributes {weft.label = "h"} {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> !x loc("m.weft":3:5)
  %y = weft.map [t in T to 16, d in 2] ins(%h[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = arith.negf %0 : f32
    weft.yield %1 : f32
  } -> !x
  return %y : !x
}
// Both formulas of the layer become results; a value that is returned already is not returned twice.
// CHECK: func.func @main
// CHECK-SAME: -> (tensor<{{[^{]*}} {weft.name = "out"},
// CHECK-SAME: {weft.location = "m.weft:3:5", weft.name = "h"},
// CHECK-SAME: {weft.location = "m.weft:3:5", weft.name = "h#2"}) attributes {weft.entry}
// CHECK: return %z, %h, %h_{{[0-9]}} :
// SMALL: func.func @main
// SMALL-SAME: -> (tensor<{{[^{]*}} {weft.name = "out"}) attributes
func.func @main(%x: !x) -> (!x {weft.name = "out"}) attributes {weft.entry} {
  %a = call @layer(%x) : (!x) -> !x
  %b = call @layer(%a) : (!x) -> !x
  %z = weft.map [t in T to 16, d in 2] ins(%b[t, d] : !x) attributes {weft.label = "z"} {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> !x
  return %z : !x
}
}

// -----

// What cannot be inlined hides its formulas.
func.func private @foreign(tensor<4xf32>) -> tensor<4xf32>
// expected-error @+1 {{'calls' calls a function that cannot be inlined}}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weft.entry} {
  %a = call @foreign(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
