// RUN: weft-opt --weft-pack-weights=nr=8 --split-input-file %s | FileCheck %s
// RUN: weft-opt --weft-pack-weights=nr=0 --split-input-file %s | FileCheck %s --check-prefix=PLAIN
// RUN: not weft-opt --weft-pack-weights=nr=12 --split-input-file %s 2>&1 | FileCheck %s --check-prefix=WIDTH
// WIDTH: error: the panel width 12 is neither 0 nor a power of two
// PLAIN-NOT: tile = [8
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!y = tensor<?x12xf32, #weft.bounds<T to 16>>

// A weight on the left changes sides; the last panel is padded.
// CHECK-LABEL: func.func @left
// CHECK: weft.weight "w" : tensor<12x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>
// CHECK: ins(%{{.*}}[t, d], %{{.*}}[f, d] :
func.func @left(%x: !x) -> !y attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.contract [t in T to 16, f in F = 12, d in D = 8] ins(%w[f, d], %x[t, d] : tensor<12x8xf32>, !x) -> !y
  return %y : !y
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>

// Two products want different panels: the weight is stored in both.
// CHECK-LABEL: func.func @disagree
// CHECK-DAG: %[[ROWS:.*]] = weft.weight "w" : tensor<8x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>
// CHECK-DAG: %[[COLUMNS:.*]] = weft.weight "w" : tensor<8x8xf32, #weft.layout<n = [1], k = [0], tile = [8, 1]>>
// CHECK: weft.contract {{.*}}, %[[ROWS]][f, d]
// CHECK: weft.contract {{.*}}, %[[COLUMNS]][d, f]
func.func @disagree(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<8x8xf32>) -> !x
  %z = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%y[t, d], %w[d, f] : !x, tensor<8x8xf32>) -> !x
  return %z : !x
}

// -----
!x = tensor<4x8xf32>

// Must not fire: so few rows are no reason for a second form.
// CHECK-LABEL: func.func @few
// CHECK: weft.weight "w" : tensor<8x8xf32, #weft.layout<n = [{{[01]}}], k = [{{[01]}}], tile = [8, 1]>>
// CHECK-NOT: weft.weight
func.func @few(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in 4, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<8x8xf32>) -> !x
  %z = weft.contract [t in 4, f in F = 8, d in D = 8] ins(%y[t, d], %w[d, f] : !x, tensor<8x8xf32>) -> !x
  return %z : !x
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!w = tensor<8x8xf32>

// The second form passes through functions by arguments of its own.
// CHECK-LABEL: func.func @layers
func.func @layers(%x: !x) -> !x attributes {weft.entry} {
  // CHECK-DAG: %[[A0:.*]] = weft.weight "a" : tensor<8x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>
  // CHECK-DAG: %[[A1:.*]] = weft.weight "a" : tensor<8x8xf32, #weft.layout<n = [1], k = [0], tile = [8, 1]>>
  %a = weft.weight "a" : !w
  %b = weft.weight "b" : !w
  // CHECK: call @layer(%{{.*}}, %[[A1]], %[[A0]])
  %y = call @layer(%x, %a) : (!x, !w) -> !x
  // CHECK: call @layer(
  %z = call @layer(%y, %b) : (!x, !w) -> !x
  return %z : !x
}
// CHECK: func.func private @layer(%{{.*}}: {{.*}}, %[[W1:.*]]: tensor<8x8xf32, #weft.layout<n = [1]{{.*}}, %[[W0:.*]]: tensor<8x8xf32, #weft.layout<n = [0]
func.func private @layer(%x: !x, %w: !w) -> !x {
  // CHECK: weft.contract {{.*}}, %[[W0]][f, d]
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, !w) -> !x
  // CHECK: weft.contract {{.*}}, %[[W1]][d, f]
  %z = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%y[t, d], %w[d, f] : !x, !w) -> !x
  return %z : !x
}

// -----
!q = tensor<?x2x4xf32, #weft.bounds<T to 16>>

// One matrix for each head.
// CHECK-LABEL: func.func @heads
// CHECK: weft.weight "w" : tensor<2x4x4xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [8, 1]>>
func.func @heads(%q: !q) -> !q attributes {weft.entry} {
  %w = weft.weight "w" : tensor<2x4x4xf32>
  %y = weft.contract [t in T to 16, h in H = 2, e in E = 4, c in C = 4] ins(%q[t, h, c], %w[h, c, e] : !q, tensor<2x4x4xf32>) -> !q
  return %y : !q
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>

// The rows of the activation are not contiguous in memory: they are walked in steps.
// CHECK-LABEL: func.func @columns
// CHECK: weft.weight "w" : tensor<8x8xf32, #weft.layout<n = [1], k = [0], tile = [8, 1]>>
func.func @columns(%x: tensor<8x?xf32, #weft.bounds<T to 16>>) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[d, t], %w[d, f] : tensor<8x?xf32, #weft.bounds<T to 16>>, tensor<8x8xf32>) -> !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!y = tensor<?x12xf32, #weft.bounds<T to 16>>

// A weight is stored once: a function that only gathers from it reads the panels of the other one's product.
// CHECK-LABEL: func.func @product
// CHECK: weft.weight "w" : tensor<12x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>
func.func @product(%x: !x) -> !y attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.contract [t in T to 16, f in F = 12, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<12x8xf32>) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @gather
// CHECK: weft.weight "w" : tensor<12x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>
// CHECK: weft.at %{{.*}}[%{{.*}}, %{{.*}}] inbounds : tensor<12x8xf32, #weft.layout
func.func @gather() -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.map [t in T to 16, d in D = 8] {
    %d = weft.index 1
    %row = arith.constant 3 : index
    %0 = weft.at %w[%row, %d] inbounds : tensor<12x8xf32>
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>

// What two functions want of the weight differs.
// CHECK-LABEL: func.func @rows
// CHECK: weft.weight "w" : tensor<8x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>
func.func @rows(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<8x8xf32>) -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @columns
// CHECK: weft.weight "w" : tensor<8x8xf32, #weft.layout<n = [1], k = [0], tile = [8, 1]>>
func.func @columns(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[d, f] : !x, tensor<8x8xf32>) -> !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!y = tensor<12x?xf32, #weft.bounds<T to 16>>

// Must not fire: the output stores the activation's index side by side; and only a part of the columns is read.
// CHECK-LABEL: func.func @sides
// CHECK: weft.weight "v" : tensor<12x8xf32>
// CHECK: weft.weight "w" : tensor<12x8xf32>
func.func @sides(%x: !x) -> (!y, !x) attributes {weft.entry} {
  %v = weft.weight "v" : tensor<12x8xf32>
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.contract [f in F = 12, t in T to 16, d in D = 8] ins(%x[t, d], %v[f, d] : !x, tensor<12x8xf32>) -> !y
  %z = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<12x8xf32>) -> !x
  return %y, %z : !y, !x
}

// -----
!x = tensor<?x32xui8, #weft.bounds<T to 16>>
!y = tensor<?x64xi32, #weft.bounds<T to 16>>

// Codes of 4 bits stay so where nothing else is packed.
// CHECK-LABEL: func.func @codes
// CHECK: : tensor<64x32xi8, #weft.layout<n = [0], k = [1], tile = [8, 4] nibbles = 32>>
// PLAIN-LABEL: func.func @codes
// PLAIN: : tensor<64x32xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>
func.func @codes(%x: !x) -> !y attributes {weft.entry} {
  %w = weft.weight "w" coded <codes along [1] of [64, 32] bits = 4 group = 32> : tensor<64x32xi8>
  %y = weft.contract [t in T to 16, f in F = 64, d in D = 32] ins(%x[t, d], %w[f, d] : !x, tensor<64x32xi8>) -> !y
  return %y : !y
}

// Narrow codes are so in panels, too.
// CHECK-LABEL: func.func @narrow
// CHECK: coded <codes along [1] of [64, 32] narrow = true> : tensor<64x32xi8, #weft.layout<n = [0], k = [1], tile = [8, 4] narrow = true>>
// PLAIN-LABEL: func.func @narrow
// PLAIN: narrow = true> : tensor<64x32xi8>
func.func @narrow(%x: !x) -> !y attributes {weft.entry} {
  %w = weft.weight "n" coded <codes along [1] of [64, 32] narrow = true> : tensor<64x32xi8>
  %y = weft.contract [t in T to 16, f in F = 64, d in D = 32] ins(%x[t, d], %w[f, d] : !x, tensor<64x32xi8>) -> !y
  return %y : !y
}

// Not where the product adds up in another order than the rows of the checkpoint have.
// CHECK-LABEL: func.func @across
// CHECK: narrow = true> : tensor<64x8x4xi8, #weft.layout<n = [0], k = [2, 1], tile = [8, 4]>>
func.func @across(%x: tensor<?x4x8xui8, #weft.bounds<T to 16>>) -> !y attributes {weft.entry} {
  %w = weft.weight "a" coded <codes along [1, 2] of [64, 8, 4] narrow = true> : tensor<64x8x4xi8>
  %y = weft.contract [t in T to 16, f in F = 64, h in H = 4, d in D = 8] ins(%x[t, h, d], %w[f, d, h] : tensor<?x4x8xui8, #weft.bounds<T to 16>>, tensor<64x8x4xi8>) -> !y
  return %y : !y
}

// -----
!x = tensor<?x32xf32, #weft.bounds<T to 16>>
!y = tensor<?x64xf32, #weft.bounds<T to 16>>

// So do codes that stand for reals; where no product wants panels along their groups they lie row by row.
// CHECK-LABEL: func.func @reals
// CHECK-DAG: weft.weight "w" {{.*}} : tensor<64x32xf32, #weft.layout<n = [0], k = [1], tile = [8, 1] codes = "nf4" group = 32>>
// CHECK-DAG: weft.weight "rows" {{.*}} : tensor<64x32xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "fp8" group = 32>>
// CHECK-DAG: weft.weight "across" {{.*}} : tensor<64x32xf32, #weft.layout<n = [1], k = [0], tile = [1, 1] codes = "fp8" group = 64>>
// PLAIN-LABEL: func.func @reals
// PLAIN: weft.weight "w" {{.*}} : tensor<64x32xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 32>>
func.func @reals(%x: !x) -> (!y, tensor<64xf32>, !y) attributes {weft.entry} {
  %w = weft.weight "w" coded <reals along [1] of [64, 32] bits = 4 group = 32 table = "nf4"> : tensor<64x32xf32>
  %v = weft.weight "rows" coded <reals along [1] of [64, 32] table = "fp8"> : tensor<64x32xf32>
  %u = weft.weight "across" coded <reals along [0] of [64, 32] table = "fp8"> : tensor<64x32xf32>
  %y = weft.contract [t in T to 16, f in F = 64, d in D = 32] ins(%x[t, d], %w[f, d] : !x, tensor<64x32xf32>) -> !y
  %s = weft.reduce sum [f in F = 64, d in D = 32] ins(%v[f, d] : tensor<64x32xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<64xf32>
  %z = weft.contract [t in T to 16, f in F = 64, d in D = 32] ins(%x[t, d], %u[f, d] : !x, tensor<64x32xf32>) -> !y
  return %y, %s, %z : !y, tensor<64xf32>, !y
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!c = tensor<?xi32, #weft.bounds<T to 16>>
!y = tensor<?x12xf32, #weft.bounds<T to 16>>

// Matrices of which each row has one are panels like those of a batch; must not fire where columns choose.
// CHECK-LABEL: func.func @chosen
// CHECK-DAG: weft.weight "w" : tensor<3x12x8xf32, #weft.layout<batch = [0], n = [1], k = [2], tile = [8, 1]>>
// CHECK-DAG: weft.weight "v" : tensor<12x3x8xf32>
func.func @chosen(%x: !x, %c: !c, %d: tensor<12xi32>) -> (!y, !y) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<3x12x8xf32>
  %v = weft.weight "v" : tensor<12x3x8xf32>
  %y = weft.contract [t in T to 16, f in F = 12, d in D = 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t] : !x, tensor<3x12x8xf32>, !c) attributes {chosen} -> !y
  %z = weft.contract [t in T to 16, f in F = 12, d in D = 8, e in 3] ins(%x[t, d], %v[f, e, d], %d[f] : !x, tensor<12x3x8xf32>, tensor<12xi32>) attributes {chosen} -> !y
  return %y, %z : !y, !y
}

// -----

// Rows that lie in another order are no reason for another form: what a step stores so is added up as in the whole.
// CHECK-LABEL: func.func @whole
// CHECK: weft.weight "w" : tensor<12x4x8xf32, #weft.layout<n = [0], k = [1, 2], tile = [8, 1]>>
// CHECK-NOT: weft.weight
// CHECK-LABEL: func.func @step
// CHECK: weft.weight "w" : tensor<12x4x8xf32, #weft.layout<n = [0], k = [1, 2], tile = [8, 1]>>
// CHECK-NOT: weft.weight
func.func @whole(%x: tensor<?x4x8xf32, #weft.bounds<T to 16>>) -> tensor<?x12xf32, #weft.bounds<T to 16>> attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x4x8xf32>
  %y = weft.contract [t in T to 16, f in 12, h in 4, c in 8] ins(%x[t, h, c], %w[f, h, c] : tensor<?x4x8xf32, #weft.bounds<T to 16>>, tensor<12x4x8xf32>) -> tensor<?x12xf32, #weft.bounds<T to 16>>
  return %y : tensor<?x12xf32, #weft.bounds<T to 16>>
}
func.func @step(%x: tensor<?x8x4xf32, #weft.bounds<T to 16>>) -> tensor<?x12xf32, #weft.bounds<T to 16>> attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x4x8xf32>
  %y = weft.contract [t in T to 16, f in 12, h in 4, c in 8] ins(%x[t, c, h], %w[f, h, c] : tensor<?x8x4xf32, #weft.bounds<T to 16>>, tensor<12x4x8xf32>) -> tensor<?x12xf32, #weft.bounds<T to 16>>
  return %y : tensor<?x12xf32, #weft.bounds<T to 16>>
}
