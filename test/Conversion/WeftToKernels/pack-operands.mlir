// RUN: weft-opt --weft-pack-operands=nr=8 --split-input-file %s | FileCheck %s
!a = tensor<?x24xf32, #weft.bounds<T to 64>>
!b = tensor<24x12xf32>
!c = tensor<?x12xf32, #weft.bounds<T to 64>>

// The right factor goes into panels once, for both products that read it.
// CHECK-LABEL: func.func @rows
// CHECK: %[[P:.*]] = weft.map [d in 24, f in 12] ins(%arg1[d, f] : tensor<24x12xf32>) attributes {weft.label = "c.panels"}
// CHECK: -> tensor<24x12xf32, #weft.layout<n = [1], k = [0], tile = [8, 1]>>
// CHECK: weft.contract {{.*}} ins(%arg0[t, d], %[[P]][d, f] :
// CHECK-NOT: weft.map
// CHECK: weft.contract {{.*}} ins(%arg0[t, d], %[[P]][d, f] :
func.func @rows(%a: !a, %b: !b) -> (!c, !c) {
  %c = weft.contract [t in T to 64, f in 12, d in 24] ins(%a[t, d], %b[d, f] : !a, !b) attributes {weft.label = "c"} -> !c
  %d = weft.contract [t in T to 64, f in 12, d in 24] ins(%a[t, d], %b[d, f] : !a, !b) attributes {scale = 2.0 : f64, weft.label = "d"} -> !c
  return %c, %d : !c, !c
}

// -----
!g = tensor<?x16xf32, #weft.bounds<T to 64>>

// What a gradient is: both factors are read across their rows. The sum is over a run-time dimension.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[P:.*]] = weft.map [t in T to 64, c in 16] ins(%arg1[t, c] :
// CHECK: -> tensor<?x16xf32, #weft.layout<n = [1], k = [0], tile = [8, 1], bounds = <T to 64>>>
// CHECK: weft.contract {{.*}} ins(%arg0[t, r], %[[P]][t, c] :
func.func @gradient(%g: !g, %x: !g) -> tensor<16x16xf32> {
  %w = weft.contract [r in 16, c in 16, t in T to 64] ins(%g[t, r], %x[t, c] : !g, !g) -> tensor<16x16xf32>
  return %w : tensor<16x16xf32>
}

// -----
!q = tensor<2x?x8xf32, #weft.bounds<T to 64>>
!s = tensor<2x?x?xf32, #weft.bounds<T to 64, T to 64>>

// One matrix for each head; the copy transposes.
// CHECK-LABEL: func.func @heads
// CHECK: %[[P:.*]] = weft.map [h in 2, c in 8, s in T to 64] ins(%arg1[h, s, c] :
// CHECK: -> tensor<2x8x?xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [8, 1], bounds = <T to 64>>>
// CHECK: weft.contract {{.*}} ins(%arg0[h, t, c], %[[P]][h, c, s] :
func.func @heads(%q: !q, %k: !q) -> !s {
  %s = weft.contract [h in 2, t in T to 64, s in T to 64, c in 8] ins(%q[h, t, c], %k[h, s, c] : !q, !q) -> !s
  return %s : !s
}

// -----
!a = tensor<?x24xf32, #weft.bounds<T to 64>>
!c = tensor<?x12xf32, #weft.bounds<T to 64>>

// Must not fire: a weight, few rows, few columns, a short sum, factors that are no products.
// CHECK-LABEL: func.func @others
// CHECK-NOT: weft.map
// CHECK: return
func.func @others(%a: !a, %few: tensor<4x24xf32>, %b: tensor<24x12xf32>, %e: tensor<24x3xf32>, %u: tensor<?x4xf32, #weft.bounds<T to 64>>, %v: tensor<4x12xf32>)
    -> (!c, tensor<4x12xf32>, tensor<?x3xf32, #weft.bounds<T to 64>>, !c, !a) {
  %w = weft.weight "w" : tensor<24x12xf32>
  %0 = weft.contract [t in T to 64, f in 12, d in 24] ins(%a[t, d], %w[d, f] : !a, tensor<24x12xf32>) -> !c
  %1 = weft.contract [t in 4, f in 12, d in 24] ins(%few[t, d], %b[d, f] : tensor<4x24xf32>, tensor<24x12xf32>) -> tensor<4x12xf32>
  %2 = weft.contract [t in T to 64, f in 3, d in 24] ins(%a[t, d], %e[d, f] : !a, tensor<24x3xf32>) -> tensor<?x3xf32, #weft.bounds<T to 64>>
  %3 = weft.contract [t in T to 64, f in 12, d in 4] ins(%u[t, d], %v[d, f] : tensor<?x4xf32, #weft.bounds<T to 64>>, tensor<4x12xf32>) -> !c
  %4 = weft.contract [t in T to 64, d in 24, f in 12] ins(%a[t, d], %b[d, f] : !a, tensor<24x12xf32>) -> !a
  return %0, %1, %2, %3, %4 : !c, tensor<4x12xf32>, tensor<?x3xf32, #weft.bounds<T to 64>>, !c, !a
}

// -----
!x = tensor<?x24xf32, #weft.bounds<N to 64>>
!k = tensor<64x24xf32>
!s = tensor<?x64xf32, #weft.bounds<N to 64>>
!k8 = tensor<?x8x24xf32, #weft.bounds<T to 64>>
!s8 = tensor<8x?xf32, #weft.bounds<T to 64>>

// What generates adds up in one order, whatever the number of rows: a step's products read panels as the whole's do, and so do
// those of its last row.
module attributes {weft.symbols = #weft.bounds<T to 64, N to 64>} {
  func.func @y(%x: tensor<?x24xf32, #weft.bounds<T to 64>> {weft.name = "x"}) -> (tensor<?x24xf32, #weft.bounds<T to 64>> {weft.name = "y"}) attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    return %x : tensor<?x24xf32, #weft.bounds<T to 64>>
  }
  // CHECK-LABEL: func.func @y_step
  // CHECK: %[[P:.*]] = weft.map [c in 24, s in 64] ins(%arg1[s, c] :
  // CHECK: -> tensor<24x64xf32, #weft.layout<n = [1], k = [0], tile = [8, 1]>>
  // CHECK: weft.contract {{.*}} ins(%arg0[t, c], %[[P]][c, s] :
  func.func @y_step(%x: !x {weft.name = "x"}, %k: !k {weft.name = "k", weft.state}) -> (!s {weft.name = "y"}, !k {weft.name = "k", weft.state})
      attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
    %s = weft.contract [t in N to 64, s in 64, c in 24] ins(%x[t, c], %k[s, c] : !x, !k) -> !s
    return %s, %k : !s, !k
  }
  // CHECK-LABEL: func.func @y_step_last
  // CHECK: %[[P:.*]] = weft.map [c in 24, s in 64] ins(%arg1[s, c] :
  // CHECK: weft.contract [s in 64, c in 24] ins(%arg0[c], %[[P]][c, s] :
  func.func @y_step_last(%x: tensor<24xf32> {weft.name = "x"}, %k: !k {weft.name = "k", weft.state}) -> (tensor<64xf32> {weft.name = "y"}, !k {weft.name = "k", weft.state})
      attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">, weft.last = @y_step} {
    %s = weft.contract [s in 64, c in 24] ins(%x[c], %k[s, c] : tensor<24xf32>, !k) -> tensor<64xf32>
    return %s, %k : tensor<64xf32>, !k
  }
  // Of several indices in the formula's order, however rows lie.
  // CHECK-LABEL: func.func @several
  // CHECK: weft.map [h in 4, c in 8, n in 64] ins(%arg1[n, h, c] :
  // CHECK: -> tensor<4x8x64xf32, #weft.layout<n = [2], k = [0, 1], tile = [8, 1]>>
  func.func @several(%x: tensor<64x8x4xf32>, %k: tensor<64x4x8xf32>) -> tensor<64x64xf32> {
    %s = weft.contract [t in 64, n in 64, h in 4, c in 8] ins(%x[t, c, h], %k[n, h, c] : tensor<64x8x4xf32>, tensor<64x4x8xf32>) -> tensor<64x64xf32>
    return %s : tensor<64x64xf32>
  }
  // Must not fire: a row for each of several matrices, whose columns a step stores before or behind what counts them.
  // CHECK-LABEL: func.func @vectors
  // CHECK-NOT: weft.map
  // CHECK: return
  func.func @vectors(%x: tensor<8x24xf32>, %k: !k8) -> !s8 {
    %s = weft.contract [h in 8, t in T to 64, c in 24] ins(%x[h, c], %k[t, h, c] : tensor<8x24xf32>, !k8) -> !s8
    return %s : !s8
  }
  // Examples are no such matrices: each is multiplied as it is alone.
  // CHECK-LABEL: func.func @examples
  // CHECK: %[[P:.*]] = weft.map [b in batch = 4, c in 24, n in 64] ins(%arg1[b, n, c] :
  // CHECK: weft.contract {{.*}} ins(%arg0[b, c], %[[P]][b, c, n] :
  func.func @examples(%x: tensor<4x24xf32>, %k: tensor<4x64x24xf32>) -> tensor<4x64xf32> {
    %s = weft.contract [b in batch = 4, n in 64, c in 24] ins(%x[b, c], %k[b, n, c] : tensor<4x24xf32>, tensor<4x64x24xf32>) -> tensor<4x64xf32>
    return %s : tensor<4x64xf32>
  }
}

// -----
!qkv = tensor<?x3x2x8xf32, #weft.bounds<T to 512>>
!y = tensor<?x2x8xf32, #weft.bounds<T to 512>>

// Keys of many queries are the columns of scores, values those of results; of one tensor, the parts that are read.
// CHECK-LABEL: func.func @attention
// CHECK-DAG: %[[K:.*]] = weft.map [{{.*}} in 2, {{.*}} in 8, {{.*}} in T to 512] ins(%arg0[{{.*}}, 1, {{.*}}] {{.*}}{weft.label = "y.panels"}
// CHECK-DAG: -> tensor<2x8x?xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [8, 1], bounds = <T to 512>>>
// CHECK-DAG: -> tensor<2x?x8xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [8, 1], bounds = <T to 512>>>
// CHECK: weft.attention {{.*}} ins(%arg0[t, 0, h, c], %{{.*}}[h, c, s], %{{.*}}[h, s, v] :
func.func @attention(%x: !qkv) -> !y {
  %y = weft.attention softmax dots 1 scales [1.0] [t in T to 512, h in 2, v in 8, s in T to 512, c in 8]
      ins(%x[t, 0, h, c], %x[s, 1, h, c], %x[s, 2, h, v] : !qkv, !qkv, !qkv) attributes {weft.label = "y"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !y
  return %y : !y
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 128>>

// Must not fire: one task has all queries.
// CHECK-LABEL: func.func @few_queries
// CHECK-NOT: weft.map
// CHECK: return
func.func @few_queries(%x: !x) -> !x {
  %y = weft.attention softmax dots 1 scales [1.0] [t in T to 128, v in 8, s in T to 128, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// -----
!q = tensor<?x8x8xf32, #weft.bounds<T to 33>>
!kv = tensor<?x2x8xf32, #weft.bounds<T to 33>>

// The tasks of four heads share the keys of their group.
// CHECK-LABEL: func.func @group
// CHECK-DAG: -> tensor<2x8x?xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [8, 1], bounds = <T to 33>>>
// CHECK-DAG: -> tensor<2x?x8xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [8, 1], bounds = <T to 33>>>
// CHECK: weft.attention {{.*}} ins(%arg0[t, h, c], %{{.*}}[h floordiv 4, c, s], %{{.*}}[h floordiv 4, s, v] :
func.func @group(%q: !q, %kv: !kv) -> !q {
  %y = weft.attention softmax dots 1 scales [1.0] [t in T to 33, h in 8, v in 8, s in T to 33, c in 8]
      ins(%q[t, h, c], %kv[s, h floordiv 4, c], %kv[s, h floordiv 4, v] : !q, !kv, !kv) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !q
  return %y : !q
}

// -----
!q = tensor<8x8xf32>
!kv = tensor<?x2x8xf32, #weft.bounds<S to 1000>>

// Must not fire: eight heads of one query each pack less than a copy would.
// CHECK-LABEL: func.func @one_query
// CHECK-NOT: weft.map
// CHECK: return
func.func @one_query(%q: !q, %kv: !kv) -> !q {
  %y = weft.attention softmax dots 1 scales [1.0] [h in 8, v in 8, s in S to 1000, c in 8]
      ins(%q[h, c], %kv[s, h floordiv 4, c], %kv[s, h floordiv 4, v] : !q, !kv, !kv) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !q
  return %y : !q
}

// -----

// Must not fire: of so few columns as one example of a batch has, how many ever there are; and of so few rows.
// CHECK-LABEL: func.func @examples
// CHECK-NOT: weft.map
func.func @examples(%x: tensor<64x4x16xf32>, %w: tensor<96x16xf32>, %u: tensor<64x8x16xf32>, %v: tensor<40x16xf32>) -> (tensor<64x96x4xf32>, tensor<64x8x40xf32>) {
  %y = weft.contract [b in batch = 64, n in 96, p in 4, k in 16] ins(%w[n, k], %x[b, p, k] : tensor<96x16xf32>, tensor<64x4x16xf32>) -> tensor<64x96x4xf32>
  %z = weft.contract [b in batch = 64, t in 8, n in 40, k in 16] ins(%u[b, t, k], %v[n, k] : tensor<64x8x16xf32>, tensor<40x16xf32>) -> tensor<64x8x40xf32>
  return %y, %z : tensor<64x96x4xf32>, tensor<64x8x40xf32>
}
