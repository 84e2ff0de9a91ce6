// What is done to indices reaches maps, regions, attributes and the types of all results.
// RUN: weft-opt %s --weft-index-surgery | FileCheck %s

!x = tensor<?x8xf32, #weft.bounds<T to 32>>

// CHECK-DAG: #[[STORED:.+]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-DAG: #[[VALUES:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[ROWS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>
// CHECK-DAG: #[[UPPER:.+]] = affine_map<(d0, d1, d2)[s0] -> (d1 + 1, s0)>
// CHECK-DAG: #[[SWAPPED:.+]] = affine_map<(d0, d1) -> (d1, d0)>

// A new index has a name of its own; it is stored in front of those behind it.
// CHECK-LABEL: func @insert
// CHECK: weft.map [t in T to 32, b1 in B = 4, b in 8] ins(%{{.*}}[t, b] : {{.*}}) attributes {output_maps = [#[[STORED]]]}
// CHECK: %{{.+}} = weft.index 2
// CHECK: -> tensor<4x8x?xf32, #weft.bounds<T to 32>>
func.func @insert(%x: !x) {
  %y = weft.map [t in T to 32, b in 8] ins(%x[t, b] : !x)
      attributes {output_maps = [affine_map<(t, b) -> (b, t)>], test.insert = [1, #weft.index<b in B = 4>, true]} {
  ^bb0(%0: f32):
    %b = weft.index 1
    weft.yield %0 : f32
  } -> tensor<8x?xf32, #weft.bounds<T to 32>>
  return
}

// Reduced indices change no result.
// CHECK-LABEL: func @insert_reduced
// CHECK: weft.reduce sum [t in T to 32, e in 3, d in 8] ins(%{{.*}}[t, d] :
// CHECK: -> tensor<?xf32, #weft.bounds<T to 32>>
func.func @insert_reduced(%x: !x) {
  %y = weft.reduce sum [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {test.insert = [1, #weft.index<e in 3>, false]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 32>>
  return
}

// The axis of a softmax, the bounds of an attention and both its results follow.
// CHECK-LABEL: func @attributes
// CHECK: weft.softmax softmax axis 2 [n in 2, t in T to 32, d in 8] ins(%{{.*}}[t, d] :
// CHECK: weft.attention softmax dots 1 {{.*}} [b in B to 4, t in T to 32, v in 8, s in T to 32, c in 8] ins(%{{.*}}[t, c], %{{.*}}[s, c], %{{.*}}[s, v] :
// CHECK-SAME: key_upper = #[[UPPER]], output_maps = [#[[VALUES]], #[[ROWS]]]
// CHECK: -> tensor<?x?x8xf32, #weft.bounds<B to 4, T to 32>>, tensor<?x?xf32, #weft.bounds<B to 4, T to 32>>
func.func @attributes(%x: !x) {
  %y = weft.softmax softmax axis 1 [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {test.insert = [0, #weft.index<n in 2>, true]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x
  %z, %rows = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>],
                  key_upper = affine_map<(t, v)[T] -> (t + 1, T)>, bound_symbols = ["T"],
                  test.insert = [0, #weft.index<b in B to 4>, true]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x, tensor<?xf32, #weft.bounds<T to 32>>
  return
}

// All indices of a check are fixed, and it has no result.
// CHECK-LABEL: func @check
// CHECK: weft.check "ids" [b in 4, t in T to 32] ins(%{{.*}}[t] :
// CHECK: %t = weft.index 1
func.func @check(%ids: tensor<?xi32, #weft.bounds<T to 32>>) {
  weft.check "ids" [t in T to 32] ins(%ids[t] : tensor<?xi32, #weft.bounds<T to 32>>) attributes {test.insert = [0, #weft.index<b in 4>, true]} {
  ^bb0(%0: i32):
    %t = weft.index 0
    %i = arith.index_cast %0 : i32 to index
    %1 = arith.cmpi ult, %i, %t : index
    weft.yield %1 : i1
  }
  return
}

// An index that nothing needs goes; one that is needed becomes its value, in maps and in code.
// CHECK-LABEL: func @erase
// CHECK: weft.map [t in T to 32, d in 8] ins(%{{.*}}[t, d] :
// CHECK: %d = weft.index 1
// CHECK: -> tensor<?x8xf32, #weft.bounds<T to 32>>
// CHECK: weft.map [d in 8] ins(%{{.*}}[7 - d, d] : tensor<8x8xf32>)
// CHECK: %[[D:.+]] = weft.index 0
// CHECK: %[[M:.+]] = arith.muli %[[D]], %c-1
// CHECK: arith.addi %[[M]], %c7
// CHECK: -> tensor<8xf32>
func.func @erase(%x: !x, %w: tensor<8x8xf32>) {
  %y = weft.map [t in T to 32, n in 3, d in 8] ins(%x[t, d] : !x) attributes {test.erase = 1 : i64} {
  ^bb0(%0: f32):
    %d = weft.index 2
    weft.yield %0 : f32
  } -> tensor<?x3x8xf32, #weft.bounds<T to 32>>
  %z = weft.map [e in 8, d in 8] ins(%w[e, d] : tensor<8x8xf32>) attributes {test.substitute = [0, affine_map<(e, d) -> (7 - d)>]} {
  ^bb0(%0: f32):
    %e = weft.index 0
    weft.yield %0 : f32
  } -> tensor<8x8xf32>
  return
}

// CHECK-LABEL: func @replace
// CHECK: weft.map [n in N to 4, d in 8] ins(%{{.*}}[n, d] :
// CHECK: -> tensor<?x8xf32, #weft.bounds<N to 4>>
// Results stay as they are stored.
// CHECK: weft.map [d in 8, t in T to 32] ins(%{{.*}}[t, d] : {{.*}}) attributes {output_maps = [#[[SWAPPED]]]} {
// CHECK: %d = weft.index 0
// CHECK: -> tensor<?x8xf32, #weft.bounds<T to 32>>
func.func @replace(%x: !x, %w: tensor<8x8xf32>) {
  %y = weft.map [e in 8, d in 8] ins(%w[e, d] : tensor<8x8xf32>) attributes {test.replace = [0, #weft.index<n in N to 4>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8x8xf32>
  %z = weft.map [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {test.permute = [1, 0]} {
  ^bb0(%0: f32):
    %d = weft.index 1
    weft.yield %0 : f32
  } -> !x
  return
}

// The axis of rows moves with its index; an output without it stays one.
// CHECK-LABEL: func @rows
// CHECK: weft.row axis 2 [b in B = 4, t in T to 32, d in 8] ins(%{{.*}}[t, d] : {{.*}}) attributes {output_maps = [#[[ROW:.+]], #[[STATISTIC:.+]]]} sum {
// CHECK: %d = weft.index 2
// CHECK: } -> tensor<4x?x8xf32, #weft.bounds<T to 32>>, tensor<4x?xf32, #weft.bounds<T to 32>>
func.func @rows(%x: !x) {
  %y:2 = weft.row axis 1 [t in T to 32, d in 8] ins(%x[t, d] : !x)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>],
                  test.insert = [0, #weft.index<b in B = 4>, true]} sum {
  ^bb0(%0: f32):
    %d = weft.index 1
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0, %sum : f32, f32
  } -> !x, tensor<?xf32, #weft.bounds<T to 32>>
  return
}
