// Which products are tiles of groups of four warps on sm_90a, and in which tiles; all others are left to what runs everywhere.
// RUN: weft-opt %s --weft-assign-gpu-lowering=tiles | FileCheck %s
// RUN: weft-opt %s "--weft-assign-gpu-lowering=tiles tf32" | FileCheck %s --check-prefix=TF32
// RUN: weft-opt %s --weft-assign-gpu-lowering | FileCheck %s --check-prefix=NONE
// NONE-NOT: nvx.lowering

module attributes {weft.symbols = #weft.bounds<S to 4096, T to 100>} {
// Both factors have what is summed over side by side; few columns, or there would be too few tiles.
// CHECK-LABEL: @weight
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = true, stages = 8, tile = [128, 64, 64], width = 4>
// CHECK-SAME: weft.lowering = #weft.lowering<"mma"
func.func private @weight(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// B has its columns side by side; the largest tiles, of which there are 256 for as many rows as may come, and narrower ones for fewer.
// CHECK-LABEL: @large
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = true, narrow = 64, stages = 4, tile = [128, 256, 64], width = 4>
func.func private @large(%a: memref<?x72xf16> {weft.bounds = #weft.bounds<S to 4096>}, %w: memref<72x2048xf16>, %out: memref<?x2048xf16> {weft.bounds = #weft.bounds<S to 4096>}) attributes {weft.kernel} {
  weft.contract [t in S to 4096, f in F = 2048, d in D = 72] ins(%a[t, d], %w[d, f] : memref<?x72xf16>, memref<72x2048xf16>)
      outs(%out : memref<?x2048xf16>)
  return
}

// Matrices of a batch are dimensions of their own. Rows of 280 bytes have no tensor map, so threads write the results.
// CHECK-LABEL: @heads
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = false, stages = 8, tile = [128, 64, 64], width = 2>
func.func private @heads(%a: memref<9x128x15x200xbf16>, %w: memref<9x15x70x200xbf16>, %out: memref<9x15x128x70xf32>) attributes {weft.kernel} {
  weft.contract [b in B = 9, h in H = 15, t in T = 128, f in F = 70, d in D = 200] ins(%a[b, t, h, d], %w[b, h, f, d] : memref<9x128x15x200xbf16>, memref<9x15x70x200xbf16>)
      outs(%out : memref<9x15x128x70xf32>)
  return
}

// f32 as one product of tf32 alone, which has to have k side by side.
// CHECK-LABEL: @wide
// CHECK-NOT: nvx.lowering
// CHECK-LABEL: @turned
// TF32-LABEL: @wide
// TF32: nvx.lowering = #weft.lowering<"wgmma", boxes = true, stages = 8, tile = [128, 64, 32], width = 4>
// TF32-LABEL: @turned
// TF32-NOT: nvx.lowering
// TF32-LABEL: @rows
func.func private @wide(%a: memref<97x64xf32>, %w: memref<128x64xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf32>, memref<128x64xf32>)
      outs(%out : memref<97x128xf32>)
  return
}
func.func private @turned(%a: memref<97x64xf32>, %w: memref<64x128xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[d, f] : memref<97x64xf32>, memref<64x128xf32>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: 64 rows, which one group has; 31 columns; 24 values of k.
// CHECK-LABEL: @rows
// CHECK-NOT: nvx.lowering
func.func private @rows(%a: memref<64x64xbf16>, %w: memref<128x64xbf16>, %out: memref<64x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 64, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<64x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<64x128xf32>)
  return
}
func.func private @columns(%a: memref<97x64xbf16>, %w: memref<31x64xbf16>, %out: memref<97x31xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 31, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<31x64xbf16>)
      outs(%out : memref<97x31xf32>)
  return
}
func.func private @short(%a: memref<97x24xbf16>, %w: memref<128x24xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 24] ins(%a[t, d], %w[f, d] : memref<97x24xbf16>, memref<128x24xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// Heads share a matrix, whose number is no multiple of theirs, but that of a dimension.
// CHECK-LABEL: @shared
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = true, stages = 8, tile = [128, 64, 64], width = 4>
func.func private @shared(%a: memref<8x97x64xbf16>, %w: memref<2x128x64xbf16>, %out: memref<8x97x128xf32>) attributes {weft.kernel} {
  weft.contract [h in H = 8, t in T = 97, f in F = 128, d in D = 64] ins(%a[h, t, d], %w[h floordiv 4, f, d] : memref<8x97x64xbf16>, memref<2x128x64xbf16>)
      outs(%out : memref<8x97x128xf32>)
  return
}

// Columns of several heads: a box has those of one, if whole boxes do.
// CHECK-LABEL: @split
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = true,
// CHECK-LABEL: @straddled
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = false,
// Rows that are not equally far from each other; columns that do not lie side by side.
// CHECK-LABEL: @apart
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = false,
// CHECK-LABEL: @across
// CHECK: nvx.lowering = #weft.lowering<"wgmma", boxes = false,
func.func private @split(%a: memref<97x64xbf16>, %w: memref<3x64x64xbf16>, %out: memref<3x97x64xbf16>) attributes {weft.kernel} {
  weft.contract [h in H = 3, t in T = 97, c in C = 64, d in D = 64] ins(%a[t, d], %w[h, c, d] : memref<97x64xbf16>, memref<3x64x64xbf16>)
      outs(%out : memref<3x97x64xbf16>)
  return
}
func.func private @straddled(%a: memref<97x64xbf16>, %w: memref<3x40x64xbf16>, %out: memref<3x97x40xbf16>) attributes {weft.kernel} {
  weft.contract [h in H = 3, t in T = 97, c in C = 40, d in D = 64] ins(%a[t, d], %w[h, c, d] : memref<97x64xbf16>, memref<3x40x64xbf16>)
      outs(%out : memref<3x97x40xbf16>)
  return
}
func.func private @apart(%a: memref<97x5x64xbf16>, %w: memref<3x64x64xbf16>, %out: memref<97x3x5x64xbf16>) attributes {weft.kernel} {
  weft.contract [t in T = 97, h in H = 3, s in S = 5, c in C = 64, d in D = 64] ins(%a[t, s, d], %w[h, c, d] : memref<97x5x64xbf16>, memref<3x64x64xbf16>)
      outs(%out : memref<97x3x5x64xbf16>)
  return
}
func.func private @across(%a: memref<97x5x64xbf16>, %w: memref<64x64xbf16>, %out: memref<97x64x5xbf16>) attributes {weft.kernel} {
  weft.contract [t in T = 97, c in C = 64, s in S = 5, d in D = 64] ins(%a[t, s, d], %w[c, d] : memref<97x5x64xbf16>, memref<64x64xbf16>)
      outs(%out : memref<97x64x5xbf16>)
  return
}

// No: four dimensions beside rows and k.
// CHECK-LABEL: @many
// CHECK-NOT: nvx.lowering
func.func private @many(%a: memref<2x2x2x2x97x64xbf16>, %w: memref<2x2x2x2x128x64xbf16>, %out: memref<2x2x2x2x97x128xf32>) attributes {weft.kernel} {
  weft.contract [b in B = 2, c in C = 2, g in G = 2, h in H = 2, t in T = 97, f in F = 128, d in D = 64] ins(%a[b, c, g, h, t, d], %w[b, c, g, h, f, d] : memref<2x2x2x2x97x64xbf16>, memref<2x2x2x2x128x64xbf16>)
      outs(%out : memref<2x2x2x2x97x128xf32>)
  return
}
}
