// RUN: weft-opt %s --split-input-file --weft-batch=batch=4 | FileCheck %s
// RUN: weft-opt %s --split-input-file '--weft-batch=batch="N <= 8"' | FileCheck %s --check-prefix=BOUNDED
// RUN: not weft-opt %s --weft-batch=batch=-1 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not weft-opt %s --split-input-file '--weft-batch=batch="T <= 8"' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: the batch dimension 'T' has the name of a dimension of the model
// ERROR: error: '-1' is no batch: a number or 'B <= 8' is expected

!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!ids = tensor<?xi32, #weft.bounds<T to 32>>

// CHECK: #[[UPPER:.+]] = affine_map<(d0, d1, d2) -> (d1 + 1)>
// BOUNDED: weft.symbols = #weft.bounds<N to 8, T to 32>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
// CHECK-LABEL: func.func @model
// CHECK-SAME: %[[IDS:.+]]: tensor<4x?xi32, #weft.bounds<T to 32>>
// BOUNDED-LABEL: func.func @model
// BOUNDED-SAME: tensor<?x?xi32, #weft.bounds<N to 8, T to 32>>
func.func @model(%ids: !ids) -> (!x, tensor<8xf32>) attributes {weft.entry} {
  %table = weft.weight "table" : tensor<100x8xf32>
  // Weights, and what follows from them alone, have no batch.
  // CHECK: %[[BIAS:.+]] = weft.map [d in D = 8]
  %bias = weft.map [d in D = 8] ins(%table[0, d] : tensor<100x8xf32>) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> tensor<8xf32>
  // CHECK: weft.check "ids is out of range" [b in batch = 4, t in T to 32] ins(%[[IDS]][b, t]
  weft.check "ids is out of range" [t in T to 32] ins(%ids[t] : !ids) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  // CHECK: weft.map [b in batch = 4, t in T to 32, d in D = 8] ins(%[[IDS]][b, t], %[[BIAS]][d]
  // CHECK: %[[D:.+]] = weft.index 2
  // CHECK: weft.at %{{.*}}[%{{.*}}, %[[D]]]
  // BOUNDED: weft.map [b in N to 8, t in T to 32, d in D = 8]
  %x = weft.map [t in T to 32, d in D = 8] ins(%ids[t], %bias[d] : !ids, tensor<8xf32>) {
  ^bb0(%0: i32, %1: f32):
    %i = arith.index_cast %0 : i32 to index
    %d = weft.index 1
    %2 = weft.at %table[%i, %d] : tensor<100x8xf32>
    %3 = arith.addf %2, %1 : f32
    weft.yield %3 : f32
  } -> !x
  // CHECK: call @layer_batched(%{{.*}}, %{{.*}}) : (tensor<4x?x8xf32, #weft.bounds<T to 32>>, tensor<100x8xf32>)
  // CHECK: call @layer_batched(
  %y = call @layer(%x, %table) : (!x, tensor<100x8xf32>) -> !x
  %z = call @layer(%y, %table) : (!x, tensor<100x8xf32>) -> !x
  // CHECK: %[[COPIES:.+]] = weft.map [b in batch = 4, d0 in 8] ins(%[[BIAS]][d0]
  // CHECK: return %{{.*}}, %[[COPIES]] : tensor<4x?x8xf32, #weft.bounds<T to 32>>, tensor<4x8xf32>
  return %z, %bias : !x, tensor<8xf32>
}

// CHECK: func.func private @layer_batched
// CHECK: weft.contract [b1 in batch = 4, t in T to 32, b in D = 8, d in D = 8] ins(%{{.*}}[b1, t, d], %{{.*}}[b, d], %{{.*}}[b1, t, b]
// CHECK: weft.attention softmax dots 1 {{.*}} [b in batch = 4, t in T to 32, v in 8, s in T to 32, c in 8]
// CHECK-SAME: key_upper = #[[UPPER]]
// CHECK: %[[T:.+]] = weft.index 1
// CHECK: %[[B:.+]] = weft.index 0
// CHECK: weft.at %{{.*}}[%[[B]], %[[T]], %{{.*}}]
// CHECK-NOT: func.func
func.func private @layer(%x: !x, %w: tensor<100x8xf32>) -> !x {
  %y = weft.contract [t in T to 32, b in D = 8, d in D = 8] ins(%x[t, d], %w[b, d], %x[t, b] : !x, tensor<100x8xf32>, !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !x
  %z = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%y[t, c], %y[s, c], %y[s, v] : !x, !x, !x) attributes {key_upper = affine_map<(d0, d1) -> (d0 + 1)>} {
  ^bb0(%0: f32):
    %t = weft.index 0
    %z = arith.constant 0 : index
    %1 = weft.at %y[%t, %z] : !x
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !x
  return %z : !x
}
}

// -----

// Whether an input is passed is the same for all examples.
// CHECK-LABEL: func.func @asks
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32> {{.*}}, %[[GIVEN:.+]]: tensor<i1>
// CHECK: weft.map [b in batch = 4, i in 8] ins(%[[GIVEN]][], %[[X]][b, i] : tensor<i1>, tensor<4x8xf32>)
func.func @asks(%x: tensor<8xf32> {weft.default = 1.0 : f32, weft.name = "x"}, %given: tensor<i1> {weft.given = "x"}) -> tensor<8xf32> attributes {weft.entry} {
  %y = weft.map [i in 8] ins(%given[], %x[i] : tensor<i1>, tensor<8xf32>) {
  ^bb0(%0: i1, %1: f32):
    %c0 = arith.constant 0.0 : f32
    %2 = arith.select %0, %1, %c0 : f32
    weft.yield %2 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Every result of a formula has one for each example.
// CHECK-LABEL: func.func @sums
// CHECK: weft.attention {{.*}} [b in batch = 4, t in 8, v in 3, s in 8, c in 3]
// CHECK: } -> tensor<4x8x3xf32>, tensor<4x8xf32>
// CHECK: weft.map [b in batch = 4, t in 8] ins(%{{.*}}[b, t] : tensor<4x8xf32>)
func.func @sums(%x: tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8xf32>) attributes {weft.entry} {
  %y, %rows = weft.attention softmax dots 1 scales [1.0] [t in 8, v in 3, s in 8, c in 3]
      ins(%x[t, c], %x[s, c], %x[s, v] : tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8x3xf32>, tensor<8xf32>
  %z = weft.map [t in 8] ins(%rows[t] : tensor<8xf32>) {
  ^bb0(%0: f32):
    %1 = arith.negf %0 : f32
    weft.yield %1 : f32
  } -> tensor<8xf32>
  return %y, %z : tensor<8x3xf32>, tensor<8xf32>
}
