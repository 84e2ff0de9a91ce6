// RUN: weft-opt %s --weft-derive-step --split-input-file --verify-diagnostics -o /dev/null
// RUN: not weft-opt %s --weft-derive-step=require --split-input-file -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: 'y' looks ahead: index 's' is not held at or before position 't'
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @bidirectional(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
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
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
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
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
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
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
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

// -----

// CHECK: error: the length 'T' is fixed, so no step along it can be derived
// expected-remark @+1 {{the length 'T' is fixed, so no step along it can be derived}}
func.func @fixed(%x: tensor<32x8xf32> {weft.name = "x"}) -> (tensor<32x8xf32> {weft.name = "y"})
    attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
  return %x : tensor<32x8xf32>
}

// -----

// CHECK: error: this formula needs new positions along two dimensions of one tensor
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!s = tensor<?x?xf32, #weft.bounds<T to 32, T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @row_and_column(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %p = weft.contract [t in T to 32, s in T to 32, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
    // expected-remark @+1 {{this formula needs new positions along two dimensions of one tensor}}
    %y = weft.map [t in T to 32, d in 8] ins(%p[t, 0], %p[0, t] : !s, !s) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      weft.yield %2 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: 'sums' reads a tensor of position pairs across positions, which no cache holds
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!s = tensor<?x?xf32, #weft.bounds<T to 32, T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @pairs(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-note @+1 {{the tensor is made here}}
    %p = weft.contract [t in T to 32, s in T to 32, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
    // expected-remark @+1 {{'sums' reads a tensor of position pairs across positions, which no cache holds}}
    %y = weft.reduce sum [t in T to 32, d in 8, s in T to 32] ins(%p[s, 0] : !s) attributes {weft.label = "sums"} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } where {
    ^bb0(%0: f32):
      %t = weft.index 0
      %s = weft.index 2
      %c = arith.cmpi sle, %s, %t : index
      weft.yield %c : i1
    } -> !x
    return %y : !x
  }
}

// -----

// A layout is chosen after the step is derived.
// CHECK: error: 'stored' is stored in another order already
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!turned = tensor<8x?xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @layout(%x: !x {weft.name = "x"}) -> (!turned {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{'stored' is stored in another order already}}
    %y = weft.map [t in T to 32, d in 8] ins(%x[t, d] : !x)
        attributes {output_maps = [affine_map<(t, d) -> (d, t)>], weft.label = "stored"} {
    ^bb0(%0: f32):
      %1 = math.exp %0 : f32
      weft.yield %1 : f32
    } -> !turned
    return %y : !turned
  }
}

// -----

// CHECK: error: 'peek' looks ahead
// CHECK: note: the layer is called here
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func private @layer(%x: !x) -> !x {
    // expected-remark @+1 {{'peek' looks ahead: it runs over all positions of index 't'}}
    %m = weft.reduce max [d in 8, t in T to 32] ins(%x[t, d] : !x) attributes {weft.label = "peek"} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<8xf32>
    %y = weft.map [t in T to 32, d in 8] ins(%m[d] : tensor<8xf32>) {
    ^bb0(%0: f32):
      %1 = math.exp %0 : f32
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
  func.func @calls(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-note @+1 {{the layer is called here}}
    %y = call @layer(%x) : (!x) -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: it calls a function without a body
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func private @foreign(!x) -> !x
  func.func @unknown(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{it calls a function without a body}}
    %y = call @foreign(%x) : (!x) -> !x
    return %y : !x
  }
}

// -----

// What is made when the sequence starts cannot be half of a layer.
// CHECK: error: a layer makes what all positions see together with what new ones change
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func private @both(%x: !x, %w: tensor<8xf32>) -> (!x, tensor<8xf32>) {
    %0 = weft.map [t in T to 32, d in 8] ins(%x[t, d] : !x) {
    ^bb0(%1: f32):
      %2 = math.exp %1 : f32
      weft.yield %2 : f32
    } -> !x
    %3 = weft.map [d in 8] ins(%w[d] : tensor<8xf32>) {
    ^bb0(%1: f32):
      %2 = math.exp %1 : f32
      weft.yield %2 : f32
    } -> tensor<8xf32>
    return %0, %3 : !x, tensor<8xf32>
  }
  func.func @half(%x: !x {weft.name = "x"}, %w: tensor<8xf32> {weft.name = "w"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{a layer makes what all positions see together with what new ones change}}
    %0:2 = call @both(%x, %w) : (!x, tensor<8xf32>) -> (!x, tensor<8xf32>)
    %1 = weft.reduce sum [d in 8, e in 8] ins(%0#1[e] : tensor<8xf32>) {
    ^bb0(%2: f32):
      weft.yield %2 : f32
    } -> tensor<8xf32>
    %y = weft.map [t in T to 32, d in 8] ins(%0#0[t, d], %1[d] : !x, tensor<8xf32>) {
    ^bb0(%2: f32, %3: f32):
      %4 = arith.addf %2, %3 : f32
      weft.yield %4 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// The last element of the kernel lies ahead: t + 1 for w = 3.
// CHECK: error: 'conv' looks ahead: dimension 0 of what it reads is not held
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @kernel(%x: !x {weft.name = "x"}, %k: tensor<4x8xf32> {weft.name = "k"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{'conv' looks ahead}}
    %y = weft.reduce sum [t in T to 32, d in 8, w in 4] ins(%k[w, d] : tensor<4x8xf32>) attributes {weft.label = "conv"} {
    ^bb0(%0: f32):
      %t = weft.index 0
      %d = weft.index 1
      %w = weft.index 2
      %c2 = arith.constant 2 : index
      %1 = arith.addi %t, %w : index
      %2 = arith.subi %1, %c2 : index
      // expected-note @+1 {{it is read here}}
      %3 = weft.at %x[%2, %d] : !x
      %4 = arith.mulf %3, %0 : f32
      weft.yield %4 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// Whether the id behind is in range decides what is read of the row: the check is the step's, and looks ahead.
// CHECK: error: this formula looks ahead: dimension 0 of what it reads is not held
!i = tensor<?xi32, #weft.bounds<T to 32>>
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @checked(%ids: !i {weft.name = "ids"}, %e: tensor<5x8xf32> {weft.name = "e"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{looks ahead}}
    weft.check "ahead" [t in T to 32, i in 2] {
      %c5 = arith.constant 5 : index
      %t = weft.index 0
      %i = weft.index 1
      %0 = arith.addi %t, %i : index
      // expected-note @+1 {{it is read here}}
      %1 = weft.at %ids[%0] : !i
      %2 = arith.index_cast %1 : i32 to index
      %3 = arith.cmpi ult, %2, %c5 : index
      weft.yield %3 : i1
    }
    %y = weft.map [t in T to 32, d in 8] ins(%ids[t] : !i) {
    ^bb0(%0: i32):
      %1 = arith.index_cast %0 : i32 to index
      %d = weft.index 1
      %2 = weft.at %e[%1, %d] : tensor<5x8xf32>
      weft.yield %2 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: 'y' looks ahead: it runs over all positions of index 't'
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @rows(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{'y' looks ahead}}
    %y = weft.row axis 0 [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {weft.label = "y"} max {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } element {
    ^bb0(%max: f32, %0: f32):
      %1 = arith.subf %0, %max : f32
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// Of two weights that are added up one is not 0 ahead; nor is what a condition chooses only in one of its cases.
// CHECK: error: 'y' looks ahead: index 's' is not held at or before position 't'
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!p = tensor<?x?xf32, #weft.bounds<T to 32, T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @mixed(%x: !x {weft.name = "x"}, %g: tensor<32x32xf32> {weft.name = "g"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %0 = weft.contract [t in T to 32, s in T to 32, d in 8] ins(%x[t, d], %x[s, d] : !x, !x) -> !p
    %1 = weft.softmax softmax axis 1 [t in T to 32, s in T to 32] ins(%0[t, s] : !p) {
    ^bb0(%e: f32):
      weft.yield %e : f32
    } where {
    ^bb0(%e: f32):
      %t = weft.index 0
      %s = weft.index 1
      %c = arith.cmpi sle, %s, %t : index
      weft.yield %c : i1
    } -> !p
    %m = weft.map [t in T to 32, s in T to 32] ins(%1[t, s], %g[t, s] : !p, tensor<32x32xf32>) {
    ^bb0(%e: f32, %f: f32):
      %2 = arith.subf %e, %f : f32
      weft.yield %2 : f32
    } -> !p
    // expected-remark @+1 {{'y' looks ahead}}
    %y = weft.contract [t in T to 32, d in 8, s in T to 32] ins(%m[t, s], %x[s, d] : !p, !x) attributes {weft.label = "y"} -> !x
    return %y : !x
  }
}

// -----

// CHECK: error: 'y' looks ahead: index 's' is not held at or before position 't'
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!p = tensor<?x?xf32, #weft.bounds<T to 32, T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @cases(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %m = weft.map [t in T to 32, s in T to 32] {
      %t = weft.index 0
      %s = weft.index 1
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %before = arith.cmpi slt, %s, %t : index
      %behind = arith.cmpi sgt, %s, %t : index
      %2 = arith.select %behind, %one, %zero : f32
      %3 = arith.select %before, %one, %2 : f32
      weft.yield %3 : f32
    } -> !p
    // expected-remark @+1 {{'y' looks ahead}}
    %y = weft.contract [t in T to 32, d in 8, s in T to 32] ins(%m[t, s], %x[s, d] : !p, !x) attributes {weft.label = "y"} -> !x
    return %y : !x
  }
}

// -----

// Data may say any place, whatever the row makes of what is there.
// CHECK: error: 'y' looks ahead: dimension 0 of what it reads is not held
// CHECK: note: it is read here at a place that data say; 'min(..., t)' would hold it
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!i = tensor<?xi32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  func.func @chosen(%x: !x {weft.name = "x"}, %i: !i {weft.name = "i"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // expected-remark @+1 {{'y' looks ahead}}
    %y = weft.map [t in T to 32, d in 8] ins(%i[t] : !i) attributes {weft.label = "y"} {
    ^bb0(%1: i32):
      %d = weft.index 1
      %2 = arith.index_cast %1 : i32 to index
      // expected-note @+1 {{it is read here at a place that data say}}
      %3 = weft.at %x[%2, %d] : !x
      weft.yield %3 : f32
    } -> !x
    return %y : !x
  }
}
