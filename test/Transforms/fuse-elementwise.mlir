// RUN: weft-opt %s --weft-fuse-elementwise | FileCheck %s
// RUN: weft-opt %s --weft-fuse-elementwise=masks | FileCheck %s --check-prefix=MASKS

!x = tensor<4x8xf32>
!r = tensor<4xf32>

// A chain ends in the reduction that reads it, at the reader's indices.
// CHECK-LABEL: @chain
// CHECK-NOT: weft.map
// CHECK: weft.reduce max [t in 4, d in 8] ins(%{{.*}}[t, d floordiv 2], %{{.*}}[d]
// CHECK: math.exp
// CHECK: arith.addf
func.func @chain(%x: !x, %b: tensor<8xf32>) -> !r {
  %0 = weft.map [d in 8, t in 4] ins(%x[t, d floordiv 2] : !x) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x4xf32>
  %3 = weft.map [t in 4, d in 8] ins(%0[d, t], %b[d] : tensor<8x4xf32>, tensor<8xf32>) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.addf %1, %2 : f32
    weft.yield %4 : f32
  } -> !x
  %5 = weft.reduce max [t in 4, d in 8] ins(%3[t, d] : !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !r
  return %5 : !r
}

// Index arithmetic goes to all its readers, whatever is repeated.
// CHECK-LABEL: @positions
// CHECK: weft.map [t in 4, d in 8]
// CHECK-NEXT: weft.index 0
// CHECK-NOT: weft.map
func.func @positions() -> !x {
  %0 = weft.map [t in 4] {
    %t = weft.index 0
    %1 = arith.index_cast %t : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    weft.yield %2 : f32
  } -> !r
  %3 = weft.map [t in 4, d in 8] ins(%0[t], %0[t] : !r, !r) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.addf %1, %2 : f32
    weft.yield %4 : f32
  } -> !x
  return %3 : !x
}

// Must not fire: costly work that would be repeated for each d; two readers; a read by `weft.at`.
// CHECK-LABEL: @must_not
// CHECK-COUNT-3: math.exp
// CHECK-COUNT-3: weft.map
func.func @must_not(%x: !x, %r: !r) -> (!x, !x, !x) {
  %0 = weft.map [t in 4] ins(%r[t] : !r) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> !r
  %3 = weft.map [t in 4, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> !x
  %4 = weft.map [t in 4, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> !x
  %5 = weft.map [t in 4, d in 8] ins(%0[t], %3[t, d] : !r, !x) {
  ^bb0(%1: f32, %2: f32):
    %6 = arith.addf %1, %2 : f32
    weft.yield %6 : f32
  } -> !x
  %7 = weft.map [t in 4, d in 8] ins(%3[t, d] : !x) {
  ^bb0(%1: f32):
    %6 = arith.negf %1 : f32
    weft.yield %6 : f32
  } -> !x
  %8 = weft.map [t in 4, d in 8] {
    %t = weft.index 0
    %d = weft.index 1
    %9 = weft.at %4[%t, %d] : !x
    weft.yield %9 : f32
  } -> !x
  return %5, %7, %8 : !x, !x, !x
}

// Must not fire: a kernel would compute the same exponential for each of its four places.
// CHECK-LABEL: @must_not_overlap
// CHECK: weft.map
// CHECK: math.exp
// CHECK: weft.reduce sum
// CHECK-NOT: math.exp
// CHECK: return
func.func @must_not_overlap(%x: tensor<35xf32>, %k: tensor<4xf32>) -> tensor<32xf32> {
  %0 = weft.map [t in 35] ins(%x[t] : tensor<35xf32>) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> tensor<35xf32>
  %3 = weft.reduce sum [t in 32, w in 4] ins(%0[t + w], %k[w] : tensor<35xf32>, tensor<4xf32>) {
  ^bb0(%1: f32, %2: f32):
    %4 = arith.mulf %1, %2 : f32
    weft.yield %4 : f32
  } -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// What is computed in an argtop leaves its second number, the place that is asked for, as it is.
// CHECK-LABEL: @argtop
// CHECK-NOT: weft.map
// CHECK: weft.reduce argtop [t in 4, j in 2, d in 8] ins(%{{.*}}[t, d] : tensor<4x8xf32>)
// CHECK: %[[PLACE:.*]] = weft.index 1
// CHECK: weft.yield %{{.*}}, %[[PLACE]] : f32, index
func.func @argtop(%x: !x) -> tensor<4x2xi32> {
  %0 = weft.map [t in 4, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%1: f32):
    %2 = arith.negf %1 : f32
    weft.yield %2 : f32
  } -> !x
  %3 = weft.reduce argtop [t in 4, j in 2, d in 8] ins(%0[t, d] : !x) {
  ^bb0(%1: f32):
    %j = weft.index 1
    weft.yield %1, %j : f32, index
  } -> tensor<4x2xi32>
  return %3 : tensor<4x2xi32>
}

// What is stored in fewer bits is rounded: it must not be computed where it is read.
// CHECK-LABEL: @must_not_forget_to_round
// CHECK-COUNT-2: weft.map
func.func @must_not_forget_to_round(%x: !r) -> !r {
  %0 = weft.map [t in 4] ins(%x[t] : !r) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> tensor<4xbf16>
  %3 = weft.map [t in 4] ins(%0[t] : tensor<4xbf16>) {
  ^bb0(%1: f32):
    %4 = math.tanh %1 : f32
    weft.yield %4 : f32
  } -> !r
  return %3 : !r
}

// Where the reader alone is stored in fewer bits nothing is lost.
// CHECK-LABEL: @rounds_once
// CHECK: math.exp
// CHECK-NEXT: math.tanh
// CHECK: } -> tensor<4xf16>
func.func @rounds_once(%x: tensor<4xbf16>) -> tensor<4xf16> {
  %0 = weft.map [t in 4] ins(%x[t] : tensor<4xbf16>) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> !r
  %3 = weft.map [t in 4] ins(%0[t] : !r) {
  ^bb0(%1: f32):
    %4 = math.tanh %1 : f32
    weft.yield %4 : f32
  } -> tensor<4xf16>
  return %3 : tensor<4xf16>
}

// Masks alone: index arithmetic over pairs of positions, neither other maps nor what is said of one position.
// CHECK-LABEL: @masks
// CHECK-NOT: weft.map
// CHECK: weft.reduce
// MASKS-LABEL: @masks
// MASKS-NEXT: %[[P:.+]] = weft.map [s in T to 9]
// MASKS: %[[E:.+]] = weft.map [t in T to 9, s in T to 9] ins(%{{.+}}[t, s]
// MASKS: weft.reduce sum [t in T to 9, s in T to 9] ins(%[[E]][t, s], %[[P]][s]
// MASKS: arith.cmpi sle
func.func @masks(%x: tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>) -> tensor<?xf32, #weft.bounds<T to 9>> {
  %m = weft.map [t in T to 9, s in T to 9] {
    %t = weft.index 0
    %s = weft.index 1
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpi sle, %s, %t : index
    %v = arith.select %c, %one, %zero : f32
    weft.yield %v : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>
  %p = weft.map [s in T to 9] {
    %s = weft.index 0
    %i = arith.index_cast %s : index to i32
    %v = arith.sitofp %i : i32 to f32
    weft.yield %v : f32
  } -> tensor<?xf32, #weft.bounds<T to 9>>
  %e = weft.map [t in T to 9, s in T to 9] ins(%x[t, s] : tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>
  %n = weft.reduce sum [t in T to 9, s in T to 9] ins(%e[t, s], %p[s], %m[t, s] : tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>, tensor<?xf32, #weft.bounds<T to 9>>, tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>) {
  ^bb0(%1: f32, %2: f32, %3: f32):
    %4 = arith.mulf %1, %2 : f32
    %5 = arith.mulf %4, %3 : f32
    weft.yield %5 : f32
  } -> tensor<?xf32, #weft.bounds<T to 9>>
  return %n : tensor<?xf32, #weft.bounds<T to 9>>
}

// A mask that is the weight of values, or summed alone, stays a tensor: both sums are one kernel's.
// MASKS-LABEL: @weights
// MASKS: %[[M:.+]] = weft.map [t in T to 9, s in T to 9]
// MASKS: weft.reduce sum [t in T to 9, s in T to 9] ins(%{{.+}}[s], %[[M]][t, s]
// MASKS: weft.reduce sum [t in T to 9, s in T to 9] ins(%[[M]][t, s]
func.func @weights(%x: tensor<?xf32, #weft.bounds<T to 9>>) -> (tensor<?xf32, #weft.bounds<T to 9>>, tensor<?xf32, #weft.bounds<T to 9>>) {
  %m = weft.map [t in T to 9, s in T to 9] {
    %t = weft.index 0
    %s = weft.index 1
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpi sle, %s, %t : index
    %v = arith.select %c, %one, %zero : f32
    weft.yield %v : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>
  %o = weft.reduce sum [t in T to 9, s in T to 9] ins(%x[s], %m[t, s] : tensor<?xf32, #weft.bounds<T to 9>>, tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<?xf32, #weft.bounds<T to 9>>
  %n = weft.reduce sum [t in T to 9, s in T to 9] ins(%m[t, s] : tensor<?x?xf32, #weft.bounds<T to 9, T to 9>>) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<?xf32, #weft.bounds<T to 9>>
  return %o, %n : tensor<?xf32, #weft.bounds<T to 9>>, tensor<?xf32, #weft.bounds<T to 9>>
}
