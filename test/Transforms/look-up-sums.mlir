// RUN: weft-opt %s --weft-split-separable | FileCheck %s
// RUN: weft-opt %s --weft-interpret -o /dev/null > %t.before
// RUN: weft-opt %s --weft-split-separable --weft-interpret -o /dev/null > %t.after
// RUN: diff %t.before %t.after
// RUN: weft-opt %s --weft-fusion-pipeline --weft-interpret -o /dev/null > %t.fused
// RUN: diff %t.before %t.fused

// A sum with a row of a table that a pair chooses is one for each row, which the pair looks up.

!q = tensor<2x?x3xf32, #weft.bounds<T to 8>>
!s = tensor<2x?x?xf32, #weft.bounds<T to 8, T to 8>>
module attributes {test.symbols = {T = 5 : i64}, test.weights = {
    r = dense<[[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25], [2.0, 1.0, -3.0]]> : tensor<3x3xf32>}} {

func.func private @tokens() -> !q {
  %y = weft.map [h in H = 2, t in T to 8, c in C = 3] {
    %h = weft.index 0
    %t = weft.index 1
    %c = weft.index 2
    %n3 = arith.constant 3 : index
    %n7 = arith.constant 7 : index
    %0 = arith.muli %t, %n3 : index
    %1 = arith.muli %h, %n7 : index
    %2 = arith.addi %0, %1 : index
    %3 = arith.addi %2, %c : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = math.sin %5 : f32
    weft.yield %6 : f32
  } -> !q
  return %y : !q
}

// Keys of distances: -1, 0 and 1. What does not belong to the sum stays behind it.
// CHECK-LABEL: @distances
// CHECK: %[[P:.+]] = weft.reduce sum [h in H = 2, t in T to 8, n in 3, c in C = 3] ins(%{{.*}}[h, t, c], %{{.*}}[n, c] :
// CHECK: } -> tensor<2x?x3xf32, #weft.bounds<T to 8>>
// CHECK: weft.map [h in H = 2, t in T to 8, s in T to 8] ins(%{{.*}}[h, s, 1]
// CHECK: weft.at %[[P]][%{{.*}}, %{{.*}}, %{{.*}}] inbounds : tensor<2x?x3xf32, #weft.bounds<T to 8>>
// CHECK: weft.yield
// CHECK-NOT: weft.reduce
// CHECK: return
func.func @distances() -> !s {
  %q = call @tokens() : () -> !q
  %r = weft.weight "r" : tensor<3x3xf32>
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c], %q[h, s, 1] : !q, !q) attributes {weft.label = "z"} {
  ^bb0(%0: f32, %1: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = weft.index 1
    %s = weft.index 2
    %c = weft.index 3
    %2 = arith.subi %s, %t : index
    %3 = arith.addi %2, %c1 : index
    %4 = arith.minsi %c2, %3 : index
    %5 = arith.maxsi %c0, %4 : index
    %6 = weft.at %r[%5, %c] inbounds : tensor<3x3xf32>
    %7 = arith.mulf %0, %6 : f32
    %8 = arith.mulf %7, %1 : f32
    weft.yield %8 : f32
  } -> !s
  return %z : !s
}

// Rows that data choose, two coordinates of them, and what is outside is 0.
// CHECK-LABEL: @chosen
// CHECK: %[[P:.+]] = weft.reduce sum [s in T to 8, n in 2, n1 in 2, c in C = 3] ins(%{{.*}}[s, c], %{{.*}}[n, c, n1] :
// CHECK: weft.map [t in T to 8, s in T to 8]
// CHECK: weft.at %[[P]][%{{.*}}, %{{.*}}, %{{.*}}] : tensor<?x2x2xf32, #weft.bounds<T to 8>>
// CHECK: return
func.func @chosen(%k: tensor<?x3xf32, #weft.bounds<T to 8>>, %r: tensor<2x3x2xf32>, %by: tensor<?x?xi32, #weft.bounds<T to 8, T to 8>>) -> tensor<?x?xf32, #weft.bounds<T to 8, T to 8>> {
  %z = weft.reduce sum [t in T to 8, s in T to 8, c in C = 3] ins(%k[s, c], %by[t, s] : tensor<?x3xf32, #weft.bounds<T to 8>>, tensor<?x?xi32, #weft.bounds<T to 8, T to 8>>) {
  ^bb0(%0: f32, %1: i32):
    %c2 = arith.constant 2 : index
    %c = weft.index 2
    %2 = arith.index_cast %1 : i32 to index
    %3 = arith.remsi %2, %c2 : index
    %4 = arith.divsi %2, %c2 : index
    %5 = weft.at %r[%4, %c, %3] : tensor<2x3x2xf32>
    %6 = arith.mulf %0, %5 : f32
    weft.yield %6 : f32
  } -> tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>
  return %z : tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>
}

// Distances without a limit, as they are written: t - s + 7 is one of fifteen rows, each of which many pairs share.
// CHECK-LABEL: @relative
// CHECK: %[[P:.+]] = weft.reduce sum [h in H = 2, t in T to 8, n in 15, c in C = 3] ins(%{{.*}}[h, t, c], %{{.*}}[n, h, c] :
// CHECK: weft.map [h in H = 2, t in T to 8, s in T to 8] ins(%[[P]][h, t, t - s + 7] :
// CHECK-NOT: weft.reduce
// CHECK: return
func.func @relative(%r: tensor<15x2x3xf32>) -> !s {
  %q = call @tokens() : () -> !q
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c], %r[t - s + 7, h, c] : !q, tensor<15x2x3xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  return %z : !s
}

// Must not fire: rows that two indices number, as those of blocks, or one moves along; a row of distances that the sum goes along; more
// than twice as many distances as keys.
// CHECK-LABEL: @numbered
// CHECK-COUNT-4: weft.reduce sum [h in H = 2, b in 4, i in 2, j in 2, c in C = 3]
// CHECK-NOT: weft.map
// CHECK: return
func.func @numbered(%q: tensor<2x4x2x3xf32>, %k: tensor<8x3xf32>, %m: tensor<9x3xf32>, %n: tensor<24x3xf32>)
    -> (tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>) {
  %0 = weft.reduce sum [h in H = 2, b in 4, i in 2, j in 2, c in C = 3] ins(%q[h, b, i, c], %k[b * 2 + j, c] : tensor<2x4x2x3xf32>, tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    weft.yield %p : f32
  } -> tensor<2x4x2x2xf32>
  %1 = weft.reduce sum [h in H = 2, b in 4, i in 2, j in 2, c in C = 3] ins(%q[h, b, i, c], %k[j + 3, c] : tensor<2x4x2x3xf32>, tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    weft.yield %p : f32
  } -> tensor<2x4x2x2xf32>
  %2 = weft.reduce sum [h in H = 2, b in 4, i in 2, j in 2, c in C = 3] ins(%q[h, b, i, c], %m[i - j + c + 3, c] : tensor<2x4x2x3xf32>, tensor<9x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    weft.yield %p : f32
  } -> tensor<2x4x2x2xf32>
  %3 = weft.reduce sum [h in H = 2, b in 4, i in 2, j in 2, c in C = 3] ins(%q[h, b, i, c], %n[i - j + 1, c] : tensor<2x4x2x3xf32>, tensor<24x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    weft.yield %p : f32
  } -> tensor<2x4x2x2xf32>
  return %0, %1, %2, %3 : tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>
}

// As many rows as a call says, on both sides of a position: which row it is, places alone say.
// CHECK-LABEL: @run_time_rows
// CHECK: %[[P:.+]] = weft.reduce sum [h in H = 2, t in T to 8, n in 2, n1 in T to 8, c in C = 3] ins(%{{.*}}[h, t, c], %{{.*}}[n, n1, c] :
// CHECK: } -> tensor<2x?x2x?xf32, #weft.bounds<T to 8, T to 8>>
// CHECK: weft.map [h in H = 2, t in T to 8, s in T to 8]
// CHECK: weft.at %[[P]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : tensor<2x?x2x?xf32, #weft.bounds<T to 8, T to 8>>
// CHECK-NOT: weft.reduce
// CHECK: return
func.func @run_time_rows() -> !s {
  %q = call @tokens() : () -> !q
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = weft.index 1
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.cmpi sle, %s, %t : index
    %2 = arith.select %1, %c0, %c1 : index
    %3 = arith.subi %t, %s : index
    %4 = math.absi %3 : index
    %5 = weft.at %q[%2, %4, %c] : !q
    %6 = arith.mulf %0, %5 : f32
    weft.yield %6 : f32
  } -> !s
  return %z : !s
}

// Must not fire: as many rows as positions, if data choose them or one position does; more numbers than there is memory for.
// CHECK-LABEL: @run_time_choices
// CHECK-NOT: weft.map
// CHECK: return
func.func @run_time_choices(%q: !q, %by: tensor<?x?xi32, #weft.bounds<T to 8, T to 8>>) -> (!s, !s) {
  %y = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c], %by[t, s] : !q, tensor<?x?xi32, #weft.bounds<T to 8, T to 8>>) {
  ^bb0(%0: f32, %1: i32):
    %h = weft.index 0
    %c = weft.index 3
    %2 = arith.index_cast %1 : i32 to index
    %3 = weft.at %q[%h, %2, %c] : !q
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %c1 = arith.constant 1 : index
    %h = weft.index 0
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.subi %s, %c1 : index
    %2 = weft.at %q[%h, %1, %c] : !q
    %3 = arith.mulf %0, %2 : f32
    weft.yield %3 : f32
  } -> !s
  return %y, %z : !s, !s
}

// CHECK-LABEL: @memory
// CHECK-NOT: weft.map
// CHECK: return
func.func @memory(%q: tensor<2x?x3xf32, #weft.bounds<S to 8192>>) -> tensor<2x?x?xf32, #weft.bounds<S to 8192, S to 8192>> {
  %z = weft.reduce sum [h in H = 2, t in S to 8192, s in S to 8192, c in C = 3] ins(%q[h, t, c] : tensor<2x?x3xf32, #weft.bounds<S to 8192>>) {
  ^bb0(%0: f32):
    %h = weft.index 0
    %t = weft.index 1
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.subi %t, %s : index
    %2 = math.absi %1 : index
    %3 = weft.at %q[%h, %2, %c] : tensor<2x?x3xf32, #weft.bounds<S to 8192>>
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> tensor<2x?x?xf32, #weft.bounds<S to 8192, S to 8192>>
  return %z : tensor<2x?x?xf32, #weft.bounds<S to 8192, S to 8192>>
}

// So many are made for a batch of 8 texts, each of which has fewer.
// CHECK-LABEL: @texts
// CHECK: weft.reduce sum [b in B to 8, t in S to 4096, n in S to 4096, c in C = 3]
// CHECK: return
func.func @texts(%q: tensor<?x?x3xf32, #weft.bounds<B to 8, S to 4096>>) -> tensor<?x?x?xf32, #weft.bounds<B to 8, S to 4096, S to 4096>> {
  %z = weft.reduce sum [b in B to 8, t in S to 4096, s in S to 4096, c in C = 3] ins(%q[b, t, c] : tensor<?x?x3xf32, #weft.bounds<B to 8, S to 4096>>) {
  ^bb0(%0: f32):
    %b = weft.index 0
    %t = weft.index 1
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.subi %t, %s : index
    %2 = math.absi %1 : index
    %3 = weft.at %q[%b, %2, %c] : tensor<?x?x3xf32, #weft.bounds<B to 8, S to 4096>>
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> tensor<?x?x?xf32, #weft.bounds<B to 8, S to 4096, S to 4096>>
  return %z : tensor<?x?x?xf32, #weft.bounds<B to 8, S to 4096, S to 4096>>
}

// Must not fire: a table of more rows than half of the keys, each token's own row, a row that the sum goes through, one
// that is multiplied with itself, and sums with a condition.
// CHECK-LABEL: @large
// CHECK-NOT: weft.map
// CHECK: return
func.func @large(%q: !q, %r: tensor<5x3xf32>) -> !s {
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %c4 = arith.constant 4 : index
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.minsi %c4, %s : index
    %2 = weft.at %r[%1, %c] inbounds : tensor<5x3xf32>
    %3 = arith.mulf %0, %2 : f32
    weft.yield %3 : f32
  } -> !s
  return %z : !s
}

// CHECK-LABEL: @squares
// CHECK-NOT: weft.at {{.*}} : tensor<2x?x2xf32
// CHECK: return
func.func @squares(%q: !q, %r: tensor<2x3xf32>) -> !s {
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %c1 = arith.constant 1 : index
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.minsi %c1, %s : index
    %2 = weft.at %r[%1, %c] inbounds : tensor<2x3xf32>
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> !s
  return %z : !s
}

// CHECK-LABEL: @token
// CHECK-NOT: weft.map
// CHECK: return
func.func @token(%x: tensor<?x3xf32, #weft.bounds<T to 8>>, %r: tensor<1x3xf32>, %by: tensor<?xi32, #weft.bounds<T to 8>>) -> tensor<?xf32, #weft.bounds<T to 8>> {
  %z = weft.reduce sum [t in T to 8, c in C = 3] ins(%x[t, c], %by[t] : tensor<?x3xf32, #weft.bounds<T to 8>>, tensor<?xi32, #weft.bounds<T to 8>>) {
  ^bb0(%0: f32, %1: i32):
    %c = weft.index 1
    %2 = arith.index_cast %1 : i32 to index
    %3 = weft.at %r[%2, %c] : tensor<1x3xf32>
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> tensor<?xf32, #weft.bounds<T to 8>>
  return %z : tensor<?xf32, #weft.bounds<T to 8>>
}

// CHECK-LABEL: @summed
// CHECK-NOT: weft.map
// CHECK: return
func.func @summed(%q: !q, %r: tensor<2x3xf32>) -> (!s, !s) {
  %z = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %c1 = arith.constant 1 : index
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.addi %s, %c : index
    %2 = arith.minsi %c1, %1 : index
    %3 = weft.at %r[%2, %c] inbounds : tensor<2x3xf32>
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> !s
  %y = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %c1 = arith.constant 1 : index
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.minsi %c1, %s : index
    %2 = weft.at %r[%1, %c] inbounds : tensor<2x3xf32>
    %3 = arith.mulf %0, %2 : f32
    weft.yield %3 : f32
  } where {
  ^bb0(%0: f32):
    %s = weft.index 2
    %c = weft.index 3
    %1 = arith.cmpi slt, %c, %s : index
    weft.yield %1 : i1
  } -> !s
  return %z, %y : !s, !s
}
}
