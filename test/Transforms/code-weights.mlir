// RUN: weft-opt %s --weft-code-weights | FileCheck %s
// RUN: weft-opt %s --weft-code-weights="store=int4,group=row" | FileCheck %s --check-prefix=SHORT
// RUN: weft-opt %s --weft-code-weights="store=int4,group=row,asym planes=2" | FileCheck %s --check-prefix=PLANES
// RUN: weft-opt %s --weft-code-weights="store=int4" | FileCheck %s --check-prefix=GROUPS
// RUN: weft-opt %s --weft-code-weights="store=nf4,group=row" | FileCheck %s --check-prefix=TABLE
// RUN: weft-opt %s --weft-code-weights="narrow=true" | FileCheck %s --check-prefix=NARROW
// RUN: weft-opt %s --weft-code-weights="store=int4,group=row narrow=true" | FileCheck %s --check-prefixes=FOUR
// RUN: not weft-opt %s --weft-code-weights="planes=3" 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not weft-opt %s --weft-code-weights="store=int5" 2>&1 | FileCheck %s --check-prefix=STORE
// BITS: error: option planes is 1 or 2
// STORE: error: unknown type 'int5' in option store: keep, f32, bf16, f16, int8, int4, fp8, nf4, mxfp4 are known

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!y = tensor<?x6xf32, #weft.bounds<T to 40>>

// The weight becomes codes with scales and sums of rows, through the layer that reads it; two products share the codes of their
// other factor. The sum of codes becomes what it stands for before anything else is done with it.
// Two planes of codes make two sums of each element, which the epilogue adds before anything else is done.
// PLANES-LABEL: func.func private @layer(
// PLANES: %[[Q:.+]] = weft.map [d0 in T to 40, plane in 2, d1 in 8] ins(%{{.+}}[d0, d1], %{{.+}}[d0]
// PLANES: %[[SECOND:.+]] = arith.cmpi ne
// PLANES: arith.select %[[SECOND]]
// PLANES: -> tensor<?x2x8xui8
// PLANES: weft.contract [t in T to 40, n in 6, d in 8, plane in 2] ins(%[[Q]][t, plane, d], %{{.+}}[n, d], %{{.+}}[n], %{{.+}}[t], %{{.+}}[n], %{{.+}}[n]
// PLANES-SAME: attributes {apart} {
// PLANES: ^bb0(%[[FIRST:.+]]: i32, %[[LEFT:.+]]: i32, %[[BIAS:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: i32):
// PLANES: arith.subi %[[FIRST]]
// PLANES: arith.subi %[[LEFT]]
// PLANES: arith.mulf %{{.+}}, %cst
// PLANES: arith.addf
// PLANES: arith.addf %{{.+}}, %[[BIAS]]
// PLANES: -> tensor<?x6xf32

// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: %[[X:[^,]+]]: tensor<?x8xf32, #weft.bounds<T to 40>>, %[[W:[^,]+]]: tensor<6x8xi8>, %[[V:[^,]+]]: tensor<8x6xi8>, %[[B:[^,]+]]: tensor<6xf32>,
// CHECK-SAME: %{{.+}}: tensor<6xf32>, %{{.+}}: tensor<6xi32>, %{{.+}}: tensor<6xf32>, %{{.+}}: tensor<6xi32>)
// CHECK: %[[L:.+]] = weft.reduce max [d0 in T to 40, d1 in 8] ins(%[[X]][d0, d1]
// CHECK: math.absf
// CHECK: arith.maxnumf %{{.+}}, %{{.+}} : f32
// CHECK: arith.cmpf uno
// CHECK: arith.select
// CHECK: %[[Q:.+]] = weft.map [d0 in T to 40, d1 in 8] ins(%[[X]][d0, d1], %[[L]][d0]
// CHECK: arith.fptosi
// CHECK: -> tensor<?x8xui8
// CHECK: weft.contract [t in T to 40, n in 6, d in 8] ins(%[[Q]][t, d], %[[W]][n, d], %[[B]][n], %[[L]][t], %{{.+}}[n], %{{.+}}[n]
// CHECK: ^bb0(%[[SUM:.+]]: i32, %[[BIAS:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32, %[[SUMS:.+]]: i32):
// CHECK: %[[ZERO:.+]] = arith.muli %[[SUMS]], %c128_i32
// CHECK: arith.subi %[[SUM]], %[[ZERO]]
// CHECK: arith.sitofp
// CHECK: %[[REAL:.+]] = arith.mulf {{.*}} {weft.rounded}
// CHECK: arith.addf %{{.+}}, %[[BIAS]]
// CHECK-NOT: weft.reduce
// CHECK: weft.contract [t in T to 40, n in 6, d in 8] ins(%[[Q]][t, d], %[[V]][d, n], %[[L]][t], %{{.+}}[n], %{{.+}}[n]
func.func private @layer(%x: !x, %w: tensor<6x8xf32>, %v: tensor<8x6xf32>, %b: tensor<6xf32>) -> (!y, !y) {
  %y = weft.contract [t in T to 40, n in 6, d in 8] ins(%x[t, d], %w[n, d], %b[n] : !x, tensor<6x8xf32>, tensor<6xf32>) attributes {scale = 0.5} {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> !y
  %z = weft.contract [t in T to 40, n in 6, d in 8] ins(%x[t, d], %v[d, n] : !x, tensor<8x6xf32>) -> !y
  return %y, %z : !y, !y
}

// Codes of a table change no formula: the weight says what it is stored as.
// TABLE-LABEL: func.func private @layer(
// TABLE-SAME: %[[X:[^,]+]]: tensor<?x8xf32, #weft.bounds<T to 40>>, %[[W:[^,]+]]: tensor<6x8xf32>, %[[V:[^,]+]]: tensor<8x6xf32>,
// TABLE-NOT: weft.reduce max
// TABLE: weft.contract [t in T to 40, n in 6, d in 8] ins(%[[X]][t, d], %[[W]][n, d],
// All parts say that codes are narrow, if they are of 8 bits.
// NARROW-LABEL: @entry
// NARROW-DAG: weft.weight "w" coded <codes along [1] of [6, 8] narrow = true> : tensor<6x8xi8>
// NARROW-DAG: weft.weight "w" coded <scales along [1] of [6, 8] narrow = true> : tensor<6xf32>
// NARROW-DAG: weft.weight "w" coded <sums along [1] of [6, 8] narrow = true> : tensor<6xi32>
// FOUR-LABEL: @head
// FOUR-DAG: weft.weight "inner" coded <codes along [1] of [8, 8] bits = 4> : tensor<8x8xi8>
// FOUR-DAG: weft.weight "head" coded <codes along [1] of [6, 8] narrow = true> : tensor<6x8xi8>
// SHORT-LABEL: @entry
// SHORT-DAG: weft.weight "w" coded <codes along [1] of [6, 8] bits = 4> : tensor<6x8xi8>
// SHORT-DAG: weft.weight "w" coded <scales along [1] of [6, 8] bits = 4> : tensor<6xf32>
// TABLE-LABEL: @entry
// TABLE-DAG: weft.weight "w" coded <reals along [1] of [6, 8] bits = 4 table = "nf4"> : tensor<6x8xf32>
// TABLE-DAG: weft.weight "v" coded <reals along [0] of [8, 6] bits = 4 table = "nf4"> : tensor<8x6xf32>
// TABLE-DAG: weft.weight "b" : tensor<6xf32>
// CHECK-LABEL: @entry
// CHECK-DAG: weft.weight "w" coded <codes along [1] of [6, 8]> : tensor<6x8xi8>
// CHECK-DAG: weft.weight "w" coded <scales along [1] of [6, 8]> : tensor<6xf32>
// CHECK-DAG: weft.weight "w" coded <sums along [1] of [6, 8]> : tensor<6xi32>
// CHECK-DAG: weft.weight "v" coded <codes along [0] of [8, 6]> : tensor<8x6xi8>
// CHECK-DAG: weft.weight "v" coded <scales along [0] of [8, 6]> : tensor<6xf32>
func.func @entry(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}, !y {weft.name = "z"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<6x8xf32>
  %v = weft.weight "v" : tensor<8x6xf32>
  %b = weft.weight "b" : tensor<6xf32>
  %y:2 = func.call @layer(%x, %w, %v, %b) : (!x, tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> (!y, !y)
  return %y#0, %y#1 : !y, !y
}

// The scales of a chosen matrix are extras at its index.
// CHECK-LABEL: @matrices
// CHECK: weft.contract [t in T to 40, n in 6, d in 8, e in 3] ins(%[[Q:.+]][t, d], %{{.+}}[e, n, d], %[[C:.+]][t], %[[L:.+]][t], %[[S:.+]][e, n], %[[N:.+]][e, n] : {{.*}} attributes {chosen} {
// CHECK-NEXT: ^bb0(%[[SUM:.+]]: i32, %{{.+}}: f32, %{{.+}}: f32, %[[SUMS:.+]]: i32):
// SHORT-LABEL: @matrices
// SHORT: weft.weight "inner" coded <codes along [2] of [3, 6, 8] bits = 4> : tensor<3x6x8xi8>
// PLANES-LABEL: @matrices
// PLANES: weft.contract [t in T to 40, n in 6, d in 8, plane in 2, e in 3] ins(%{{.+}}[t, plane, d], %{{.+}}[e, n, d], %[[C:.+]][t], %{{.+}}[t], %{{.+}}[e, n], %{{.+}}[e, n] : {{.*}} attributes {apart, chosen} {
func.func @matrices(%x: !x {weft.name = "x"}, %g: tensor<3x8xf32> {weft.name = "g"}) -> (!x {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "inner" : tensor<3x6x8xf32>
  %v = weft.weight "last" : tensor<8x6xf32>
  %c = weft.reduce argmax [t in T to 40, e in 3] ins(%x[t, e] : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xi32, #weft.bounds<T to 40>>
  %y = weft.contract [t in T to 40, n in 6, d in 8, e in 3] ins(%x[t, d], %w[e, n, d], %c[t] : !x, tensor<3x6x8xf32>, tensor<?xi32, #weft.bounds<T to 40>>) attributes {chosen} -> !y
  %z = weft.contract [t in T to 40, n in 8, d in 6] ins(%y[t, d], %v[n, d] : !y, tensor<8x6xf32>) -> !x
  return %z : !x
}

// Four bits for what only products inside of the model read; its results' factors have eight.
// SHORT-LABEL: @head
// SHORT-DAG: weft.weight "inner" coded <codes along [1] of [8, 8] bits = 4> : tensor<8x8xi8>
// SHORT-DAG: weft.weight "head" coded <codes along [1] of [6, 8]> : tensor<6x8xi8>
// TABLE-LABEL: @head
// TABLE-DAG: weft.weight "inner" coded <reals along [1] of [8, 8] bits = 4 table = "nf4"> : tensor<8x8xf32>
// TABLE-DAG: weft.weight "head" coded <reals along [1] of [6, 8] table = "int8"> : tensor<6x8xf32>
// Rows that are no multiple of a group have 8 bits.
// GROUPS-LABEL: @head
// GROUPS-DAG: weft.weight "inner" coded <codes along [1] of [8, 8]> : tensor<8x8xi8>
// PLANES-LABEL: @head
// PLANES-DAG: weft.weight "inner" coded <codes along [1] of [8, 8] bits = 4 asymmetric = true> : tensor<8x8xi8>
func.func @head(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "inner" : tensor<8x8xf32>
  %v = weft.weight "head" : tensor<6x8xf32>
  %h = weft.contract [t in T to 40, n in 8, d in 8] ins(%x[t, d], %w[n, d] : !x, tensor<8x8xf32>) -> !x
  %y = weft.contract [t in T to 40, n in 6, d in 8] ins(%h[t, d], %v[n, d] : !x, tensor<6x8xf32>) -> !y
  %z = weft.map [t in T to 40, n in 6] ins(%y[t, n] : !y) {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    weft.yield %1 : f32
  } -> !y
  return %z : !y
}

// What is kept for the next call is no result: its factor has four bits.
// SHORT-LABEL: @kept
// SHORT: weft.weight "keys" coded <codes along [1] of [8, 8] bits = 4> : tensor<8x8xi8>
func.func @kept(%x: !x {weft.name = "x"}) -> (!x {weft.name = "keys", weft.state}) attributes {weft.entry, weft.start = @next} {
  %w = weft.weight "keys" : tensor<8x8xf32>
  %h = weft.contract [t in T to 40, n in 8, d in 8] ins(%x[t, d], %w[n, d] : !x, tensor<8x8xf32>) -> !x
  return %h : !x
}
func.func @next(%keys: !x {weft.name = "keys", weft.state}) -> (!x {weft.name = "y"}) attributes {weft.entry, weft.step = #weft.step<@kept, length = "T", count = "N">} {
  %y = weft.map [t in T to 40, n in 8] ins(%keys[t, n] : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// TABLE-LABEL: @table
// TABLE: weft.weight "t" coded <reals along [1] of [97, 8] table = "int8"> : tensor<97x8xf32>
// SHORT-LABEL: @table
// SHORT: weft.weight "t" coded <codes along [1] of [97, 8]> : tensor<97x8xi8>

// A table: the code that is read times its row's scale.
// CHECK-LABEL: @table
// CHECK-DAG: %[[C:.+]] = weft.weight "t" coded <codes along [1] of [97, 8]> : tensor<97x8xi8>
// CHECK-DAG: %[[S:.+]] = weft.weight "t" coded <scales along [1] of [97, 8]> : tensor<97xf32>
// CHECK: %[[CODE:.+]] = weft.at %[[C]][%[[I:.+]], %{{.+}}]
// CHECK: %[[SCALE:.+]] = weft.at %[[S]][%[[I]]]
// CHECK: arith.sitofp %[[CODE]]
// CHECK: arith.mulf %{{.+}}, %[[SCALE]]
func.func @table(%ids: tensor<4xi32> {weft.name = "ids"}) -> (tensor<4x8xf32> {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "t" : tensor<97x8xf32>
  %y = weft.map [t in 4, d in 8] ins(%ids[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %w[%i, %d] : tensor<97x8xf32>
    weft.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Rows that data choose and a sum runs over, as experts have them, are as short as other weights; not those whose sums are a
// result, nor a row that is not summed over.
// SHORT-LABEL: @chosen
// SHORT-DAG: weft.weight "up" coded <codes along [2] of [3, 5, 8] bits = 4>
// SHORT-DAG: weft.weight "last" coded <codes along [2] of [3, 8, 8]>
// SHORT-DAG: weft.weight "rows" coded <codes along [1] of [4, 8]>
func.func @chosen(%ids: tensor<4xi32> {weft.name = "ids"}) -> (tensor<4x8xf32> {weft.name = "y"}) attributes {weft.entry} {
  %up = weft.weight "up" : tensor<3x5x8xf32>
  %last = weft.weight "last" : tensor<3x8x8xf32>
  %rows = weft.weight "rows" : tensor<4x8xf32>
  %h = weft.reduce sum [t in 4, n in 5, d in 8] ins(%ids[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %t = weft.index 0
    %n = weft.index 1
    %d = weft.index 2
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %up[%i, %n, %d] : tensor<3x5x8xf32>
    %2 = weft.at %rows[%t, %d] : tensor<4x8xf32>
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<4x5xf32>
  %s = weft.reduce max [t in 4, n in 5] ins(%h[t, n] : tensor<4x5xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %y = weft.reduce sum [t in 4, m in 8, d in 8] ins(%ids[t], %s[t] : tensor<4xi32>, tensor<4xf32>) {
  ^bb0(%0: i32, %1: f32):
    %m = weft.index 1
    %d = weft.index 2
    %i = arith.index_cast %0 : i32 to index
    %2 = weft.at %last[%i, %m, %d] : tensor<3x8x8xf32>
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Must not fire: rows whose products have sums of more than 32 bits; reals have no such sums.
// TABLE-LABEL: @long
// TABLE: weft.weight "long" coded <reals along [1] of [6, 66316] table = "int8"> : tensor<6x66316xf32>
// CHECK-LABEL: @long
// CHECK: weft.weight "long" : tensor<6x66316xf32>
// CHECK: weft.weight "fits" coded <codes along [1] of [6, 66308]>
func.func @long(%x: tensor<4x66316xf32> {weft.name = "x"}, %y: tensor<4x66308xf32> {weft.name = "y"}) -> (tensor<4x6xf32> {weft.name = "a"}, tensor<4x6xf32> {weft.name = "b"}) attributes {weft.entry} {
  %w = weft.weight "long" : tensor<6x66316xf32>
  %v = weft.weight "fits" : tensor<6x66308xf32>
  %a = weft.contract [t in 4, n in 6, d in 66316] ins(%x[t, d], %w[n, d] : tensor<4x66316xf32>, tensor<6x66316xf32>) -> tensor<4x6xf32>
  %b = weft.contract [t in 4, n in 6, d in 66308] ins(%y[t, d], %v[n, d] : tensor<4x66308xf32>, tensor<6x66308xf32>) -> tensor<4x6xf32>
  return %a, %b : tensor<4x6xf32>, tensor<4x6xf32>
}

// Must not fire: a weight that is added; rows of six numbers; sums over different dimensions; a router; two weights.
// CHECK-LABEL: @must_not
// CHECK-NOT: coded
// CHECK: return
func.func @must_not(%x: !x {weft.name = "x"}, %u: tensor<4x6xf32> {weft.name = "u"}) -> (!x {weft.name = "a"}, tensor<4x6xf32> {weft.name = "b"}, tensor<?xi32, #weft.bounds<T to 40>> {weft.name = "c"}, !x {weft.name = "d"}, tensor<6x8xf32> {weft.name = "e"}, tensor<6x6xf32> {weft.name = "f"}) attributes {weft.entry} {
  %sq = weft.weight "square" : tensor<8x8xf32>
  %short = weft.weight "short" : tensor<6x6xf32>
  %router = weft.weight "router" : tensor<4x8xf32>
  %added = weft.weight "added" : tensor<6x8xf32>
  %left = weft.weight "left" : tensor<6x8xf32>
  %a = weft.contract [t in T to 40, n in 8, d in 8] ins(%x[t, d], %sq[n, d] : !x, tensor<8x8xf32>) -> !x
  %d = weft.contract [t in T to 40, n in 8, d in 8] ins(%x[t, d], %sq[d, n] : !x, tensor<8x8xf32>) -> !x
  %b = weft.contract [t in 4, n in 6, d in 6] ins(%u[t, d], %short[n, d] : tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %s = weft.contract [t in T to 40, e in 4, d in 8] ins(%x[t, d], %router[e, d] : !x, tensor<4x8xf32>) -> tensor<?x4xf32, #weft.bounds<T to 40>>
  %c = weft.reduce argmax [t in T to 40, e in 4] ins(%s[t, e] : tensor<?x4xf32, #weft.bounds<T to 40>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xi32, #weft.bounds<T to 40>>
  %e = weft.map [n in 6, d in 8] ins(%added[n, d] : tensor<6x8xf32>) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  } -> tensor<6x8xf32>
  %f = weft.contract [n in 6, m in 6, d in 8] ins(%added[n, d], %left[m, d] : tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x6xf32>
  return %a, %b, %c, %d, %e, %f : !x, tensor<4x6xf32>, tensor<?xi32, #weft.bounds<T to 40>>, !x, tensor<6x8xf32>, tensor<6x6xf32>
}
