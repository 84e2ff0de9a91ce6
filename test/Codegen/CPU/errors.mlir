// RUN: weft-opt %s --weft-lower-kernels --split-input-file --verify-diagnostics

// expected-error @below {{kernel has no anchor with a lowering}}
func.func private @unassigned(%a: memref<8xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  weft.map [d in D = 8] ins(%a[d] : memref<8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

// expected-error @below {{argument 0 of 'undeclared': symbol "T" is not among the module's weft.symbols}}
func.func private @undeclared(%a: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}, %out: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}) attributes {weft.kernel} {
  weft.map [t in T to 8] ins(%a[t] : memref<?xf32>) outs(%out : memref<?xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 4, parallel = false>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8>} {
// expected-error @below {{argument 1 of 'unbounded' has 1 run-time sizes and no 'weft.bounds'}}
func.func private @unbounded(%a: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}, %out: memref<?xf32>) attributes {weft.kernel} {
  weft.map [t in T to 8] ins(%a[t] : memref<?xf32>) outs(%out : memref<?xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 4, parallel = false>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": the field 'parallel' is missing}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 16>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'rows' is missing, expected the rows of a parallel task}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 16, parallel = true>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'lane' is missing, expected the position of the output's last index or of a reduced one}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", width = 16, tile = 1, tiles_outside = false, parallel = false>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": the field 'tile' is missing}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 64, panels = 1, parallel = false, rows = 128, unroll = 4, width = 16>}
  return
}

// -----

func.func private @logarithm(%q: memref<8x16xf32>, %out: memref<8x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{attention with log_softmax has no CPU lowering}}
  weft.attention log_softmax dots 1 scales [1.0] [t in T = 8, v in C = 16, s in T = 8, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>)
      outs(%out : memref<8x16xf32>)
      attributes {weft.lowering = #weft.lowering<"attention", keys = 32, parallel = false, queries = 8, slices = [], tile = 8, unroll = 4, width = 16>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
