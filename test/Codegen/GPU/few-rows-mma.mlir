// Which products of few rows of 16 bits read their weight into the registers of matrix units, and with which schedule.
// RUN: weft-opt %s --weft-assign-gpu-lowering | FileCheck %s
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels | FileCheck %s --check-prefix=LOOPS

module attributes {weft.symbols = #weft.bounds<S to 16, T to 100>} {
// All warps of a block share the k of sixteen columns, four steps at once.
// CHECK-LABEL: @one
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 16, rows = 1, steps = 4, warps = 8>
func.func private @one(%a: memref<1x4096xbf16>, %w: memref<97x4096xbf16>, %out: memref<1x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 1, f in F = 97, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<1x4096xbf16>, memref<97x4096xbf16>)
      outs(%out : memref<1x97xf32>)
  return
}

// The same of sixteen rows at most, a number that is known when it is called.
// CHECK-LABEL: @sixteen
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 16, rows = 16, steps = 4, warps = 8>
func.func private @sixteen(%a: memref<?x4096xf16> {weft.bounds = #weft.bounds<S to 16>}, %w: memref<97x4096xf16>, %out: memref<?x97xf16> {weft.bounds = #weft.bounds<S to 16>}) attributes {weft.kernel} {
  weft.contract [t in S to 16, f in F = 97, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<?x4096xf16>, memref<97x4096xf16>)
      outs(%out : memref<?x97xf16>)
  return
}

// Fewer warps share less of k.
// CHECK-LABEL: @short
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 16, rows = 3, steps = 4, warps = 4>
func.func private @short(%a: memref<3x768xbf16>, %w: memref<97x768xbf16>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 3, f in F = 97, d in D = 768] ins(%a[t, d], %w[f, d] : memref<3x768xbf16>, memref<97x768xbf16>)
      outs(%out : memref<3x97xf32>)
  return
}

// A batch.
// CHECK-LABEL: @heads
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 16, rows = 9, steps = 4, warps = 1>
func.func private @heads(%a: memref<9x8x72xbf16>, %w: memref<8x920x72xbf16>, %out: memref<8x9x920xf32>) attributes {weft.kernel} {
  weft.contract [h in H = 8, t in T = 9, f in F = 920, d in D = 72] ins(%a[t, h, d], %w[h, f, d] : memref<9x8x72xbf16>, memref<8x920x72xbf16>)
      outs(%out : memref<8x9x920xf32>)
  return
}

// Columns that lie side by side: sixteen of a warp where more would be too few blocks, and 32 or 64, of which fewer steps are as many bytes.
// CHECK-LABEL: @few_across
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 16, rows = 1, steps = 4, warps = 8>
// CHECK-LABEL: @some_across
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 32, rows = 16, steps = 2, warps = 8>
// CHECK-LABEL: @many_across
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 64, rows = 8, steps = 2, warps = 8>
// CHECK-LABEL: @many_rows_across
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 64, rows = 9, steps = 1, warps = 8>
// CHECK-LABEL: @heads_across
// CHECK: #weft.lowering<"few_rows_mma", blocks = 2, columns = 64, rows = 5, steps = 2, warps = 2>
func.func private @few_across(%a: memref<1x768xbf16>, %w: memref<768x3x12x64xbf16>, %out: memref<1x3x12x64xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 1, i in 3, h in H = 12, c in C = 64, d in D = 768] ins(%a[t, d], %w[d, i, h, c] : memref<1x768xbf16>, memref<768x3x12x64xbf16>)
      outs(%out : memref<1x3x12x64xf32>)
  return
}
func.func private @some_across(%a: memref<?x12x64xf16> {weft.bounds = #weft.bounds<S to 16>}, %w: memref<12x64x4096xf16>, %out: memref<?x4096xf16> {weft.bounds = #weft.bounds<S to 16>}) attributes {weft.kernel} {
  weft.contract [t in S to 16, f in F = 4096, h in H = 12, c in C = 64] ins(%a[t, h, c], %w[h, c, f] : memref<?x12x64xf16>, memref<12x64x4096xf16>)
      outs(%out : memref<?x4096xf16>)
  return
}
func.func private @many_across(%a: memref<8x264xbf16>, %w: memref<264x6920xbf16>, %out: memref<8x6920xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 6920, d in D = 264] ins(%a[t, d], %w[d, f] : memref<8x264xbf16>, memref<264x6920xbf16>)
      outs(%out : memref<8x6920xf32>)
  return
}
func.func private @many_rows_across(%a: memref<9x264xbf16>, %w: memref<264x6920xbf16>, %out: memref<9x6920xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 6920, d in D = 264] ins(%a[t, d], %w[d, f] : memref<9x264xbf16>, memref<264x6920xbf16>)
      outs(%out : memref<9x6920xf32>)
  return
}
func.func private @heads_across(%a: memref<5x8x72xbf16>, %w: memref<8x72x3600xbf16>, %out: memref<8x5x3600xf32>) attributes {weft.kernel} {
  weft.contract [h in H = 8, t in T = 5, f in F = 3600, d in D = 72] ins(%a[t, h, d], %w[h, d, f] : memref<5x8x72xbf16>, memref<8x72x3600xbf16>)
      outs(%out : memref<8x5x3600xf32>)
  return
}

// Must not fire: more rows; columns side by side that are no multiple of eight; k of both in another order; factors of two types; k that is no multiple of 16 bytes; a small weight.
// CHECK-LABEL: @more
// CHECK-NOT: few_rows_mma
func.func private @more(%a: memref<17x4096xbf16>, %w: memref<97x4096xbf16>, %out: memref<17x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 17, f in F = 97, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<17x4096xbf16>, memref<97x4096xbf16>)
      outs(%out : memref<17x97xf32>)
  return
}
func.func private @across(%a: memref<9x4096xbf16>, %w: memref<4096x36xbf16>, %out: memref<9x36xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 36, d in D = 4096] ins(%a[t, d], %w[d, f] : memref<9x4096xbf16>, memref<4096x36xbf16>)
      outs(%out : memref<9x36xf32>)
  return
}
func.func private @more_across(%a: memref<17x4096xbf16>, %w: memref<4096x96xbf16>, %out: memref<17x96xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 17, f in F = 96, d in D = 4096] ins(%a[t, d], %w[d, f] : memref<17x4096xbf16>, memref<4096x96xbf16>)
      outs(%out : memref<17x96xf32>)
  return
}
func.func private @other_order(%a: memref<9x16x24xbf16>, %w: memref<24x16x256xbf16>, %out: memref<9x256xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 256, h in H = 16, c in C = 24] ins(%a[t, h, c], %w[c, h, f] : memref<9x16x24xbf16>, memref<24x16x256xbf16>)
      outs(%out : memref<9x256xf32>)
  return
}
func.func private @mixed(%a: memref<9x4096xf32>, %w: memref<97x4096xbf16>, %out: memref<9x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 97, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<9x4096xf32>, memref<97x4096xbf16>)
      outs(%out : memref<9x97xf32>)
  return
}
func.func private @uneven(%a: memref<9x4100xbf16>, %w: memref<97x4100xbf16>, %out: memref<9x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 97, d in D = 4100] ins(%a[t, d], %w[f, d] : memref<9x4100xbf16>, memref<97x4100xbf16>)
      outs(%out : memref<9x97xf32>)
  return
}
func.func private @small(%a: memref<9x4096xbf16>, %w: memref<15x4096xbf16>, %out: memref<9x15xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 15, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<9x4096xbf16>, memref<15x4096xbf16>)
      outs(%out : memref<9x15xf32>)
  return
}
}

// Eight products of a turn for eight rows, sixteen for more; 72 values of k are two steps and one that some threads have; two blocks of a processor.
// LOOPS-LABEL: llvm.func @one(
// LOOPS-SAME: nvvm.minctasm = 2
// LOOPS-COUNT-8: nvx.mma bf16
// LOOPS-NOT: nvx.mma
// LOOPS: nvx.barrier
// LOOPS-LABEL: llvm.func @sixteen(
// LOOPS-COUNT-16: nvx.mma f16
// LOOPS-NOT: nvx.mma
// LOOPS: nvx.barrier
// LOOPS-LABEL: llvm.func @heads(
// LOOPS-COUNT-12: nvx.mma bf16
// LOOPS-NOT: nvx.mma
// LOOPS: nvx.barrier
// LOOPS-LABEL: llvm.func @few_across(
// LOOPS-COUNT-6: nvx.mma bf16
// LOOPS-NOT: nvx.mma
// LOOPS: nvx.barrier
// LOOPS-LABEL: llvm.func @many_rows_across(
// LOOPS-COUNT-32: nvx.mma bf16
// LOOPS-NOT: nvx.mma
// LOOPS: nvx.barrier
