// A unit of tiles multiplies whole tiles of rows where buffers have memory for them, wherever a kernel is launched.
// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32 tiles=true" --verify-diagnostics | FileCheck %s
// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-assign-lowering="width=16 registers=32 tiles=true" --weft-lower-kernels | FileCheck %s --check-prefix=CODE

// CHECK-LABEL: func.func private @whole(
// CHECK: #weft.lowering<"gemm", {{.*}} padded = 16, {{.*}} unit = "tiles"
// CODE-LABEL: func.func private @whole(
// CODE: weft_cpu.tile_product {{.*}} padded
func.func private @whole(%a: memref<20x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 20, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  return
}

func.func @launches(%w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>) {
  %0 = weft.buffer offset 0 bytes 4096 live 0 to 1 : memref<20x64xbf16>
  %1 = weft.buffer offset 4096 bytes 8192 live 0 to 1 : memref<20x64xbf16>
  weft.launch @whole ins(%0, %w : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  weft.launch @whole ins(%1, %w : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  return
}

// -----

// Must not fire: one buffer has no more than its 20 rows.
// CHECK-LABEL: func.func private @short(
// CHECK-NOT: padded
// CHECK: unit = "tiles"
// CODE-LABEL: func.func private @short(
// CODE-NOT: padded
// CODE: return
func.func private @short(%a: memref<20x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 20, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  return
}

func.func @launches(%w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>) {
  %0 = weft.buffer offset 0 bytes 4096 live 0 to 1 : memref<20x64xbf16>
  %1 = weft.buffer offset 4096 bytes 2560 live 0 to 1 : memref<20x64xbf16>
  weft.launch @short ins(%0, %w : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  weft.launch @short ins(%1, %w : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  return
}

// -----

// Must not fire: rows of a caller, once; and rows from the third one on, whose tiles end behind the buffer.
// CHECK-LABEL: func.func private @argument(
// CHECK-NOT: padded
// CHECK-LABEL: func.func private @later(
// CHECK-NOT: padded
// CHECK-LABEL: func.func @launches(
func.func private @argument(%a: memref<20x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 20, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  return
}

func.func private @later(%a: memref<32x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 20, f in F = 128, d in D = 64]
      ins(%a[t + 3, d], %w[f, d] : memref<32x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  return
}

func.func @launches(%rows: memref<20x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<20x128xf32>, %more: memref<20x128xf32>) {
  %0 = weft.buffer offset 0 bytes 4096 live 0 to 1 : memref<20x64xbf16>
  %1 = weft.buffer offset 4096 bytes 4096 live 0 to 1 : memref<32x64xbf16>
  weft.launch @argument ins(%0, %w : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  weft.launch @argument ins(%rows, %w : memref<20x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<20x128xf32>)
  weft.launch @later ins(%1, %w : memref<32x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%more : memref<20x128xf32>)
  return
}

// -----

func.func private @k(%a: memref<8x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'padded' is 16, but not all buffers of its rows have memory for whole tiles}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [32, 32], rows = 32, k = 64, padded = 16, unit = "tiles">}
  return
}
