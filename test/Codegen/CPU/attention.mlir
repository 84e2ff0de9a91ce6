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
// Every pair holds, or not.
// CHECK: %[[FULL:.*]] = arith.andi
// Rows that have no maximum yet guess it: the largest score of the first 32 keys, as a power of two.
// CHECK: %[[GUESS:.*]]:4 = scf.if {{.*}} -> (f32, f32, f32, f32)
// CHECK: %{{.*}}:4 = scf.for {{.*}} = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK-COUNT-4: vector.reduction <maxnumf>
// CHECK-COUNT-4: math.ceil
// CHECK: } else {
// Weights relative to it, two vectors of four rows, without and with masks, and their sums in every lane: scores are read once.
// CHECK: %[[SUMS:.*]]:4 = scf.if %[[FULL]] -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: arith.cmpi slt, {{.*}} : vector<16xi32>
// CHECK: %{{.*}}:4 = scf.for {{.*}} step %c32
// CHECK-COUNT-8: weft_cpu.power_of_two
// CHECK: } else {
// CHECK: %{{.*}}:4 = scf.for {{.*}} step %c32
// CHECK: arith.cmpi slt, {{.*}} : vector<16xi32>
// All of these are small: what was summed before stays as it is.
// CHECK-COUNT-4: arith.cmpf olt, %[[SUMS]]#
// CHECK: %[[LOW:.*]] = vector.reduction <and>
// CHECK: scf.if %[[LOW]]
// CHECK-NOT: scf.if
// Or the maxima of the rows, and exponentials for the sums before if one has risen.
// CHECK: } else {
// CHECK: %{{.*}}:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: vector.reduction <maxnumf>
// CHECK: %{{.*}}:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %{{.*}}:4 = scf.if %{{.*}} -> (f32, f32, f32, f32)
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
