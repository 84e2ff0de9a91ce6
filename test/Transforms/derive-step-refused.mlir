// RUN: weft-opt %s --weft-derive-step --split-input-file --verify-diagnostics -o /dev/null
// RUN: not weft-opt %s --weft-derive-step=require --split-input-file -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: 'y' looks ahead: index 's' is not held at or before position 't'
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @bidirectional(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = ["y", "T"]} {
    // expected-remark @+1 {{'y' looks ahead: index 's' is not held at or before position 't': generation computes every position again}}
    %y = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
        ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) attributes {weft.label = "y"} {
    ^bb0(%1: f32):
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: 'next' looks ahead: dimension 0 of what it reads is not held
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @next(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = ["y", "T"]} {
    // expected-remark @+1 {{'next' looks ahead}}
    %y = weft.map [t in T to 32, d in 8] attributes {weft.label = "next"} {
      %t = weft.index 0
      %d = weft.index 1
      %c1 = arith.constant 1 : index
      %0 = arith.addi %t, %c1 : index
      // expected-note @+1 {{it is read here}}
      %1 = weft.at %x[%0, %d] : !x
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: 'mean' looks ahead: it runs over all positions of index 't'
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @pooled(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = ["y", "T"]} {
    // expected-remark @+1 {{'mean' looks ahead: it runs over all positions of index 't'}}
    %m = weft.reduce mean [d in 8, t in T to 32] ins(%x[t, d] : !x) attributes {weft.label = "mean"} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<8xf32>
    %y = weft.map [t in T to 32, d in 8] ins(%x[t, d], %m[d] : !x, tensor<8xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.subf %0, %1 : f32
      weft.yield %2 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: 'turned' looks ahead: it depends on the length 'T' of the whole sequence
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @length(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = ["y", "T"]} {
    // expected-remark @+1 {{'turned' looks ahead: it depends on the length 'T' of the whole sequence}}
    %y = weft.map [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {weft.label = "turned"} {
    ^bb0(%0: f32):
      %n = weft.size "T" : index
      %1 = arith.index_cast %n : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.mulf %0, %2 : f32
      weft.yield %3 : f32
    } -> !x
    return %y : !x
  }
}
