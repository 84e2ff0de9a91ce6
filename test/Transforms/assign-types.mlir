// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-assign-types='store=bf16 compute=bf16 cache=bf16' | FileCheck %s
// RUN: weft-opt %s --split-input-file --weft-assign-types='store=f16' 2>/dev/null | FileCheck %s --check-prefix=STORE
// RUN: weft-opt %s --split-input-file --weft-assign-types='store=bf16 compute=bf16' 2>/dev/null | FileCheck %s --check-prefix=CACHE
// RUN: not weft-opt %s --split-input-file --weft-assign-types='store=i8' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not weft-opt %s --split-input-file --weft-assign-types='compute=bf16' 2>&1 | FileCheck %s --check-prefix=PAIR

// NAME: error: unknown type 'i8' in option store: keep, f32, bf16, f16, int8, int4, fp8, nf4, mxfp4 are known
// PAIR: error: a weight is stored as 'f32' and computed in 'bf16'; there are kernels for f32 computed in f32, bf16 computed in f32, f16 computed in f32, bf16 computed in bf16, f16 computed in f16, int8 computed in f32, int8 computed in int8, fp8 computed in f32, nf4 computed in f32, mxfp4 computed in f32, codes of a checkpoint computed in f32, whole numbers of a checkpoint computed in int8, f32 computed in bf16x3, bf16 computed in bf16x3, f16 computed in bf16x3, f32 computed in bf16x6, bf16 computed in bf16x6, f16 computed in bf16x6
// PAIR: note: the weight is 'w'

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!y = tensor<?x16xf32, #weft.bounds<T to 40>>

// A result that the caller wants in fewer bits is stored as such where it is made, once; not what somebody else reads, too.
// CHECK-LABEL: @rounded
// CHECK: %[[Y:.+]] = weft.attention
// CHECK: -> tensor<9x8xbf16>
// CHECK-NEXT: return %[[Y]]
// CHECK-LABEL: @shared
// CHECK: %[[Y:.+]] = weft.attention
// CHECK: -> tensor<9x8xf32>
// CHECK: weft.map {{.*}} ins(%[[Y]][
// CHECK: -> tensor<9x8xbf16>
func.func @rounded(%x: tensor<9x8xf32> {weft.name = "x"}) -> (tensor<9x8xbf16> {weft.name = "y"}) attributes {weft.entry} {
  %y = weft.attention softmax dots 1 scales [0.5] [t in 9, v in 8, s in S = 9, c in 8] ins(%x[t, c], %x[s, c], %x[s, v] : tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<9x8xf32>
  %r = weft.map [t in 9, d in 8] ins(%y[t, d] : tensor<9x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<9x8xbf16>
  return %r : tensor<9x8xbf16>
}
func.func @shared(%x: tensor<9x8xf32> {weft.name = "x"}) -> (tensor<9x8xbf16> {weft.name = "y"}, tensor<9x8xf32> {weft.name = "z"}) attributes {weft.entry} {
  %y = weft.attention softmax dots 1 scales [0.5] [t in 9, v in 8, s in S = 9, c in 8] ins(%x[t, c], %x[s, c], %x[s, v] : tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<9x8xf32>
  %r = weft.map [t in 9, d in 8] ins(%y[t, d] : tensor<9x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<9x8xbf16>
  return %r, %y : tensor<9x8xbf16>, tensor<9x8xf32>
}

// What only products read is rounded where it is made; a vector and the result stay.
// CHECK-LABEL: @product
// CHECK: weft.weight "w" : tensor<16x8xbf16>
// CHECK: weft.weight "b" : tensor<16xf32>
// CHECK: %[[H:.+]] = weft.map {{.*}} ins(%arg0[t, d]
// CHECK: -> tensor<?x8xbf16, #weft.bounds<T to 40>>
// CHECK-NEXT: weft.contract {{.*}} ins(%[[H]][t, d], {{.*}} : tensor<?x8xbf16, #weft.bounds<T to 40>>, tensor<16x8xbf16>, tensor<16xf32>)
// CHECK: -> tensor<?x16xf32, #weft.bounds<T to 40>>
// STORE-LABEL: @product
// STORE: weft.weight "w" : tensor<16x8xf16>
// STORE: weft.weight "b" : tensor<16xf32>
// STORE: weft.contract {{.*}} : tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<16x8xf16>, tensor<16xf32>)
func.func @product(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %b = weft.weight "b" : tensor<16xf32>
  %h = weft.map [t in T to 40, d in 8] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  } -> !x
  %y = weft.contract [t in T to 40, n in 16, d in 8] ins(%h[t, d], %w[n, d], %b[n] : !x, tensor<16x8xf32>, tensor<16xf32>) {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> !y
  return %y : !y
}

// An input is copied; queries, keys and values are what they are multiplied as, and a copy is shared. An attention stores its
// result as the product that reads it multiplies.
// CHECK-LABEL: @attention
// CHECK: %[[X:.+]] = weft.map {{.*}} ins(%arg0[d0, d1]
// CHECK: -> tensor<?x8xbf16, #weft.bounds<T to 40>>
// CHECK: %[[A:.+]] = weft.attention {{.*}} ins(%[[X]][t, c], %[[X]][s, c], %[[X]][s, v]
// CHECK: -> tensor<?x8xbf16
// CHECK: weft.contract {{.*}} ins(%[[A]][t, d]
func.func @attention(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %a = weft.attention softmax dots 1 scales [0.5] [t in T to 40, v in 8, s in T to 40, c in 8] ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !x
  %y = weft.contract [t in T to 40, n in 16, d in 8] ins(%a[t, d], %w[n, d] : !x, tensor<16x8xf32>) -> !y
  return %y : !y
}

// In a module that does not generate the cache says nothing where products are computed in bf16.
// CACHE-LABEL: @attention
// CACHE: weft.attention {{.*}} : tensor<?x8xbf16, {{.*}}>, tensor<?x8xbf16, {{.*}}>, tensor<?x8xbf16, {{.*}}>)

// Learned queries are stored as they are, and copied; where attention is computed in f32 there is no copy.
// CHECK-LABEL: @learned
// CHECK: %[[W:.+]] = weft.weight "q" : tensor<4x8xf32>
// CHECK: %[[Q:.+]] = weft.map {{.*}} ins(%[[W]][
// CHECK: -> tensor<4x8xbf16>
// CHECK: weft.attention {{.*}} ins(%[[Q]][t, c]
// STORE-LABEL: @learned
// STORE: %[[W:.+]] = weft.weight "q" : tensor<4x8xf32>
// STORE-NOT: weft.map
// STORE: weft.attention {{.*}} ins(%[[W]][t, c]
func.func @learned(%x: !x {weft.name = "x"}) -> (tensor<4x8xf32> {weft.name = "y"}) attributes {weft.entry} {
  %q = weft.weight "q" : tensor<4x8xf32>
  %y = weft.attention softmax dots 1 scales [0.5] [t in 4, v in 8, s in T to 40, c in 8] ins(%q[t, c], %x[s, c], %x[s, v] : tensor<4x8xf32>, !x, !x) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Must not fire: the sums of a wide head may rest in its result.
// CHECK-LABEL: @wide
// CHECK: %[[A:.+]] = weft.attention
// CHECK: -> tensor<40x1017xf32>
// CHECK: %[[C:.+]] = weft.map {{.*}} ins(%[[A]][
// CHECK: -> tensor<40x1017xbf16>
// CHECK: weft.contract {{.*}} ins(%[[C]][t, d]
func.func @wide(%x: tensor<40x8xf32> {weft.name = "x"}, %v: tensor<40x1017xf32> {weft.name = "v"}) -> (tensor<40x16xf32> {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x1017xf32>
  %a = weft.attention softmax dots 1 scales [0.5] [t in 40, v in 1017, s in 40, c in 8]
      ins(%x[t, c], %x[s, c], %v[s, v] : tensor<40x8xf32>, tensor<40x8xf32>, tensor<40x1017xf32>) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<40x1017xf32>
  %y = weft.contract [t in 40, n in 16, d in 1017] ins(%a[t, d], %w[n, d] : tensor<40x1017xf32>, tensor<16x1017xf32>) -> tensor<40x16xf32>
  return %y : tensor<40x16xf32>
}

// A table of rows is stored as weights are, whoever else reads it.
// CHECK-LABEL: @table
// CHECK: weft.weight "table" : tensor<97x8xbf16>
// STORE-LABEL: @table
// STORE: weft.weight "table" : tensor<97x8xf16>
func.func @table(%ids: tensor<4xi32> {weft.name = "ids"}) -> (tensor<4x8xf32> {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "table" : tensor<97x8xf32>
  %y = weft.map [t in 4, d in 8] ins(%ids[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %w[%i, %d] : tensor<97x8xf32>
    weft.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Must not fire: a vector times a matrix read as a sum, weights of positions, and the router of experts, whose product chooses.
// CHECK-LABEL: @must_not
// CHECK: weft.weight "router" : tensor<4x8xf32>
// CHECK: weft.weight "gain" : tensor<8xf32>
// CHECK-NOT: bf16
// CHECK: return
// STORE-LABEL: @must_not
// STORE-NOT: xf16
// STORE: return
func.func @must_not(%x: !x {weft.name = "x"}) -> (tensor<?xi32, #weft.bounds<T to 40>> {weft.name = "y"}, tensor<?xf32, #weft.bounds<T to 40>> {weft.name = "z"}) attributes {weft.entry} {
  %w = weft.weight "router" : tensor<4x8xf32>
  %g = weft.weight "gain" : tensor<8xf32>
  %s = weft.contract [t in T to 40, e in 4, d in 8] ins(%x[t, d], %w[e, d] : !x, tensor<4x8xf32>) -> tensor<?x4xf32, #weft.bounds<T to 40>>
  %p = weft.softmax softmax axis 1 [t in T to 40, e in 4] ins(%s[t, e] : tensor<?x4xf32, #weft.bounds<T to 40>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?x4xf32, #weft.bounds<T to 40>>
  %q = weft.row axis 1 [t in T to 40, e in 4] ins(%p[t, e] : tensor<?x4xf32, #weft.bounds<T to 40>>) max {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%max: f32, %0: f32):
    %1 = arith.divf %0, %max : f32
    weft.yield %1 : f32
  } -> tensor<?x4xf32, #weft.bounds<T to 40>>
  %y = weft.reduce argmax [t in T to 40, e in 4] ins(%q[t, e] : tensor<?x4xf32, #weft.bounds<T to 40>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xi32, #weft.bounds<T to 40>>
  %z = weft.contract [t in T to 40, d in 8] ins(%x[t, d], %g[d] : !x, tensor<8xf32>) -> tensor<?xf32, #weft.bounds<T to 40>>
  return %y, %z : tensor<?xi32, #weft.bounds<T to 40>>, tensor<?xf32, #weft.bounds<T to 40>>
}

// -----

// A table of positions is read along a run-time dimension by the whole and by data in its step: stored alike. Not what is read
// along a size that is known.
// CHECK-LABEL: @positions
// CHECK: weft.weight "places" : tensor<42x8xbf16>
// CHECK: weft.weight "grid" : tensor<4x8xf32>
// STORE-LABEL: @positions
// STORE: weft.weight "places" : tensor<42x8xf16>
// STORE: weft.weight "grid" : tensor<4x8xf32>
func.func @positions(%x: tensor<?x8xf32, #weft.bounds<T to 40>> {weft.name = "x"}) -> (tensor<?x4x8xf32, #weft.bounds<T to 40>> {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "places" : tensor<42x8xf32>
  %g = weft.weight "grid" : tensor<4x8xf32>
  %y = weft.map [t in T to 40, i in 4, d in 8] ins(%x[t, d], %w[t + 2, d], %g[i, d] : tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<42x8xf32>, tensor<4x8xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  } -> tensor<?x4x8xf32, #weft.bounds<T to 40>>
  return %y : tensor<?x4x8xf32, #weft.bounds<T to 40>>
}

// -----

// What a product with a vector of weights keeps as it is stays so for all: where there are no kernels for the pair, the other
// product is computed as it is stored.
// CHECK-LABEL: @both
// CHECK: weft.weight "w" : tensor<16x8xf32>
// CHECK: weft.contract {{.*}} : tensor<40x8xf32>, tensor<16x8xf32>)
func.func @both(%x: tensor<40x8xf32> {weft.name = "x"}) -> (tensor<40x16xf32> {weft.name = "y"}, tensor<16xf32> {weft.name = "z"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %v = weft.weight "v" : tensor<8xf32>
  %y = weft.contract [t in 40, n in 16, d in 8] ins(%x[t, d], %w[n, d] : tensor<40x8xf32>, tensor<16x8xf32>) -> tensor<40x16xf32>
  %z = weft.contract [n in 16, d in 8] ins(%v[d], %w[n, d] : tensor<8xf32>, tensor<16x8xf32>) -> tensor<16xf32>
  return %y, %z : tensor<40x16xf32>, tensor<16xf32>
}

// -----

// A single row beside a weight is as good as many.
// CHECK-LABEL: @row
// CHECK: weft.weight "w" : tensor<16x8xbf16>
// CHECK: weft.contract {{.*}} : tensor<8xbf16>, tensor<16x8xbf16>)
func.func @row(%x: tensor<40x8xf32> {weft.name = "x"}, %v: tensor<8xf32> {weft.name = "v"}) -> (tensor<40x16xf32> {weft.name = "y"}, tensor<16xf32> {weft.name = "z"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %y = weft.contract [t in 40, n in 16, d in 8] ins(%x[t, d], %w[n, d] : tensor<40x8xf32>, tensor<16x8xf32>) -> tensor<40x16xf32>
  %z = weft.contract [n in 16, d in 8] ins(%v[d], %w[n, d] : tensor<8xf32>, tensor<16x8xf32>) -> tensor<16xf32>
  return %y, %z : tensor<40x16xf32>, tensor<16xf32>
}

// -----

// In one that generates the cache rules, whether it has a step or, as in a batch, none.
// CHECK-LABEL: @generates
// CHECK: weft.attention {{.*}} : tensor<?x8xbf16, {{.*}}>, tensor<?x8xbf16, {{.*}}>, tensor<?x8xbf16, {{.*}}>)
// CACHE-LABEL: @generates
// CACHE: weft.attention {{.*}} ins(%arg0[t, c], %arg0[s, c], %arg0[s, v] : tensor<?x8xf32, {{.*}}>, tensor<?x8xf32, {{.*}}>, tensor<?x8xf32, {{.*}}>)
// CACHE: -> tensor<?x8xbf16
// CACHE: weft.contract {{.*}} : tensor<?x8xbf16, {{.*}}>, tensor<16x8xbf16>)
func.func @generates(%x: tensor<?x8xf32, #weft.bounds<T to 40>> {weft.name = "x"}) -> (tensor<?x16xf32, #weft.bounds<T to 40>> {weft.name = "y"}) attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %a = weft.attention softmax dots 1 scales [0.5] [t in T to 40, v in 8, s in T to 40, c in 8] ins(%x[t, c], %x[s, c], %x[s, v] : tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<?x8xf32, #weft.bounds<T to 40>>) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<?x8xf32, #weft.bounds<T to 40>>
  %y = weft.contract [t in T to 40, n in 16, d in 8] ins(%a[t, d], %w[n, d] : tensor<?x8xf32, #weft.bounds<T to 40>>, tensor<16x8xf32>) -> tensor<?x16xf32, #weft.bounds<T to 40>>
  return %y : tensor<?x16xf32, #weft.bounds<T to 40>>
}

// -----

// A result that is a weight stays f32, also through a call, and is in fewer bits where the caller wants it so.
// CHECK-LABEL: @inner
// CHECK: %[[P:.+]] = weft.weight "p" : tensor<16x8xbf16>
// CHECK: return %[[P]]
// CHECK-LABEL: @put_out
// CHECK-SAME: -> (tensor<16x8xf32> {weft.name = "p"}, tensor<16x8xf32> {weft.name = "q"}, tensor<16x8xbf16> {weft.name = "r"}, tensor<9x16xf32> {weft.name = "y"}, tensor<9x16xf32>
// CHECK: %[[W:.+]] = weft.weight "w" : tensor<16x8xbf16>
// CHECK: %[[Q:.+]] = weft.map {{.*}} ins(%[[W]][
// CHECK: %[[P:.+]] = call @inner() : () -> tensor<16x8xbf16>
// CHECK: %[[C:.+]] = weft.map {{.*}} ins(%[[P]][
// CHECK: -> tensor<16x8xf32>
// CHECK-COUNT-2: weft.contract {{.*}}, tensor<16x8xbf16>)
// CHECK: return %[[C]], %[[Q]], %[[W]]
func.func private @inner() -> tensor<16x8xf32> {
  %p = weft.weight "p" : tensor<16x8xf32>
  return %p : tensor<16x8xf32>
}
func.func @put_out(%x: tensor<9x8xf32> {weft.name = "x"}) -> (tensor<16x8xf32> {weft.name = "p"}, tensor<16x8xf32> {weft.name = "q"}, tensor<16x8xbf16> {weft.name = "r"}, tensor<9x16xf32> {weft.name = "y"}, tensor<9x16xf32> {weft.name = "z"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %p = call @inner() : () -> tensor<16x8xf32>
  %r = weft.map [n in 16, d in 8] ins(%w[n, d] : tensor<16x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<16x8xbf16>
  %y = weft.contract [t in 9, n in 16, d in 8] ins(%x[t, d], %w[n, d] : tensor<9x8xf32>, tensor<16x8xf32>) -> tensor<9x16xf32>
  %z = weft.contract [t in 9, n in 16, d in 8] ins(%x[t, d], %p[n, d] : tensor<9x8xf32>, tensor<16x8xf32>) -> tensor<9x16xf32>
  return %p, %w, %r, %y, %z : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xbf16>, tensor<9x16xf32>, tensor<9x16xf32>
}
