// RUN: weft-opt --weft-annotate-kernels %s | FileCheck %s

// Coefficients of a polynomial in T, two for each product and its sum: 2 * 8 * 4 T for the rows of a projection, and
// (2 * 8 + 2 * 4) T^2 for an attention's dot products and weighted values; S counts at its bound.
!x = memref<?x8xf32>
module attributes {weft.symbols = #weft.bounds<T to 32, S to 5>} {
// CHECK-LABEL: func.func @model(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.index_bound = 100 : i64, weft.name = "ids"}
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.name = "mask"}
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 1.840000e+02, 2.400000e+01>
func.func @model(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.name = "ids"},
                 %mask: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.name = "mask"},
                 %x: !x, %w: memref<4x8xf32>, %y: memref<?x4xf32>) attributes {weft.entry} {
  weft.launch @ids_check ins(%ids : memref<?xi32>)
  weft.launch @mask_check ins(%mask : memref<?xi32>)
  call @layer(%x, %w, %y) : (!x, memref<4x8xf32>, memref<?x4xf32>) -> ()
  weft.launch @cross ins(%x, %x : !x, !x) outs(%y : memref<?x4xf32>)
  return
}
// A layer is no kernel; what it calls counts where it is called.
// CHECK-LABEL: func.func private @layer(
// CHECK-NOT: weft.flops
// CHECK: weft.launch @projection
func.func private @layer(%x: !x, %w: memref<4x8xf32>, %y: memref<?x4xf32>) {
  weft.launch @projection ins(%x, %w : !x, memref<4x8xf32>) outs(%y : memref<?x4xf32>)
  weft.launch @attention ins(%x, %x : !x, !x) outs(%y : memref<?x4xf32>)
  return
}
// CHECK-LABEL: func.func private @ids_check
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 0.000000e+00>
func.func private @ids_check(%ids: memref<?xi32>) attributes {weft.kernel} {
  weft.check "ids is out of range" [t in T to 32] ins(%ids[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}
// Must not fire: what is compared as a signed number is no index.
func.func private @mask_check(%mask: memref<?xi32>) attributes {weft.kernel} {
  weft.check "mask is too large" [t in T to 32] ins(%mask[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 2 : i32
    %1 = arith.cmpi slt, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}
// CHECK-LABEL: func.func private @projection
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 6.400000e+01, 0.000000e+00>
func.func private @projection(%x: !x, %w: memref<4x8xf32>, %y: memref<?x4xf32>) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 4, d in 8] ins(%x[t, d], %w[f, d] : !x, memref<4x8xf32>) outs(%y : memref<?x4xf32>)
  return
}
// CHECK-LABEL: func.func private @attention
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 2.400000e+01>
func.func private @attention(%q: !x, %k: !x, %y: memref<?x4xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 4, s in T to 32, c in 8]
      ins(%q[t, c], %k[s, c], %k[s, v] : !x, !x, !x) outs(%y : memref<?x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// (2 * 8 + 2 * 4) * 5 T.
// CHECK-LABEL: func.func private @cross
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 1.200000e+02, 0.000000e+00>
func.func private @cross(%q: !x, %k: !x, %y: memref<?x4xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 4, s in S to 5, c in 8]
      ins(%q[t, c], %k[s, c], %k[s, v] : !x, !x, !x) outs(%y : memref<?x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// Every operation on reals of an element, 3 * 8 T; neither the comparison, nor the choice, nor the conversion.
// CHECK-LABEL: func.func private @map
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 2.400000e+01, 0.000000e+00>
func.func private @map(%x: !x, %n: memref<?xi32>, %y: !x) attributes {weft.kernel} {
  weft.map [t in T to 32, d in 8] ins(%x[t, d], %n[t] : !x, memref<?xi32>) outs(%y : !x) {
  ^bb0(%0: f32, %1: i32):
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %0, %2 : f32
    %4 = math.exp %3 : f32
    %5 = arith.cmpf olt, %0, %4 : f32
    %6 = arith.select %5, %0, %4 : f32
    %7 = arith.addf %6, %0 : f32
    weft.yield %7 : f32
  }
  return
}
// An element is squared and added, 2 * 8 T; a sum of integers is no arithmetic on reals.
// CHECK-LABEL: func.func private @reduce
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 1.600000e+01, 0.000000e+00>
func.func private @reduce(%x: !x, %y: memref<?xf32>) attributes {weft.kernel} {
  weft.reduce mean [t in T to 32, d in 8] ins(%x[t, d] : !x) outs(%y : memref<?xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
// CHECK-LABEL: func.func private @count
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 0.000000e+00>
func.func private @count(%n: memref<?xi32>, %y: memref<i32>) attributes {weft.kernel} {
  weft.reduce sum [t in T to 32] ins(%n[t] : memref<?xi32>) outs(%y : memref<i32>) {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  }
  return
}
// Five for an element, and the one of the body: 6 T^2.
// CHECK-LABEL: func.func private @softmax
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 6.000000e+00>
func.func private @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T to 32, s in T to 32] ins(%x[t, s] : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%0: f32):
    %1 = arith.negf %0 : f32
    weft.yield %1 : f32
  }
  return
}
}
