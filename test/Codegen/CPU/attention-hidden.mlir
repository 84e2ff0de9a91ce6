// Keys that few operations hide are hidden where their scores are read, for the maxima and again for the weights: no hidden score is stored.
// The logarithm of a row's sum is a result here, so no maximum is guessed.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s

module attributes {weft.symbols = #weft.bounds<T to 1024>} {

// CHECK-LABEL: func.func private @padded(
// CHECK: vector.shuffle
// Four rows: maxima, and nothing is stored; then weights, each stored once.
// CHECK: %{{.*}}:4 = scf.for
// CHECK-COUNT-4: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %cst{{[_0-9]*}} : vector<16xi1>
// CHECK-NOT: vector.store
// CHECK-NOT: llvm.store
// CHECK: scf.yield
// CHECK: %{{.*}}:4 = scf.for
// CHECK-COUNT-4: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %cst{{[_0-9]*}} : vector<16xi1>
// CHECK: scf.yield
// CHECK: return
func.func private @padded(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                          %mask: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>},
                          %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}, %rows: memref<?x12xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in T to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %q[s, h, c], %q[s, h, v], %mask[s] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?xi32>)
      outs(%out, %rows : memref<?x12x64xf32>, memref<?x12xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>, affine_map<(h, t, v, s, c) -> (t, h)>]} {
  ^bb0(%s: f32, %m: i32):
    weft.yield %s : f32
  } where {
  ^bb0(%m: i32):
    %zero = arith.constant 0 : i32
    %holds = arith.cmpi sgt, %m, %zero : i32
    weft.yield %holds : i1
  }
  return
}

// More operations, or a score that is computed, are stored: no second pass looks at keys.
// CHECK-LABEL: func.func private @slope(
// CHECK: vector.shuffle
// CHECK: %{{.*}}:4 = scf.for
// CHECK-COUNT-4: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %cst{{[_0-9]*}} : vector<16xi1>
// CHECK: scf.yield
// CHECK: %{{.*}}:4 = scf.for
// CHECK-NOT: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %cst{{[_0-9]*}} : vector<16xi1>
// CHECK: scf.yield
// CHECK: return
func.func private @slope(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                         %mask: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>},
                         %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}, %rows: memref<?x12xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in T to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %q[s, h, c], %q[s, h, v], %mask[s] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?xi32>)
      outs(%out, %rows : memref<?x12x64xf32>, memref<?x12xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>, affine_map<(h, t, v, s, c) -> (t, h)>]} {
  ^bb0(%s: f32, %m: i32):
    %minus = arith.constant -0.5 : f32
    %score = arith.mulf %s, %minus : f32
    weft.yield %score : f32
  } where {
  ^bb0(%m: i32):
    %zero = arith.constant 0 : i32
    %holds = arith.cmpi sgt, %m, %zero : i32
    weft.yield %holds : i1
  }
  return
}

// CHECK-LABEL: func.func private @long(
// CHECK: vector.shuffle
// CHECK: %{{.*}}:4 = scf.for
// CHECK-COUNT-4: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %cst{{[_0-9]*}} : vector<16xi1>
// CHECK: scf.yield
// CHECK: %{{.*}}:4 = scf.for
// CHECK-NOT: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %cst{{[_0-9]*}} : vector<16xi1>
// CHECK: scf.yield
// CHECK: return
func.func private @long(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                        %mask: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>},
                        %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}, %rows: memref<?x12xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in T to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %q[s, h, c], %q[s, h, v], %mask[s] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?xi32>)
      outs(%out, %rows : memref<?x12x64xf32>, memref<?x12xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>, affine_map<(h, t, v, s, c) -> (t, h)>]} {
  ^bb0(%s: f32, %m: i32):
    weft.yield %s : f32
  } where {
  ^bb0(%m: i32):
    %three = arith.constant 3 : i32
    %five = arith.constant 5 : i32
    %a = arith.muli %m, %m : i32
    %b = arith.xori %a, %three : i32
    %c = arith.addi %b, %five : i32
    %d = arith.muli %c, %m : i32
    %e = arith.xori %d, %five : i32
    %f = arith.cmpi sgt, %e, %three : i32
    %g = arith.cmpi slt, %m, %five : i32
    %holds = arith.andi %f, %g : i1
    weft.yield %holds : i1
  }
  return
}
}
