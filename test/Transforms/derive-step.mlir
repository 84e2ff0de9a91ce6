// RUN: weft-opt %s --weft-derive-step=require --canonicalize --split-input-file | FileCheck %s

// Keys and values are kept, each head's in the order of positions; queries are not. Bounds and
// positions are those of the new rows.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!h = tensor<2x?x4xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK-DAG: #[[UPPER:.+]] = affine_map<(d0, d1, d2)[s0, s1] -> (d1 + s0 - s1 + 1)>
  // CHECK: weft.symbols = #weft.bounds<T to 32, N to 32, N_last to 32>
  // CHECK: func.func @y(
  // CHECK: func.func @y_step(%[[X:.+]]: tensor<?x8xf32, #weft.bounds<N to 32>> {weft.name = "x"},
  // CHECK-SAME: %[[CACHE:.+]]: tensor<2x32x4xf32> {weft.name = "k.0", weft.state})
  // CHECK-SAME: -> (tensor<2x?x4xf32, #weft.bounds<N to 32>> {weft.name = "y"}, tensor<2x32x4xf32> {weft.name = "k.0", weft.state})
  // CHECK-SAME: attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">}
  // CHECK: %[[K:.+]] = weft.contract [h in 2, t in N to 32, c in 4, d in 8]
  // CHECK: %[[KEPT:.+]] = weft.append %[[K]] to %[[CACHE]] length "T"
  // CHECK: weft.attention {{.*}} [h in 2, t in N to 32, v in 4, s in T to 32, c in 4] ins(%[[K]][h, t, c], %[[KEPT]][h, s, c], %[[KEPT]][h, s, v]
  // CHECK-SAME: bound_symbols = ["T", "N"], key_upper = #[[UPPER]]
  // CHECK: return %{{.+}}, %[[KEPT]]
  func.func @y(%x: !x {weft.name = "x"}) -> (!h {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %w = weft.weight "w" : tensor<2x4x8xf32>
    %k = weft.contract [h in 2, t in T to 32, c in 4, d in 8] ins(%x[t, d], %w[h, c, d] : !x, tensor<2x4x8xf32>) attributes {weft.label = "k"} -> !h
    %y = weft.attention softmax dots 1 scales [1.0] [h in 2, t in T to 32, v in 4, s in T to 32, c in 4]
        ins(%k[h, t, c], %k[h, s, c], %k[h, s, v] : !h, !h, !h) attributes {key_upper = affine_map<(d0, d1, d2) -> (d1 + 1)>} {
    ^bb0(%1: f32):
      weft.yield %1 : f32
    } -> !h
    return %y : !h
  }
}

// -----

// A learned position is read at the position of the row. What is not fused is followed as well: the
// weights of a masked softmax are 0 ahead. An input that is read across positions is kept itself.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!p = tensor<?x?xf32, #weft.bounds<T to 32, T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: func.func @y_step(%[[X:.+]]: tensor<?x8xf32, #weft.bounds<N to 32>> {weft.name = "x"}, %[[CACHE:.+]]: tensor<32x8xf32> {weft.name = "x.0", weft.state})
  // CHECK: %[[KEPT:.+]] = weft.append %[[X]] to %[[CACHE]] length "T"
  // CHECK: %[[S:.+]] = weft.contract [t in N to 32, s in T to 32, d in 8] ins(%[[X]][t, d], %[[KEPT]][s, d]
  // CHECK: %[[W:.+]] = weft.softmax softmax axis 1 [t in N to 32, s in T to 32]
  // CHECK: where {
  // CHECK: %[[T:.+]] = weft.size "T"
  // CHECK: %[[N:.+]] = weft.size "N"
  // CHECK: %[[OLD:.+]] = arith.subi %[[T]], %[[N]]
  // CHECK: %[[POSITION:.+]] = arith.addi %{{.+}}, %[[OLD]]
  // CHECK: arith.cmpi sle, %{{.+}}, %[[POSITION]]
  // CHECK: weft.contract [t in N to 32, d in 8, s in T to 32] ins(%[[W]][t, s], %[[KEPT]][s, d]
  func.func @y(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
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
    %2 = weft.contract [t in T to 32, d in 8, s in T to 32] ins(%1[t, s], %x[s, d] : !p, !x) -> !x
    return %2 : !x
  }
}

// -----

// What no new position changes is made when the sequence starts; its layers are split.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!e = tensor<?x8xf32, #weft.bounds<S to 16>>
module attributes {weft.symbols = #weft.bounds<T to 32, S to 16>} {
  // CHECK: func.func @y_start(%[[E:.+]]: tensor<?x8xf32, #weft.bounds<S to 16>> {weft.name = "e"}) -> (tensor<?x8xf32, #weft.bounds<S to 16>> {weft.name = "k.0", weft.state})
  // CHECK-SAME: weft.start = @y_step
  // CHECK: %[[KEYS:.+]] = call @layer_start(%[[E]], %{{.+}})
  // CHECK: return %[[KEYS]]
  // CHECK: func.func @y_step(%[[X:.+]]: tensor<?x8xf32, #weft.bounds<N to 32>> {weft.name = "x"}, %[[KEYS:.+]]: tensor<?x8xf32, #weft.bounds<S to 16>> {weft.name = "k.0", weft.state})
  // CHECK: call @layer_step(%[[X]], %[[KEYS]])
  // CHECK: func.func private @layer_start(
  // CHECK: weft.contract [s in S to 16
  // CHECK: func.func private @layer_step(
  // CHECK-NOT: weft.contract
  // CHECK: weft.attention {{.*}} [t in N to 32, v in 8, s in S to 16, c in 8]
  func.func @y(%x: !x {weft.name = "x"}, %e: !e {weft.name = "e"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %w = weft.weight "w" : tensor<8x8xf32>
    %y = call @layer(%x, %e, %w) : (!x, !e, tensor<8x8xf32>) -> !x
    return %y : !x
  }
  func.func private @layer(%x: !x, %e: !e, %w: tensor<8x8xf32>) -> !x {
    %k = weft.contract [s in S to 16, c in 8, d in 8] ins(%e[s, d], %w[c, d] : !e, tensor<8x8xf32>) attributes {weft.label = "k"} -> !e
    %y = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in S to 16, c in 8]
        ins(%x[t, c], %k[s, c], %k[s, v] : !x, !e, !e) {
    ^bb0(%1: f32):
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// Whether an input that all positions see is given is constant while a sequence lasts: the start keeps the answer.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: func.func @y_start(%[[M:.+]]: tensor<8xf32> {weft.default = 0.000000e+00 : f32, weft.name = "m"}, %[[GIVEN:.+]]: tensor<i1> {weft.given = "m"})
  // CHECK-SAME: -> (tensor<i1> {weft.name = "input.0", weft.state})
  // CHECK: return %[[GIVEN]]
  // CHECK: func.func @y_step(%{{.+}}: tensor<?x8xf32, #weft.bounds<N to 32>> {weft.name = "x"}, %[[ANSWER:.+]]: tensor<i1> {weft.name = "input.0", weft.state})
  // CHECK: weft.map [t in N to 32, d in 8] ins(%{{.+}}[t, d], %[[ANSWER]][]
  func.func @y(%x: !x {weft.name = "x"}, %m: tensor<8xf32> {weft.default = 0.0 : f32, weft.name = "m"},
               %given: tensor<i1> {weft.given = "m"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %y = weft.map [t in T to 32, d in 8] ins(%x[t, d], %given[] : !x, tensor<i1>) {
    ^bb0(%0: f32, %1: i1):
      %2 = arith.negf %0 : f32
      %3 = arith.select %1, %0, %2 : f32
      weft.yield %3 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// A table that depends on no input is needed for the new rows and for all positions: two formulas.
!x = tensor<?x3xf32, #weft.bounds<T to 7>>
module attributes {weft.symbols = #weft.bounds<T to 7>} {
  // CHECK-LABEL: func.func @rows_step
  // CHECK-DAG: weft.map [t in T to 7, c in 3] ins(%[[W:.+]][c] : tensor<3xf32>)
  // CHECK-DAG: weft.map [t in N to 7, c in 3] ins(%[[W]][c] : tensor<3xf32>)
  func.func @rows(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %w = weft.weight "w" : tensor<3xf32>
    %table = weft.map [t in T to 7, c in 3] ins(%w[c] : tensor<3xf32>) {
    ^bb0(%0: f32):
      %t = weft.index 0
      %1 = arith.index_cast %t : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.mulf %0, %2 : f32
      weft.yield %3 : f32
    } -> !x
    %y = weft.reduce sum [t in T to 7, c in 3, s in T to 7] ins(%table[t, c], %table[s, c], %x[s, c] : !x, !x, !x) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.mulf %3, %2 : f32
      weft.yield %4 : f32
    } where {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %s = weft.index 2
      %t = weft.index 0
      %3 = arith.cmpi sle, %s, %t : index
      weft.yield %3 : i1
    } -> !x
    return %y : !x
  }
}

// -----

// One computation gives the new rows of all results of a formula, each along its own dimension.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!h = tensor<2x?x8xf32, #weft.bounds<T to 32>>
!rows = tensor<2x?xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: func.func @y_step(
  // CHECK: %[[Y:.+]]:2 = weft.attention {{.*}} [h in 2, t in N to 32, v in 8, s in T to 32, c in 8]
  // CHECK: } -> tensor<2x?x8xf32, #weft.bounds<N to 32>>, tensor<2x?xf32, #weft.bounds<N to 32>>
  // CHECK: weft.map {{.*}} ins(%[[Y]]#0[h, t, v], %[[Y]]#1[h, t] :
  // CHECK-NOT: weft.attention
  // CHECK: return
  func.func @y(%x: !x {weft.name = "x"}) -> (!h {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %y, %rows = weft.attention softmax dots 1 scales [1.0] [h in 2, t in T to 32, v in 8, s in T to 32, c in 8]
        ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x)
        attributes {key_upper = affine_map<(h, t, v) -> (t + 1)>,
                    output_maps = [affine_map<(h, t, v, s, c) -> (h, t, v)>, affine_map<(h, t, v, s, c) -> (h, t)>]} {
    ^bb0(%0: f32):
      %h = weft.index 0
      %1 = arith.index_cast %h : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.mulf %0, %2 : f32
      weft.yield %3 : f32
    } -> !h, !rows
    %z = weft.map [h in 2, t in T to 32, v in 8] ins(%y[h, t, v], %rows[h, t] : !h, !rows) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.subf %0, %1 : f32
      weft.yield %2 : f32
    } -> !h
    return %z : !h
  }
}

// -----

// Rows along another index are as causal as a map, with all their outputs.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!m = tensor<?xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: func.func @y_step(
  // CHECK: %[[Y:.+]]:2 = weft.row axis 1 [t in N to 32, d in 8] ins(%{{.*}}[t, d] : tensor<?x8xf32, #weft.bounds<N to 32>>)
  // CHECK: } -> tensor<?x8xf32, #weft.bounds<N to 32>>, tensor<?xf32, #weft.bounds<N to 32>>
  // CHECK: weft.map {{.*}} ins(%[[Y]]#0[t, d], %[[Y]]#1[t] :
  func.func @y(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %y, %m = weft.row axis 1 [t in T to 32, d in 8] ins(%x[t, d] : !x)
        attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>]} max {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } element {
    ^bb0(%max: f32, %0: f32):
      %1 = arith.subf %0, %max : f32
      weft.yield %1, %max : f32, f32
    } -> !x, !m
    %z = weft.map [t in T to 32, d in 8] ins(%y[t, d], %m[t] : !x, !m) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      weft.yield %2 : f32
    } -> !x
    return %z : !x
  }
}
