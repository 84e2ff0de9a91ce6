// A model of two layers that share one function: attention with a projection.
!x = tensor<?x64xf32, #weft.bounds<T to 16>>
!qkv = tensor<3x4x?x16xf32, #weft.bounds<T to 16>>
!heads = tensor<4x?x16xf32, #weft.bounds<T to 16>>
!ids = tensor<?xi32, #weft.bounds<T to 16>>
module attributes {weft.model = "tiny", weft.symbols = #weft.bounds<T to 16>} {
func.func @logits(%ids: !ids {weft.name = "input_ids"})
    -> (tensor<?x97xf32, #weft.bounds<T to 16>> {weft.name = "logits"}) attributes {weft.entry} {
  %wte = weft.weight "wte" : tensor<97x64xf32>
  weft.check "input_ids is out of range" [t in T to 16] ins(%ids[t] : !ids) {
  ^bb0(%0: i32):
    %c = arith.constant 97 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  %x = weft.map [t in T to 16, d in D = 64] ins(%ids[t] : !ids) attributes {weft.label = "x"} {
  ^bb0(%0: i32):
    %i = arith.index_cast %0 : i32 to index
    %d = weft.index 1
    %1 = weft.at %wte[%i, %d] : tensor<97x64xf32>
    weft.yield %1 : f32
  } -> !x
  %wa0 = weft.weight "h.0.attn.w" : tensor<64x3x4x16xf32>
  %ba0 = weft.weight "h.0.attn.b" : tensor<3x4x16xf32>
  %wp0 = weft.weight "h.0.proj.w" : tensor<4x16x64xf32>
  %x1 = call @Block(%x, %wa0, %ba0, %wp0) : (!x, tensor<64x3x4x16xf32>, tensor<3x4x16xf32>, tensor<4x16x64xf32>) -> !x
  %wa1 = weft.weight "h.1.attn.w" : tensor<64x3x4x16xf32>
  %ba1 = weft.weight "h.1.attn.b" : tensor<3x4x16xf32>
  %wp1 = weft.weight "h.1.proj.w" : tensor<4x16x64xf32>
  %x2 = call @Block(%x1, %wa1, %ba1, %wp1) : (!x, tensor<64x3x4x16xf32>, tensor<3x4x16xf32>, tensor<4x16x64xf32>) -> !x
  %y = weft.contract [t in T to 16, v in V = 97, d in D = 64]
      ins(%x2[t, d], %wte[v, d] : !x, tensor<97x64xf32>) attributes {weft.label = "logits"} -> tensor<?x97xf32, #weft.bounds<T to 16>>
  return %y : tensor<?x97xf32, #weft.bounds<T to 16>>
}
func.func private @Block(%x: !x, %wa: tensor<64x3x4x16xf32>, %ba: tensor<3x4x16xf32>, %wp: tensor<4x16x64xf32>) -> !x {
  %qkv = weft.contract [n in 3, h in H = 4, t in T to 16, c in C = 16, d in D = 64]
      ins(%x[t, d], %wa[d, n, h, c], %ba[n, h, c] : !x, tensor<64x3x4x16xf32>, tensor<3x4x16xf32>) attributes {weft.label = "qkv"} {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> !qkv
  %context = weft.attention softmax dots 1 scales [0.25] [h in H = 4, t in T to 16, c in C = 16, s in T to 16, e in C = 16]
      ins(%qkv[0, h, t, e], %qkv[1, h, s, e], %qkv[2, h, s, c] : !qkv, !qkv, !qkv) attributes {weft.label = "context"} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  } where {
    %t = weft.index 1
    %s = weft.index 3
    %c = arith.cmpi sle, %s, %t : index
    weft.yield %c : i1
  } -> !heads
  %y = weft.contract [t in T to 16, d in D = 64, h in H = 4, c in C = 16]
      ins(%context[h, t, c], %wp[h, c, d], %x[t, d] : !heads, tensor<4x16x64xf32>, !x) attributes {weft.label = "y"} {
  ^bb0(%sum: f32, %x0: f32):
    %0 = arith.addf %sum, %x0 : f32
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}
}
