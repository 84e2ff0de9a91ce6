// RUN: weft-opt --weft-assign-layout %s | FileCheck %s
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!heads = tensor<2x?x4xf32, #weft.bounds<T to 16>>
!pairs = tensor<2x?x?xf32, #weft.bounds<T to 16, T to 16>>

// What a product with a weight makes has rows of the activation; a rotation carries the order on.
// CHECK-LABEL: func.func @produced
// CHECK: weft.contract {{.*}}output_map{{.*}} -> tensor<?x2x4xf32, #weft.bounds<T to 16>>
// CHECK: weft.map {{.*}}ins(%{{.*}}[t, h, c] : {{.*}}output_map{{.*}}
// CHECK: -> tensor<?x2x4xf32, #weft.bounds<T to 16>>
func.func @produced(%x: !x) -> tensor<?xf32, #weft.bounds<T to 16>> attributes {weft.entry} {
  %w = weft.weight "w" : tensor<2x4x8xf32>
  %q = weft.contract [h in H = 2, t in T to 16, c in C = 4, d in D = 8] ins(%x[t, d], %w[h, c, d] : !x, tensor<2x4x8xf32>) -> !heads
  %r = weft.map [h in H = 2, t in T to 16, c in C = 4] ins(%q[h, t, c] : !heads) {
  ^bb0(%0: f32):
    %1 = math.cos %0 : f32
    weft.yield %1 : f32
  } -> !heads
  %y = weft.reduce sum [t in T to 16, h in H = 2, c in C = 4] ins(%r[h, t, c] : !heads) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 16>>
  return %y : tensor<?xf32, #weft.bounds<T to 16>>
}

// Gathers are permuted with the tensor they read.
// CHECK-LABEL: func.func @gathered
// CHECK: weft.at %{{.*}}[%[[T:.*]], %[[H:.*]], %[[C:.*]]] inbounds : tensor<?x2x4xf32
func.func @gathered(%x: !x) -> !heads attributes {weft.entry} {
  %w = weft.weight "w" : tensor<2x4x8xf32>
  %q = weft.contract [h in H = 2, t in T to 16, c in C = 4, d in D = 8] ins(%x[t, d], %w[h, c, d] : !x, tensor<2x4x8xf32>) -> !heads
  %r = weft.map [h in H = 2, t in T to 16, c in C = 4] {
    %h = weft.index 0
    %t = weft.index 1
    %c = weft.index 2
    %0 = weft.at %q[%h, %t, %c] inbounds : !heads
    weft.yield %0 : f32
  } -> !heads
  return %r : !heads
}

// Must not fire: outputs of an entry keep the declared order, and so does what no weight touches.
// CHECK-LABEL: func.func @declared
// CHECK-NOT: output_map
// CHECK: return %{{.*}} : tensor<2x?x4xf32, #weft.bounds<T to 16>>
func.func @declared(%x: !x, %a: !heads) -> (!heads, !x) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<2x4x8xf32>
  %q = weft.contract [h in H = 2, t in T to 16, c in C = 4, d in D = 8] ins(%x[t, d], %w[h, c, d] : !x, tensor<2x4x8xf32>) -> !heads
  %y = weft.contract [t in T to 16, d in D = 8, h in H = 2, c in C = 4] ins(%a[h, t, c], %a[h, t, c] : !heads, !heads) -> !x
  return %q, %y : !heads, !x
}

// The state belongs to the entries: what the start makes is stored as the product wants it, and the step follows.
// CHECK-LABEL: func.func @y_start
// CHECK: return %{{.*}} : tensor<?x2x4xf32, #weft.bounds<T to 16>>
func.func @y_start(%x: !x) -> (!heads {weft.name = "k.0", weft.state})
    attributes {weft.entry, weft.start = @y_step} {
  %w = weft.weight "w" : tensor<2x4x8xf32>
  %k = weft.contract [h in H = 2, t in T to 16, c in C = 4, d in D = 8] ins(%x[t, d], %w[h, c, d] : !x, tensor<2x4x8xf32>) -> !heads
  return %k : !heads
}

// CHECK-LABEL: func.func @y_step
// CHECK-SAME: %[[K:.*]]: tensor<?x2x4xf32, #weft.bounds<T to 16>> {weft.name = "k.0", weft.state}
// CHECK: weft.reduce sum {{.*}} ins(%[[K]][s, h, c] : tensor<?x2x4xf32, #weft.bounds<T to 16>>)
func.func @y_step(%k: !heads {weft.name = "k.0", weft.state}) -> tensor<2xf32>
    attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
  %y = weft.reduce sum [h in H = 2, s in T to 16, c in C = 4] ins(%k[h, s, c] : !heads) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Each result of a formula is stored as its own readers want it.
// CHECK-LABEL: func.func @row_sums
// CHECK: weft.attention {{.*}} attributes {output_maps = [#[[VALUES:.+]], #[[ROWS:.+]]]} {
// CHECK: } -> tensor<2x?x4xf32, #weft.bounds<T to 16>>, tensor<?x2xf32, #weft.bounds<T to 16>>
// CHECK: weft.contract {{.*}} ins(%{{.*}}[t, h], %{{.*}}[d, h] :
func.func @row_sums(%a: !heads) -> (!heads, !x) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x2xf32>
  %y, %rows = weft.attention softmax dots 1 scales [1.0] [h in H = 2, t in T to 16, v in C = 4, s in T to 16, c in C = 4]
      ins(%a[h, t, c], %a[h, s, c], %a[h, s, v] : !heads, !heads, !heads)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (h, t, v)>, affine_map<(h, t, v, s, c) -> (h, t)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !heads, tensor<2x?xf32, #weft.bounds<T to 16>>
  %z = weft.contract [t in T to 16, d in D = 8, h in H = 2] ins(%rows[h, t], %w[d, h] : tensor<2x?xf32, #weft.bounds<T to 16>>, tensor<8x2xf32>) -> !x
  return %y, %z : !heads, !x
}

// Of a product of two activations that units multiply in pairs, the rows' sums lie side by side, though they are made of what does not.
// CHECK-LABEL: func.func @pairs
// CHECK: weft.map [t in T to 16, d in 8] ins(%{{.*}}[d, t] : tensor<8x?xf32, #weft.bounds<T to 16>>) {
// CHECK: weft.contract {{.*}}ins(%{{.*}}[t, d], %{{.*}}[n, d] : tensor<?x8xbf16
!rows = tensor<?x8xbf16, #weft.bounds<T to 16>>
func.func @pairs(%a: tensor<8x?xf32, #weft.bounds<T to 16>>, %b: tensor<40x8xbf16>) -> tensor<?x40xf32, #weft.bounds<T to 16>> attributes {weft.entry} {
  %r = weft.map [t in T to 16, d in 8] ins(%a[d, t] : tensor<8x?xf32, #weft.bounds<T to 16>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !rows
  %y = weft.contract [t in T to 16, n in 40, d in 8] ins(%r[t, d], %b[n, d] : !rows, tensor<40x8xbf16>) -> tensor<?x40xf32, #weft.bounds<T to 16>>
  return %y : tensor<?x40xf32, #weft.bounds<T to 16>>
}

// Scores that a few heads mix stay as their own product has its columns, and so does what is made of them.
// CHECK-LABEL: func.func @mixed
// CHECK: %[[SCORES:.*]] = weft.contract [h in H = 2, {{.*}} -> tensor<2x?x?xf32, #weft.bounds<T to 16, T to 16>>
// CHECK: weft.contract {{.*}} ins(%[[SCORES]][g, t, s], {{.*}} -> tensor<2x?x?xf32, #weft.bounds<T to 16, T to 16>>
func.func @mixed(%q: !heads, %k: !heads) -> tensor<?xf32, #weft.bounds<T to 16>> attributes {weft.entry} {
  %w = weft.weight "w" : tensor<2x2xf32>
  %z = weft.contract [h in H = 2, t in T to 16, s in T to 16, c in C = 4] ins(%q[h, t, c], %k[h, s, c] : !heads, !heads) -> !pairs
  %m = weft.contract [h in H = 2, t in T to 16, s in T to 16, g in G = 2] ins(%z[g, t, s], %w[h, g] : !pairs, tensor<2x2xf32>) -> !pairs
  %y = weft.reduce max [t in T to 16, h in H = 2, s in T to 16] ins(%m[h, t, s] : !pairs) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 16>>
  return %y : tensor<?xf32, #weft.bounds<T to 16>>
}

// Must not fire: what is stored last is a column all the same, or the sums of the reader are longer.
// CHECK-LABEL: func.func @read_by_rows
// CHECK: weft.contract [h in H = 2, {{.*}} -> tensor<?x2x4xf32, #weft.bounds<T to 16>>
// CHECK: weft.contract [h in H = 2, {{.*}} -> tensor<?x?x2xf32, #weft.bounds<T to 16, T to 16>>
func.func @read_by_rows(%a: !pairs, %v: !heads) -> (!x, tensor<?x?x8xf32, #weft.bounds<T to 16, T to 16>>) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x2x4xf32>
  %o = weft.weight "o" : tensor<8x2xf32>
  %u = weft.contract [h in H = 2, t in T to 16, c in C = 4, s in T to 16] ins(%a[h, t, s], %v[h, s, c] : !pairs, !heads) -> !heads
  %y = weft.contract [t in T to 16, d in D = 8, h in H = 2, c in C = 4] ins(%u[h, t, c], %w[d, h, c] : !heads, tensor<8x2x4xf32>) -> !x
  %one = weft.contract [h in H = 2, t in T to 16, s in T to 16, i in 1] ins(%v[h, t, i], %v[h, s, i] : !heads, !heads) -> !pairs
  %p = weft.contract [t in T to 16, s in T to 16, d in D = 8, h in H = 2] ins(%one[h, t, s], %o[d, h] : !pairs, tensor<8x2xf32>) -> tensor<?x?x8xf32, #weft.bounds<T to 16, T to 16>>
  return %y, %p : !x, tensor<?x?x8xf32, #weft.bounds<T to 16, T to 16>>
}
