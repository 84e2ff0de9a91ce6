// What cannot be done on matrix units.
// RUN: weft-opt %s --weft-assign-gpu-lowering --split-input-file --verify-diagnostics

func.func private @type(%q: memref<97x64xf32>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": the attention is none of one product, in one type of 16 bits or f32, with a softmax (or bf16 or f32 without) and heads of at most 256 elements}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xf32>, memref<97x64xf32>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", keys = 64, width = 2>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @products(%q: memref<97x64xf32>, %v: memref<97x64xf32>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": 'products' is 2, expected 1 or 3 of tf32 for one of f32}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xf32>, memref<97x64xf32>, memref<97x64xf32>)
      outs(%out : memref<97x64xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", keys = 64, width = 2, products = 2>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @keys(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": 'keys' is 48, expected 16, 32, 64 or 128}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", keys = 48>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @memory(%q: memref<97x128xbf16>, %v: memref<97x128xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": 'keys' is 128, expected so many that they take at most 49088 bytes, not 65536}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 128, s in T = 97, c in C = 128] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x128xbf16>, memref<97x128xbf16>, memref<97x128xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", keys = 128>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @parked(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": 'parked' is 5, expected at most the 4 steps of a query}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", parked = 5>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @reread(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": 'reread' is 3, expected at most the steps of a query that are not parked}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", parked = 2, reread = 3>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @pairs(%q: memref<97x64xbf16>, %v: memref<97x63xbf16>, %out: memref<97x63xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma_attention": 'width' is 2, expected 1, or 2 where columns are pairs}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in V = 63, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x63xbf16>)
      outs(%out : memref<97x63xf32>) attributes {weft.lowering = #weft.lowering<"mma_attention", width = 2>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
