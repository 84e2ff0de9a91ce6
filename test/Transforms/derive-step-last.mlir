// RUN: weft-opt %s --weft-derive-step --canonicalize --weft-verify-graph --split-input-file | FileCheck %s

// Of the last position alone: the last layer makes its caches of all new rows and everything else of the last one; the
// layers before are those of the step.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!h = tensor<2x?x4xf32, #weft.bounds<T to 32>>
!y = tensor<?x8xf32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: weft.symbols = #weft.bounds<T to 32, N to 32, N_last to 32>
  // CHECK: func.func private @layer_step_0(%[[X:.+]]: tensor<?x8xf32, #weft.bounds<N to 32>>, %[[R:.+]]: tensor<?x8xf32, #weft.bounds<N_last to 32>>, %[[CACHE:.+]]: tensor<2x32x4xf32>)
  // CHECK-SAME: -> (tensor<?x8xf32, #weft.bounds<N_last to 32>>, tensor<2x32x4xf32>)
  // CHECK: %[[K:.+]] = weft.contract [h in 2, t in N to 32, c in 4, d in 8] ins(%[[X]]
  // CHECK: %[[KEPT:.+]] = weft.append %[[K]] to %[[CACHE]] length "T"
  // CHECK: %[[Q:.+]] = weft.map [d0 in 2, d1 in N_last to 32, d2 in 4] {
  // CHECK: %[[N:.+]] = weft.size "N" : index
  // CHECK: %[[LAST:.+]] = weft.size "N_last" : index
  // CHECK: %[[BEFORE:.+]] = arith.subi %[[N]], %[[LAST]]
  // CHECK: %[[ROW:.+]] = arith.addi %{{.+}}, %[[BEFORE]]
  // CHECK: weft.at %[[K]][%{{.+}}, %[[ROW]], %{{.+}}] inbounds
  // CHECK: %[[C:.+]] = weft.attention {{.*}} [h in 2, t in N_last to 32, v in 4, s in T to 32, c in 4] ins(%[[Q]][h, t, c], %[[KEPT]][h, s, c], %[[KEPT]][h, s, v]
  // CHECK-SAME: bound_symbols = ["T", "N_last"]
  // CHECK: weft.map [t in N_last to 32, d in 8] ins(%[[C]][{{.*}}], %[[R]][t, d]

  // The first layer is that of the step.
  // CHECK: func.func private @layer_step(
  // CHECK-NOT: N_last
  // CHECK: func.func @y(
  // CHECK: func.func @y_step_last(%[[X:.+]]: tensor<?x8xf32, #weft.bounds<N to 32>> {weft.name = "x"}
  // CHECK-SAME: -> (tensor<?x8xf32, #weft.bounds<N_last to 32>> {weft.name = "y"}
  // CHECK-SAME: weft.last = @y_step, weft.step = #weft.step<@y, length = "T", count = "N_last">
  // CHECK: %[[FIRST:.+]]:2 = call @layer_step(%[[X]],
  // CHECK: %[[R:.+]] = weft.map [d0 in N_last to 32, d1 in 8]
  // CHECK: call @layer_step_0(%[[FIRST]]#0, %[[R]],
  // CHECK: func.func @y_step(
  // CHECK: call @layer_step(
  // CHECK: call @layer_step(
  func.func private @layer(%x: !x) -> !y {
    %w = weft.weight "w" : tensor<2x4x8xf32>
    %k = weft.contract [h in 2, t in T to 32, c in 4, d in 8] ins(%x[t, d], %w[h, c, d] : !x, tensor<2x4x8xf32>) attributes {weft.label = "k"} -> !h
    %y = weft.attention softmax dots 1 scales [1.0] [h in 2, t in T to 32, v in 4, s in T to 32, c in 4]
        ins(%k[h, t, c], %k[h, s, c], %k[h, s, v] : !h, !h, !h) attributes {key_upper = affine_map<(d0, d1, d2) -> (d1 + 1)>} {
    ^bb0(%1: f32):
      weft.yield %1 : f32
    } -> !h
    %z = weft.map [t in T to 32, d in 8] ins(%y[d floordiv 4, t, d mod 4], %x[t, d] : !h, !x) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      weft.yield %c : f32
    } -> !y
    return %z : !y
  }
  func.func @y(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    %0 = func.call @layer(%x) : (!x) -> !y
    %1 = func.call @layer(%0) : (!y) -> !y
    return %1 : !y
  }
}

// -----

// Nothing is read across positions: no row but the last is made of what was given. The check is about all that are given.
!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!i = tensor<?xi32, #weft.bounds<T to 32>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: func.func @y_step_last(%[[I:.+]]: tensor<?xi32, #weft.bounds<N to 32>> {weft.name = "i"})
  // CHECK: %[[LAST:.+]] = weft.map [d0 in N_last to 32]
  // CHECK: weft.at %[[I]]
  // CHECK: weft.check {{.*}}[t in N to 32] ins(%[[I]][t]
  // CHECK: weft.map [t in N_last to 32, d in 8] ins(%[[LAST]][t]
  func.func @y(%i: !i {weft.name = "i"}) -> (!x {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    weft.check "'i' is out of range" [t in T to 32] ins(%i[t] : !i) {
    ^bb0(%e: i32):
      %c = arith.constant 4 : i32
      %0 = arith.cmpi ult, %e, %c : i32
      weft.yield %0 : i1
    }
    %w = weft.weight "w" : tensor<4x8xf32>
    %y = weft.map [t in T to 32, d in 8] ins(%i[t] : !i) {
    ^bb0(%e: i32):
      %d = weft.index 1
      %0 = arith.index_cast %e : i32 to index
      %1 = weft.at %w[%0, %d] inbounds : tensor<4x8xf32>
      weft.yield %1 : f32
    } -> !x
    return %y : !x
  }
}

// -----

// Where there is no step, there is nothing of its last position.
module attributes {weft.symbols = #weft.bounds<T to 32>} {
  // CHECK: func.func @y(%{{.+}}: tensor<8xf32> {weft.name = "x"})
  // CHECK-NOT: _last
  // CHECK: func.func @z(
  // CHECK-NOT: _last
  func.func @y(%x: tensor<8xf32> {weft.name = "x"}) -> (tensor<8xf32> {weft.name = "y"}) attributes {weft.entry} {
    return %x : tensor<8xf32>
  }
  func.func @z(%x: tensor<8xf32> {weft.name = "x"}) -> (tensor<8xf32> {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    return %x : tensor<8xf32>
  }
}
