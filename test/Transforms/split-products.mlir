// RUN: weft-opt %s --split-input-file --weft-assign-types='compute=bf16x6' | FileCheck %s
// RUN: weft-opt %s --split-input-file --weft-assign-types='compute=bf16x3' | FileCheck %s --check-prefix=THREE
// RUN: not weft-opt %s --split-input-file --weft-assign-types='compute=int9' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: weft-opt %s --split-input-file --weft-assign-types='store=bf16 compute=bf16x6' | FileCheck %s --check-prefix=HALF
// RUN: weft-opt %s --split-input-file --weft-assign-types='store=f16 compute=bf16x6' | FileCheck %s --check-prefix=HALF

// NAME: error: unknown type 'int9' in option compute: f32, bf16, f16, int8, bf16x3, bf16x6, tf32 are known

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!y = tensor<?x16xf32, #weft.bounds<T to 40>>

// Types stay what they are; the product of an activation with a weight says of how many parts it is.
// CHECK-LABEL: @product
// CHECK: weft.contract {{.*}} attributes {weft.label = "y", weft.parts = 3 : i64}
// Weights of 16 bits are sums of fewer.
// HALF-LABEL: @product
// HALF: weft.contract {{.*}} tensor<16x8x{{b?}}f16>) attributes {weft.label = "y", weft.parts = 3 : i64} -> tensor<?x16xf32
// THREE-LABEL: @product
// THREE: weft.contract {{.*}} attributes {weft.label = "y", weft.parts = 2 : i64}
// CHECK-SAME: -> tensor<?x16xf32
func.func @product(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %y = weft.contract [t in T to 40, n in 16, d in 8] ins(%x[t, d], %w[n, d] : !x, tensor<16x8xf32>) attributes {weft.label = "y"} -> !y
  return %y : !y
}

// -----

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!y = tensor<?x?xf32, #weft.bounds<T to 40, T to 40>>

// Not that of two activations,
// CHECK-LABEL: @activations
// CHECK-NOT: weft.parts
func.func @activations(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %y = weft.contract [t in T to 40, s in T to 40, d in 8] ins(%x[t, d], %x[s, d] : !x, !x) attributes {weft.label = "y"} -> !y
  return %y : !y
}

// -----

!x = tensor<?x7xf32, #weft.bounds<T to 40>>
!y = tensor<?x16xf32, #weft.bounds<T to 40>>

// nor where what is summed over has no pairs,
// CHECK-LABEL: @odd
// CHECK-NOT: weft.parts
func.func @odd(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x7xf32>
  %y = weft.contract [t in T to 40, n in 16, d in 7] ins(%x[t, d], %w[n, d] : !x, tensor<16x7xf32>) attributes {weft.label = "y"} -> !y
  return %y : !y
}

// -----

!y = tensor<16xf32>

// nor with a vector,
// CHECK-LABEL: @vector
// CHECK-NOT: weft.parts
func.func @vector(%x: tensor<8xf32> {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %y = weft.contract [n in 16, d in 8] ins(%x[d], %w[n, d] : tensor<8xf32>, tensor<16x8xf32>) attributes {weft.label = "y"} -> !y
  return %y : !y
}

// -----

!x = tensor<?x8xf32, #weft.bounds<T to 40>>
!s = tensor<?x16xf32, #weft.bounds<T to 40>>
!y = tensor<?xi32, #weft.bounds<T to 40>>

// nor where the result chooses.
// CHECK-LABEL: @chooses
// CHECK-NOT: weft.parts
// HALF-LABEL: @chooses
// HALF-NOT: weft.parts
func.func @chooses(%x: !x {weft.name = "x"}) -> (!y {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<16x8xf32>
  %s = weft.contract [t in T to 40, n in 16, d in 8] ins(%x[t, d], %w[n, d] : !x, tensor<16x8xf32>) attributes {weft.label = "s"} -> !s
  %y = weft.reduce argmax [t in T to 40, n in 16] ins(%s[t, n] : !s) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !y
  return %y : !y
}
