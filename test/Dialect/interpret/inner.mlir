// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s
// CHECK-LABEL: inner
// CHECK-NEXT: tensor 2 real [3, 7]
func.func @inner() -> tensor<2xf32> {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = weft.map [i in 2] {
    %i = weft.index 0
    %r = weft.inner sum (e in E = 2) {
    ^bb0(%e: index):
      %0 = weft.at %x[%i, %e] : tensor<2x2xf32>
      weft.yield %0 : f32
    }
    weft.yield %r : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}
