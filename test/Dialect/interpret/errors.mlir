// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: unknown_symbol
// CHECK-NEXT: failed: the value of the symbol 'T' is not known
func.func @unknown_symbol() -> tensor<?xf32, #weft.bounds<T to 4>> {
  %y = weft.map [t in T to 4] {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 4>>
  return %y : tensor<?xf32, #weft.bounds<T to 4>>
}

// CHECK-LABEL: unknown_weight
// CHECK-NEXT: failed: there is no weight 'w' in test.weights
func.func @unknown_weight() -> tensor<4xf32> {
  %w = weft.weight "w" : tensor<4xf32>
  return %w : tensor<4xf32>
}

// CHECK-LABEL: recursive
// CHECK-NEXT: failed: {{.*}}the function 'again' is recursive
func.func private @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @recursive() -> tensor<4xf32> {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  %y = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: unknown_op
// CHECK-NEXT: failed: {{.*}}the interpreter does not know 'tensor.empty'
func.func @unknown_op() -> tensor<4xf32> {
  %x = tensor.empty() : tensor<4xf32>
  return %x : tensor<4xf32>
}
