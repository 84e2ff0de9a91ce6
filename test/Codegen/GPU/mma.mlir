// Which products are tiles of the matrix units, and in which tiles.
// RUN: weft-opt %s --weft-assign-gpu-lowering --split-input-file --verify-diagnostics | FileCheck %s
// RUN: weft-opt %s --weft-assign-gpu-lowering=tf32 --split-input-file | FileCheck %s --check-prefix=TF32

module attributes {weft.symbols = #weft.bounds<S to 2048, T to 100>} {
// Both factors have what is summed over side by side; small tiles, or there would be too few.
// CHECK-LABEL: @weight
// CHECK: #weft.lowering<"mma", stages = 3, tile = [64, 64, 32], width = 4>
func.func private @weight(%a: memref<97x64xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// B has its columns side by side; the largest tiles, of which there are 128.
// CHECK-LABEL: @large
// CHECK: #weft.lowering<"mma", stages = 3, tile = [128, 128, 32], width = 4>
func.func private @large(%a: memref<?x72xf16> {weft.bounds = #weft.bounds<S to 2048>}, %w: memref<72x1024xf16>, %out: memref<?x1024xf16> {weft.bounds = #weft.bounds<S to 2048>}) attributes {weft.kernel} {
  weft.contract [t in S to 2048, f in F = 1024, d in D = 72] ins(%a[t, d], %w[d, f] : memref<?x72xf16>, memref<72x1024xf16>)
      outs(%out : memref<?x1024xf16>)
  return
}

// Matrices of a batch count, too: 72 times two. Of 70 columns two are written at once.
// CHECK-LABEL: @heads
// CHECK: #weft.lowering<"mma", stages = 3, tile = [64, 64, 32], width = 2>
// CHECK-LABEL: @many
// CHECK: #weft.lowering<"mma", stages = 3, tile = [64, 128, 32], width = 2>
func.func private @heads(%a: memref<9x64x8x200xbf16>, %w: memref<9x8x70x200xbf16>, %out: memref<9x8x64x70xf32>) attributes {weft.kernel} {
  weft.contract [b in B = 9, h in H = 8, t in T = 64, f in F = 70, d in D = 200] ins(%a[b, t, h, d], %w[b, h, f, d] : memref<9x64x8x200xbf16>, memref<9x8x70x200xbf16>)
      outs(%out : memref<9x8x64x70xf32>)
  return
}
func.func private @many(%a: memref<14x64x8x200xbf16>, %w: memref<14x8x70x200xbf16>, %out: memref<14x8x64x70xf32>) attributes {weft.kernel} {
  weft.contract [b in B = 14, h in H = 8, t in T = 64, f in F = 70, d in D = 200] ins(%a[b, t, h, d], %w[b, h, f, d] : memref<14x64x8x200xbf16>, memref<14x8x70x200xbf16>)
      outs(%out : memref<14x8x64x70xf32>)
  return
}

// A result whose rows are A's has single elements.
// CHECK-LABEL: @window
// CHECK: #weft.lowering<"mma", stages = 3, tile = [64, 64, 32], width = 1>
func.func private @window(%a: memref<?x16xbf16> {weft.bounds = #weft.bounds<T to 100>}, %w: memref<33x32xbf16>, %out: memref<50x33xbf16>) attributes {weft.kernel} {
  weft.contract [t in T2 = 50, f in F = 33, j in J = 2, d in D = 16] ins(%a[t * 2 + j, d], %w[f, j * 16 + d] : memref<?x16xbf16>, memref<33x32xbf16>)
      outs(%out : memref<50x33xbf16>)
  return
}

// f32, of which a row of a tile has half as many: as three products of tf32, or as one.
// CHECK-LABEL: @wide
// CHECK: #weft.lowering<"mma", products = 3, stages = 3, tile = [64, 64, 16], width = 4>
// TF32-LABEL: @wide
// TF32: #weft.lowering<"mma", products = 1, stages = 3, tile = [64, 64, 16], width = 4>
func.func private @wide(%a: memref<97x64xf32>, %w: memref<128x64xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf32>, memref<128x64xf32>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: f32, and not even the multiplications of a small tile.
// CHECK-LABEL: @little
// CHECK: #weft.lowering<"contract"
func.func private @little(%a: memref<63x64xf32>, %w: memref<64x64xf32>, %out: memref<63x64xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 63, f in F = 64, d in D = 64] ins(%a[t, d], %w[f, d] : memref<63x64xf32>, memref<64x64xf32>)
      outs(%out : memref<63x64xf32>)
  return
}

// No: rows of f32 that begin anywhere.
// CHECK-LABEL: @uneven
// CHECK: #weft.lowering<"contract"
func.func private @uneven(%a: memref<97x66xf32>, %w: memref<128x66xf32>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 66] ins(%a[t, d], %w[f, d] : memref<97x66xf32>, memref<128x66xf32>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: factors of two types.
// CHECK-LABEL: @mixed
// CHECK: #weft.lowering<"contract"
func.func private @mixed(%a: memref<97x64xf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<97x64xf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: two rows.
// CHECK-LABEL: @few
// CHECK: #weft.lowering<"contract"
func.func private @few(%a: memref<2x64xbf16>, %w: memref<128x64xbf16>, %out: memref<2x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 2, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<2x64xbf16>, memref<128x64xbf16>)
      outs(%out : memref<2x128xf32>)
  return
}

// No: neither factor has k side by side.
// CHECK-LABEL: @across
// CHECK: #weft.lowering<"contract"
func.func private @across(%a: memref<64x96xbf16>, %w: memref<64x128xbf16>, %out: memref<96x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 96, f in F = 128, d in D = 64] ins(%a[d, t], %w[d, f] : memref<64x96xbf16>, memref<64x128xbf16>)
      outs(%out : memref<96x128xf32>)
  return
}

// No: rows of 68 elements begin anywhere.
// CHECK-LABEL: @odd
// CHECK: #weft.lowering<"contract"
func.func private @odd(%a: memref<97x68xbf16>, %w: memref<128x68xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 68] ins(%a[t, d], %w[f, d] : memref<97x68xbf16>, memref<128x68xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: every row begins an element later.
// CHECK-LABEL: @slides
// CHECK: #weft.lowering<"contract"
func.func private @slides(%a: memref<160xbf16>, %w: memref<128x64xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t + d], %w[f, d] : memref<160xbf16>, memref<128x64xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: nothing is known of how many values are summed.
// CHECK-LABEL: @open
// CHECK: #weft.lowering<"contract"
func.func private @open(%a: memref<97x?xbf16> {weft.bounds = #weft.bounds<T to 100>}, %w: memref<128x?xbf16> {weft.bounds = #weft.bounds<T to 100>}, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in R = 97, f in F = 128, d in T to 100] ins(%a[t, d], %w[f, d] : memref<97x?xbf16>, memref<128x?xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// No: k of one factor is in another order than that of the other.
// CHECK-LABEL: @other_order
// CHECK: #weft.lowering<"contract"
func.func private @other_order(%a: memref<97x16x24xbf16>, %w: memref<24x16x128xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, h in H = 16, c in C = 24] ins(%a[t, h, c], %w[c, h, f] : memref<97x16x24xbf16>, memref<24x16x128xbf16>)
      outs(%out : memref<97x128xf32>)
  return
}

// Codes of 8 bits are multiplied as whole numbers, one row too: four times as many of them fill a row of a tile.
// CHECK-LABEL: @codes
// CHECK: #weft.lowering<"mma", splits = 4, stages = 4, tile = [16, 128, 64], width = 4>
func.func private @codes(%a: memref<1x1024xui8>, %w: memref<128x1024xi8>, %out: memref<1x128xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 1, f in F = 128, d in D = 1024] ins(%a[t, d], %w[f, d] : memref<1x1024xui8>, memref<128x1024xi8>)
      outs(%out : memref<1x128xi32>)
  return
}

// Numbers of 4 bits become such. Few rows of them have longer steps.
// CHECK-LABEL: @nibbles
// CHECK: #weft.lowering<"mma", splits = 2, stages = 3, tile = [16, 128, 128], width = 4>
// CHECK-LABEL: @many_nibbles
// CHECK: #weft.lowering<"mma", stages = 3, tile = [64, 64, 64], width = 4>
func.func private @nibbles(%a: memref<13x1024xui8>, %w: memref<128x1024xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>, %out: memref<13x128xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 13, f in F = 128, d in D = 1024] ins(%a[t, d], %w[f, d] : memref<13x1024xui8>, memref<128x1024xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>)
      outs(%out : memref<13x128xi32>)
  return
}
func.func private @many_nibbles(%a: memref<97x1024xui8>, %w: memref<128x1024xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>, %out: memref<97x128xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 1024] ins(%a[t, d], %w[f, d] : memref<97x1024xui8>, memref<128x1024xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>)
      outs(%out : memref<97x128xi32>)
  return
}

// Reals of a table are factors of f32.
// CHECK-LABEL: @table
// CHECK: #weft.lowering<"mma", products = 3, splits = 8, stages = 6, tile = [16, 128, 32], width = 4>
func.func private @table(%a: memref<13x1024xf32>, %w: memref<128x1024xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<13x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 13, f in F = 128, d in D = 1024] ins(%a[t, d], %w[f, d] : memref<13x1024xf32>, memref<128x1024xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<13x128xf32>)
  return
}

// No: groups that end within a step of the units.
// CHECK-LABEL: @short_groups
// CHECK: #weft.lowering<"contract"
func.func private @short_groups(%a: memref<97x1024xui8>, %w: memref<128x1024xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 16>>, %out: memref<97x128xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 1024] ins(%a[t, d], %w[f, d] : memref<97x1024xui8>, memref<128x1024xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 16>>)
      outs(%out : memref<97x128xi32>)
  return
}

// No: codes of 8 bits whose columns are side by side.
// CHECK-LABEL: @codes_across
// CHECK: #weft.lowering<"contract"
func.func private @codes_across(%a: memref<97x64xui8>, %w: memref<64x128xi8>, %out: memref<97x128xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 128, d in D = 64] ins(%a[t, d], %w[d, f] : memref<97x64xui8>, memref<64x128xi8>)
      outs(%out : memref<97x128xi32>)
  return
}
}
