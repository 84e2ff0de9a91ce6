// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 threads=4" | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" | FileCheck %s --check-prefixes=CHECK,SCALAR

// CHECK-LABEL: @product
// WIDE: #weft.lowering<"gemm", width = 16, tile = [8, 32, {{[0-9]+}}], parallel = false>
// NARROW: #weft.lowering<"gemm", width = 8, tile = [6, 32, {{[0-9]+}}], parallel = true>
// SCALAR: #weft.lowering<"contract", width = 1, tile = [], parallel = false>
func.func private @product(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>)
  return
}

// A factor that is not packed, or panels that do not fit the contraction, are no matrix product. Neighbouring results
// that share an element are computed together.
// CHECK-LABEL: @plain
// WIDE: #weft.lowering<"contract", width = 16, tile = [8], parallel = false>
// NARROW: #weft.lowering<"contract", width = 8, tile = [4], parallel = true>
// SCALAR: #weft.lowering<"contract", width = 1, tile = [], parallel = false>
func.func private @plain(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
  return
}

// CHECK-LABEL: @batched
// WIDE: #weft.lowering<"contract", width = 16, tile = []
func.func private @batched(%a: memref<8x128x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, f, d], %w[f, d] : memref<8x128x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>)
  return
}

// Each result reads a row of its own.
// CHECK-LABEL: @norms
// WIDE: #weft.lowering<"reduce", width = 16, tile = []
func.func private @norms(%a: memref<8x64xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}

// CHECK-LABEL: @rows
// WIDE: #weft.lowering<"softmax", width = 16, tile = [], parallel = false>
// NARROW: #weft.lowering<"softmax", width = 8, tile = [], parallel = true>
func.func private @rows(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// A schedule that is there already is kept.
// CHECK-LABEL: @mine
// CHECK: #weft.lowering<"map", width = 4, tile = [], parallel = false>
func.func private @mine(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 4, tile = [], parallel = false>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
