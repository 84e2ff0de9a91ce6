// RUN: weft-opt %s --weft-fuse-attention | FileCheck %s
// RUN: weft-opt %s --weft-fuse-attention=remarks=true --verify-diagnostics -o /dev/null

!x = tensor<4x8xf32>
!d = tensor<?x8xf32, #weft.bounds<T to 16>>
!p = tensor<?x?xf32, #weft.bounds<T to 16, T to 16>>
!s = tensor<4x4xf32>

// CHECK-LABEL: @plain
// CHECK: %[[A:.+]] = weft.attention softmax dots 1 scales [5.000000e-01] [t in 4, c in 8, s in 4, c1 in 8]
// CHECK-SAME: ins(%[[X:.+]][t, c1], %[[X]][s, c1], %[[X]][s, c], %{{.*}}[t, s]
// CHECK-SAME: weft.label = "context"
// CHECK-NOT: weft.softmax
// CHECK: return %[[A]]
func.func @plain(%x: !x, %bias: !s) -> !x {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {scale = 0.5} -> !s
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%0[t, s], %bias[t, s] : !s, !s) {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %x[s, c] : !s, !x) attributes {weft.label = "context"} -> !x
  return %5 : !x
}

// A score that is kept anyway is read.
// CHECK-LABEL: @score_used_twice
// CHECK: %[[S:.+]] = weft.contract
// CHECK: weft.attention softmax dots 0 {{.*}} ins(%{{.*}}[s, c], %[[S]][t, s] :
func.func @score_used_twice(%x: !x) -> (!x, !s) {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) attributes {weft.label = "score"} -> !s
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%0[t, s] : !s) attributes {weft.label = "weight"} {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5, %0 : !x, !s
}

func.func @weights_used_twice(%x: !x) -> (!x, !s) {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  // expected-remark @+1 {{the formula is not fused into attention: the weights are used more than once}}
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5, %1 : !x, !s
}

func.func @another_axis(%x: !x) -> !x {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  // expected-remark @+1 {{the softmax runs over 't', the contraction over another axis}}
  %1 = weft.softmax softmax axis 0 [t in 4, s in 4] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5 : !x
}

// What weights are divided by is the sum over all keys.
func.func @part_of_the_keys(%x: !x) -> !x {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  // expected-remark @+1 {{the contraction sums over a part of the keys}}
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 3] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5 : !x
}

func.func @value_of_the_query(%x: !x, %v: tensor<4x4x8xf32>) -> !x {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  // expected-remark @+1 {{the value depends on the query position}}
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %v[t, s, c] : !s, tensor<4x4x8xf32>) -> !x
  return %5 : !x
}

func.func @logarithm(%x: !x) -> !x {
  %0 = weft.contract [t in 4, s in 4, c in 8] ins(%x[t, c], %x[s, c] : !x, !x) -> !s
  // expected-remark @+1 {{a logarithm of weights cannot be summed while streaming (log_softmax)}}
  %1 = weft.softmax log_softmax axis 1 [t in 4, s in 4] ins(%0[t, s] : !s) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %x[s, c] : !s, !x) -> !x
  return %5 : !x
}

// A softmax that nothing sums over is no attention: it keeps silent, over classes and as an output.
// CHECK-LABEL: @classes
// CHECK-COUNT-3: weft.softmax
// CHECK-NOT: unfused_reason
// CHECK: return
func.func @classes(%x: !x) -> (!x, !x, tensor<4xf32>) {
  // expected-remark @+1 {{the formula is no attention: nothing sums its weights with values}}
  %0 = weft.softmax softmax axis 1 [t in 4, k in 8] ins(%x[t, k] : !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !x
  // expected-remark @+1 {{is no attention}}
  %2 = weft.softmax log_softmax axis 1 [t in 4, k in 8] ins(%x[t, k] : !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !x
  // expected-remark @+1 {{is no attention}}
  %3 = weft.softmax softmax axis 1 [t in 4, k in 8] ins(%x[t, k] : !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !x
  %4 = weft.reduce max [t in 4, k in 8] ins(%3[t, k] : !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return %0, %2, %4 : !x, !x, tensor<4xf32>
}

// CHECK-LABEL: @other
// A sum over the heads too, a maximum with a predicate for each pair, and no contraction at all.
func.func @other(%x: !x, %d: !d, %w: tensor<2x4x4xf32>, %v: tensor<2x4x8xf32>) -> (!x, !d, !x) {
  // expected-remark @+1 {{the contraction sums over more than the keys}}
  %1 = weft.softmax softmax axis 2 [h in 2, t in 4, s in 4] ins(%w[h, t, s] : tensor<2x4x4xf32>) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> tensor<2x4x4xf32>
  %5 = weft.contract [t in 4, c in 8, s in 4, h in 2] ins(%1[h, t, s], %v[h, s, c] : tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> !x
  %6 = weft.reduce max [t in T to 16, s in T to 16, c in 8] ins(%d[t, c], %d[s, c] : !d, !d) attributes {weft.label = "nearest"} {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.mulf %2, %3 : f32
    weft.yield %4 : f32
  } where {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.cmpf ogt, %2, %3 : f32
    weft.yield %4 : i1
  } -> !p
  // expected-remark @+1 {{'nearest' is a reduction with a predicate or by max, for each pair of positions}}
  %7 = weft.softmax softmax axis 1 [t in T to 16, s in T to 16] ins(%6[t, s] : !p) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !p
  %8 = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%7[t, s], %d[s, c] : !p, !d) -> !d
  // expected-remark @+1 {{no contraction consumes the weights}}
  %9 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%x[t, s] : !x) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %10 = weft.map [t in 4, s in 4] ins(%9[t, s] : !s) {
  ^bb0(%2: f32):
    %4 = arith.negf %2 : f32
    weft.yield %4 : f32
  } -> !s
  %11 = weft.contract [t in 4, c in 8, s in 4] ins(%10[t, s], %x[s, c] : !s, !x) -> !x
  return %5, %8, %11 : !x, !d, !x
}

// Must not fire: what nothing sums over are no weights.
func.func @not_used(%x: !x) -> !x {
  // expected-remark @+1 {{is no attention}}
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%x[t, s] : !x) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  return %x : !x
}

func.func @epilogue(%x: !x) -> !x {
  // expected-remark @+1 {{the contraction already has an epilogue}}
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%x[t, s] : !x) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, s], %x[s, c] : !s, !x) {
  ^bb0(%2: f32):
    %3 = math.exp %2 : f32
    weft.yield %3 : f32
  } -> !x
  return %5 : !x
}

func.func @turned(%x: !x) -> !x {
  // expected-remark @+1 {{the weights are not read at plain indices}}
  %1 = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%x[t, s] : !x) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> !s
  %5 = weft.contract [t in 4, c in 8, s in 4] ins(%1[t, 3 - s], %x[s, c] : !s, !x) -> !x
  return %5 : !x
}

// Must not fire: values with a column for each position, for each of which the weights would be computed again.
// CHECK-LABEL: func.func @columns_of_run_time
// CHECK-NOT: weft.attention
// CHECK: weft.contract
func.func @columns_of_run_time(%a: tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>, %v: tensor<?x?xf32, #weft.bounds<S to 16, R to 16>>) -> tensor<?x?xf32, #weft.bounds<T to 16, R to 16>> {
  %w = weft.map [t in T to 16, s in S to 16] ins(%a[t, s] : tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>
  %y = weft.contract [t in T to 16, r in R to 16, s in S to 16] ins(%w[t, s], %v[s, r] : tensor<?x?xf32, #weft.bounds<T to 16, S to 16>>, tensor<?x?xf32, #weft.bounds<S to 16, R to 16>>) -> tensor<?x?xf32, #weft.bounds<T to 16, R to 16>>
  return %y : tensor<?x?xf32, #weft.bounds<T to 16, R to 16>>
}
