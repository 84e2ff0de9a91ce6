// What groups of four warps cannot do.
// RUN: weft-opt %s --weft-assign-gpu-lowering=tiles --split-input-file --verify-diagnostics

func.func private @type(%a: memref<97x64xf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": the factors are no matrices of bf16, f16 or f32 that have tensor maps}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", boxes = false, stages = 3, tile = [128, 64, 64], width = 1>}
  return
}

// -----

func.func private @rows(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'tile' is [64, 64, 64], expected 128 rows, 64, 128, 192 or 256 columns and 64 of k}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", tile = [64, 64, 64]>}
  return
}

// -----

func.func private @columns(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'tile' is [128, 96, 64], expected 128 rows, 64, 128, 192 or 256 columns and 64 of k}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", tile = [128, 96, 64]>}
  return
}

// -----

func.func private @depth(%a: memref<97x64xf32>, %w: memref<128x64xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'tile' is [128, 64, 64], expected 128 rows, 64, 128, 192 or 256 columns and 32 of k}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf32>, memref<128x64xf32>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", boxes = false, stages = 2, tile = [128, 64, 64], width = 1>}
  return
}

// -----

func.func private @alone(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'stages' is 1, expected 2 or more}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", stages = 1>}
  return
}

// -----

func.func private @memory(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'stages' is 5, expected so many that they take at most 232448 bytes, not 278608}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", stages = 5, tile = [128, 256, 64]>}
  return
}

// -----

func.func private @width(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'width' is 8, expected 1, 2 or 4, a divisor of the columns}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", width = 8>}
  return
}

// -----

func.func private @boxes(%a: memref<97x64xbf16>, %w: memref<130x64xbf16>, %out: memref<97x130xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'boxes' is true, expected false, as the output has no tensor map}}
  weft.contract [t in T = 97, f in F = 130, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<130x64xbf16>)
      outs(%out : memref<97x130xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", boxes = true>}
  return
}

// -----

func.func private @narrow(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "wgmma": 'narrow' is 128, expected 64, 128 or 192 columns, fewer than the tile's}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"wgmma", stages = 4, tile = [128, 128, 64], narrow = 128>}
  return
}

// -----

func.func private @name(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{sm_90a has no emitter "mma" for this}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = #weft.lowering<"mma">}
  return
}

// -----

func.func private @kind(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{'nvx.lowering' is no #weft.lowering}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {nvx.lowering = "wgmma"}
  return
}
