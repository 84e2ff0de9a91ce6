// What cannot be done with few rows of 16 bits.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels --split-input-file --verify-diagnostics

func.func private @wide(%a: memref<3x256xf32>, %w: memref<97x256xf32>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": the factors are no bf16 or f16, of which the rows have k side by side, and the weight that or its columns}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<97x256xf32>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, columns = 16, warps = 1, steps = 4, blocks = 1>}
  return
}

// -----

func.func private @turned(%a: memref<3x256xbf16>, %w: memref<256x36xbf16>, %out: memref<3x36xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": the factors are no bf16 or f16, of which the rows have k side by side, and the weight that or its columns}}
  weft.contract [t in T = 3, f in F = 36, d in D = 256] ins(%a[t, d], %w[d, f] : memref<3x256xbf16>, memref<256x36xbf16>)
      outs(%out : memref<3x36xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, columns = 16, warps = 1, steps = 4, blocks = 1>}
  return
}

// -----

func.func private @wide_columns(%a: memref<3x256xbf16>, %w: memref<256x96xbf16>, %out: memref<3x96xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'columns' is 128, expected 16, 32 or 64}}
  weft.contract [t in T = 3, f in F = 96, d in D = 256] ins(%a[t, d], %w[d, f] : memref<3x256xbf16>, memref<256x96xbf16>)
      outs(%out : memref<3x96xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, columns = 128, warps = 1, steps = 4, blocks = 1>}
  return
}

// -----

func.func private @wide_steps(%a: memref<3x256xbf16>, %w: memref<256x96xbf16>, %out: memref<3x96xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'steps' is 8, expected 1, 2 or 4}}
  weft.contract [t in T = 3, f in F = 96, d in D = 256] ins(%a[t, d], %w[d, f] : memref<3x256xbf16>, memref<256x96xbf16>)
      outs(%out : memref<3x96xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, columns = 64, warps = 1, steps = 8, blocks = 1>}
  return
}

// -----

func.func private @many(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'rows' is 17, expected at most 16}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 17, columns = 16, warps = 1, steps = 4, blocks = 1>}
  return
}

// -----

func.func private @columns(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'columns' is 8, expected 16 or 32}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, columns = 8, warps = 1, steps = 4, blocks = 1>}
  return
}

// -----

func.func private @warps(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'warps' is 16, expected 1, 2, 4 or 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, warps = 16, columns = 16, steps = 4, blocks = 1>}
  return
}

// -----

func.func private @steps(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'steps' is 3, expected 1, 2, 4 or 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, steps = 3, columns = 16, warps = 1, blocks = 1>}
  return
}

// -----

func.func private @blocks(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'blocks' is 9, expected at most 8}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 3, blocks = 9, columns = 16, warps = 1, steps = 4>}
  return
}

// -----

func.func private @fewer(%a: memref<3x256xbf16>, %w: memref<97x256xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "few_rows_mma": 'rows' must be at least 3}}
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<3x97xf32>) attributes {weft.lowering = #weft.lowering<"few_rows_mma", rows = 2, columns = 16, warps = 1, steps = 4, blocks = 1>}
  return
}
