// RUN: weft-opt %s --weft-fuse-mask | FileCheck %s

!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!m = tensor<?xi32, #weft.bounds<T to 32>>

// CHECK-DAG: #[[BEFORE:.+]] = affine_map<(d0, d1) -> (d0 - 3)>
// CHECK-DAG: #[[AFTER:.+]] = affine_map<(d0, d1)[s0] -> (d0 + 1, s0 - 2)>
// CHECK-DAG: #[[BLOCK:.+]] = affine_map<(d0, d1) -> ((d0 floordiv 4) * 4)>
// CHECK-DAG: #[[END:.+]] = affine_map<(d0, d1) -> ({{.*}}d0 + 1{{.*}})>

// Every affine conjunct becomes a bound, however it is written; the data stays a predicate.
// CHECK-LABEL: @conjunction
// CHECK: bound_symbols = ["T"], key_lower = #{{.*}}, key_upper = #[[AFTER]]
// CHECK: where {
// CHECK-NEXT: ^bb0(%[[M:.+]]: i32):
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: %[[P:.+]] = arith.cmpi sgt, %[[M]]
// CHECK-NEXT: weft.yield %[[P]]
func.func @conjunction(%x: !x, %m: !m) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v], %m[s] : !x, !x, !x, !m) {
  ^bb0(%1: f32, %2: i32):
    weft.yield %1 : f32
  } where {
  ^bb0(%2: i32):
    %t = weft.index 0
    %s = weft.index 2
    %n = weft.size "T" : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %z = arith.constant 0 : i32
    %true = arith.constant true
    %later = arith.cmpi sgt, %s, %t : index
    %causal = arith.xori %later, %true : i1
    %distance = arith.subi %t, %s : index
    %window = arith.cmpi sle, %distance, %c3 : index
    %next = arith.addi %s, %c2 : index
    %end = arith.cmpi sgt, %n, %next : index
    %data = arith.cmpi sgt, %2, %z : i32
    %3 = arith.andi %causal, %window : i1
    %4 = arith.andi %end, %data : i1
    %5 = arith.andi %3, %4 : i1
    weft.yield %5 : i1
  } -> !x
  return %0 : !x
}

// CHECK-LABEL: @band
// CHECK: key_lower = #[[BEFORE]], key_upper = #{{[^,}]*}}}
// CHECK-NOT: where
func.func @band(%x: !x) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %d = arith.subi %s, %t : index
    %a = math.absi %d : index
    %c3 = arith.constant 3 : index
    %p = arith.cmpi sle, %a, %c3 : index
    %none = arith.constant -1.0e9 : f32
    %2 = arith.select %p, %1, %none : f32
    weft.yield %2 : f32
  } -> !x
  return %0 : !x
}

// The block of the query, from its first key to the query itself.
// CHECK-LABEL: @block
// CHECK: key_lower = #[[BLOCK]], key_upper = #[[END]]
// CHECK-NOT: where
func.func @block(%x: !x) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } where {
    %t = weft.index 0
    %s = weft.index 2
    %c4 = arith.constant 4 : index
    %a = arith.floordivsi %t, %c4 : index
    %b = arith.floordivsi %s, %c4 : index
    %p = arith.cmpi eq, %a, %b : index
    %last = arith.maxsi %s, %b : index
    %q = arith.cmpi sle, %last, %t : index
    %r = arith.andi %p, %q : i1
    weft.yield %r : i1
  } -> !x
  return %0 : !x
}

// Must not fire: a finite mask may cover all keys of a query, and its row is not 0 then.
// CHECK-LABEL: @finite
// CHECK-NOT: key_
// CHECK: arith.select
// CHECK-NOT: where
// CHECK: return
func.func @finite(%x: !x, %m: !m) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v], %m[s] : !x, !x, !x, !m) {
  ^bb0(%1: f32, %2: i32):
    %z = arith.constant 0 : i32
    %p = arith.cmpi sgt, %2, %z : i32
    %none = arith.constant -1.0e9 : f32
    %3 = arith.select %p, %1, %none : f32
    weft.yield %3 : f32
  } -> !x
  return %0 : !x
}

// Must not fire: of a query whose seen keys are all hidden by another mask, the outer one hides no more than that does.
// CHECK-LABEL: @nested
// CHECK-NOT: key_
// CHECK-COUNT-2: arith.select
// CHECK-NOT: where
// CHECK: return
func.func @nested(%x: !x, %m: !m) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v], %m[s] : !x, !x, !x, !m) {
  ^bb0(%1: f32, %2: i32):
    %z = arith.constant 0 : i32
    %p = arith.cmpi sgt, %2, %z : i32
    %none = arith.constant -1.0e9 : f32
    %3 = arith.select %p, %1, %none : f32
    %t = weft.index 0
    %s = weft.index 2
    %q = arith.cmpi sle, %s, %t : index
    %4 = arith.select %q, %3, %none : f32
    weft.yield %4 : f32
  } -> !x
  return %0 : !x
}

// Nor with a factor of a mask.
// CHECK-LABEL: @factor
// CHECK-NOT: key_
// CHECK: arith.select
// CHECK-NOT: where
// CHECK: return
func.func @factor(%x: !x, %m: !m) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v], %m[s] : !x, !x, !x, !m) {
  ^bb0(%1: f32, %2: i32):
    %hidden = arith.sitofp %2 : i32 to f32
    %none = arith.constant -1.0e9 : f32
    %less = arith.mulf %hidden, %none : f32
    %3 = arith.addf %1, %less : f32
    %t = weft.index 0
    %s = weft.index 2
    %q = arith.cmpi sle, %s, %t : index
    %4 = arith.select %q, %3, %none : f32
    weft.yield %4 : f32
  } -> !x
  return %0 : !x
}

// Two masks that leave each query its own key are both intervals.
// CHECK-LABEL: @both
// CHECK: key_lower = #{{.*}}key_upper = #
// CHECK-NOT: arith.select
// CHECK: return
func.func @both(%x: !x) -> !x {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %c5 = arith.constant 5 : index
    %distance = arith.subi %t, %s : index
    %near = arith.cmpi slt, %distance, %c5 : index
    %none = arith.constant -1.0e9 : f32
    %2 = arith.select %near, %1, %none : f32
    %q = arith.cmpi sle, %s, %t : index
    %3 = arith.select %q, %2, %none : f32
    weft.yield %3 : f32
  } -> !x
  return %0 : !x
}

// Without a softmax a mask is 0, as a value or as a factor.
// CHECK-LABEL: @zero
// CHECK-COUNT-2: weft.attention none {{.*}}key_upper = #
// CHECK-NOT: where
// CHECK-NOT: arith.select
// CHECK: return
func.func @zero(%x: !x) -> (!x, !x) {
  %0 = weft.attention none dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpi sgt, %s, %t : index
    %2 = arith.select %p, %zero, %1 : f32
    weft.yield %2 : f32
  } -> !x
  %3 = weft.attention none dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %p = arith.cmpi sle, %s, %t : index
    %2 = arith.select %p, %one, %zero : f32
    %3 = arith.divf %2, %two : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.negf %4 : f32
    weft.yield %5 : f32
  } -> !x
  return %0, %3 : !x, !x
}

// Must not fire: 0 in a softmax, a divisor, a term beside another, what is used unmasked too, a condition on the score.
// CHECK-LABEL: @must_not_zero
// CHECK-NOT: key_upper
// CHECK-NOT: where
// CHECK: return
func.func @must_not_zero(%x: !x) -> (!x, !x, !x) {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpi sle, %s, %t : index
    %2 = arith.select %p, %1, %zero : f32
    weft.yield %2 : f32
  } -> !x
  %3 = weft.attention none dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpi sle, %s, %t : index
    %2 = arith.select %p, %1, %zero : f32
    %3 = arith.divf %1, %2 : f32
    %4 = arith.mulf %2, %2 : f32
    %5 = arith.addf %3, %4 : f32
    weft.yield %5 : f32
  } -> !x
  %6 = weft.attention none dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %1, %zero : f32
    %2 = arith.select %p, %1, %zero : f32
    weft.yield %2 : f32
  } -> !x
  return %0, %3, %6 : !x, !x, !x
}

// Must not fire: a mask of the score by the score, a bias that is no mask, a disjunction, a bound
// of the key by itself, and no softmax.
// CHECK-LABEL: @must_not
// CHECK-NOT: key_
// CHECK-NOT: where
// CHECK: arith.ori
// CHECK: weft.attention none
// CHECK-NOT: where
// CHECK: return
func.func @must_not(%x: !x) -> (!x, !x, !x, !x) {
  %0 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %z = arith.constant 0.0 : f32
    %none = arith.constant 0xFF800000 : f32
    %p = arith.cmpf ogt, %1, %z : f32
    %2 = arith.select %p, %1, %none : f32
    weft.yield %2 : f32
  } -> !x
  %3 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %bias = arith.constant -5.0 : f32
    %p = arith.cmpi sle, %s, %t : index
    %2 = arith.select %p, %1, %bias : f32
    weft.yield %2 : f32
  } -> !x
  %4 = weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %c2 = arith.constant 2 : index
    %none = arith.constant -1.0e9 : f32
    %h = arith.remsi %s, %c2 : index
    %p = arith.cmpi sle, %h, %t : index
    %q = arith.cmpi sge, %s, %t : index
    %o = arith.ori %p, %q : i1
    %2 = arith.select %o, %1, %1 : f32
    weft.yield %2 : f32
  } -> !x
  %5 = weft.attention none dots 1 scales [1.0] [t in T to 32, v in 8, s in T to 32, c in 8]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    %t = weft.index 0
    %s = weft.index 2
    %none = arith.constant -1.0e9 : f32
    %p = arith.cmpi sle, %s, %t : index
    %2 = arith.select %p, %1, %none : f32
    weft.yield %2 : f32
  } -> !x
  return %0, %3, %4, %5 : !x, !x, !x, !x
}
