// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 l2=1048576" --split-input-file | FileCheck %s

// A product's panels are fetched ahead where all weights of an entry are more than half of the second cache, though its own are few: whatever
// the others are, they come between two of its calls.
// CHECK-LABEL: func.func private @small
// CHECK: prefetch = true
func.func @entry(%x: memref<4x64xf32>, %y: memref<4x32xf32>) {
  %0 = weft.weight "table" {offset = 64 : i64} : memref<2100x64xf32>
  %1 = weft.weight "w" {offset = 537664 : i64} : memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>
  weft.launch @small ins(%x, %1 : memref<4x64xf32>, memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>) outs(%y : memref<4x32xf32>)
  return
}
func.func private @small(%x: memref<4x64xf32>, %w: memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>, %y: memref<4x32xf32>) attributes {weft.kernel} {
  weft.contract [m in 4, n in 32, k in 64] ins(%x[m, k], %w[k, n] : memref<4x64xf32>, memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>)
      outs(%y : memref<4x32xf32>)
  return
}

// -----

// Weights that all stay there are not.
// CHECK-LABEL: func.func private @small
// CHECK: prefetch = false
func.func @entry(%x: memref<4x64xf32>, %y: memref<4x32xf32>) {
  %0 = weft.weight "table" {offset = 64 : i64} : memref<2000x64xf32>
  %1 = weft.weight "w" {offset = 512064 : i64} : memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>
  weft.launch @small ins(%x, %1 : memref<4x64xf32>, memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>) outs(%y : memref<4x32xf32>)
  return
}
func.func private @small(%x: memref<4x64xf32>, %w: memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>, %y: memref<4x32xf32>) attributes {weft.kernel} {
  weft.contract [m in 4, n in 32, k in 64] ins(%x[m, k], %w[k, n] : memref<4x64xf32>, memref<64x32xf32, #weft.layout<n = [1], k = [0], tile = [32, 1]>>)
      outs(%y : memref<4x32xf32>)
  return
}
