// RUN: weft-opt %s --split-input-file --canonicalize | FileCheck %s --enable-var-scope

// CHECK-LABEL: func @identity
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>
// CHECK-NEXT: return %[[X]]
func.func @identity(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = weft.map [i in 4, j in 4] ins(%x[i, j] : tensor<4x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func @must_not_transpose
// CHECK: weft.map
func.func @must_not_transpose(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = weft.map [i in 4, j in 4] ins(%x[j, i] : tensor<4x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// The stored layouts differ although the elements are the same.
// CHECK-LABEL: func @must_not_layout
// CHECK: weft.map
func.func @must_not_layout(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = weft.map [i in 4, j in 4] ins(%x[i, j] : tensor<4x4xf32>)
      attributes {output_maps = [affine_map<(i, j) -> (j, i)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func @equal_and_unused_inputs
// CHECK: weft.map [i in 4] ins(%{{[a-z0-9]+}}[i] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: arith.mulf %[[E]], %[[E]]
func.func @equal_and_unused_inputs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = weft.map [i in 4] ins(%x[i], %y[i], %x[i] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %2 : f32
    weft.yield %3 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// Equal factors of a contraction, and one tensor at two places, stay.
// CHECK-LABEL: func @must_not_merge
// CHECK: weft.contract {{.*}} ins(%[[X:.*]][i], %[[X]][i] :
// CHECK: weft.map {{.*}} ins(%[[X]][i], %[[X]][3 - i] :
func.func @must_not_merge(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %z = weft.contract [i in 4] ins(%x[i], %x[i] : tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %y = weft.map [i in 4] ins(%x[i], %x[3 - i] : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %3 = arith.mulf %0, %1 : f32
    weft.yield %3 : f32
  } -> tensor<4xf32>
  return %z, %y : tensor<f32>, tensor<4xf32>
}

// -----

// An argument that the predicate reads is used.
// CHECK-LABEL: func @must_not_drop_predicate_input
// CHECK: weft.reduce {{.*}} ins(%{{[a-z0-9]+}}[i], %{{[a-z0-9]+}}[i] :
func.func @must_not_drop_predicate_input(%x: tensor<4xf32>, %m: tensor<4xi1>) -> tensor<f32> {
  %z = weft.reduce sum [i in 4] ins(%x[i], %m[i] : tensor<4xf32>, tensor<4xi1>) {
  ^bb0(%0: f32, %1: i1):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32, %1: i1):
    weft.yield %1 : i1
  } -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// CHECK-LABEL: func @true_predicate
// CHECK: weft.reduce sum [i in 4] ins(%{{[a-z0-9]+}}[i] : tensor<4xf32>) {
// CHECK-NOT: where
func.func @true_predicate(%x: tensor<4xf32>) -> tensor<f32> {
  %z = weft.reduce sum [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %true = arith.constant true
    weft.yield %true : i1
  } -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// CHECK-LABEL: func @identity_epilogue
// CHECK: weft.contract {{.*}} tensor<4xf32>) -> tensor<f32>
func.func @identity_epilogue(%x: tensor<4xf32>) -> tensor<f32> {
  %z = weft.contract [i in 4] ins(%x[i], %x[i] : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  return %z : tensor<f32>
}

// -----

// CHECK-LABEL: func @constants
// CHECK: arith.constant dense<3.000000e+00> : tensor<4xf32>
func.func @constants() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %y = arith.constant dense<2.0> : tensor<4xf32>
  %z = weft.map [i in 4] ins(%x[i], %y[i] : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// A constant with different elements stays a tensor, and constants stay inside.
// CHECK-LABEL: func @must_not_inline
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK: weft.map
// CHECK: arith.constant 2.000000e+00 : f32
func.func @must_not_inline() -> tensor<2xf32> {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %z = weft.map [i in 2] ins(%x[i] : tensor<2xf32>) {
  ^bb0(%0: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.addf %one, %one : f32
    %1 = arith.addf %0, %two : f32
    weft.yield %1 : f32
  } -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// -----

// CHECK-LABEL: func @read_as_input
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<?xf32
// CHECK: weft.map [i in 4, t in T to 8] ins(%[[X]][i * 2 + 1], %[[Y]][t] :
// CHECK-NOT: weft.at
func.func @read_as_input(%x: tensor<8xf32>, %y: tensor<?xf32, #weft.bounds<T to 8>>) -> tensor<4x?xf32, #weft.bounds<T to 8>> {
  %z = weft.map [i in 4, t in T to 8] {
    %i = weft.index 0
    %t = weft.index 1
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %0 = arith.muli %i, %two : index
    %1 = arith.addi %0, %one : index
    %2 = weft.at %x[%1] : tensor<8xf32>
    %3 = weft.at %y[%t] : tensor<?xf32, #weft.bounds<T to 8>>
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> tensor<4x?xf32, #weft.bounds<T to 8>>
  return %z : tensor<4x?xf32, #weft.bounds<T to 8>>
}

// -----

// Out of range for some index (0 there), in range only for some lengths, and data.
// CHECK-LABEL: func @must_not_read
// CHECK-COUNT-3: weft.at
func.func @must_not_read(%x: tensor<4xf32>, %ids: tensor<4xi32>, %y: tensor<?xf32, #weft.bounds<T to 8>>) -> tensor<4xf32> {
  %z = weft.map [i in 4] ins(%ids[i] : tensor<4xi32>) {
  ^bb0(%id: i32):
    %i = weft.index 0
    %one = arith.constant 1 : index
    %0 = arith.addi %i, %one : index
    %1 = weft.at %x[%0] : tensor<4xf32>
    %2 = weft.at %y[%i] : tensor<?xf32, #weft.bounds<T to 8>>
    %3 = arith.index_cast %id : i32 to index
    %4 = weft.at %x[%3] : tensor<4xf32>
    %5 = arith.addf %1, %2 : f32
    %6 = arith.addf %5, %4 : f32
    weft.yield %6 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @invariant_inner
// CHECK: %[[C:.*]] = arith.constant 4.000000e+00
// CHECK: arith.mulf %{{.*}}, %[[C]]
// CHECK-NOT: weft.inner
func.func @invariant_inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    %1 = weft.inner sum (e in 4) {
    ^bb0(%e: index):
      weft.yield %0 : f32
    }
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// The number of elements is not known, or they differ.
// CHECK-LABEL: func @must_not_inner
// CHECK-COUNT-2: weft.inner
func.func @must_not_inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    %1 = weft.inner sum (e in T to 4) {
    ^bb0(%e: index):
      weft.yield %0 : f32
    }
    %2 = weft.inner mean (e in 4) {
    ^bb0(%e: index):
      %3 = weft.at %x[%e] : tensor<4xf32>
      weft.yield %3 : f32
    }
    %4 = arith.addf %1, %2 : f32
    weft.yield %4 : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @single_index
// CHECK: weft.map [i in 1, j in 4] ins(%{{[a-z0-9]+}}[0, j] :
func.func @single_index(%x: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %z = weft.map [i in 1, j in 4] {
    %i = weft.index 0
    %j = weft.index 1
    %0 = weft.at %x[%i, %j] : tensor<4x4xf32>
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  } -> tensor<1x4xf32>
  return %z : tensor<1x4xf32>
}

// -----

// A check about some elements says nothing beside one about all of them.
// CHECK-LABEL: func @implied_checks
// CHECK-COUNT-1: weft.check "all"
// CHECK-NOT: weft.check
// CHECK: weft.check "another bound"
// CHECK: weft.check "some of others"
// CHECK-NOT: weft.check
!i = tensor<?xi32, #weft.bounds<T to 8>>
module attributes {weft.symbols = #weft.bounds<T to 8>} {
  func.func @implied_checks(%ids: !i, %others: !i) {
    weft.check "before" [t in T to 8] {
      %c5 = arith.constant 5 : index
      %t = weft.index 0
      %c1 = arith.constant 1 : index
      %0 = arith.addi %t, %c1 : index
      %1 = weft.at %ids[%0] : !i
      %2 = arith.index_cast %1 : i32 to index
      %3 = arith.cmpi ult, %2, %c5 : index
      %T = weft.size "T" : index
      %4 = arith.cmpi sge, %0, %T : index
      %5 = arith.ori %3, %4 : i1
      weft.yield %5 : i1
    }
    weft.check "all" [t in T to 8] ins(%ids[t] : !i) {
    ^bb0(%0: i32):
      %c5 = arith.constant 5 : index
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi ult, %1, %c5 : index
      weft.yield %2 : i1
    }
    weft.check "again" [t in T to 8] ins(%ids[t] : !i) {
    ^bb0(%0: i32):
      %c5 = arith.constant 5 : index
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi ult, %1, %c5 : index
      weft.yield %2 : i1
    }
    weft.check "the first" [i in 1] ins(%ids[i] : !i) {
    ^bb0(%0: i32):
      %c5 = arith.constant 5 : index
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi ult, %1, %c5 : index
      weft.yield %2 : i1
    }
    weft.check "another bound" [t in T to 8] ins(%ids[t] : !i) {
    ^bb0(%0: i32):
      %c6 = arith.constant 6 : index
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi ult, %1, %c6 : index
      weft.yield %2 : i1
    }
    weft.check "some of others" [i in 1] ins(%others[i] : !i) {
    ^bb0(%0: i32):
      %c5 = arith.constant 5 : index
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi ult, %1, %c5 : index
      weft.yield %2 : i1
    }
    return
  }
}

// -----

// A number that is stored in fewer bits is another number.
// CHECK-LABEL: func @must_not_forget_to_round
// CHECK: weft.map
func.func @must_not_forget_to_round(%x: tensor<4xf32>) -> tensor<4xbf16> {
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func @rounded_constants
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4xbf16>
// CHECK-DAG: arith.constant dense<-56> : tensor<4xi8>
// CHECK-NOT: weft.map
func.func @rounded_constants() -> (tensor<4xbf16>, tensor<4xi8>) {
  %y = weft.map [i in 4] {
    %0 = arith.constant 1.001 : f32
    weft.yield %0 : f32
  } -> tensor<4xbf16>
  %z = weft.map [i in 4] {
    %0 = arith.constant 200 : i32
    weft.yield %0 : i32
  } -> tensor<4xi8>
  return %y, %z : tensor<4xbf16>, tensor<4xi8>
}

// -----

// CHECK-LABEL: func @splats_of_storage
// CHECK-DAG: arith.constant 1.00097656 : f32
// CHECK-DAG: arith.constant -3 : index
// CHECK: arith.mulf
func.func @splats_of_storage(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = arith.constant dense<1.001> : tensor<4xf16>
  %b = arith.constant dense<-3> : tensor<4xi8>
  %y = weft.map [i in 4] ins(%x[i], %a[i], %b[i] : tensor<4xf32>, tensor<4xf16>, tensor<4xi8>) {
  ^bb0(%0: f32, %1: f32, %2: i32):
    %3 = arith.index_cast %2 : i32 to index
    %i = weft.index 0
    %4 = arith.addi %3, %i : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.sitofp %5 : i32 to f32
    %7 = arith.mulf %0, %1 : f32
    %8 = arith.addf %6, %7 : f32
    weft.yield %8 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A choice is read by no region, and stays.
// CHECK-LABEL: func @chosen
// CHECK: weft.contract {{.*}} ins(%{{.*}}[t, d], %{{.*}}[e, f, d], %{{.*}}[t] : {{.*}}) attributes {chosen} -> tensor<4x6xf32>
func.func @chosen(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<4xi32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t], %b[f] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<4xi32>, tensor<6xf32>) attributes {chosen} {
  ^bb0(%sum: f32, %unused: f32):
    weft.yield %sum : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// The largest scores of rows that nothing reads are not written; the sums stay.
// CHECK-LABEL: func @unread_largest
// CHECK-NEXT: %[[Y:.+]]:2 = weft.attention softmax dots 1 {{.*}}output_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}]
// CHECK: -> tensor<4x2xf32>, tensor<4xf32>{{$}}
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @unread_largest(%q: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %y, %rows, %unread = weft.attention softmax dots 1 scales [1.0] [t in 4, v in 2, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %q[s, v] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>, affine_map<(t, v, s, c) -> (t)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>
  return %y, %rows : tensor<4x2xf32>, tensor<4xf32>
}

// -----

// Sums of rows stay where their largest scores are read.
// CHECK-LABEL: func @read_largest
// CHECK-NEXT: %[[Y:.+]]:3 = weft.attention
// CHECK: return %[[Y]]#0, %[[Y]]#2
func.func @read_largest(%q: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %y, %unread, %largest = weft.attention softmax dots 1 scales [1.0] [t in 4, v in 2, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %q[s, v] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>, affine_map<(t, v, s, c) -> (t)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>
  return %y, %largest : tensor<4x2xf32>, tensor<4xf32>
}

// -----

// Sums of rows that nothing reads are not written; what a map passes on has its name.
// CHECK-LABEL: func @unread_sums
// CHECK-NEXT: %[[Y:y]] = weft.attention softmax dots 1 {{.*}} attributes {weft.label = "y"}
// CHECK: %{{.+}}, %[[ROWS:.+]] = weft.attention softmax dots 1 {{.*}}weft.label = "whole"
// CHECK: return %[[Y]], %{{.+}}, %[[ROWS]]
func.func @unread_sums(%q: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  %a, %unread = weft.attention softmax dots 1 scales [1.0] [t in 4, v in 2, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %q[s, v] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>], weft.label = "y.part"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>, tensor<4xf32>
  %y = weft.map [t in 4, v in 2] ins(%a[t, v] : tensor<4x2xf32>) attributes {weft.label = "y"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>
  %b, %rows = weft.attention softmax dots 1 scales [1.0] [t in 4, v in 2, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %q[s, v] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>], weft.label = "whole"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>, tensor<4xf32>
  %z = weft.map [t in 4, v in 2] ins(%b[t, v] : tensor<4x2xf32>) attributes {weft.label = "z"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>
  return %y, %z, %rows : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>
}
