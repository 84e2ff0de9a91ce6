// What attention by groups of four warps cannot do.
// RUN: weft-opt %s --weft-assign-gpu-lowering=tiles --split-input-file --verify-diagnostics

func.func private @maps(%q: memref<97x12xbf16>, %v: memref<97x12xbf16>, %out: memref<97x12xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": the attention is none}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 12, s in T = 97, c in C = 12] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x12xbf16>, memref<97x12xbf16>, memref<97x12xbf16>)
      outs(%out : memref<97x12xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", boxes = false, keys = 64, stages = 2, turns = true, width = 1>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @keys(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'keys' is 40, expected a multiple of 16 up to 256}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", keys = 40>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @stages(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'stages' is 1, expected 2 or more}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", stages = 1>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @memory(%q: memref<97x256xbf16>, %v: memref<97x256xbf16>, %out: memref<97x256xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'keys' is 128, expected so many that they take at most 232448 bytes, not }}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 256, s in T = 97, c in C = 256] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x256xbf16>, memref<97x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<97x256xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", keys = 128>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @width(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'width' is 4, expected 1, or 2 where columns are pairs}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", width = 4>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @queries(%q: memref<97x6x64xbf16>, %k: memref<97x2x64xbf16>, %out: memref<97x6x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'queries' is 2, expected none, as the queries have no tensor map}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, h in H = 6, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, h, c], %k[s, h floordiv 3, c], %k[s, h floordiv 3, v] : memref<97x6x64xbf16>, memref<97x2x64xbf16>, memref<97x2x64xbf16>)
      outs(%out : memref<97x6x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", queries = 2>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @boxes(%q: memref<97x6x64xbf16>, %k: memref<97x2x64xbf16>, %out: memref<97x6x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'boxes' is true, expected false, as the output has no tensor map}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, h in H = 6, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, h, c], %k[s, h floordiv 3, c], %k[s, h floordiv 3, v] : memref<97x6x64xbf16>, memref<97x2x64xbf16>, memref<97x2x64xbf16>)
      outs(%out : memref<97x6x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", boxes = true>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @none(%q: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'queries' is 0, expected a number from 1 to 2^40}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", queries = 0>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
