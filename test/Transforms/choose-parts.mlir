// RUN: weft-opt %s --split-input-file --weft-choose-parts | FileCheck %s
// RUN: weft-opt %s --split-input-file --weft-choose-parts='rows=41' | FileCheck %s --check-prefix=MORE

// MORE-NOT: weft.parts

!x = tensor<?x64xf32, #weft.bounds<T to 40>>
!y = tensor<?x32xf32, #weft.bounds<T to 40>>

// A product of an activation with a weight that can have 32 rows, whatever reals the weight has.
// CHECK-LABEL: @product
// CHECK: weft.contract {{.*}} attributes {weft.label = "y", weft.parts = 3 : i64}
// CHECK: weft.contract {{.*}}tensor<32x64xbf16>) attributes {weft.label = "z", weft.parts = 3 : i64}
// CHECK: weft.contract {{.*}}tensor<32x64xf16>) attributes {weft.label = "v", weft.parts = 3 : i64}
func.func @product(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}, !y {weft.name = "z"}, !y {weft.name = "v"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x64xf32>
  %b = weft.weight "b" : tensor<32x64xbf16>
  %h = weft.weight "h" : tensor<32x64xf16>
  %y = weft.contract [t in T to 40, n in 32, d in 64] ins(%x[t, d], %w[n, d] : !x, tensor<32x64xf32>) attributes {weft.label = "y"} -> !y
  %z = weft.contract [t in T to 40, n in 32, d in 64] ins(%x[t, d], %b[n, d] : !x, tensor<32x64xbf16>) attributes {weft.label = "z"} -> !y
  %v = weft.contract [t in T to 40, n in 32, d in 64] ins(%x[t, d], %h[n, d] : !x, tensor<32x64xf16>) attributes {weft.label = "v"} -> !y
  return %y, %z, %v : !y, !y, !y
}

// -----

!x = tensor<?x64xf32, #weft.bounds<T to 31>>
!y = tensor<?x32xf32, #weft.bounds<T to 31>>

// Not of fewer rows,
// CHECK-LABEL: @few
// CHECK-NOT: weft.parts
func.func @few(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x64xf32>
  %y = weft.contract [t in T to 31, n in 32, d in 64] ins(%x[t, d], %w[n, d] : !x, tensor<32x64xf32>) attributes {weft.label = "y"} -> !y
  return %y : !y
}

// -----

!x = tensor<?x64xf32, #weft.bounds<T to 40>>
!y = tensor<?x31xf32, #weft.bounds<T to 40>>
!z = tensor<?x32xf32, #weft.bounds<T to 40>>
!p = tensor<?x64xbf16, #weft.bounds<T to 40>>

// nor of fewer columns or shorter sums, nor of an activation of bf16, nor of codes,
// CHECK-LABEL: @small
// CHECK-NOT: weft.parts
func.func @small(%x: !x {weft.name = "x"}, %s: !z {weft.name = "s"}, %p: !p {weft.name = "p"}) -> (!y {weft.name = "y"}, !z {weft.name = "z"}, !z {weft.name = "v"}, !z {weft.name = "u"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<31x64xf32>
  %a = weft.weight "a" : tensor<32x32xf32>
  %b = weft.weight "b" : tensor<32x64xbf16>
  %c = weft.weight "c" coded <reals along [1] of [32, 64] bits = 4 group = 64 table = "nf4"> : tensor<32x64xf32>
  %y = weft.contract [t in T to 40, n in 31, d in 64] ins(%x[t, d], %w[n, d] : !x, tensor<31x64xf32>) -> !y
  %z = weft.contract [t in T to 40, n in 32, d in 32] ins(%s[t, d], %a[n, d] : !z, tensor<32x32xf32>) -> !z
  %v = weft.contract [t in T to 40, n in 32, d in 64] ins(%p[t, d], %b[n, d] : !p, tensor<32x64xbf16>) -> !z
  %u = weft.contract [t in T to 40, n in 32, d in 64] ins(%x[t, d], %c[n, d] : !x, tensor<32x64xf32>) -> !z
  return %y, %z, %v, %u : !y, !z, !z, !z
}

// -----

!x = tensor<?x64xf32, #weft.bounds<T to 40>>
!y = tensor<?x32xf32, #weft.bounds<T to 40>>

// nor where a model generates, be its step derived or not.
// CHECK-LABEL: @generates
// CHECK-NOT: weft.parts
func.func @generates(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}, !y {weft.name = "z"}) attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
  %w = weft.weight "w" : tensor<32x64xf32>
  %b = weft.weight "b" : tensor<32x64xbf16>
  %y = weft.contract [t in T to 40, n in 32, d in 64] ins(%x[t, d], %w[n, d] : !x, tensor<32x64xf32>) attributes {weft.label = "y"} -> !y
  %z = weft.contract [t in T to 40, n in 32, d in 64] ins(%x[t, d], %b[n, d] : !x, tensor<32x64xbf16>) attributes {weft.label = "z"} -> !y
  return %y, %z : !y, !y
}

// -----

// Nor where examples of a batch make them many: each has the bits that it has alone.
// CHECK-LABEL: @examples
// CHECK-NOT: weft.parts
module attributes {weft.batch = "B", weft.symbols = #weft.bounds<B to 8>} {
  func.func @examples(%x: tensor<?x16x64xf32, #weft.bounds<B to 8>> {weft.name = "x"}) -> (tensor<?x16x32xf32, #weft.bounds<B to 8>> {weft.name = "y"}) attributes {weft.entry} {
    %w = weft.weight "w" : tensor<32x64xf32>
    %y = weft.contract [b in B to 8, t in 16, n in 32, d in 64] ins(%x[b, t, d], %w[n, d] : tensor<?x16x64xf32, #weft.bounds<B to 8>>, tensor<32x64xf32>) -> tensor<?x16x32xf32, #weft.bounds<B to 8>>
    return %y : tensor<?x16x32xf32, #weft.bounds<B to 8>>
  }
}

// -----

!y = tensor<40x32xf32>
!z = tensor<40x512xf32>

// Of windows that share elements, whose parts are a copy of each, for many columns.
// CHECK-LABEL: @windows
// CHECK: weft.contract {{.*}} attributes {weft.label = "few"} ->
// CHECK: weft.contract {{.*}} attributes {weft.label = "many", weft.parts = 3 : i64}
func.func @windows(%x: tensor<42x32xf32> {weft.name = "x"}) -> (!y {weft.name = "y"}, !z {weft.name = "z"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x3x32xf32>
  %v = weft.weight "v" : tensor<512x3x32xf32>
  %y = weft.contract [t in 40, n in 32, u in 3, d in 32] ins(%x[t + u, d], %w[n, u, d] : tensor<42x32xf32>, tensor<32x3x32xf32>) attributes {weft.label = "few"} -> !y
  %z = weft.contract [t in 40, n in 512, u in 3, d in 32] ins(%x[t + u, d], %v[n, u, d] : tensor<42x32xf32>, tensor<512x3x32xf32>) attributes {weft.label = "many"} -> !z
  return %y, %z : !y, !z
}
