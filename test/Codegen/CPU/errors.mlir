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

func.func private @unpacked(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm" needs a packed factor and the tile [mr, nr, kc], mr at most 128}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [8, 32, 64], parallel = false>}
  return
}

// -----

func.func private @logarithm(%q: memref<8x16xf32>, %out: memref<8x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{attention with log_softmax has no CPU lowering}}
  weft.attention log_softmax dots 1 scales [1.0] [t in T = 8, v in C = 16, s in T = 8, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>)
      outs(%out : memref<8x16xf32>)
      attributes {weft.lowering = #weft.lowering<"attention", width = 16, tile = [128, 128, 8], parallel = false>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @large(%q: memref<8192x16xf32>, %out: memref<8192x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{the blocks of an attention do not fit the stack: 1 products of at most 16, 2330624 bytes of at most 458752}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 8192, v in C = 16, s in T = 8192, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<8192x16xf32>, memref<8192x16xf32>, memref<8192x16xf32>)
      outs(%out : memref<8192x16xf32>)
      attributes {weft.lowering = #weft.lowering<"attention", width = 16, tile = [8192, 128, 8192], parallel = false>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @wide(%a: memref<8x64xf32>, %w: memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [1024, 1]>>, %out: memref<8x1024xf32>) attributes {weft.kernel} {
  // expected-error @below {{the sums of a product do not fit the stack: 524288 bytes of at most 458752}}
  weft.contract [t in T = 8, f in F = 1024, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [1024, 1]>>) outs(%out : memref<8x1024xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [8, 1024, 64], parallel = false>}
  return
}
