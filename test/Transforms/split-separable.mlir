// RUN: weft-opt %s --weft-split-separable | FileCheck %s
// RUN: weft-opt %s --weft-interpret -o /dev/null > %t.before
// RUN: weft-opt %s --weft-split-separable --weft-interpret -o /dev/null > %t.after
// RUN: diff %t.before %t.after
// RUN: weft-opt %s --weft-fusion-pipeline --weft-interpret -o /dev/null > %t.fused
// RUN: diff %t.before %t.fused

!q = tensor<2x?x3xf32, #weft.bounds<T to 8>>
!s = tensor<2x?x?xf32, #weft.bounds<T to 8, T to 8>>

module attributes {test.symbols = {T = 5 : i64}, test.weights = {
    u = dense<[[1.0, 2.0, -1.0], [0.5, 0.25, 3.0]]> : tensor<2x3xf32>,
    w = dense<[[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25], [2.0, 1.0, -3.0]]> : tensor<3x3xf32>}} {

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

// The score of a concatenation, W [q; k]: one sum for each side, over its own position.
// CHECK-LABEL: @concatenation
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, c in C = 3]
// CHECK: weft.reduce sum [h in H = 2, s in T to 8, c in C = 3]
// CHECK: weft.map [h in H = 2, t in T to 8, s in T to 8] ins(%{{.*}}[h, t], %{{.*}}[h, s]
func.func @concatenation() -> !s {
  %q = call @tokens() : () -> !q
  %u = weft.weight "u" : tensor<2x3xf32>
  %y = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3]
      ins(%u[h, c], %q[h, t, c], %u[0, c], %q[h, s, c] : tensor<2x3xf32>, !q, tensor<2x3xf32>, !q) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32):
    %4 = arith.mulf %0, %1 : f32
    %5 = arith.mulf %2, %3 : f32
    %6 = arith.addf %4, %5 : f32
    weft.yield %6 : f32
  } -> !s
  return %y : !s
}

// A bilinear form is a projection, then a dot product.
// CHECK-LABEL: @bilinear
// CHECK: %[[P:.+]] = weft.reduce sum [h in H = 2, t in T to 8, e in E = 3, c in C = 3]
// CHECK: weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, e in E = 3] ins(%[[P]][h, t, e], %{{.*}}[h, s, e]
func.func @bilinear() -> !s {
  %q = call @tokens() : () -> !q
  %w = weft.weight "w" : tensor<3x3xf32>
  %y = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3, e in E = 3]
      ins(%q[h, t, c], %w[c, e], %q[h, s, e] : !q, tensor<3x3xf32>, !q) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    weft.yield %4 : f32
  } -> !s
  return %y : !s
}

// Relative keys added to keys: a sum of products of tokens, and one of the table.
// CHECK-LABEL: @relative_keys
// CHECK: weft.reduce sum {{.*}} ins(%[[Q:.+]][h, t, c], %[[Q]][h, s, c]
// CHECK: weft.reduce sum
// CHECK: weft.map
func.func @relative_keys() -> !s {
  %q = call @tokens() : () -> !q
  %w = weft.weight "w" : tensor<3x3xf32>
  %y = weft.reduce sum [h in H = 2, t in T to 8, s in T to 8, c in C = 3]
      ins(%q[h, t, c], %q[h, s, c] : !q, !q) {
  ^bb0(%0: f32, %1: f32):
    %t = weft.index 1
    %s = weft.index 2
    %c = weft.index 3
    %n1 = arith.constant 1 : index
    %d = arith.subi %s, %t : index
    %d1 = arith.addi %d, %n1 : index
    %r = weft.at %w[%d1, %c] : tensor<3x3xf32>
    %k = arith.addf %1, %r : f32
    %3 = arith.mulf %0, %k : f32
    weft.yield %3 : f32
  } -> !s
  return %y : !s
}

// A rotation's cosine is the same for every head.
// CHECK-LABEL: @rotation
// CHECK: %[[COS:.+]] = weft.map [t in T to 8, c in C = 3]
// CHECK: math.cos
// CHECK: weft.map [h in H = 2, t in T to 8, c in C = 3] ins(%{{.*}}[h, t, c], %[[COS]][t, c]
// CHECK-NOT: math.cos
func.func @rotation() -> !q {
  %q = call @tokens() : () -> !q
  %y = weft.map [h in H = 2, t in T to 8, c in C = 3] ins(%q[h, t, c] : !q) {
  ^bb0(%0: f32):
    %t = weft.index 1
    %c = weft.index 2
    %1 = arith.muli %t, %c : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = math.cos %3 : f32
    %5 = arith.mulf %0, %4 : f32
    weft.yield %5 : f32
  } -> !q
  return %y : !q
}

// Must not fire: a function of both positions would be the n x n tensor; a difference is no product.
// CHECK-LABEL: @pairs
// CHECK: weft.map [h in H = 2, t in T to 8, s in T to 8] ins
// CHECK-NOT: weft.map
// CHECK: weft.reduce sum
// CHECK-NOT: weft.reduce
// CHECK: return
func.func @pairs(%q: !q, %m: tensor<2x?xf32, #weft.bounds<T to 8>>) -> (!s, tensor<2x?xf32, #weft.bounds<T to 8>>) {
  %y = weft.map [h in H = 2, t in T to 8, s in T to 8] ins(%q[h, t, 0] : !q) {
  ^bb0(%0: f32):
    %t = weft.index 1
    %s = weft.index 2
    %1 = arith.subi %t, %s : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = math.exp %3 : f32
    %5 = arith.mulf %0, %4 : f32
    weft.yield %5 : f32
  } -> !s
  %z = weft.reduce sum [h in H = 2, t in T to 8, c in C = 3] ins(%q[h, t, c], %m[h, t] : !q, tensor<2x?xf32, #weft.bounds<T to 8>>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<2x?xf32, #weft.bounds<T to 8>>
  return %y, %z : !s, tensor<2x?xf32, #weft.bounds<T to 8>>
}
}
