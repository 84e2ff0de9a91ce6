// Heads that share keys and values are rows of one task.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s

module attributes {weft.symbols = #weft.bounds<T to 1024, N to 1024>} {

// The rows of a head pair, two for each query; a query alone has tiles of two rows: squares of keys that are
// transposed in registers, then values as they lie, four vectors of columns at once.
// CHECK-LABEL: func.func private @pairs(
// CHECK: arith.cmpi sle, %{{.*}}, %c2
// CHECK: %{{.*}}:2 = scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-32: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT: scf.yield
// CHECK: %{{.*}}:8 = scf.for
// CHECK-COUNT-32: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT: scf.yield
// CHECK: %{{.*}}:16 = scf.for
// CHECK-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT: scf.yield
// CHECK: return
func.func private @pairs(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<N to 1024>},
                         %k: memref<?x6x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                         %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<N to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in N to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %k[s, h floordiv 2, c], %k[s, h floordiv 2, v] : memref<?x12x64xf32>, memref<?x6x64xf32>, memref<?x6x64xf32>)
      outs(%out : memref<?x12x64xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>]} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// Each head has its own values: a query alone has one row.
// CHECK-LABEL: func.func private @own(
// CHECK: arith.cmpi sle, %{{.*}}, %c1
// CHECK: %{{.*}} = scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK-COUNT-16: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT: scf.yield
// CHECK: %{{.*}}:4 = scf.for
// CHECK-COUNT-16: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT: scf.yield
// CHECK: return
func.func private @own(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<N to 1024>},
                       %k: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                       %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<N to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in N to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %k[s, h floordiv 2, c], %k[s, h, v] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>)
      outs(%out : memref<?x12x64xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>]} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// As many keys as queries: one query is no case of its own.
// CHECK-LABEL: func.func private @square(
// CHECK-NOT: arith.cmpi sle, %{{.*}}, %c1{{$}}
// CHECK-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: return
func.func private @square(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                          %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [h in H = 12, t in T to 1024, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %q[s, h, c], %q[s, h, v] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>)
      outs(%out : memref<?x12x64xf32>)
      attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>]} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
}
