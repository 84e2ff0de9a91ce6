// Which products of few rows have a kernel that reads a weight once for all of them, and with which schedule.
// RUN: weft-opt %s --weft-assign-gpu-lowering | FileCheck %s
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels | FileCheck %s --check-prefix=LOOPS

// Entries of a table: sixteen columns of a thread, a word of each. A long row is shared by all warps of a block.
// CHECK-LABEL: @table
// CHECK: #weft.lowering<"few_rows", bytes = 4, columns = 16, rows = 3, warps = 8>
func.func private @table(%a: memref<3x8192xf32>, %w: memref<97x8192xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 3, f in F = 97, d in D = 8192] ins(%a[t, d], %w[f, d] : memref<3x8192xf32>, memref<97x8192xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x97xf32>)
  return
}

// Some steps for each thread.
// CHECK-LABEL: @short
// CHECK: #weft.lowering<"few_rows", bytes = 4, columns = 16, rows = 1, warps = 1>
func.func private @short(%a: memref<1x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<1x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 1, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<1x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<1x97xf32>)
  return
}

// No more sums than there are registers for.
// CHECK-LABEL: @eight
// CHECK: #weft.lowering<"few_rows", bytes = 4, columns = 8, rows = 8, warps = 8>
func.func private @eight(%a: memref<8x8192xf32>, %w: memref<97x8192xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<8x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 97, d in D = 8192] ins(%a[t, d], %w[f, d] : memref<8x8192xf32>, memref<97x8192xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<8x97xf32>)
  return
}

// Fewer columns.
// CHECK-LABEL: @narrow
// CHECK: #weft.lowering<"few_rows", bytes = 4, columns = 4, rows = 3, warps = 1>
func.func private @narrow(%a: memref<3x256xf32>, %w: memref<5x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<3x5xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 3, f in F = 5, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xf32>, memref<5x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<3x5xf32>)
  return
}

// Numbers: pieces of up to 16 bytes of a group, of which threads have the same number.
// CHECK-LABEL: @numbers
// CHECK: #weft.lowering<"few_rows", bytes = 16, columns = 8, rows = 2, warps = 8>
func.func private @numbers(%a: memref<2x8192xui8>, %w: memref<97x8192xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>, %out: memref<2x97xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 2, f in F = 97, d in D = 8192] ins(%a[t, d], %w[f, d] : memref<2x8192xui8>, memref<97x8192xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 32>>)
      outs(%out : memref<2x97xi32>)
  return
}

// As rows are aligned.
// CHECK-LABEL: @aligned
// CHECK: #weft.lowering<"few_rows", bytes = 8, columns = 8, rows = 2, warps = 1>
func.func private @aligned(%a: memref<2x512xui8>, %w: memref<97x512xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 64>>, %out: memref<2x97xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 2, f in F = 97, d in D = 512] ins(%a[t, d], %w[f, d] : memref<2x512xui8>, memref<97x512xi8, #weft.layout<n = [0], k = [1], tile = [1, 4] nibbles = 64>>)
      outs(%out : memref<2x97xi32>)
  return
}

// A weight of f32, pieces of 16 bytes.
// CHECK-LABEL: @real
// CHECK: #weft.lowering<"few_rows", bytes = 16, columns = 8, rows = 8, warps = 8>
func.func private @real(%a: memref<8x4096xf32>, %w: memref<97x4096xf32>, %out: memref<8x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 97, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<8x4096xf32>, memref<97x4096xf32>)
      outs(%out : memref<8x97xf32>)
  return
}

// Not of two rows, for which warps of their own read it.
// CHECK-LABEL: @two
// CHECK: #weft.lowering<"row_threads"
func.func private @two(%a: memref<2x4096xf32>, %w: memref<97x4096xf32>, %out: memref<2x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 2, f in F = 97, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<2x4096xf32>, memref<97x4096xf32>)
      outs(%out : memref<2x97xf32>)
  return
}

// Must not fire: more rows; whole numbers of 8 bits.
// CHECK-LABEL: @more
// CHECK: #weft.lowering<"mma"
func.func private @more(%a: memref<9x256xf32>, %w: memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>, %out: memref<9x97xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<9x256xf32>, memref<97x256xf32, #weft.layout<n = [0], k = [1], tile = [1, 1] codes = "nf4" group = 64>>)
      outs(%out : memref<9x97xf32>)
  return
}

// CHECK-LABEL: @bytes
// CHECK: #weft.lowering<"mma"
func.func private @bytes(%a: memref<3x256xui8>, %w: memref<97x256xi8, #weft.layout<n = [0], k = [1], tile = [1, 4]>>, %out: memref<3x97xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 3, f in F = 97, d in D = 256] ins(%a[t, d], %w[f, d] : memref<3x256xui8>, memref<97x256xi8, #weft.layout<n = [0], k = [1], tile = [1, 4]>>)
      outs(%out : memref<3x97xi32>)
  return
}

// What a piece is multiplied by: an entry of the table for each code, or four numbers at once.
// LOOPS-LABEL: llvm.func @short(
// LOOPS-COUNT-128: nvx.look_up
// LOOPS-NOT: nvx.look_up
// LOOPS-LABEL: llvm.func @eight(
// LOOPS-LABEL: llvm.func @aligned(
// LOOPS: nvx.dot_codes
// LOOPS: nvx.barrier
