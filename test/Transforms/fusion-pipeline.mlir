// RUN: weft-opt %s --weft-fusion-pipeline | FileCheck %s
// A causal transformer block as the frontend writes it: two layers become two calls of one
// function, and in it remain one attention, its projections, and the feed-forward contractions.

!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!qkv = tensor<3x2x?x4xf32, #weft.bounds<T to 32>>
!s = tensor<2x?x?xf32, #weft.bounds<T to 32, T to 32>>
!c = tensor<2x?x4xf32, #weft.bounds<T to 32>>

// CHECK: #[[UPPER:.+]] = affine_map<(d0, d1, d2) -> (d1 + 1)>
// CHECK-LABEL: func.func @logits
// CHECK: call @attention
// CHECK: call @attention
func.func @logits(%x: !x) -> !x attributes {weft.entry} {
  %w0 = weft.weight "h.0.attn.weight" : tensor<8x3x2x4xf32>
  %w1 = weft.weight "h.1.attn.weight" : tensor<8x3x2x4xf32>
  %b0 = weft.weight "h.0.attn.bias" : tensor<3x2x4xf32>
  %b1 = weft.weight "h.1.attn.bias" : tensor<3x2x4xf32>
  %p0 = weft.weight "h.0.proj.weight" : tensor<2x4x8xf32>
  %p1 = weft.weight "h.1.proj.weight" : tensor<2x4x8xf32>
  %0 = call @attention(%x, %w0, %b0, %p0) : (!x, tensor<8x3x2x4xf32>, tensor<3x2x4xf32>, tensor<2x4x8xf32>) -> !x
  %1 = call @attention(%0, %w1, %b1, %p1) : (!x, tensor<8x3x2x4xf32>, tensor<3x2x4xf32>, tensor<2x4x8xf32>) -> !x
  return %1 : !x
}

// CHECK-LABEL: func.func private @attention
// CHECK-NOT: weft.reduce
// CHECK: %[[QKV:.+]] = weft.contract [n in 3, h in H = 2, t in T to 32, c in C = 4, d in D = 8]
// CHECK: arith.addf
// CHECK: weft.attention{{ +}}softmax dots 1 scales [5.000000e-01] [h in H = 2, t in T to 32, c in C = 4, s in T to 32, c1 in C = 4]
// CHECK-SAME: ins(%[[QKV]][0, h, t, c1], %[[QKV]][1, h, s, c1], %[[QKV]][2, h, s, c]
// CHECK-SAME: key_upper = #[[UPPER]]
// CHECK-NOT: where
// CHECK: weft.contract [t in T to 32, d in D = 8, h in H = 2, c in C = 4]
// CHECK: arith.addf
// CHECK-NOT: weft.map
// CHECK: return
func.func private @attention(%x: !x, %w: tensor<8x3x2x4xf32>, %b: tensor<3x2x4xf32>, %p: tensor<2x4x8xf32>) -> !x {
  %qkv0 = weft.reduce sum [n in 3, h in H = 2, t in T to 32, c in C = 4, d in D = 8]
      ins(%x[t, d], %w[d, n, h, c] : !x, tensor<8x3x2x4xf32>) attributes {weft.label = "qkv"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !qkv
  %qkv = weft.map [n in 3, h in H = 2, t in T to 32, c in C = 4]
      ins(%qkv0[n, h, t, c], %b[n, h, c] : !qkv, tensor<3x2x4xf32>) attributes {weft.label = "qkv"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !qkv
  %s0 = weft.reduce sum [h in H = 2, t in T to 32, s in T to 32, c in C = 4]
      ins(%qkv[0, h, t, c], %qkv[1, h, s, c] : !qkv, !qkv) attributes {weft.label = "score"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !s
  %s = weft.map [h in H = 2, t in T to 32, s in T to 32] ins(%s0[h, t, s] : !s) attributes {weft.label = "score"} {
  ^bb0(%0: f32):
    %n = arith.constant 2.0 : f32
    %1 = arith.divf %0, %n : f32
    weft.yield %1 : f32
  } -> !s
  %a = weft.softmax softmax axis 2 [h in H = 2, t in T to 32, s in T to 32] ins(%s[h, t, s] : !s) attributes {weft.label = "weight"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %t = weft.index 1
    %j = weft.index 2
    %1 = arith.cmpi sle, %j, %t : index
    weft.yield %1 : i1
  } -> !s
  %c = weft.reduce sum [h in H = 2, t in T to 32, c in C = 4, s in T to 32]
      ins(%a[h, t, s], %qkv[2, h, s, c] : !s, !qkv) attributes {weft.label = "context"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !c
  %y0 = weft.reduce sum [t in T to 32, d in D = 8, h in H = 2, c in C = 4]
      ins(%c[h, t, c], %p[h, c, d] : !c, tensor<2x4x8xf32>) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  } -> !x
  %y = weft.map [t in T to 32, d in D = 8] ins(%y0[t, d], %x[t, d] : !x, !x) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !x
  return %y : !x
}
