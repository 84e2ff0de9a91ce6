// Which attentions are tiles of groups of four warps on sm_90a, and in which tiles; all others are left to what runs everywhere.
// RUN: weft-opt %s --weft-assign-gpu-lowering=tiles | FileCheck %s
// RUN: weft-opt %s --weft-assign-gpu-lowering | FileCheck %s --check-prefix=NONE
// NONE-NOT: nvx.lowering

module attributes {weft.symbols = #weft.bounds<S to 4096>} {
// Tiles of 128 keys; results in boxes, and queries in boxes of two heads of 32 queries each, two tiles of them.
// CHECK-LABEL: @heads
// CHECK: nvx.lowering = #weft.lowering<"wgmma_attention", boxes = true, keys = 128, queries = 2, stages = 2, turns = false, width = 2>
// CHECK-SAME: weft.lowering = #weft.lowering<"mma_attention"
func.func private @heads(%q: memref<?x2x128xbf16> {weft.bounds = #weft.bounds<S to 4096>}, %k: memref<?x1x128xbf16> {weft.bounds = #weft.bounds<S to 4096>}, %v: memref<?x1x128xbf16> {weft.bounds = #weft.bounds<S to 4096>}, %out: memref<2x?x128xf32> {weft.bounds = #weft.bounds<S to 4096>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [h in H = 2, t in S to 4096, v in V = 128, s in S to 4096, c in C = 128] ins(%q[t, h, c], %k[s, h floordiv 2, c], %v[s, h floordiv 2, v] : memref<?x2x128xbf16>, memref<?x1x128xbf16>, memref<?x1x128xbf16>)
      outs(%out : memref<2x?x128xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Fewer keys where sums take the registers, and one tile of queries.
// CHECK-LABEL: @wide
// CHECK: nvx.lowering = #weft.lowering<"wgmma_attention", boxes = true, keys = 64, queries = 1, stages = 2, turns = false, width = 2>
func.func private @wide(%q: memref<97x256xf16>, %k: memref<97x256xf16>, %v: memref<97x256xf16>, %out: memref<97x256xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 256, s in T = 97, c in C = 256] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x256xf16>, memref<97x256xf16>, memref<97x256xf16>)
      outs(%out : memref<97x256xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Fewer still beside a score that is computed.
// CHECK-LABEL: @capped
// CHECK: nvx.lowering = #weft.lowering<"wgmma_attention", boxes = true, keys = 48, queries = 1, stages = 2, turns = false, width = 2>
func.func private @capped(%q: memref<97x256xf16>, %k: memref<97x256xf16>, %v: memref<97x256xf16>, %out: memref<97x256xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 256, s in T = 97, c in C = 256] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x256xf16>, memref<97x256xf16>, memref<97x256xf16>)
      outs(%out : memref<97x256xf32>) {
  ^bb0(%dot: f32):
    %0 = math.tanh %dot : f32
    weft.yield %0 : f32
  }
  return
}

// Groups of three heads are no whole boxes: threads read queries and write results. 32 heads are boxes of queries alone.
// CHECK-LABEL: @three
// CHECK: nvx.lowering = #weft.lowering<"wgmma_attention", boxes = false, keys = 128, stages = 2,
func.func private @three(%q: memref<97x6x64xbf16>, %k: memref<97x2x64xbf16>, %v: memref<97x2x64xbf16>, %out: memref<97x6x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, h in H = 6, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, h, c], %k[s, h floordiv 3, c], %v[s, h floordiv 3, v] : memref<97x6x64xbf16>, memref<97x2x64xbf16>, memref<97x2x64xbf16>)
      outs(%out : memref<97x6x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
// CHECK-LABEL: @many
// CHECK: nvx.lowering = #weft.lowering<"wgmma_attention", boxes = false, keys = 128, queries = 2, stages = 2,
func.func private @many(%q: memref<97x32x64xbf16>, %k: memref<97x1x64xbf16>, %v: memref<97x1x64xbf16>, %out: memref<97x32x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, h in H = 32, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, h, c], %k[s, h floordiv 32, c], %v[s, h floordiv 32, v] : memref<97x32x64xbf16>, memref<97x1x64xbf16>, memref<97x1x64xbf16>)
      outs(%out : memref<97x32x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Turns where rows have few keys, and heads more than 64 elements; not beside a score that is computed.
// CHECK-LABEL: @short
// CHECK: nvx.lowering = #weft.lowering<"wgmma_attention", boxes = true, keys = 128, queries = 2, stages = 2, turns = true, width = 2>
func.func private @short(%q: memref<97x128xbf16>, %k: memref<97x128xbf16>, %v: memref<97x128xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 128, s in T = 97, c in C = 128] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x128xbf16>, memref<97x128xbf16>, memref<97x128xbf16>)
      outs(%out : memref<97x128xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No: 64 rows, which one group has; rows of keys that are no whole chunks; f32.
// CHECK-LABEL: @rows
// CHECK-NOT: nvx.lowering
func.func private @rows(%q: memref<64x64xbf16>, %k: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<64x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 64, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<64x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<64x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
func.func private @odd(%q: memref<97x12xbf16>, %k: memref<97x12xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 12] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x12xbf16>, memref<97x12xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
func.func private @single(%q: memref<97x64xf32>, %k: memref<97x64xf32>, %v: memref<97x64xf32>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x64xf32>, memref<97x64xf32>, memref<97x64xf32>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}
}
