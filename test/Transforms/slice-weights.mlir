// RUN: weft-opt %s --weft-slice-weights | FileCheck %s
// RUN: weft-opt %s --weft-slice-weights --weft-derive-weights | FileCheck %s --check-prefix=DERIVED

!x = tensor<?x16xf32, #weft.bounds<T to 40>>
!y = tensor<?x8xf32, #weft.bounds<T to 40>>
!kv = tensor<?x2x8xf32, #weft.bounds<T to 40>>

// Gates and what they let through are matrices of one weight: each is a tensor of its own, in a layer, too, and in the type of the checkpoint.
// CHECK-LABEL: func.func private @layer
// CHECK: %[[G:.+]] = weft.map [d0 in 8, d1 in 16] ins(%arg1[0, d0, d1] : tensor<2x8x16xbf16>)
// CHECK: -> tensor<8x16xbf16>
// CHECK: weft.contract {{.*}} ins(%arg0[t, d], %[[G]][f, d] :
// CHECK: %[[U:.+]] = weft.map [d0 in 8, d1 in 16] ins(%arg1[1, d0, d1] : tensor<2x8x16xbf16>)
// CHECK: weft.contract {{.*}} ins(%arg0[t, d], %[[U]][f, d] :
// DERIVED-LABEL: func.func private @layer
// DERIVED-NOT: weft.map
// DERIVED: weft.contract {{.*}} ins(%arg0[t, d], %arg{{[12]}}[f, d] :
// DERIVED: weft.contract {{.*}} ins(%arg0[t, d], %arg{{[12]}}[f, d] :
func.func private @layer(%x: !x, %w: tensor<2x8x16xbf16>) -> (!y, !y) {
  %g = weft.contract [t in T to 40, f in 8, d in 16] ins(%x[t, d], %w[0, f, d] : !x, tensor<2x8x16xbf16>) -> !y
  %u = weft.contract [t in T to 40, f in 8, d in 16] ins(%x[t, d], %w[1, f, d] : !x, tensor<2x8x16xbf16>) -> !y
  return %g, %u : !y, !y
}

// Codes are taken out if the places are those of the first dimensions, and are codes;
// DERIVED-LABEL: func.func @entry
// DERIVED-DAG: weft.weight "derived:mlp.weight" : tensor<8x16xbf16>
// DERIVED-DAG: weft.weight "derived:mlp.weight#2" : tensor<8x16xbf16>
// DERIVED-DAG: weft.weight "derived:weight" coded <reals along [1] of [8, 16] bits = 4 group = 16 table = "nf4"> : tensor<8x16xf32>
// not those at places between rows, nor a vector, nor what is no weight, nor places that data choose alone.
// CHECK-LABEL: func.func @entry
// CHECK: weft.map [d0 in 8, d1 in 16] ins(%{{.+}}[2, d0, d1]
// CHECK-NOT: weft.map
// CHECK: weft.contract {{.*}}[f, 2, d]
// CHECK: weft.contract {{.*}}[1, d]
// CHECK: weft.contract {{.*}}[0, f, d]
// CHECK: return
func.func @entry(%x: !x {weft.name = "x"}, %z: tensor<2x8x16xf32> {weft.name = "z"})
    -> (!y {weft.name = "g"}, !y {weft.name = "u"}, !y {weft.name = "c"}, !y {weft.name = "r"}, tensor<?xf32, #weft.bounds<T to 40>> {weft.name = "v"}, !y {weft.name = "a"}) attributes {weft.entry} {
  %w = weft.weight "mlp.w" : tensor<2x8x16xbf16>
  %k = weft.weight "k" coded <reals along [2] of [3, 8, 16] bits = 4 group = 16 table = "nf4"> : tensor<3x8x16xf32>
  %q = weft.weight "q" coded <reals along [2] of [8, 3, 16] bits = 4 group = 16 table = "nf4"> : tensor<8x3x16xf32>
  %b = weft.weight "b" : tensor<2x16xf32>
  %g:2 = func.call @layer(%x, %w) : (!x, tensor<2x8x16xbf16>) -> (!y, !y)
  %c = weft.contract [t in T to 40, f in 8, d in 16] ins(%x[t, d], %k[2, f, d] : !x, tensor<3x8x16xf32>) -> !y
  %r = weft.contract [t in T to 40, f in 8, d in 16] ins(%x[t, d], %q[f, 2, d] : !x, tensor<8x3x16xf32>) -> !y
  %v = weft.contract [t in T to 40, d in 16] ins(%x[t, d], %b[1, d] : !x, tensor<2x16xf32>) -> tensor<?xf32, #weft.bounds<T to 40>>
  %a = weft.contract [t in T to 40, f in 8, d in 16] ins(%x[t, d], %z[0, f, d] : !x, tensor<2x8x16xf32>) -> !y
  return %g#0, %g#1, %c, %r, %v, %a : !y, !y, !y, !y, tensor<?xf32, #weft.bounds<T to 40>>, !y
}

// A part that the text takes is a weight, too: neighbours or not, of codes as codes if rows are whole.
// DERIVED-LABEL: func.func @taken
// DERIVED-DAG: weft.weight "derived:p.weight" : tensor<4x16xf32>
// DERIVED-DAG: weft.weight "derived:q.weight" coded <reals along [1] of [8, 16] bits = 4 group = 16 table = "nf4"> : tensor<8x16xf32>
func.func @taken(%x: !x {weft.name = "x"}) -> (tensor<?x4xf32, #weft.bounds<T to 40>> {weft.name = "a"}, !y {weft.name = "b"}) attributes {weft.entry} {
  %p = weft.weight "p.w" : tensor<2x8x16xf32>
  %q = weft.weight "q.w" coded <reals along [2] of [3, 8, 16] bits = 4 group = 16 table = "nf4"> : tensor<3x8x16xf32>
  %0 = weft.map [f in 4, d in 16] ins(%p[1, f, d] : tensor<2x8x16xf32>) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<4x16xf32>
  %2 = weft.map [f in 8, d in 16] ins(%q[1, f, d] : tensor<3x8x16xf32>) {
  ^bb0(%3: f32):
    weft.yield %3 : f32
  } -> tensor<8x16xf32>
  %a = weft.contract [t in T to 40, f in 4, d in 16] ins(%x[t, d], %0[f, d] : !x, tensor<4x16xf32>) -> tensor<?x4xf32, #weft.bounds<T to 40>>
  %b = weft.contract [t in T to 40, f in 8, d in 16] ins(%x[t, d], %2[f, d] : !x, tensor<8x16xf32>) -> !y
  return %a, %b : tensor<?x4xf32, #weft.bounds<T to 40>>, !y
}

// Neighbours of a weight that begin behind its first are a tensor, too, and one weight: keys and values, say, of a matrix that holds queries before them.
// CHECK-LABEL: func.func @neighbours
// CHECK: %[[KV:.+]] = weft.map [d0 in 2, d1 in 8, d2 in 16] ins(%{{.+}}[d0 + 1, d1, d2] : tensor<3x8x16xf32>)
// CHECK: weft.contract {{.*}} ins(%arg0[t, d], %[[KV]][i, f, d] :
// DERIVED-LABEL: func.func @neighbours
// DERIVED: weft.weight "derived:qkv.weight" : tensor<2x8x16xf32>
// Not those from the first on, of which columns of a product may be fewer, nor codes, nor what is no weight.
// CHECK-NOT: weft.map
// CHECK: weft.contract {{.*}}[i, f, d]
// CHECK: weft.contract {{.*}}[i + 1, f, d]
// CHECK: weft.contract {{.*}}[i + 1, f, d]
func.func @neighbours(%x: !x {weft.name = "x"}, %z: tensor<3x8x16xf32> {weft.name = "z"})
    -> (!kv {weft.name = "kv"}, !kv {weft.name = "b"}, !kv {weft.name = "c"}, !kv {weft.name = "e"}) attributes {weft.entry} {
  %w = weft.weight "qkv.w" : tensor<3x8x16xf32>
  %p = weft.weight "p" : tensor<3x8x16xf32>
  %k = weft.weight "k" coded <reals along [2] of [3, 8, 16] bits = 4 group = 16 table = "nf4"> : tensor<3x8x16xf32>
  %kv = weft.contract [t in T to 40, i in 2, f in 8, d in 16] ins(%x[t, d], %w[i + 1, f, d] : !x, tensor<3x8x16xf32>) -> !kv
  %b = weft.contract [t in T to 40, i in 2, f in 8, d in 16] ins(%x[t, d], %p[i, f, d] : !x, tensor<3x8x16xf32>) -> !kv
  %c = weft.contract [t in T to 40, i in 2, f in 8, d in 16] ins(%x[t, d], %k[i + 1, f, d] : !x, tensor<3x8x16xf32>) -> !kv
  %e = weft.contract [t in T to 40, i in 2, f in 8, d in 16] ins(%x[t, d], %z[i + 1, f, d] : !x, tensor<3x8x16xf32>) -> !kv
  return %kv, %b, %c, %e : !kv, !kv, !kv, !kv
}
