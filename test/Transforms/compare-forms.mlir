// The tool that compares a module before and after passes, on random inputs and weights.
// RUN: weft-opt %s --weft-compare-forms='pipeline=weft-fusion-pipeline' -o /dev/null | FileCheck %s
// CHECK: main: 18 formulas and outputs agree
// RUN: not weft-opt %s --weft-compare-forms='pipeline=test-double' -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'test-double' does not refer to a registered pass or pass pipeline
!x = tensor<?x8xf32, #weft.bounds<T to 64>>
!p = tensor<?x?xf32, #weft.bounds<T to 64, T to 64>>
!ids = tensor<?xi32, #weft.bounds<T to 64>>
module attributes {weft.symbols = #weft.bounds<T to 64>} {
  func.func private @layer(%x: !x, %w: tensor<8x8xf32>) -> !x {
    %score = weft.contract [t in T to 64, s in T to 64, d in 8] ins(%x[t, d], %x[s, d] : !x, !x)
        attributes {weft.label = "score"} -> !p
    %p = weft.softmax softmax axis 1 [t in T to 64, s in T to 64] ins(%score[t, s] : !p)
        attributes {weft.label = "weight"} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> !p
    %c = weft.contract [t in T to 64, d in 8, s in T to 64] ins(%p[t, s], %x[s, d] : !p, !x)
        attributes {weft.label = "context"} -> !x
    %y = weft.contract [t in T to 64, f in 8, d in 8] ins(%c[t, d], %w[f, d] : !x, tensor<8x8xf32>)
        attributes {weft.label = "y"} -> !x
    return %y : !x
  }
  func.func @main(%ids: !ids) -> !x attributes {weft.entry} {
    weft.check "ids" [t in T to 64] ins(%ids[t] : !ids) {
    ^bb0(%0: i32):
      %c = arith.constant 10 : i32
      %1 = arith.cmpi ult, %0, %c : i32
      weft.yield %1 : i1
    }
    %table = weft.weight "table" : tensor<10x8xf32>
    %x = weft.map [t in T to 64, d in 8] ins(%ids[t] : !ids) attributes {weft.label = "x"} {
    ^bb0(%0: i32):
      %d = weft.index 1
      %1 = arith.index_cast %0 : i32 to index
      %2 = weft.at %table[%1, %d] : tensor<10x8xf32>
      %3 = math.sin %2 : f32
      weft.yield %3 : f32
    } -> !x
    %w0 = weft.weight "l.0" : tensor<8x8xf32>
    %w1 = weft.weight "l.1" : tensor<8x8xf32>
    %y = call @layer(%x, %w0) : (!x, tensor<8x8xf32>) -> !x
    %z = call @layer(%y, %w1) : (!x, tensor<8x8xf32>) -> !x
    return %z : !x
  }
}
