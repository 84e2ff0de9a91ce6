// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// Row 0 has no element; row 1 one; row 2 has two equal ones. Large scores do not overflow.
// CHECK-LABEL: causal
// CHECK-NEXT: tensor 3x3 real {{\[\[}}0, 0, 0], [1, 0, 0], [0.5, 0.5, 0]]
// CHECK-NEXT: tensor 3x3 real {{\[\[}}-inf, -inf, -inf], [0, -inf, -inf], [-0.693147, -0.693147, -inf]]
func.func @causal() -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  %x = arith.constant dense<1000.0> : tensor<3xf32>
  %p = weft.softmax softmax axis 1 [t in 3, s in 3] ins(%x[s] : tensor<3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %t = weft.index 0
    %s = weft.index 1
    %c = arith.cmpi slt, %s, %t : index
    weft.yield %c : i1
  } -> tensor<3x3xf32>
  %l = weft.softmax log_softmax axis 1 [t in 3, s in 3] ins(%x[s] : tensor<3xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %t = weft.index 0
    %s = weft.index 1
    %c = arith.cmpi slt, %s, %t : index
    weft.yield %c : i1
  } -> tensor<3x3xf32>
  return %p, %l : tensor<3x3xf32>, tensor<3x3xf32>
}

// The axis need not be the last index.
// CHECK-LABEL: first_axis
// CHECK-NEXT: tensor 2x2 real {{\[\[}}0.25, 0.5], [0.75, 0.5]]
func.func @first_axis() -> tensor<2x2xf32> {
  %x = arith.constant dense<[[0.0, 3.0], [1.0986122886681098, 3.0]]> : tensor<2x2xf32>
  %p = weft.softmax softmax axis 0 [t in 2, s in 2] ins(%x[t, s] : tensor<2x2xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2x2xf32>
  return %p : tensor<2x2xf32>
}
