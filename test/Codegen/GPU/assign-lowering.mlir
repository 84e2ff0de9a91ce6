// What is chosen for the threads of a GPU, and that what is given is kept.
// RUN: weft-opt %s --weft-assign-gpu-lowering --split-input-file --verify-diagnostics | FileCheck %s

module attributes {weft.symbols = #weft.bounds<T to 8>} {
// Neighbours that fill 16 bytes of the output, as many as divide its rows.
// CHECK-LABEL: @map
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 4>
func.func private @map(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @short
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 8>
func.func private @short(%a: memref<8x64xf32>, %out: memref<8x64xbf16>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xbf16>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @half
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 2>
func.func private @half(%a: memref<8x62xf32>, %out: memref<8x62xbf16>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 62] ins(%a[t, d] : memref<8x62xf32>) outs(%out : memref<8x62xbf16>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Single elements where neighbours would be gathered, and where nothing is known of their number.
// CHECK-LABEL: @turned
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 1>
func.func private @turned(%a: memref<64x8xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[d, t] : memref<64x8xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @open
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 1>
func.func private @open(%a: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}, %out: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}) attributes {weft.kernel} {
  weft.map [t in T to 8] ins(%a[t] : memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// A single element has no vectors along an index.
// CHECK-LABEL: @element
// CHECK: #weft.lowering<"map", parallel = true, rows = 1, width = 1>
func.func private @element(%a: memref<f32>, %out: memref<f32>) attributes {weft.kernel} {
  weft.map [] ins(%a[] : memref<f32>) outs(%out : memref<f32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// The rows of a softmax across the stored order are single ones.
// CHECK-LABEL: @across
// CHECK: #weft.lowering<"softmax", chains = 1, kept = true, parallel = true, passes = 3, vectors = 1, width = 1>
func.func private @across(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 0 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Fields that are given stay, tasks of rows in the place of vectors, too.
// CHECK-LABEL: @given
// CHECK: #weft.lowering<"map", parallel = true, rows = 2, width = 4>
func.func private @given(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", rows = 2>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// What is no kernel has no lowering.
// CHECK-LABEL: @entry
// CHECK-NOT: weft.lowering
func.func @entry(%a: memref<8x64xf32>, %out: memref<8x64xf32>) {
  weft.launch @map ins(%a : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
  return
}
}

// -----

func.func private @processors(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{the target has no emitter "gemm" for this; the only choice is contract}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"gemm", k = 48>}
  return
}
