// What depends on the lane index becomes a vector load or a gather; the rest stays scalar.
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16" --weft-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=SCALAR

module attributes {weft.symbols = #weft.bounds<T to 1024>} {

// CHECK-LABEL: func.func private @add(
// CHECK: scf.for
// CHECK: %[[SCALE:.*]] = llvm.load {{.*}} : !llvm.ptr -> f32
// CHECK: vector.broadcast %[[SCALE]] : f32 to vector<8xf32>
// CHECK-NOT: masked
// CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK: return
// SCALAR-LABEL: func.func private @add(
// SCALAR-NOT: vector
// SCALAR: return
func.func private @add(%a: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                       %b: memref<?xf32> {weft.bounds = #weft.bounds<T to 1024>},
                       %out: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.map [t in T to 1024, d in D = 64] ins(%a[t, d], %b[t] : memref<?x64xf32>, memref<?xf32>)
      outs(%out : memref<?x64xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// Along t the ids are contiguous, their rows are gathered, and a vector may be incomplete.
// CHECK-LABEL: func.func private @gather(
// CHECK: llvm.intr.masked.gather
// CHECK: scf.if
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.store
// CHECK: return
func.func private @gather(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>}, %w: memref<100x13xf32>,
                          %out: memref<13x?xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.map [d in D = 13, t in T to 1024] ins(%ids[t] : memref<?xi32>) outs(%out : memref<13x?xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 0
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %w[%i, %d] : memref<100x13xf32>
    weft.yield %1 : f32
  }
  return
}

// Along d the row is one for all lanes: a clamped address and a vector load.
// CHECK-LABEL: func.func private @embed(
// CHECK-NOT: gather
// CHECK: return
func.func private @embed(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>}, %w: memref<100x16xf32>,
                         %out: memref<?x16xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.map [t in T to 1024, d in D = 16] ins(%ids[t] : memref<?xi32>) outs(%out : memref<?x16xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %w[%i, %d] : memref<100x16xf32>
    weft.yield %1 : f32
  }
  return
}

// A sum along the row is kept in lanes; along the columns every lane is another sum.
// CHECK-LABEL: func.func private @rowsum(
// CHECK: vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
// CHECK-LABEL: func.func private @columnsum(
// CHECK-NOT: vector.reduction
// CHECK: return
func.func private @rowsum(%a: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                          %out: memref<?xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.reduce sum [t in T to 1024, d in D = 64] ins(%a[t, d] : memref<?x64xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func private @columnsum(%a: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 1024>},
                             %out: memref<64xf32>) attributes {weft.kernel} {
  weft.reduce sum [d in D = 64, t in T to 1024] ins(%a[t, d] : memref<?x64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func private @check(
// CHECK-SAME: %[[STATUS:[^ ]*]]: !llvm.ptr)
// CHECK: %[[FAILS:.+]] = arith.cmpi eq, %{{.*}}, %false
// CHECK: scf.if %[[FAILS]] {
// CHECK-NEXT: llvm.cmpxchg %[[STATUS]], %c0_i32, %c2_i32 monotonic monotonic : !llvm.ptr, i32
func.func private @check(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.check "ids are out of range" [t in T to 1024] ins(%ids[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}

// Data chooses the expert, whose rows are read along the lanes.
// CHECK-LABEL: func.func private @expert(
// CHECK-NOT: gather
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK-NOT: gather
// CHECK: return
func.func private @expert(%x: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 1024>}, %chosen: memref<?xi32> {weft.bounds = #weft.bounds<T to 1024>},
                          %w: memref<4x16x64xf32>, %out: memref<?x16xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.reduce sum [t in T to 1024, f in F = 16, d in D = 64] ins(%x[t, d], %chosen[t] : memref<?x64xf32>, memref<?xi32>) outs(%out : memref<?x16xf32>) {
  ^bb0(%0: f32, %1: i32):
    %e = arith.index_cast %1 : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %2 = weft.at %w[%e, %f, %d] : memref<4x16x64xf32>
    %3 = arith.mulf %0, %2 : f32
    weft.yield %3 : f32
  }
  return
}
}
