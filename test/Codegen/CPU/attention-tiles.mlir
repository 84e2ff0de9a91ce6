// Attention of queries, keys and values in bf16 by the unit of tiles, or by loops of dots where these are fast.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 tiles=true" --weft-lower-kernels --canonicalize --cse | FileCheck %s -DROW=c1024
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 dots=true" --weft-lower-kernels --canonicalize --cse | FileCheck %s -DROW=c512
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=NONE
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 tiles=true" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=NONE

// NONE-NOT: weft_cpu

module attributes {weft.symbols = #weft.bounds<T to 1024>} {

// CHECK-LABEL: func.func private @causal(
// CHECK: weft_cpu.begin_tiles
// Pairs of contracted elements are transposed as words.
// CHECK-NOT: masked.gather
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK: vector.shuffle {{.*}} : vector<16xi32>
// Rows of 128 bytes times a panel of 32 keys.
// CHECK: weft_cpu.tile_product %{{.*}}, %{{.*}} stride %c128{{.*}}, %{{.*}} count %{{.*}} k %c64{{.*}} fresh %true{{.*}} padded
// The largest score as a power of two, and weights of 16 bits, two vectors at once.
// CHECK: math.ceil
// CHECK: arith.truncf {{.*}} : vector<32xf32> to vector<32xbf16>
// Weights of 512 keys for tiles, which take sums from memory and back for each block, of 256 for dots.
// CHECK: weft_cpu.tile_product %{{.*}}, %{{.*}} stride %[[ROW]]{{.*}}, %{{.*}} count %{{.*}} k %{{.*}} padded
// CHECK: weft_cpu.end_tiles
// NONE-LABEL: func.func private @causal(
// NONE: math.ceil
// NONE: arith.truncf
func.func private @causal(%q: memref<?x3x12x64xbf16> {weft.bounds = #weft.bounds<T to 1024>},
                          %out: memref<?x12x64xbf16> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in T to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, 0, h, c], %q[s, 1, h, c], %q[s, 2, h, v] : memref<?x3x12x64xbf16>, memref<?x3x12x64xbf16>, memref<?x3x12x64xbf16>)
      outs(%out : memref<?x12x64xbf16>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>], key_upper = affine_map<(h, t, v) -> (t + 1)>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// Must not fire: the types of all three decide, and f16 is extended.
// CHECK-LABEL: func.func private @f32_queries(
// CHECK-NOT: weft_cpu.{{([a-z]+_)?(tiles?|dot|sums|look)}}
// CHECK-NOT: arith.truncf
func.func private @f32_queries(%q: memref<64x64xf32>, %k: memref<64x64xbf16>, %out: memref<64x64xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125] [t in 64, v in 64, s in 64, c in 64]
      ins(%q[t, c], %k[s, c], %k[s, v] : memref<64x64xf32>, memref<64x64xbf16>, memref<64x64xbf16>) outs(%out : memref<64x64xf32>) {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func private @f16(
// CHECK-NOT: weft_cpu.{{([a-z]+_)?(tiles?|dot|sums|look)}}
// CHECK-NOT: to vector<16xbf16>
func.func private @f16(%k: memref<64x64xf16>, %out: memref<64x64xf16>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125] [t in 64, v in 64, s in 64, c in 64]
      ins(%k[t, c], %k[s, c], %k[s, v] : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>) outs(%out : memref<64x64xf16>) {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// A head that is cut is extended; its weights are rounded all the same.
// CHECK-LABEL: func.func private @wide(
// CHECK-NOT: weft_cpu.{{([a-z]+_)?(tiles?|dot|sums|look)}}
// CHECK: math.ceil
func.func private @wide(%k: memref<64x1000xbf16>, %out: memref<64x1000xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125] [t in 64, v in 1000, s in 64, c in 1000]
      ins(%k[t, c], %k[s, c], %k[s, v] : memref<64x1000xbf16>, memref<64x1000xbf16>, memref<64x1000xbf16>) outs(%out : memref<64x1000xf32>) {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
}
