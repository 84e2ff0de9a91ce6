// RUN: weft-opt %s --weft-mark-rough | FileCheck %s

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!b = tensor<?x8xbf16, #weft.bounds<T to 40>>

// Rounded to bf16 where it is made; made codes of and nothing else.
// CHECK-LABEL: @rounded
// CHECK-COUNT-2: math.erf %{{.*}} fastmath<afn> : f32
func.func @rounded(%x: !x, %w: tensor<8x8xf32>) -> (!b, tensor<?x8xi8, #weft.bounds<T to 40>>) {
  %y = weft.contract [t in T to 40, n in 8, d in 8] ins(%x[t, d], %w[n, d] : !x, tensor<8x8xf32>) {
  ^bb0(%0: f32):
    %1 = math.erf %0 : f32
    weft.yield %1 : f32
  } -> !b
  %z = weft.map [t in T to 40, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = math.erf %0 : f32
    weft.yield %1 : f32
  } -> !x
  %c = weft.row axis 1 [t in T to 40, d in 8] ins(%z[t, d] : !x) max {
  ^bb0(%0: f32):
    %1 = math.absf %0 : f32
    weft.yield %1 : f32
  } element {
  ^bb0(%top: f32, %0: f32):
    %1 = arith.divf %0, %top : f32
    %2 = arith.fptosi %1 : f32 to i32
    weft.yield %2 : i32
  } -> tensor<?x8xi8, #weft.bounds<T to 40>>
  return %y, %c : !b, tensor<?x8xi8, #weft.bounds<T to 40>>
}

// Must not fire: results in f32, or in f16 of 11 bits; a score of an attention; other functions.
// CHECK-LABEL: @exact
// CHECK-NOT: afn
func.func @exact(%x: !x) -> (!x, tensor<?x8xf16, #weft.bounds<T to 40>>, !b) {
  %y = weft.map [t in T to 40, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = math.erf %0 : f32
    weft.yield %1 : f32
  } -> !x
  %z = weft.map [t in T to 40, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = math.erf %0 : f32
    weft.yield %1 : f32
  } -> tensor<?x8xf16, #weft.bounds<T to 40>>
  %e = weft.map [t in T to 40, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  } -> !b
  return %y, %z, %e : !x, tensor<?x8xf16, #weft.bounds<T to 40>>, !b
}
