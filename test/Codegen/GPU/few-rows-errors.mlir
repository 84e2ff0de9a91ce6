// What cannot be done with few rows.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels --split-input-file --verify-diagnostics

func.func private @short(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": no factor has codes or f32 that can be read in words}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 1, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @turned(%a: memref<3x256xf32>, %w: memref<256x96xf32>, %out: memref<3x96xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": no factor has codes or f32 that can be read in words}}
  weft.contract [t in T = 3, f in F = 96, d in D = 256] ins(%a[t, d], %w[d, f] : memref<3x256xf32>, memref<256x96xf32>)
      outs(%out : memref<3x96xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 1, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @wide(%a: memref<3x256xf32>, %w: memref<97x256xf32>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'bytes' is 32, expected a power of two, 4 to 16}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 1, warps = 8, bytes = 32>}
  return
}

// -----

func.func private @reals(%a: memref<3x256xf32>, %w: memref<97x256xf32>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'columns' is 32, expected a power of two, at most 16}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 32, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @rows(%a: memref<3x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'rows' is 9, expected at most 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 9, columns = 1, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @columns(%a: memref<3x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'columns' is 3, expected a power of two, at most 16}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 3, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @sums(%a: memref<3x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'columns' is 16, expected a power of two, at most 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 8, columns = 16, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @narrow(%a: memref<3x256xf32>, %w: memref<5x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x5xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'columns' is 8, expected a power of two, at most 5}}
  weft.contract [t in T = 3, f in F = 5, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<5x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x5xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 8, warps = 8, bytes = 4>}
  return
}

// -----

func.func private @warps(%a: memref<3x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'warps' is 16, expected 1, 2, 4 or 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 4, warps = 16, bytes = 4>}
  return
}

// -----

func.func private @word(%a: memref<3x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'bytes' is 8, expected a power of two, 4 to 4}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 4, warps = 4, bytes = 8>}
  return
}

// -----

func.func private @bytes(%a: memref<3x256xui8>, %w: memref<97x256xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>, %out: memref<3x97xi32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'bytes' is 16, expected a power of two, 4 to 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xui8>, memref<97x256xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>)
      outs(%out : memref<3x97xi32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 3, columns = 4, warps = 4, bytes = 16>}
  return
}

// -----

func.func private @more(%a: memref<3x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows": 'rows' must be at least 3}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows", rows = 2, columns = 4, warps = 4, bytes = 4>}
  return
}
