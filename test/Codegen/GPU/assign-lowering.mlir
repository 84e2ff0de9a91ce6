// What is chosen for the threads of a GPU, and that what is given is kept.
// RUN: weft-opt %s --weft-assign-gpu-lowering --split-input-file --verify-diagnostics | FileCheck %s

module attributes {weft.symbols = #weft.bounds<T to 8>} {
// Neighbours that fill 16 bytes of the output, as many as divide its rows.
// CHECK-LABEL: @map
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 4>
func.func private @map(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @short
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 8>
func.func private @short(%a: memref<8x64xf32>, %out: memref<8x64xbf16>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xbf16>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @half
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 2>
func.func private @half(%a: memref<8x62xf32>, %out: memref<8x62xbf16>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 62] ins(%a[t, d] : memref<8x62xf32>) outs(%out : memref<8x62xbf16>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Single elements where neighbours would be gathered, and where nothing is known of their number.
// CHECK-LABEL: @turned
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 1>
func.func private @turned(%a: memref<64x8xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[d, t] : memref<64x8xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @open
// CHECK: #weft.lowering<"map", parallel = true, vectors = 1, width = 1>
func.func private @open(%a: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}, %out: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>}) attributes {weft.kernel} {
  weft.map [t in T to 8] ins(%a[t] : memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// A single element has no vectors along an index.
// CHECK-LABEL: @element
// CHECK: #weft.lowering<"map", parallel = true, rows = 1, width = 1>
func.func private @element(%a: memref<f32>, %out: memref<f32>) attributes {weft.kernel} {
  weft.map [] ins(%a[] : memref<f32>) outs(%out : memref<f32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// A warp has a row of up to 1024 elements, 4 neighbours each where all of its threads get some.
// CHECK-LABEL: @row
// CHECK: #weft.lowering<"row_threads", held = true, threads = 32, width = 4>
func.func private @row(%a: memref<8x1024xf32>, %out: memref<8x1024xf32>) attributes {weft.kernel} {
  weft.row axis 1 [t in T = 8, d in D = 1024] ins(%a[t, d] : memref<8x1024xf32>) outs(%out : memref<8x1024xf32>) mean {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%mean: f32, %0: f32):
    %1 = arith.subf %0, %mean : f32
    weft.yield %1 : f32
  }
  return
}

// CHECK-LABEL: @softmax
// CHECK: #weft.lowering<"row_threads", held = true, threads = 32, width = 2>
func.func private @softmax(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// A block has a longer one, and reads it in every pass if it does not fit the registers.
// CHECK-LABEL: @long
// CHECK: #weft.lowering<"row_threads", held = true, threads = 256, width = 1>
func.func private @long(%a: memref<8x?xf32> {weft.bounds = #weft.bounds<T to 8192>}, %out: memref<8x?xf32> {weft.bounds = #weft.bounds<T to 8192>}) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [d in D = 8, t in T to 8192] ins(%a[d, t] : memref<8x?xf32>) outs(%out : memref<8x?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @words
// CHECK: #weft.lowering<"row_threads", held = false, threads = 256, width = 4>
func.func private @words(%a: memref<8x8196xf32>, %out: memref<8xi32>) attributes {weft.kernel} {
  weft.reduce argmax [t in T = 8, v in V = 8196] ins(%a[t, v] : memref<8x8196xf32>) outs(%out : memref<8xi32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Must not fire: rows that are too short for a warp, lie across memory, or have loops in their elements.
// CHECK-LABEL: @few
// CHECK: #weft.lowering<"reduce", parallel = true, rows = 1, tile = 1, tiles_outside = false, width = 1>
func.func private @few(%a: memref<8x31xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in T = 8, v in V = 31] ins(%a[t, v] : memref<8x31xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @columns
// CHECK: #weft.lowering<"reduce", parallel = true, rows = 1, tile = 1, tiles_outside = false, width = 1>
func.func private @columns(%a: memref<64x8xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in T = 8, v in V = 64] ins(%a[v, t] : memref<64x8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @loop
// CHECK: #weft.lowering<"reduce", parallel = true, rows = 1, tile = 1, tiles_outside = false, width = 1>
func.func private @loop(%a: memref<8x64xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in T = 8, v in V = 64] ins(%a[t, v] : memref<8x64xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%0: f32):
    %1 = weft.inner sum (k in K = 3) {
    ^bb0(%k: index):
      weft.yield %0 : f32
    }
    weft.yield %1 : f32
  }
  return
}

// Vectors of columns, of what is summed over, and single results where neither is a multiple of a vector.
// CHECK-LABEL: @columns_beside
// CHECK: #weft.lowering<"contract", lane = 1, parallel = true, rows = 1, tile = 2, tiles_outside = false, width = 4>
func.func private @columns_beside(%a: memref<8x66xf32>, %w: memref<66x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 66] ins(%a[t, d], %w[d, f] : memref<8x66xf32>, memref<66x64xf32>)
      outs(%out : memref<8x64xf32>)
  return
}

// CHECK-LABEL: @sums_beside
// CHECK: #weft.lowering<"contract", lane = 2, parallel = true, rows = 1, tile = 4, tiles_outside = false, width = 8>
func.func private @sums_beside(%a: memref<2x64xbf16>, %w: memref<12x64xbf16>, %out: memref<2x12xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 2, f in F = 12, d in D = 64] ins(%a[t, d], %w[f, d] : memref<2x64xbf16>, memref<12x64xbf16>)
      outs(%out : memref<2x12xf32>)
  return
}

// CHECK-LABEL: @odd_columns
// CHECK: #weft.lowering<"contract", lane = 2, parallel = true, rows = 1, tile = 1, tiles_outside = false, width = 4>
func.func private @odd_columns(%a: memref<8x64xf32>, %w: memref<13x64xbf16>, %out: memref<8x13xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 13, d in D = 64] ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<13x64xbf16>)
      outs(%out : memref<8x13xf32>)
  return
}

// CHECK-LABEL: @odd
// CHECK: #weft.lowering<"contract", parallel = true, rows = 1, tile = 1, tiles_outside = false, width = 1>
func.func private @odd(%a: memref<8x97xf32>, %w: memref<13x97xf32>, %out: memref<8x13xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 13, d in D = 97] ins(%a[t, d], %w[f, d] : memref<8x97xf32>, memref<13x97xf32>)
      outs(%out : memref<8x13xf32>)
  return
}

// The rows of a softmax across the stored order are single ones.
// CHECK-LABEL: @across
// CHECK: #weft.lowering<"softmax", chains = 1, kept = true, parallel = true, passes = 3, vectors = 1, width = 1>
func.func private @across(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 0 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Fields that are given stay, tasks of rows in the place of vectors, too.
// CHECK-LABEL: @given
// CHECK: #weft.lowering<"map", parallel = true, rows = 2, width = 4>
func.func private @given(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", rows = 2>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// What is no kernel has no lowering.
// CHECK-LABEL: @entry
// CHECK-NOT: weft.lowering
func.func @entry(%a: memref<8x64xf32>, %out: memref<8x64xf32>) {
  weft.launch @map ins(%a : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
  return
}
}

// -----

func.func private @processors(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{the target has no emitter "gemm" for this; the choices are contract, row_threads, mma, few_rows, few_rows_mma, by_count}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64] ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"gemm", k = 48>}
  return
}

// -----

// Few rows, and enough of k for a warp: a result is a warp's. In registers up to 1024 of k.
// CHECK-LABEL: @warps
// CHECK: #weft.lowering<"row_threads", held = true, threads = 32, width = 8>
func.func private @warps(%a: memref<2x256xbf16>, %w: memref<13x256xbf16>, %out: memref<2x13xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 2, f in F = 13, d in D = 256] ins(%a[t, d], %w[f, d] : memref<2x256xbf16>, memref<13x256xbf16>)
      outs(%out : memref<2x13xf32>)
  return
}

// Few columns, and the width of the wider factor.
// CHECK-LABEL: @again
// CHECK: #weft.lowering<"row_threads", held = false, threads = 32, width = 4>
func.func private @again(%a: memref<97x1028xf32>, %w: memref<3x1028xbf16>, %out: memref<97x3xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 97, f in F = 3, d in D = 1028] ins(%a[t, d], %w[f, d] : memref<97x1028xf32>, memref<3x1028xbf16>)
      outs(%out : memref<97x3xf32>)
  return
}

// No: more rows and columns.
// CHECK-LABEL: @more
// CHECK: #weft.lowering<"contract"
func.func private @more(%a: memref<9x256xf32>, %w: memref<13x256xbf16>, %out: memref<9x13xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 9, f in F = 13, d in D = 256] ins(%a[t, d], %w[f, d] : memref<9x256xf32>, memref<13x256xbf16>)
      outs(%out : memref<9x13xf32>)
  return
}
