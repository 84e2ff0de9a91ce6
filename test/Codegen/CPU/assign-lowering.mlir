// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 threads=4" | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 fetch-rows=2" | FileCheck %s --check-prefix=FETCH
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 l2=2097152" | FileCheck %s --check-prefix=LARGE
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 words fetch-rows=2 l2=1024" | FileCheck %s --check-prefix=LONG
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 l2=524288" | FileCheck %s --check-prefix=SMALL
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 words" | FileCheck %s --check-prefix=WORDS
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 dots" | FileCheck %s --check-prefix=DOTS
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" | FileCheck %s --check-prefixes=CHECK,SCALAR

// All of k is one cache block, all panels are groups of one. Loops of long vectors have eight steps.
// CHECK-LABEL: @product
// WIDE: #weft.lowering<"gemm", k = 64, panels = 1, parallel = false, prefetch = false, rows = 128, tile = [8, 32], unroll = 8, width = 16>
// NARROW: #weft.lowering<"gemm", k = 64, panels = 1, parallel = true, prefetch = false, rows = 132, tile = [6, 32], unroll = 4, width = 8>
// SCALAR: #weft.lowering<"contract", parallel = false, tile = 1, tiles_outside = false, width = 1>
func.func private @product(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>)
  return
}

// Cache blocks of k, as all rows times one would fill the second cache, each for six panels at a time; weights that come
// from memory are fetched ahead. A small cache has half the rows, and smaller blocks.
// CHECK-LABEL: @wide
// LARGE-LABEL: @wide
// LARGE: #weft.lowering<"gemm", k = 824,
// LONG-LABEL: @wide
// LONG: #weft.lowering<"gemm", fetch_rows = 2,
// FETCH-NOT: fetch_rows
// FETCH: #weft.lowering<"gemm", fetch_rows = 2, k = 824, panels = 6, parallel = false, prefetch = true, rows = 128,
// WIDE: #weft.lowering<"gemm", k = 824, panels = 6, parallel = false, prefetch = true, rows = 128,
// SMALL: #weft.lowering<"gemm", k = 376, panels = 6, parallel = false, prefetch = true, rows = 66,
func.func private @wide(%a: memref<8x4096xf32>, %w: memref<3200x4096xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x3200xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 3200, d in D = 4096]
      ins(%a[t, d], %w[f, d] : memref<8x4096xf32>, memref<3200x4096xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x3200xf32>)
  return
}

// Rows that the second cache holds meet all panels before the next ones do, if there are more of them; blocks are no
// larger where there are two megabytes.
// CHECK-LABEL: @many
// LARGE-LABEL: @many
// WIDE: #weft.lowering<"gemm", k = 768, near = 1, panels = 3, parallel = false, prefetch = true, rows = 128,
// LARGE: #weft.lowering<"gemm", k = 768, near = 1, panels = 3, parallel = false, prefetch = true, rows = 128,
func.func private @many(%a: memref<512x768xf32>, %w: memref<3072x768xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<512x3072xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 512, f in F = 3072, d in D = 768]
      ins(%a[t, d], %w[f, d] : memref<512x768xf32>, memref<3072x768xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<512x3072xf32>)
  return
}

// A factor that is not packed, or panels that do not fit the contraction, are no matrix product. Neighbouring results
// that share an element are computed together, for one tile of weights after the other.
// CHECK-LABEL: @plain
// WIDE: #weft.lowering<"contract", lane = 2, parallel = false, tile = 8, tiles_outside = true, width = 16>
// NARROW: #weft.lowering<"contract", lane = 2, parallel = true, rows = 64, tile = 4, tiles_outside = true, width = 8>
// SCALAR: #weft.lowering<"contract", parallel = false, tile = 1, tiles_outside = false, width = 1>
func.func private @plain(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
  return
}

// Results that share nothing read neighbouring lines; of rows that read the same factor a few are computed together.
// CHECK-LABEL: @batched
// WIDE: #weft.lowering<"contract", across = 4, lane = 1, parallel = false, tile = 2, tiles_outside = true, width = 16>
func.func private @batched(%a: memref<8x128x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, f, d], %w[f, d] : memref<8x128x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>)
  return
}

// Codes of 4 bits: where there are no dots of four codes, products are added up in words; not so where rows share bytes
// with what is behind them.
// One row of what is not multiplied as it is stored takes longer for a line than a processor without dots looks ahead.
// LONG-LABEL: @short_codes
// LONG: #weft.lowering<"gemm", k = 64,
// LONG-LABEL: @codes
// LONG: #weft.lowering<"gemm", fetch_rows = 2,
// LONG-LABEL: @narrow_codes
// LONG: #weft.lowering<"gemm", fetch_rows = 2,
// LONG-LABEL: @pairs
// LONG: #weft.lowering<"gemm", k = 4,
// WORDS-LABEL: @short_codes
// WORDS: #weft.lowering<"gemm", k = 64, panels = 1, parallel = false, prefetch = false, rows = 128, tile = [2, 16], unit = "words",
// WORDS-LABEL: @odd_codes
// WORDS-NOT: unit =
// NARROW-LABEL: @short_codes
// NARROW-NOT: unit =
!codes = memref<64x64xi8, #weft.layout<n = [0], k = [1], tile = [16, 4] nibbles = 32>>
func.func private @short_codes(%a: memref<8x64xui8>, %w: !codes, %out: memref<8x64xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xui8>, !codes) outs(%out : memref<8x64xi32>)
  return
}

!odd = memref<64x60xi8, #weft.layout<n = [0], k = [1], tile = [16, 4] nibbles = 60>>
func.func private @odd_codes(%a: memref<8x60xui8>, %w: !odd, %out: memref<8x64xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 60]
      ins(%a[t, d], %w[f, d] : memref<8x60xui8>, !odd) outs(%out : memref<8x64xi32>)
  return
}

// Not so codes of 8 bits.
// WORDS-LABEL: @codes
// WORDS-NOT: unit =
// WORDS: rows = 132, tile = [6, 16], unroll = 4, width = 8>
!bytes = memref<64x64xi8, #weft.layout<n = [0], k = [1], tile = [16, 4]>>
func.func private @codes(%a: memref<8x64xui8>, %w: !bytes, %out: memref<8x64xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xui8>, !bytes) outs(%out : memref<8x64xi32>)
  return
}

// Of narrow ones a tile leaves a register for what two products come to.
// WORDS-LABEL: @narrow_codes
// WORDS-NOT: unit =
// WORDS: rows = 132, tile = [4, 16], unroll = 1, width = 8>
// NARROW-LABEL: @narrow_codes
// NARROW: tile = [6, 16], unroll = 4, width = 8>
!narrow = memref<64x64xi8, #weft.layout<n = [0], k = [1], tile = [16, 4] narrow = true>>
func.func private @narrow_codes(%a: memref<8x64xui8>, %w: !narrow, %out: memref<8x64xi32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xui8>, !narrow) outs(%out : memref<8x64xi32>)
  return
}

// Rows of 16 bits are f32 once for all panels; not those of bf16 where there are dots of pairs, nor such as do not lie
// side by side.
// WIDE-LABEL: @half_rows
// WIDE: #weft.lowering<"gemm", k = 64, panels = 1, parallel = false, prefetch = false, rows = 128, tile = [8, 16], unit = "reals",
// NARROW-LABEL: @half_rows
// NARROW: unit = "reals"
// DOTS-LABEL: @half_rows
// DOTS: unit = "reals"
func.func private @half_rows(%a: memref<8x64xf16>, %w: memref<64x64xf16, #weft.layout<n = [0], k = [1], tile = [16, 1]>>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf16>, memref<64x64xf16, #weft.layout<n = [0], k = [1], tile = [16, 1]>>) outs(%out : memref<8x64xf32>)
  return
}

// WIDE-LABEL: @pairs
// WIDE: unit = "reals"
// DOTS-LABEL: @pairs
// DOTS-NOT: unit =
!pairs = memref<64x64xbf16, #weft.layout<n = [0], k = [1], tile = [16, 2]>>
func.func private @pairs(%a: memref<8x64xbf16>, %w: !pairs, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xbf16>, !pairs) outs(%out : memref<8x64xf32>)
  return
}

// WIDE-LABEL: @far_apart
// WIDE-NOT: unit =
func.func private @far_apart(%a: memref<64x8xf16>, %w: memref<64x64xf16, #weft.layout<n = [0], k = [1], tile = [16, 1]>>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 64, d in D = 64]
      ins(%a[d, t], %w[f, d] : memref<64x8xf16>, memref<64x64xf16, #weft.layout<n = [0], k = [1], tile = [16, 1]>>) outs(%out : memref<8x64xf32>)
  return
}

// Each result reads a row of its own.
// CHECK-LABEL: @norms
// WIDE: #weft.lowering<"reduce", lane = 1, parallel = false, tile = 1, tiles_outside = false, width = 16>
// NARROW: #weft.lowering<"reduce", lane = 1, parallel = true, rows = 256,
func.func private @norms(%a: memref<8x64xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}

// No more lanes than there are elements along their index.
// CHECK-LABEL: @few
// WIDE: #weft.lowering<"map", parallel = false, width = 8>
// NARROW: #weft.lowering<"map", parallel = true, rows = 3276, width = 8>
// SCALAR: #weft.lowering<"map", parallel = false, width = 1>
func.func private @few(%a: memref<8x5xf32>, %out: memref<8x5xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 5] ins(%a[t, d] : memref<8x5xf32>) outs(%out : memref<8x5xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @rows
// WIDE: #weft.lowering<"softmax", chains = 4, kept = false, parallel = false, passes = 3, width = 16>
// NARROW: #weft.lowering<"softmax", chains = 4, kept = false, parallel = true, passes = 3, rows = 256, width = 8>
// SCALAR: #weft.lowering<"softmax", chains = 1, kept = false, parallel = false, passes = 3, width = 1>
func.func private @rows(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// A vocabulary is read once for maximum and sum, if the logarithm needs no exponentials afterwards.
// CHECK-LABEL: @vocabulary
// CHECK: #weft.lowering<"softmax", chains = {{[18]}}, kept = false, {{.*}}passes = 2,
// CHECK: #weft.lowering<"softmax", chains = {{[14]}}, kept = false, {{.*}}passes = 3,
func.func private @vocabulary(%a: memref<8x50257xf32>, %out: memref<8x50257xf32>) attributes {weft.kernel} {
  weft.softmax log_softmax axis 1 [t in T = 8, v in V = 50257] ins(%a[t, v] : memref<8x50257xf32>) outs(%out : memref<8x50257xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  weft.softmax softmax axis 1 [t in T = 8, v in V = 50257] ins(%a[t, v] : memref<8x50257xf32>) outs(%out : memref<8x50257xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Elements are kept that are more work than to read them again: functions, and what would be gathered.
// CHECK-LABEL: @kept
// CHECK: #weft.lowering<"softmax", {{.*}}kept = true, {{.*}}passes = 3,
// CHECK: #weft.lowering<"softmax", {{.*}}kept = true, {{.*}}passes = 3,
func.func private @kept(%a: memref<64x64xf32>, %out: memref<64x64xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T = 64, d in D = 64] ins(%a[t, d] : memref<64x64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    weft.yield %1 : f32
  }
  weft.softmax softmax axis 1 [t in T = 64, d in D = 64] ins(%a[d, t] : memref<64x64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Rows along the last index go four at a time through the same loops.
// CHECK-LABEL: @norm
// WIDE: #weft.lowering<"row", parallel = false, tile = 4, width = 16>
// NARROW: #weft.lowering<"row", parallel = true, rows = 64, tile = 4, width = 8>
// SCALAR: #weft.lowering<"row", parallel = false, tile = 1, width = 1>
func.func private @norm(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.row axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    %1 = arith.divf %0, %sum : f32
    weft.yield %1 : f32
  }
  return
}

// Rows across go as many at a time as there are lanes, and tasks count these.
// CHECK-LABEL: @columns
// WIDE: #weft.lowering<"row", parallel = false, tile = 1, width = 16>
// NARROW: #weft.lowering<"row", parallel = true, rows = 256, tile = 1, width = 8>
func.func private @columns(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.row axis 0 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    %1 = arith.divf %0, %sum : f32
    weft.yield %1 : f32
  }
  return
}

// What is printed is what runs: 48 queries of up to 128, as there are no more, and 64 keys.
// CHECK-LABEL: @attention
// WIDE: #weft.lowering<"attention", keys = 64, parallel = false, queries = 48, slices = [], tile = 8, unroll = 4, width = 16>
// NARROW: #weft.lowering<"attention", keys = 64, parallel = true, queries = 48, slices = [], tile = 6, unroll = 4, width = 8>
// SCALAR: #weft.lowering<"attention", keys = 50, parallel = false, queries = 45, slices = [], tile = 1, unroll = 4, width = 1>
func.func private @attention(%q: memref<45x64xf32>, %k: memref<50x64xf32>, %out: memref<45x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [1.0] [t in T = 45, v in C = 64, s in S = 50, c in C = 64]
      ins(%q[t, c], %k[s, c], %k[s, v] : memref<45x64xf32>, memref<50x64xf32>, memref<50x64xf32>) outs(%out : memref<45x64xf32>) {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// A head that does not fit the stack is cut: the queries and keys, into slices of the contracted elements and of the
// columns.
// CHECK-LABEL: @head
// WIDE: #weft.lowering<"attention", keys = 128, parallel = false, queries = 128, slices = [{{[0-9]+}}, {{[0-9]+}}],
func.func private @head(%q: memref<256x1000xf32>, %v: memref<256x2000xf32>, %out: memref<256x2000xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [1.0] [t in T = 256, v in V = 2000, s in T = 256, c in C = 1000]
      ins(%q[t, c], %q[s, c], %v[s, v] : memref<256x1000xf32>, memref<256x1000xf32>, memref<256x2000xf32>)
      outs(%out : memref<256x2000xf32>) {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// A schedule that is there already is kept, and what it lacks is chosen for the lanes and tasks that it has.
// CHECK-LABEL: @mine
// CHECK: #weft.lowering<"map", parallel = false, rows = 3, width = 4>
func.func private @mine(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 4, rows = 3, parallel = false>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: @partly
// WIDE: #weft.lowering<"gemm", k = 7, panels = 1, parallel = false, prefetch = false, rows = 128, tile = [8, 32], unroll = 4, width = 4>
// NARROW: #weft.lowering<"gemm", k = 7, panels = 1, parallel = false, prefetch = false, rows = 132, tile = [6, 32], unroll = 4, width = 4>
// SCALAR: #weft.lowering<"gemm", k = 7, panels = 1, parallel = false, prefetch = false, rows = 132, tile = [6, 32], unroll = 4, width = 4>
func.func private @partly(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 4, k = 7, parallel = false>}
  return
}

// The emitter is the user's choice too.
// CHECK-LABEL: @otherwise
// WIDE: #weft.lowering<"contract", across = 4, lane = 1, parallel = false,
func.func private @otherwise(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"contract">}
  return
}
