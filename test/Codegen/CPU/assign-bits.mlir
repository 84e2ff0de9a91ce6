// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | FileCheck %s

// Vectors of a sum run along what `weft.lane` says, however its operand lies: along a summed index,
// CHECK-LABEL: @summed
// CHECK: #weft.lowering<"reduce", lane = 1, {{.*}}width = 16
func.func private @summed(%a: memref<64x40xf32>, %out: memref<40xf32>) attributes {weft.kernel} {
  weft.reduce sum [n in 40, k in 64] ins(%a[k, n] : memref<64x40xf32>) outs(%out : memref<40xf32>) attributes {weft.lane = 0 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// or along results,
// CHECK-LABEL: @results
// CHECK: #weft.lowering<"reduce", lane = 0, {{.*}}width = 16
func.func private @results(%a: memref<40x64xf32>, %out: memref<40xf32>) attributes {weft.kernel} {
  weft.reduce sum [n in 40, k in 64] ins(%a[n, k] : memref<40x64xf32>) outs(%out : memref<40xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// of a product, too;
// CHECK-LABEL: @product
// CHECK: #weft.lowering<"contract", across = 4, lane = 1, {{.*}}width = 4
func.func private @product(%a: memref<6x40xf32>, %b: memref<4x40xf32>, %out: memref<6x4xf32>) attributes {weft.kernel} {
  weft.contract [n in 6, m in 4, k in 40] ins(%a[n, k], %b[m, k] : memref<6x40xf32>, memref<4x40xf32>) outs(%out : memref<6x4xf32>) attributes {weft.lane = -1 : i64}
  return
}
// and where there is one result, or one in a row, one element after the other is added.
// CHECK-LABEL: @alone
// CHECK: #weft.lowering<"reduce", parallel
func.func private @alone(%a: memref<64xf32>, %out: memref<f32>) attributes {weft.kernel} {
  weft.reduce sum [k in 64] ins(%a[k] : memref<64xf32>) outs(%out : memref<f32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// CHECK-LABEL: @column
// CHECK: #weft.lowering<"reduce", parallel
func.func private @column(%a: memref<40x64xf32>, %out: memref<40x1xf32>) attributes {weft.kernel} {
  weft.reduce sum [n in 40, h in 1, k in 64] ins(%a[n, k] : memref<40x64xf32>) outs(%out : memref<40x1xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// Without it, they run along what costs least.
// CHECK-LABEL: @cheapest
// CHECK: #weft.lowering<"reduce", lane = 0, {{.*}}width = 16
func.func private @cheapest(%a: memref<64x40xf32>, %out: memref<40xf32>) attributes {weft.kernel} {
  weft.reduce sum [n in 40, k in 64] ins(%a[k, n] : memref<64x40xf32>) outs(%out : memref<40xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
