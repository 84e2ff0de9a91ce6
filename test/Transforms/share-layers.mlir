// RUN: weft-opt %s --weft-share-layers | FileCheck %s
// RUN: weft-opt %s --weft-share-layers=max-inlined-anchors=0 | FileCheck %s --check-prefix=KEEP

!x = tensor<4x8xf32>
!w = tensor<8x8xf32>

// The two layers are equal up to names and become one function. The norm is too small for a call.
// CHECK-LABEL: func.func @model
// CHECK-NOT: call @norm
// CHECK: call @layer_0
// CHECK: call @layer_0
// CHECK: weft.map
// CHECK: call @other
// CHECK: call @other
// CHECK: return
func.func @model(%x: !x, %a: !w, %b: !w) -> !x {
  %0 = call @layer_0(%x, %a, %b) : (!x, !w, !w) -> !x
  %1 = call @layer_1(%0, %b, %a) : (!x, !w, !w) -> !x
  %2 = call @norm(%1) : (!x) -> !x
  %3 = call @other(%2, %a) : (!x, !w) -> !x
  %4 = call @other(%3, %b) : (!x, !w) -> !x
  return %4 : !x
}

// The argument nothing uses is gone; what was called once is inlined.
// CHECK: func.func private @layer_0(%{{[^:]*}}: tensor<4x8xf32>, %{{[^:]*}}: tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK: math.exp
// CHECK: weft.reduce sum
// CHECK: weft.reduce sum
// CHECK: return
// KEEP: func.func private @layer_0
// KEEP: call @linear
// KEEP: call @linear
func.func private @layer_0(%x: !x, %w: !w, %unused: !w) -> !x {
  %0 = call @norm(%x) : (!x) -> !x
  %1 = call @linear(%0, %w) : (!x, !w) -> !x
  %2 = call @linear(%1, %w) : (!x, !w) -> !x
  return %2 : !x
}
// CHECK-NOT: @layer_1
func.func private @layer_1(%x: !x, %w: !w, %unused: !w) -> !x {
  %0 = call @norm(%x) : (!x) -> !x
  %1 = call @linear(%0, %w) : (!x, !w) -> !x
  %2 = call @linear(%1, %w) : (!x, !w) -> !x
  return %2 : !x
}

// Must not fire: a layer like the others but for one constant stays, being called twice.
// CHECK: func.func private @other
// CHECK-NOT: func.func
func.func private @other(%x: !x, %w: !w) -> !x {
  %0 = call @norm2(%x) : (!x) -> !x
  %1 = call @linear(%0, %w) : (!x, !w) -> !x
  %2 = call @linear(%1, %w) : (!x, !w) -> !x
  return %2 : !x
}
func.func private @norm(%x: !x) -> !x {
  %0 = weft.map [t in 4, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%1: f32):
    %2 = math.exp %1 : f32
    weft.yield %2 : f32
  } -> !x
  return %0 : !x
}
func.func private @norm2(%x: !x) -> !x {
  %0 = weft.map [t in 4, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%1: f32):
    %2 = math.exp2 %1 : f32
    weft.yield %2 : f32
  } -> !x
  return %0 : !x
}
func.func private @linear(%x: !x, %w: !w) -> !x {
  %0 = weft.reduce sum [t in 4, f in 8, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> !x
  return %0 : !x
}
func.func private @never_called(%x: !x) -> !x {
  return %x : !x
}
