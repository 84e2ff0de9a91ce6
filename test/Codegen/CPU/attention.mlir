// Tiles that no pair can reach are skipped, tiles where every pair holds run without a mask.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s

module attributes {weft.symbols = #weft.bounds<T to 1024>} {

// CHECK-LABEL: func.func private @causal(
// Keys are transposed in registers, not gathered.
// CHECK-NOT: masked.gather
// CHECK: vector.shuffle
// Some pair of the tile holds:
// CHECK: %[[REACHED:.*]] = arith.andi
// CHECK: scf.if %[[REACHED]]
// Scores of eight rows and two vectors of keys:
// CHECK-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// Every pair holds, or not: without and with masks.
// CHECK: %[[FULL:.*]] = arith.andi
// CHECK: scf.if %[[FULL]]
// CHECK-NOT: arith.cmpi
// The maxima of four rows, their sums in every lane, and exponentials for the sums before if a maximum has risen.
// CHECK: %{{.*}}:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: vector.reduction <maxnumf>
// CHECK: %{{.*}}:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: vector.reduction
// CHECK: %{{.*}}:4 = scf.if %{{.*}} -> (f32, f32, f32, f32)
// CHECK-NOT: vector.reduction
// CHECK: } else {
// CHECK: arith.cmpi slt, {{.*}} : vector<16xi32>
// CHECK: vector.reduction <maxnumf>
// CHECK: return
func.func private @causal(%q: memref<?x3x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                          %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in T to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, 0, h, c], %q[s, 1, h, c], %q[s, 2, h, v] : memref<?x3x12x64xf32>, memref<?x3x12x64xf32>, memref<?x3x12x64xf32>)
      outs(%out : memref<?x12x64xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>], key_upper = affine_map<(h, t, v) -> (t + 1)>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
}
