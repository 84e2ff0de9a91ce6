// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-verify-fused=strict
// RUN: weft-opt %s --split-input-file --weft-verify-fused | FileCheck %s

!x = tensor<?xf32, #weft.bounds<T to 8>>
!p = tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>
// CHECK-LABEL: func @unexplained
// CHECK: weft.contract {{.*}} attributes {weft.unfused_reason = "it leads to no softmax that is summed over"}
func.func @unexplained(%x: !x) -> !x {
  // expected-error @+2 {{of position pairs is left, and no remark says why}}
  // expected-note @+1 {{attention is found in a softmax with one consumer that sums over its axis; another chain needs the attribute 'weft.unfused_reason'}}
  %p = weft.contract [t in T to 8, s in T to 8, i in 1] ins(%x[t], %x[s] : !x, !x) -> !p
  %y = weft.reduce max [t in T to 8, s in T to 8] ins(%p[t, s] : !p) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// -----

// The reason may stand on what is made of the tensor.
!x = tensor<?xf32, #weft.bounds<T to 8>>
!p = tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>
func.func @explained(%x: !x) -> !x {
  %p = weft.contract [t in T to 8, s in T to 8, i in 1] ins(%x[t], %x[s] : !x, !x) -> !p
  %y = weft.reduce max [t in T to 8, s in T to 8] ins(%p[t, s] : !p)
      attributes {weft.unfused_reason = "a maximum is no sum"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// -----

// An output is what was asked for.
!x = tensor<?xf32, #weft.bounds<T to 8>>
!p = tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>
func.func @returned(%x: !x) -> !p {
  %p = weft.contract [t in T to 8, s in T to 8, i in 1] ins(%x[t], %x[s] : !x, !x) -> !p
  return %p : !p
}
