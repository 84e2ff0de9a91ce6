// What the bounds of the keys do not say of a predicate is asked for each two vectors of keys, of the extremes that keys and rows alone decide.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s
// A processor without vectors looks at each key as it is.
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=SCALAR
// SCALAR-NOT: -> (index, index)

module attributes {weft.symbols = #weft.bounds<T to 1024>} {
// The least and the largest row; of keys the least one, and whether one is seen from everywhere.
// CHECK-LABEL: func.func private @window(
// CHECK: %[[ROWS:[0-9]+]]:4 = scf.for
// CHECK: %[[SEEN:[0-9]+]]:2 = scf.for {{.*}} step %c32 {{.*}} -> (index, index)
// CHECK: %[[LEAST:[0-9]+]] = vector.reduction <minsi>
// CHECK: %[[KEY:[0-9]+]] = arith.index_cast %[[LEAST]]
// CHECK: %[[ANY:[0-9]+]] = vector.reduction <or>
// CHECK: %[[APART:[0-9]+]] = arith.subi %[[KEY]], %[[ROWS]]#1
// CHECK: %[[NEAR:[0-9]+]] = arith.cmpi sle, %[[APART]], %[[ROWS]]#3
// CHECK: arith.ori %[[NEAR]], %[[ANY]]
// CHECK: %[[SOME:[0-9]+]] = arith.cmpi slt, %[[SEEN]]#0, %[[SEEN]]#1
// CHECK-NEXT: scf.if %[[SOME]]
func.func private @window(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                          %g: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>},
                          %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [t in T to 1024, h in H = 12, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %q[s, h, c], %q[s, h, v], %g[s] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?xi32>)
      outs(%out : memref<?x12x64xf32>)
  {
  ^bb0(%score: f32, %key: i32):
    weft.yield %score : f32
  } where {
  ^bb0(%key: i32):
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : i32
    %s = weft.index 3
    %t = weft.index 0
    %apart = arith.subi %s, %t : index
    %near = arith.cmpi sle, %apart, %c16 : index
    %global = arith.cmpi sgt, %key, %c0 : i32
    %sees = arith.ori %near, %global : i1
    weft.yield %sees : i1
  }
  return
}
// What each pair decides says nothing of others.
// CHECK-LABEL: func.func private @pairs(
// CHECK-NOT: -> (index, index)
func.func private @pairs(%q: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                          %g: memref<?x?xi32> {weft.bounds = #weft.bounds<T to 1024, T to 1024>},
                          %out: memref<?x12x64xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125]
      [t in T to 1024, h in H = 12, v in C = 64, s in T to 1024, c in C = 64]
      ins(%q[t, h, c], %q[s, h, c], %q[s, h, v], %g[t, s] : memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x12x64xf32>, memref<?x?xi32>)
      outs(%out : memref<?x12x64xf32>)
  {
  ^bb0(%score: f32, %key: i32):
    weft.yield %score : f32
  } where {
  ^bb0(%key: i32):
    %c0 = arith.constant 0 : i32
    %sees = arith.cmpi sgt, %key, %c0 : i32
    weft.yield %sees : i1
  }
  return
}
}
