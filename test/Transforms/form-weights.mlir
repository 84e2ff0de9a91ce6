// RUN: weft-opt %s --weft-form-weights | FileCheck %s

!q = tensor<?x8xf32, #weft.bounds<T to 16>>
!z = tensor<?x?xf32, #weft.bounds<T to 16, T to 16>>
!m = tensor<?xf32, #weft.bounds<T to 16>>
!b = tensor<?x?x8xf32, #weft.bounds<B to 4, T to 16>>
!p = tensor<?x?x?xf32, #weft.bounds<B to 4, T to 16, T to 16>>

// Exponentials of a sum and of the weights that it divides are one formula, whatever their indices are called; what divides moves
// behind the sum of values, which keeps its name.
// CHECK-LABEL: @written_twice
// CHECK-SAME: (%[[Z:.+]]: tensor<?x?xf32, {{.*}}>, %[[M:.+]]: tensor<?xf32, {{.*}}>, %[[V:.+]]: tensor<?x8xf32
// CHECK: %[[E:.+]] = weft.map [t in T to 16, u in T to 16] ins(%[[Z]][t, u], %[[M]][t]
// CHECK: math.exp
// CHECK: %[[N:.+]] = weft.reduce sum [t in T to 16, u in T to 16] ins(%[[E]][t, u]
// CHECK-NEXT: ^bb0(%[[ELEMENT:.+]]: f32):
// CHECK-NEXT: weft.yield %[[ELEMENT]]
// CHECK: %[[SUM:.+]] = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%[[E]][t, s], %[[V]][s, c] {{.*}}{scale = 2.0{{.*}}weft.label = "y.part"}
// CHECK: weft.map [t in T to 16, c in 8] ins({{.*}}%[[SUM]][t, c]{{.*}} attributes {weft.folded = ["p"], weft.label = "y"}
// CHECK: arith.divf
// CHECK-NOT: math.exp
// CHECK: return
func.func @written_twice(%z: !z, %m: !m, %v: !q) -> !q {
  %n = weft.reduce sum [t in T to 16, u in T to 16] ins(%z[t, u], %m[t] : !z, !m) attributes {weft.label = "n"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    weft.yield %3 : f32
  } -> !m
  %p = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %m[t], %n[t] : !z, !m, !m) attributes {weft.label = "p"} {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.subf %0, %1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.divf %4, %2 : f32
    weft.yield %5 : f32
  } -> !z
  %y = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%p[t, s], %v[s, c] : !z, !q) attributes {scale = 2.0, weft.label = "y"} -> !q
  return %y : !q
}

// Weights that are a formula of their own, divided and multiplied; the sum sees some keys.
// CHECK-LABEL: @divided
// CHECK: %[[E:.+]] = weft.map
// CHECK: weft.reduce sum {{.*}} ins(%[[E]][t, s]
// CHECK: %[[SUM:.+]] = weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%[[E]][t, s], %{{.+}}[s, c]
// CHECK: arith.cmpi
// CHECK: weft.map [t in T to 16, c in 8] ins(%[[SUM]][t, c], %{{.+}}[t], %{{.+}}[t]
// CHECK: arith.divf
// CHECK: arith.mulf
func.func @divided(%z: !z, %g: !m, %v: !q) -> !q {
  %e = weft.map [t in T to 16, s in T to 16] ins(%z[t, s] : !z) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> !z
  %n = weft.reduce sum [t in T to 16, s in T to 16] ins(%e[t, s] : !z) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !m
  %p = weft.map [t in T to 16, s in T to 16] ins(%e[t, s], %n[t], %g[t] : !z, !m, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.divf %0, %1 : f32
    %4 = arith.mulf %2, %3 : f32
    weft.yield %4 : f32
  } -> !z
  %y = weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%p[t, s], %v[s, c] : !z, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } where {
  ^bb0(%0: f32, %1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %2 = arith.cmpi sle, %s, %t : index
    weft.yield %2 : i1
  } -> !q
  return %y : !q
}

// Not: exponentials that are written once; other ones; those that a key's number divides; weights that something else reads.
// CHECK-LABEL: @not_fired
// CHECK-COUNT-3: weft.map [t in T to 16, s in T to 16]
// CHECK: weft.contract {{.*}}ins(%{{.+}}[t, s], %{{.+}}[s, c]
// CHECK: weft.contract {{.*}}ins(%{{.+}}[t, s], %{{.+}}[s, c]
// CHECK: weft.contract {{.*}}ins(%{{.+}}[t, s], %{{.+}}[s, c]
// CHECK-NEXT: return
func.func @not_fired(%z: !z, %m: !m, %v: !q) -> (!q, !q, !q, !z, !m) {
  %n = weft.reduce sum [t in T to 16, u in T to 16] ins(%z[t, u], %m[u] : !z, !m) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    weft.yield %3 : f32
  } -> !m
  %p = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %m[t], %n[t] : !z, !m, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.subf %0, %1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.divf %4, %2 : f32
    weft.yield %5 : f32
  } -> !z
  %q = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %m[s], %n[s] : !z, !m, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.subf %0, %1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.divf %4, %2 : f32
    weft.yield %5 : f32
  } -> !z
  %r = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %m[s], %n[t] : !z, !m, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.subf %0, %1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.divf %4, %2 : f32
    weft.yield %5 : f32
  } -> !z
  %a = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%p[t, s], %v[s, c] : !z, !q) -> !q
  %b = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%q[t, s], %v[s, c] : !z, !q) -> !q
  %c = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%r[t, s], %v[s, c] : !z, !q) -> !q
  return %a, %b, %c, %r, %n : !q, !q, !q, !z, !m
}

// Weights that are written in the sum of values: a formula of their own, with what else is of the pair, the query or the key alone.
// The sum keeps its constant, its name and its keys.
// CHECK-LABEL: @inline
// CHECK-SAME: (%[[Z:.+]]: tensor<?x?xf32, {{.*}}>, %[[M:.+]]: tensor<?xf32, {{.*}}>, %[[V:.+]]: tensor<?x8xf32
// CHECK: %[[W:.+]] = weft.map [t in T to 16, s in T to 16] ins(%[[Z]][t, s], %[[M]][s] {{.*}} {weft.label = "y.part"}
// CHECK: math.tanh
// CHECK: arith.mulf
// CHECK: weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%[[V]][s, c], %[[W]][t, s] {{.*}} {weft.label = "y"}
// CHECK-NEXT: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT: %[[TERM:.+]] = arith.mulf %[[B]], %[[A]]
// CHECK-NEXT: %[[TWO:.+]] = arith.constant 2.0
// CHECK-NEXT: arith.mulf %[[TERM]], %[[TWO]]
// CHECK: where
func.func @inline(%z: !z, %m: !m, %v: !q) -> !q {
  %y = weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%z[t, s], %v[s, c], %m[s] : !z, !q, !m) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %two = arith.constant 2.0 : f32
    %3 = math.tanh %0 : f32
    %4 = arith.mulf %3, %two : f32
    %5 = arith.mulf %4, %1 : f32
    %6 = arith.mulf %5, %2 : f32
    weft.yield %6 : f32
  } where {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %t = weft.index 0
    %s = weft.index 2
    %p = arith.cmpi sle, %s, %t : index
    weft.yield %p : i1
  } -> !q
  return %y : !q
}

// The logarithm of a sum of weights in their exponents divides them; a sum that sees some keys adds zeros for the others, as they have.
// CHECK-LABEL: @logarithm
// CHECK-NOT: math.log
// CHECK: %[[E:.+]] = weft.map [t in T to 16, s in T to 16] ins(%{{.+}}[t, s], %{{.+}}[t]
// CHECK: math.exp
// CHECK: %[[N:.+]] = weft.reduce sum [t in T to 16, s in T to 16] ins(%[[E]][t, s]
// CHECK-NOT: where
// CHECK: weft.contract {{.*}}ins(%[[E]][t, s]
// CHECK: weft.map [t in T to 16, c in 8] ins({{.*}}%[[N]][t]
// CHECK: arith.divf
func.func @logarithm(%z: !z, %m: !m, %v: !q) -> !q {
  %n = weft.reduce sum [t in T to 16, s in T to 16] ins(%z[t, s], %m[t] : !z, !m) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    weft.yield %3 : f32
  } where {
  ^bb0(%0: f32, %1: f32):
    %t = weft.index 0
    %s = weft.index 1
    %2 = arith.cmpi sle, %s, %t : index
    weft.yield %2 : i1
  } -> !m
  %l = weft.map [t in T to 16] ins(%m[t], %n[t] : !m, !m) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.log %1 : f32
    %3 = arith.addf %0, %2 : f32
    weft.yield %3 : f32
  } -> !m
  %p = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %l[t] : !z, !m) {
  ^bb0(%0: f32, %1: f32):
    %t = weft.index 0
    %s = weft.index 1
    %2 = arith.cmpi sle, %s, %t : index
    %zero = arith.constant 0.0 : f32
    %3 = arith.subf %0, %1 : f32
    %4 = math.exp %3 : f32
    %5 = arith.select %2, %4, %zero : f32
    weft.yield %5 : f32
  } -> !z
  %y = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%p[t, s], %v[s, c] : !z, !q) -> !q
  return %y : !q
}

// Not: the logarithm of another sum; one that is added; another one beside it, which stays in the exponent.
// CHECK-LABEL: @not_logarithm
// CHECK: math.log
// CHECK: math.log
// CHECK: math.log
// CHECK: math.log
// CHECK-NOT: arith.divf
// CHECK: return
func.func @not_logarithm(%z: !z, %m: !m, %v: !q) -> (!q, !q, !q) {
  %n = weft.reduce sum [t in T to 16, s in T to 16] ins(%z[t, s] : !z) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> !m
  %l = weft.map [t in T to 16] ins(%n[t] : !m) {
  ^bb0(%0: f32):
    %1 = math.log %0 : f32
    weft.yield %1 : f32
  } -> !m
  %p = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %l[t], %m[s] : !z, !m, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.subf %0, %1 : f32
    %4 = arith.subf %3, %2 : f32
    %5 = math.exp %4 : f32
    weft.yield %5 : f32
  } -> !z
  %q = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %n[t] : !z, !m) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.log %1 : f32
    %3 = arith.addf %0, %2 : f32
    %4 = math.exp %3 : f32
    weft.yield %4 : f32
  } -> !z
  %r = weft.map [t in T to 16, s in T to 16] ins(%z[t, s], %n[t], %m[t] : !z, !m, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.log %2 : f32
    %4 = arith.subf %0, %3 : f32
    %5 = math.log %1 : f32
    %6 = arith.subf %4, %5 : f32
    %7 = math.exp %6 : f32
    weft.yield %7 : f32
  } -> !z
  %a = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%p[t, s], %v[s, c] : !z, !q) -> !q
  %b = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%q[t, s], %v[s, c] : !z, !q) -> !q
  %c = weft.contract [t in T to 16, c in 8, s in T to 16] ins(%r[t, s], %v[s, c] : !z, !q) -> !q
  return %a, %b, %c : !q, !q, !q
}

// Features of a batch of texts are no pairs of positions, but as good: what is added to queries is added once.
// CHECK-LABEL: @features
// CHECK: %[[Q:.+]] = weft.map [b in B to 4, t in T to 16, c in 8]
// CHECK: arith.addf
// CHECK: weft.reduce sum {{.*}}%[[Q]][b, t, c]
// CHECK-NOT: arith.addf
// CHECK: return
func.func @features(%q: !b, %u: tensor<8xf32>, %k: !b) -> !p {
  %z = weft.reduce sum [b in B to 4, t in T to 16, s in T to 16, c in 8] ins(%q[b, t, c], %u[c], %k[b, s, c] : !b, tensor<8xf32>, !b) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    weft.yield %4 : f32
  } -> !p
  return %z : !p
}

// Not: values that depend on the query, whether or not they are an element; a sum of nothing else; weights that are elements; one number for each query.
// CHECK-LABEL: @not_inline
// CHECK-NOT: weft.map
// CHECK: return
func.func @not_inline(%z: !z, %m: !m, %v: !q) -> (!q, !m, !q, !m, !q) {
  %a = weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%z[t, s], %v[s, c], %v[t, c] : !z, !q, !q) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.tanh %0 : f32
    %4 = arith.addf %1, %2 : f32
    %5 = arith.mulf %3, %4 : f32
    weft.yield %5 : f32
  } -> !q
  %b = weft.reduce sum [t in T to 16, s in T to 16] ins(%z[t, s] : !z) {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    weft.yield %1 : f32
  } -> !m
  %c = weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%z[t, s], %v[s, c] : !z, !q) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !q
  %d = weft.reduce sum [t in T to 16, s in T to 16] ins(%z[t, s], %m[s] : !z, !m) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.tanh %0 : f32
    %3 = arith.mulf %2, %1 : f32
    weft.yield %3 : f32
  } -> !m
  %e = weft.reduce sum [t in T to 16, c in 8, s in T to 16] ins(%z[t, s], %v[s, c], %m[t] : !z, !q, !m) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %1, %2 : f32
    %4 = arith.mulf %0, %3 : f32
    weft.yield %4 : f32
  } -> !q
  return %a, %b, %c, %d, %e : !q, !m, !q, !m, !q
}
