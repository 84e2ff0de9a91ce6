// Which attentions are blocks of rows on matrix units, and in which tiles.
// RUN: weft-opt %s --weft-assign-gpu-lowering --split-input-file --verify-diagnostics | FileCheck %s

// Tiles of 64 keys.
// CHECK-LABEL: @heads
// CHECK: #weft.lowering<"mma_attention", keys = 64, width = 2>
func.func private @heads(%q: memref<97x64xbf16>, %k: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Heads of any size; single columns are written.
// CHECK-LABEL: @odd
// CHECK: #weft.lowering<"mma_attention", keys = 64, width = 1>
func.func private @odd(%q: memref<97x13xf16>, %k: memref<97x13xf16>, %v: memref<97x21xf16>, %out: memref<97x21xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 21, s in T = 97, c in C = 13] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x13xf16>, memref<97x13xf16>, memref<97x21xf16>)
      outs(%out : memref<97x21xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Fewer keys where sums take the registers, and some queries in shared memory.
// CHECK-LABEL: @wide
// CHECK: #weft.lowering<"mma_attention", keys = 32, parked = 2, width = 2>
func.func private @wide(%q: memref<97x192xbf16>, %k: memref<97x192xbf16>, %v: memref<97x128xbf16>, %out: memref<97x128xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 128, s in T = 97, c in C = 192] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x192xbf16>, memref<97x192xbf16>, memref<97x128xbf16>)
      outs(%out : memref<97x128xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// The same for the widest heads.
// CHECK-LABEL: @widest
// CHECK: #weft.lowering<"mma_attention", keys = 16, parked = 7, width = 2>
func.func private @widest(%q: memref<97x256xbf16>, %k: memref<97x256xbf16>, %v: memref<97x256xbf16>, %out: memref<97x256xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 256, s in T = 97, c in C = 256] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x256xbf16>, memref<97x256xbf16>, memref<97x256xbf16>)
      outs(%out : memref<97x256xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Of f32, whose queries do not fit in beside the sums, they are read again for every tile.
// CHECK-LABEL: @reals
// CHECK: #weft.lowering<"mma_attention", keys = 16, products = 3, reread = 32, width = 2>
func.func private @reals(%q: memref<97x256xf32>, %k: memref<97x256xf32>, %v: memref<97x256xf32>, %out: memref<97x256xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 256, s in T = 97, c in C = 256] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x256xf32>, memref<97x256xf32>, memref<97x256xf32>)
      outs(%out : memref<97x256xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No softmax: weights of bf16 are as large as they may be.
// CHECK-LABEL: @bare
// CHECK: #weft.lowering<"mma_attention", keys = 64, width = 2>
func.func private @bare(%q: memref<97x64xbf16>, %k: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention none dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Two rows of each of six queries share keys.
// CHECK-LABEL: @group
// CHECK: #weft.lowering<"mma_attention", keys = 64, width = 2>
func.func private @group(%q: memref<6x4x64xbf16>, %k: memref<97x2x64xbf16>, %out: memref<6x4x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 6, h in H = 4, v in C = 64, s in T = 97, c in C = 64] ins(%q[t, h, c], %k[s, h floordiv 2, c], %k[s, h floordiv 2, v] : memref<6x4x64xbf16>, memref<97x2x64xbf16>, memref<97x2x64xbf16>)
      outs(%out : memref<6x4x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No: wider than that.
// CHECK-LABEL: @over
// CHECK: #weft.lowering<"attention_rows"
func.func private @over(%q: memref<97x272xbf16>, %k: memref<97x272xbf16>, %v: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 272] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x272xbf16>, memref<97x272xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Most of the matrices are empty with eight rows, and still no thread goes through the keys alone.
// CHECK-LABEL: @eight
// CHECK: #weft.lowering<"mma_attention", keys = 64, width = 2>
func.func private @eight(%q: memref<8x64xbf16>, %k: memref<97x64xbf16>, %v: memref<97x64xbf16>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 8, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<8x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<8x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No: four rows.
// CHECK-LABEL: @few
// CHECK: #weft.lowering<"attention_rows"
func.func private @few(%q: memref<4x64xbf16>, %k: memref<40x64xbf16>, %v: memref<40x64xbf16>, %out: memref<4x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 4, v in V = 64, s in T = 40, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<4x64xbf16>, memref<40x64xbf16>, memref<40x64xbf16>)
      outs(%out : memref<4x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// Three products of tf32.
// CHECK-LABEL: @full
// CHECK: #weft.lowering<"mma_attention", keys = 64, products = 3, width = 2>
func.func private @full(%q: memref<97x64xf32>, %k: memref<97x64xf32>, %v: memref<97x64xf32>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x64xf32>, memref<97x64xf32>, memref<97x64xf32>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No: two types.
// CHECK-LABEL: @mixed
// CHECK: #weft.lowering<"attention_rows"
func.func private @mixed(%q: memref<97x64xbf16>, %k: memref<97x64xf16>, %v: memref<97x64xf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x64xbf16>, memref<97x64xf16>, memref<97x64xf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No: without a softmax weights may not fit f16.
// CHECK-LABEL: @large
// CHECK: #weft.lowering<"attention_rows"
func.func private @large(%q: memref<97x64xf16>, %k: memref<97x64xf16>, %v: memref<97x64xf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention none dots 1 scales [0.5] [t in R = 97, v in V = 64, s in T = 97, c in C = 64] ins(%q[t, c], %k[s, c], %v[s, v] : memref<97x64xf16>, memref<97x64xf16>, memref<97x64xf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%dot: f32):
    weft.yield %dot : f32
  }
  return
}

// No: two products.
// CHECK-LABEL: @two
// CHECK: #weft.lowering<"attention_rows"
func.func private @two(%q: memref<97x64xbf16>, %out: memref<97x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 2 scales [0.5, 1.0] [t in R = 97, v in V = 64, s in T = 97, c in C = 64, d in D = 64] ins(%q[t, c], %q[s, c], %q[t, d], %q[s, d], %q[s, v] : memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>, memref<97x64xbf16>)
      outs(%out : memref<97x64xf32>) {
  ^bb0(%first: f32, %second: f32):
    %sum = arith.addf %first, %second : f32
    weft.yield %sum : f32
  }
  return
}
