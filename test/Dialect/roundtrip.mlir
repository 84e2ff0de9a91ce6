// RUN: weft-opt %s | weft-opt | FileCheck %s
// CHECK: weft.attention
!x = tensor<?x64xf32, #weft.bounds<T to 1024>>
func.func @f(%x: !x, %w: tensor<256x64xf32>, %b: tensor<256xf32>, %ids: tensor<?xi32, #weft.bounds<T to 1024>>, %q: tensor<4x?x16xf32, #weft.bounds<T to 1024>>) -> tensor<?x256xf32, #weft.bounds<T to 1024>> {
  weft.check "input_ids is out of range" [t in T to 1024] ins(%ids[t] : tensor<?xi32, #weft.bounds<T to 1024>>) {
  ^bb0(%0: i32):
    %c = arith.constant 50257 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  %y = weft.contract [t in T to 1024, f in F = 256, d in D = 64]
      ins(%x[t, d], %w[f, d], %b[f] : !x, tensor<256x64xf32>, tensor<256xf32>) {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> tensor<?x256xf32, #weft.bounds<T to 1024>>
  %m = weft.reduce mean [t in T to 1024, d in D = 64] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 1024>>
  %a = weft.attention softmax dots 1 scales [0.25] [h in H = 4, t in T to 1024, v in C = 16, s in T to 1024, c in C = 16]
    ins(%q[h, t, c], %q[h, s, c], %q[h, s, v] : tensor<4x?x16xf32, #weft.bounds<T to 1024>>, tensor<4x?x16xf32, #weft.bounds<T to 1024>>, tensor<4x?x16xf32, #weft.bounds<T to 1024>>) attributes {weft.label = "context"} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  } where {
    %t = weft.index 1
    %s = weft.index 3
    %c = arith.cmpi sle, %s, %t : index
    weft.yield %c : i1
  } -> tensor<4x?x16xf32, #weft.bounds<T to 1024>>
  %e = weft.map [t in T to 1024, d in D = 64] {
    %t = weft.index 0
    %d = weft.index 1
    %w1 = weft.at %w[%t, %d] inbounds : tensor<256x64xf32>
    %r = weft.inner sum (e in E = 64) {
    ^bb0(%e: index):
      %x1 = weft.at %w[%e, %e] : tensor<256x64xf32>
      weft.yield %x1 : f32
    }
    weft.yield %r : f32
  } -> !x
  %w2 = weft.weight "a.b" {pack = #weft.pack<view = [256, 64], k = [1], n = [0], nr = 32>, offset = 64 : i64} : tensor<8x64x32xf32>
  return {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [8, 32], parallel = true>} %y : tensor<?x256xf32, #weft.bounds<T to 1024>>
}
