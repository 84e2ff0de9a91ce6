// What cannot be done on matrix units.
// RUN: weft-opt %s --weft-assign-gpu-lowering --split-input-file --verify-diagnostics

func.func private @type(%a: memref<97x64xf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": the factors are no matrices of bf16, f16, f32 or codes that can be copied 16 bytes at once}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", stages = 3, tile = [64, 64, 32], width = 1>}
  return
}

// -----

func.func private @rows(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'tile' is [96, 64, 32], expected rows and columns of 64 or 128 (or 16 or 32 and 128) and 32 or 64 of k}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", tile = [96, 64, 32]>}
  return
}

// -----

func.func private @list(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'tile' is [64, 64], expected rows and columns of 64 or 128 (or 16 or 32 and 128) and 32 or 64 of k}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", tile = [64, 64]>}
  return
}

// -----

func.func private @alone(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'stages' is 1, expected 2 or more}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", stages = 1>}
  return
}

// -----

func.func private @groups(%a: memref<97x192xui8>, %w: memref<128x192xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 96>>, %out: memref<97x128xi32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": the factors are no matrices of bf16, f16, f32 or codes that can be copied 16 bytes at once}}
  weft.contract [t in T = 97, f in F = 128, d in D = 192] ins(%a[t, d], %w[f, d] : memref<97x192xui8>, memref<128x192xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 96>>)
      outs(%out : memref<97x128xi32>) attributes {weft.lowering = #weft.lowering<"mma", stages = 3, tile = [64, 64, 64], width = 1>}
  return
}

// -----

func.func private @parts_of_groups(%a: memref<97x384xui8>, %w: memref<128x384xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 192>>, %out: memref<97x128xi32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'tile' is [64, 64, 128], expected k of whole groups of codes, or parts of them}}
  weft.contract [t in T = 97, f in F = 128, d in D = 384] ins(%a[t, d], %w[f, d] : memref<97x384xui8>, memref<128x384xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 192>>)
      outs(%out : memref<97x128xi32>) attributes {weft.lowering = #weft.lowering<"mma", stages = 3, tile = [64, 64, 128], width = 1>}
  return
}

// -----

func.func private @memory(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'stages' is 4, expected so many that they take at most 49152 bytes, not 65536}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", stages = 4, tile = [128, 128, 32]>}
  return
}

// -----

func.func private @columns(%a: memref<97x64xbf16>, %w: memref<70x64xbf16>, %out: memref<97x70xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'width' is 4, expected 1, 2 or 4, a divisor of the columns}}
  weft.contract [t in T = 97, f in F = 70, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<70x64xbf16>)
      outs(%out : memref<97x70xf32>) attributes {weft.lowering = #weft.lowering<"mma", width = 4>}
  return
}

// -----

func.func private @depth(%a: memref<97x64xf32>, %w: memref<128x64xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'tile' is [64, 64, 64], expected rows and columns of 64 or 128 (or 16 or 32 and 128) and 16 or 32 of k}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf32>, memref<128x64xf32>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", tile = [64, 64, 64]>}
  return
}

// -----

func.func private @two(%a: memref<97x64xf32>, %w: memref<128x64xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'products' is 2, expected 1 or 3 of tf32 for one of f32}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf32>, memref<128x64xf32>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", products = 2>}
  return
}

// -----

func.func private @short(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'products' is 3, expected none, but for f32}}
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>) attributes {weft.lowering = #weft.lowering<"mma", products = 3>}
  return
}

// -----

func.func private @chosen(%a: memref<97x256xbf16>, %w: memref<4x128x256xbf16>, %c: memref<97xi32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "mma": 'splits' is 2, expected none, where rows choose matrices}}
  weft.contract [t in T = 97, f in F = 128, d in D = 256, e in 4] ins(%a[t, d], %w[e, f, d], %c[t] : memref<97x256xbf16>, memref<4x128x256xbf16>, memref<97xi32>)
      outs(%out : memref<97x128xf32>) attributes {chosen, weft.lowering = #weft.lowering<"mma", splits = 2, stages = 3, tile = [64, 64, 32], width = 1>}
  return
}

// -----

func.func private @chosen_few(%a: memref<7x256xbf16>, %w: memref<4x320x256xbf16>, %c: memref<7xi32>, %out: memref<7x320xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": the factors are no bf16 or f16, of which the rows have k side by side, and the weight that or its columns}}
  weft.contract [t in T = 7, f in F = 320, d in D = 256, e in 4] ins(%a[t, d], %w[e, f, d], %c[t] : memref<7x256xbf16>, memref<4x320x256xbf16>, memref<7xi32>)
      outs(%out : memref<7x320xf32>) attributes {chosen, weft.lowering = #weft.lowering<"few_rows_mma", blocks = 2, columns = 16, rows = 7, steps = 4, warps = 8>}
  return
}
