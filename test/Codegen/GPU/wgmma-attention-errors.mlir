// What attention by groups of four warps cannot do.
// RUN: weft-opt %s --weft-assign-gpu-lowering=tiles --split-input-file --verify-diagnostics

func.func private @maps(%q: memref<97x12xbf16>, %v: memref<97x12xbf16>, %out: memref<97x12xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": the attention is none}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 12, s in T = 97, c in C = 12] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x12xbf16>, memref<97x12xbf16>, memref<97x12xbf16>)
      outs(%out : memref<97x12xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", keys = 64, stages = 2, turns = true, width = 1>} {
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

func.func private @polynomials(%q: memref<97x64xf16>, %v: memref<97x64xf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma_attention": 'polynomials' is 4, expected a positive number, where weights are bf16}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 97, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, c], %q[s, c], %v[s, v] : memref<97x64xf16>, memref<97x64xf16>, memref<97x64xf16>)
      outs(%out : memref<97x64xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma_attention", polynomials = 4>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
