// RUN: weft-opt --weft-verify-graph --split-input-file --verify-diagnostics %s

// What the passes to stage kernels rely on, in modules written by hand.

// expected-error@+1 {{'f': symbol 'T' is not among the module's weft.symbols}}
func.func @f(%x: tensor<?xf32, #weft.bounds<T to 8>>) -> tensor<4xf32> {
  %c = arith.constant dense<0.0> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// expected-error@+1 {{'f' passes or returns 'f32', which is no tensor}}
func.func @f(%x: f32, %t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}

// -----

// expected-error@+1 {{'f': 'tensor<?xf32>' has no symbols for its dynamic dimensions}}
func.func @f(%t: tensor<?xf32>) -> tensor<?xf32> {
  return %t : tensor<?xf32>
}
