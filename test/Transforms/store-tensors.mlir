// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-assign-types='store=bf16 compute=bf16 tensors=plain=f32;gain=f16;router=f16' | FileCheck %s --check-prefix=REAL
// RUN: weft-opt %s --split-input-file --weft-code-weights='store=keep tensors=head=int4,group=row;router=int8;t?ble=int4;plain=f32' | FileCheck %s --check-prefix=CODED
// RUN: weft-opt %s --split-input-file --weft-separate-layers='tensors=*.0=int8;none=f32' | FileCheck %s --check-prefix=LAYERS
// RUN: not weft-opt %s --split-input-file --weft-code-weights='tensors=gain=int8' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not weft-opt %s --split-input-file --weft-code-weights='tensors=uneven=int8' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not weft-opt %s --split-input-file --weft-code-weights='tensors=w;v=f32' 2>&1 | FileCheck %s --check-prefix=FORM
// VECTOR: error: 'gain' cannot be stored as int8, which --store-tensor says: it has no rows
// UNEVEN: error: 'uneven' cannot be stored as int8, which --store-tensor says: it has rows of 6, no multiple of 4
// FORM: error: --store-tensor wants PATTERN=TYPE, not 'w'

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!y = tensor<?x16xf32, #weft.bounds<T to 40>>

// What is said of a weight holds for vectors and routers, too; f32 has no kernels with bf16, so that product is one of f32. Others
// follow the structure.
// REAL-LABEL: @reals
// REAL-DAG: weft.weight "plain" : tensor<16x8xf32>
// REAL-DAG: weft.weight "other" : tensor<16x8xbf16>
// REAL-DAG: weft.weight "gain" : tensor<8xf16>
// REAL-DAG: weft.weight "bias" : tensor<8xf32>
// REAL-DAG: weft.weight "router" : tensor<4x8xf16>
// REAL: weft.contract {{.*}} : tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<16x8xf32>)
// REAL: weft.contract {{.*}} : tensor<?x8xbf16, #weft.bounds<T to 40>>, tensor<16x8xbf16>)
// REAL: weft.contract {{.*}} : tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<4x8xf16>)
// Codes: what is said of none of them stays.
// CODED-LABEL: @reals
// CODED-DAG: weft.weight "plain" : tensor<16x8xf32>
// CODED-DAG: weft.weight "other" : tensor<16x8xf32>
// CODED-DAG: weft.weight "router" coded <codes along [1] of [4, 8]> : tensor<4x8xi8>
func.func @reals(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}, !y {weft.name = "z"}, tensor<?xi32, #weft.bounds<T to 40>> {weft.name = "c"}) attributes {weft.entry} {
  %p = weft.weight "plain" : tensor<16x8xf32>
  %o = weft.weight "other" : tensor<16x8xf32>
  %g = weft.weight "gain" : tensor<8xf32>
  %b = weft.weight "bias" : tensor<8xf32>
  %r = weft.weight "router" : tensor<4x8xf32>
  %h = weft.map [t in T to 40, d in 8] ins(%x[t, d], %g[d], %b[d] : !x, tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  } -> !x
  %y = weft.contract [t in T to 40, n in 16, d in 8] ins(%h[t, d], %p[n, d] : !x, tensor<16x8xf32>) -> !y
  %z = weft.contract [t in T to 40, n in 16, d in 8] ins(%h[t, d], %o[n, d] : !x, tensor<16x8xf32>) -> !y
  %s = weft.contract [t in T to 40, e in 4, d in 8] ins(%h[t, d], %r[e, d] : !x, tensor<4x8xf32>) -> tensor<?x4xf32, #weft.bounds<T to 40>>
  %c = weft.reduce argmax [t in T to 40, e in 4] ins(%s[t, e] : tensor<?x4xf32, #weft.bounds<T to 40>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xi32, #weft.bounds<T to 40>>
  return %y, %z, %c : !y, !y, tensor<?xi32, #weft.bounds<T to 40>>
}

// -----

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!y = tensor<?x16xf32, #weft.bounds<T to 40>>

// 4 bits where --store would give 8: a product that is a result, and a table, of rows of whole groups. Must not fire: what is
// matched by no pattern, and rows of 6.
// CODED-LABEL: @codes
// CODED-DAG: weft.weight "head" coded <codes along [1] of [16, 8] bits = 4> : tensor<16x8xi8>
// CODED-DAG: weft.weight "table" coded <codes along [1] of [97, 32] bits = 4 group = 32> : tensor<97x32xi8>
// CODED-DAG: weft.weight "tables" : tensor<97x32xf32>
// CODED-DAG: weft.weight "uneven" : tensor<16x6xf32>
func.func @codes(%x: !x {weft.name = "x"}, %u: tensor<4x6xf32> {weft.name = "u"}, %ids: tensor<4xi32> {weft.name = "ids"}) -> (!y {weft.name = "y"}, tensor<4x16xf32> {weft.name = "z"}, tensor<4x32xf32> {weft.name = "a"}) attributes {weft.entry} {
  %w = weft.weight "head" : tensor<16x8xf32>
  %v = weft.weight "uneven" : tensor<16x6xf32>
  %t = weft.weight "table" : tensor<97x32xf32>
  %ts = weft.weight "tables" : tensor<97x32xf32>
  %y = weft.contract [t in T to 40, n in 16, d in 8] ins(%x[t, d], %w[n, d] : !x, tensor<16x8xf32>) -> !y
  %z = weft.contract [t in 4, n in 16, d in 6] ins(%u[t, d], %v[n, d] : tensor<4x6xf32>, tensor<16x6xf32>) -> tensor<4x16xf32>
  %a = weft.map [t in 4, d in 32] ins(%ids[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %t[%i, %d] : tensor<97x32xf32>
    %2 = weft.at %ts[%i, %d] : tensor<97x32xf32>
    %3 = arith.addf %1, %2 : f32
    weft.yield %3 : f32
  } -> tensor<4x32xf32>
  return %y, %z, %a : !y, tensor<4x16xf32>, tensor<4x32xf32>
}

// -----

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!w = tensor<8x8xf32>

// A layer whose weight is said to be stored otherwise is a function of its own, with what it calls. Must not fire: layers of
// which the same is said, nothing here, go on to share theirs.
// LAYERS-LABEL: func.func private @product(
// LAYERS-LABEL: func.func private @product_{{[0-9]+}}(
// LAYERS-LABEL: func.func private @layer(
// LAYERS: call @product(
// LAYERS: func.func private @layer_[[N:[0-9]+]](
// LAYERS: call @product_{{[0-9]+}}(
// LAYERS-NOT: func.func private
// LAYERS: func.func @model(
// LAYERS: call @layer(
// LAYERS-NEXT: call @layer_[[N]](
// LAYERS-NEXT: call @layer_[[N]](
func.func private @product(%x: !x, %w: !w) -> !x {
  %y = weft.contract [t in T to 40, n in 8, d in 8] ins(%x[t, d], %w[n, d] : !x, !w) -> !x
  return %y : !x
}
func.func private @layer(%x: !x, %w: !w) -> !x {
  %y = call @product(%x, %w) : (!x, !w) -> !x
  return %y : !x
}
func.func @model(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"}) attributes {weft.entry} {
  %0 = weft.weight "w.0" : !w
  %1 = weft.weight "w.1" : !w
  %2 = weft.weight "w.2" : !w
  %a = call @layer(%x, %0) : (!x, !w) -> !x
  %b = call @layer(%a, %1) : (!x, !w) -> !x
  %c = call @layer(%b, %2) : (!x, !w) -> !x
  return %c : !x
}
