// Kernels of several functions of the device that cannot be.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels --split-input-file --verify-diagnostics

func.func private @parts(%a: memref<17x64xbf16>, %w: memref<128x64xbf16>, %out: memref<17x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'splits' is 3, expected at most 2}}
  weft.contract [t in T = 17, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<17x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<17x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", splits = 3>}
  return
}

// -----

func.func private @rows(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'splits' is for at most 64 rows}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", splits = 2>}
  return
}

// -----

func.func private @more(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "by_count": 'more' is missing, expected a lowering}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"by_count", most = 2, few = #weft.lowering<"row_threads", threads = 32, width = 2, held = true>>}
  return
}

// -----

func.func private @nothing(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "by_count": 'few' is 3, expected a lowering}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"by_count", most = 2, few = 3, more = 4>}
  return
}

// -----

func.func private @heads(%q: memref<1x4x16xf32>, %k: memref<99x4x16xf32>, %out: memref<1x4x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "decode_attention": 'heads' is 2, expected a divisor of 1 up to 8}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 1, h in H = 4, c in C = 16, s in S = 99, e in E = 16]
      ins(%q[t, h, e], %k[s, h, e], %k[s, h, c] : memref<1x4x16xf32>, memref<99x4x16xf32>, memref<99x4x16xf32>)
      outs(%out : memref<1x4x16xf32>) attributes {weft.lowering = #weft.lowering<"decode_attention", heads = 2>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @splits(%q: memref<1x4x16xf32>, %k: memref<99x4x16xf32>, %out: memref<1x4x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "decode_attention": 'splits' is 129, expected at most 128}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 1, h in H = 4, c in C = 16, s in S = 99, e in E = 16]
      ins(%q[t, h, e], %k[s, h, e], %k[s, h, c] : memref<1x4x16xf32>, memref<99x4x16xf32>, memref<99x4x16xf32>)
      outs(%out : memref<1x4x16xf32>) attributes {weft.lowering = #weft.lowering<"decode_attention", splits = 129>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @units(%q: memref<1x4x16xf32>, %k: memref<99x4x16xf32>, %out: memref<1x4x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "decode_attention": 'units' is true, expected false, but for one type of 16 bits in rows of whole vectors of 16 bytes}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 1, h in H = 4, c in C = 16, s in S = 99, e in E = 16]
      ins(%q[t, h, e], %k[s, h, e], %k[s, h, c] : memref<1x4x16xf32>, memref<99x4x16xf32>, memref<99x4x16xf32>)
      outs(%out : memref<1x4x16xf32>) attributes {weft.lowering = #weft.lowering<"decode_attention", units = true>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @keys_of_units(%q: memref<1x4x16xbf16>, %k: memref<99x4x16xbf16>, %out: memref<1x4x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "decode_attention": 'keys' is 8, expected 16 or 32 with units}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 1, h in H = 4, c in C = 16, s in S = 99, e in E = 16]
      ins(%q[t, h, e], %k[s, h, e], %k[s, h, c] : memref<1x4x16xbf16>, memref<99x4x16xbf16>, memref<99x4x16xbf16>)
      outs(%out : memref<1x4x16xf32>) attributes {weft.lowering = #weft.lowering<"decode_attention", keys = 8>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @warps(%q: memref<1x4x16xbf16>, %k: memref<99x4x16xbf16>, %out: memref<1x4x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "decode_attention": 'warps' is 3, expected a power of two up to 8}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 1, h in H = 4, c in C = 16, s in S = 99, e in E = 16]
      ins(%q[t, h, e], %k[s, h, e], %k[s, h, c] : memref<1x4x16xbf16>, memref<99x4x16xbf16>, memref<99x4x16xbf16>)
      outs(%out : memref<1x4x16xf32>) attributes {weft.lowering = #weft.lowering<"decode_attention", warps = 3>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @blocks(%q: memref<1x4x16xbf16>, %k: memref<99x4x16xbf16>, %out: memref<1x4x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "decode_attention": 'blocks' is 17, expected so few that they have at most 64 warps}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 1, h in H = 4, c in C = 16, s in S = 99, e in E = 16]
      ins(%q[t, h, e], %k[s, h, e], %k[s, h, c] : memref<1x4x16xbf16>, memref<99x4x16xbf16>, memref<99x4x16xbf16>)
      outs(%out : memref<1x4x16xf32>) attributes {weft.lowering = #weft.lowering<"decode_attention", blocks = 17>} {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// -----

func.func private @apart(%a: memref<17x2x64xf32>, %w: memref<128x64xf32>, %out: memref<17x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{has several sums of an element, of which kernels for GPUs make one}}
  weft.contract [t in T = 17, f in F = 128, d in D = 64, p in P = 2] ins(%a[t, p, d], %w[f, d] : memref<17x2x64xf32>, memref<128x64xf32>)
      outs(%out : memref<17x128xf32>) attributes {apart} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
