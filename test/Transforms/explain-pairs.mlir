// RUN: weft-opt %s --weft-explain-pairs | FileCheck %s
// RUN: weft-opt %s --weft-explain-pairs=remarks=true --verify-diagnostics -o /dev/null

!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!s = tensor<?x?xf32, #weft.bounds<T to 32, T to 32>>

// A chain has one reason, at its end; tensors of one position need none.
// CHECK-LABEL: @layer
// CHECK: weft.contract {{.*}} {weft.label = "score", weft.unfused_reason = "its reader is not fused"}
// CHECK: weft.softmax {{.*}}weft.unfused_reason = "the weights are used more than once"
// CHECK: weft.contract {{.*}} tensor<8x8xf32>) -> tensor
func.func private @layer(%x: !x, %bias: !s, %w: tensor<8x8xf32>) -> !s {
  %0 = weft.contract [t in T to 32, s in T to 32, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {weft.label = "score"} -> !s
  %1 = weft.softmax softmax axis 1 [t in T to 32, s in T to 32] ins(%0[t, s], %bias[t, s] : !s, !s)
      attributes {weft.unfused_reason = "the weights are used more than once"} {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %5 = weft.contract [t in T to 32, f in 8, c in 8] ins(%x[t, c], %w[c, f] : !x, tensor<8x8xf32>) -> !x
  return %1 : !s
}

// CHECK-LABEL: @model
// CHECK: weft.map {{.*}} {weft.label = "bias", weft.unfused_reason = "it is an argument of a layer"}
func.func @model(%x: !x, %w: tensor<8x8xf32>) -> !s {
  // expected-remark @+1 {{'bias' stays a tensor of position pairs: it is an argument of a layer}}
  %0 = weft.map [t in T to 32, s in T to 32] ins(%x[t, 0], %x[s, 1] : !x, !x) attributes {weft.label = "bias"} {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %1 = call @layer(%x, %0, %w) : (!x, !s, tensor<8x8xf32>) -> !s
  return %1 : !s
}

// Must not fire: one position, and a reason that is there already.
// CHECK-LABEL: @kept
// CHECK: weft.map {{.*}} {weft.label = "row"} {
// CHECK: weft.unfused_reason = "mine"
func.func @kept(%x: !x) -> (!x, !s) {
  %0 = weft.map [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {weft.label = "row"} {
  ^bb0(%2: f32):
    %3 = math.exp %2 : f32
    weft.yield %3 : f32
  } -> !x
  %1 = weft.map [t in T to 32, s in T to 32] ins(%x[t, 0], %x[s, 1] : !x, !x) attributes {weft.unfused_reason = "mine"} {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  return %0, %1 : !x, !s
}

// CHECK-LABEL: @reasons
// CHECK: weft.label = "unused", weft.unfused_reason = "nothing uses it"
// CHECK: weft.label = "result", weft.unfused_reason = "it is a result of the function"
// CHECK: weft.label = "read", weft.unfused_reason = "no formula that sums over its keys is all that uses it"
func.func @reasons(%x: !x) -> (!s, tensor<?xf32, #weft.bounds<T to 32>>) {
  // expected-remark @+1 {{'unused' stays a tensor of position pairs: nothing uses it}}
  %0 = weft.contract [t in T to 32, s in T to 32, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {weft.label = "unused"} -> !s
  // expected-remark @+1 {{'result' stays a tensor of position pairs: it is a result of the function}}
  %1 = weft.contract [t in T to 32, s in T to 32, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {weft.label = "result"} -> !s
  // expected-remark @+1 {{'read' stays a tensor of position pairs: no formula that sums over its keys is all that uses it}}
  %2 = weft.contract [t in T to 32, s in T to 32, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {weft.label = "read"} -> !s
  %3 = weft.map [t in T to 32] ins(%2[t, t] : !s) {
  ^bb0(%4: f32):
    %5 = math.exp %4 : f32
    weft.yield %5 : f32
  } -> tensor<?xf32, #weft.bounds<T to 32>>
  return %1, %3 : !s, tensor<?xf32, #weft.bounds<T to 32>>
}

// Examples and positions, words and labels: two run-time dimensions that nothing pairs.
!e = tensor<?x?x8xf32, #weft.bounds<N to 4, T to 32>>
!m = tensor<?x?xf32, #weft.bounds<N to 4, T to 32>>
!l = tensor<?x8xf32, #weft.bounds<L to 16>>
!w = tensor<?x?xf32, #weft.bounds<T to 32, L to 16>>
// CHECK-LABEL: @no_pairs
// CHECK-NOT: weft.unfused_reason
// CHECK: return
func.func @no_pairs(%x: !x, %labels: !l, %texts: !e, %mask: !m, %w: tensor<8x8xf32>)
    -> (!w, tensor<?x8xf32, #weft.bounds<N to 4>>, tensor<?x8xf32, #weft.bounds<N to 4>>) {
  %0 = weft.contract [t in T to 32, l in L to 16, c in 8] ins(%x[t, c], %labels[l, c] : !x, !l) -> !w
  %1 = weft.softmax softmax axis 1 [t in T to 32, l in L to 16] ins(%0[t, l] : !w) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !w
  %3 = weft.contract [n in N to 4, t in T to 32, f in 8, c in 8] ins(%texts[n, t, c], %w[f, c] : !e, tensor<8x8xf32>) -> !e
  %4 = weft.contract [n in N to 4, c in 8, t in T to 32] ins(%3[n, t, c], %mask[n, t] : !e, !m)
      -> tensor<?x8xf32, #weft.bounds<N to 4>>
  %5 = weft.reduce sum [n in N to 4, c in 8, t in T to 32] ins(%3[n, t, c] : !e) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } where {
  ^bb0(%2: f32):
    %t = weft.index 2
    %n = weft.index 0
    %c = arith.cmpi sle, %t, %n : index
    weft.yield %c : i1
  } -> tensor<?x8xf32, #weft.bounds<N to 4>>
  return %1, %4, %5 : !w, tensor<?x8xf32, #weft.bounds<N to 4>>, tensor<?x8xf32, #weft.bounds<N to 4>>
}

// The same shape as weights of a value: queries and keys.
// CHECK-LABEL: @cross
// CHECK: weft.contract {{.*}} {weft.label = "score", weft.unfused_reason = "its reader is not fused"}
// CHECK: weft.softmax {{.*}} {weft.label = "weight", weft.unfused_reason = "no formula that sums over its keys is all that uses it"}
func.func @cross(%x: !x, %labels: !l) -> (!x, tensor<?xf32, #weft.bounds<T to 32>>) {
  %0 = weft.contract [t in T to 32, l in L to 16, c in 8] ins(%x[t, c], %labels[l, c] : !x, !l) attributes {weft.label = "score"} -> !w
  // expected-remark @+1 {{'weight' stays a tensor of position pairs: no formula that sums over its keys is all that uses it}}
  %1 = weft.softmax softmax axis 1 [t in T to 32, l in L to 16] ins(%0[t, l] : !w) attributes {weft.label = "weight"} {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !w
  %3 = weft.contract [t in T to 32, c in 8, l in L to 16] ins(%1[t, l], %labels[l, c] : !w, !l) -> !x
  %4 = weft.reduce max [t in T to 32, l in L to 16] ins(%1[t, l] : !w) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> tensor<?xf32, #weft.bounds<T to 32>>
  return %3, %4 : !x, tensor<?xf32, #weft.bounds<T to 32>>
}
