// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32" | FileCheck %s

// Vectors that would decide how a sum is added up do not run along what counts examples, which are alone elsewhere, if there is another way.
module attributes {weft.batch = "B", weft.symbols = #weft.bounds<B to 64>} {
  // CHECK-LABEL: @example
  // CHECK: #weft.lowering<"reduce", lane = 1,
  func.func private @example(%a: memref<?x40x40xf32> {weft.bounds = #weft.bounds<B to 64>}, %out: memref<?xf32> {weft.bounds = #weft.bounds<B to 64>}) attributes {weft.kernel} {
    weft.reduce sum [b in B to 64, k in 40] outs(%out : memref<?xf32>) {
      %b = weft.index 0
      %k = weft.index 1
      %0 = weft.at %a[%b, %k, %k] : memref<?x40x40xf32>
      weft.yield %0 : f32
    }
    return
  }
  // CHECK-LABEL: @results
  // CHECK: #weft.lowering<"reduce", lane = 1,
  func.func private @results(%a: memref<?x40x64xf32> {weft.bounds = #weft.bounds<B to 64>}, %out: memref<?x64xf32> {weft.bounds = #weft.bounds<B to 64>}) attributes {weft.kernel} {
    weft.reduce sum [b in B to 64, n in 64, k in 40] ins(%a[b, k, n] : memref<?x40x64xf32>) outs(%out : memref<?x64xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    }
    return
  }
  // CHECK-LABEL: @fixed
  // CHECK: #weft.lowering<"reduce", lane = 0,
  func.func private @fixed(%a: memref<64x1xf32>, %out: memref<64xf32>) attributes {weft.kernel} {
    weft.reduce sum [b in batch = 64, k in 1] ins(%a[b, k] : memref<64x1xf32>) outs(%out : memref<64xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    }
    return
  }
}

// -----

// In a model that generates they do not run along positions, which a cache may have elsewhere.
module attributes {weft.symbols = #weft.bounds<T to 64>} {
  func.func @y(%x: memref<?xf32> {weft.name = "x", weft.bounds = #weft.bounds<T to 64>}, %y: memref<?xf32> {weft.name = "y", weft.output, weft.bounds = #weft.bounds<T to 64>}) attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    return
  }
  // CHECK-LABEL: @positions
  // CHECK: #weft.lowering<"reduce", lane = 0,
  func.func private @positions(%a: memref<40x?xf32> {weft.bounds = #weft.bounds<T to 64>}, %out: memref<40xf32>) attributes {weft.kernel} {
    weft.reduce sum [d in 40, s in T to 64] ins(%a[d, s] : memref<40x?xf32>) outs(%out : memref<40xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    }
    return
  }
  // But where there is nothing else.
  // CHECK-LABEL: @alone
  // CHECK: #weft.lowering<"reduce", lane = 0,
  func.func private @alone(%a: memref<?xf32> {weft.bounds = #weft.bounds<T to 64>}, %out: memref<f32>) attributes {weft.kernel} {
    weft.reduce sum [s in T to 64] ins(%a[s] : memref<?xf32>) outs(%out : memref<f32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    }
    return
  }
}

// -----

// Elsewhere they run along what lies side by side.
// CHECK-LABEL: @elsewhere
// CHECK: #weft.lowering<"reduce", lane = 1,
func.func private @elsewhere(%a: memref<40x?xf32> {weft.bounds = #weft.bounds<T to 64>}, %out: memref<40xf32>) attributes {weft.kernel} {
  weft.reduce sum [d in 40, s in T to 64] ins(%a[d, s] : memref<40x?xf32>) outs(%out : memref<40xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
