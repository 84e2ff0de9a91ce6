// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s

module attributes {weft.symbols = #weft.bounds<T to 64>} {
// A condition that bounds what is summed over, the same for all results of a tile, says where the loop begins and ends: nothing is asked in it.
// CHECK-LABEL: func.func private @bounded(
// CHECK: %[[FIRST:.+]] = arith.maxsi
// CHECK: %[[END:.+]] = arith.minsi
// CHECK: scf.for %{{.+}} = %[[FIRST]] to %[[END]] step
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.select
// CHECK: llvm.load {{.*}} vector<16xf32>
// CHECK: scf.yield
func.func private @bounded(%w: memref<5x64xf32>, %x: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 64>}, %y: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 64>}) attributes {weft.kernel} {
  weft.reduce sum [t in T to 64, d in 64, u in 5] ins(%w[u, d] : memref<5x64xf32>) outs(%y : memref<?x64xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%e: f32):
    %c2 = arith.constant 2 : index
    %t = weft.index 0
    %u = weft.index 2
    %d = weft.index 1
    %0 = arith.addi %t, %u : index
    %1 = arith.subi %0, %c2 : index
    %2 = weft.at %x[%1, %d] : memref<?x64xf32>
    %3 = arith.mulf %2, %e : f32
    weft.yield %3 : f32
  } where {
  ^bb0(%e: f32):
    %c2 = arith.constant 2 : index
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.addi %t, %u : index
    %1 = arith.cmpi sge, %0, %c2 : index
    %T = weft.size "T" : index
    %2 = arith.addi %T, %c2 : index
    %3 = arith.cmpi slt, %0, %2 : index
    %4 = arith.andi %1, %3 : i1
    weft.yield %4 : i1
  }
  return
}

// Not where results of a vector have bounds of their own, nor where elements decide, too.
// CHECK-LABEL: func.func private @lanes(
// CHECK-NOT: arith.minsi
// CHECK: arith.select
// CHECK-LABEL: func.func private @data(
// CHECK-NOT: arith.minsi
// CHECK: arith.select
func.func private @lanes(%x: memref<3x64xf32>, %y: memref<3x64xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in 3, d in 64, u in 64] ins(%x[t, u] : memref<3x64xf32>) outs(%y : memref<3x64xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } where {
  ^bb0(%e: f32):
    %d = weft.index 1
    %u = weft.index 2
    %c2 = arith.constant 2 : index
    %0 = arith.muli %d, %c2 : index
    %1 = arith.cmpi sle, %u, %0 : index
    weft.yield %1 : i1
  }
  return
}
func.func private @data(%w: memref<5x64xf32>, %y: memref<64x64xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in 64, d in 64, u in 5] ins(%w[u, d] : memref<5x64xf32>) outs(%y : memref<64x64xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } where {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.cmpi sle, %u, %t : index
    %1 = arith.cmpf ogt, %e, %zero : f32
    %2 = arith.andi %0, %1 : i1
    weft.yield %2 : i1
  }
  return
}

// Nor where rows in the same loops do.
// CHECK-LABEL: func.func private @rows(
// CHECK: arith.select
// CHECK: return
func.func private @rows(%w: memref<5x64xf32>, %y: memref<64x64xf32>) attributes {weft.kernel} {
  weft.reduce sum [t in 64, d in 64, u in 5] ins(%w[u, d] : memref<5x64xf32>) outs(%y : memref<64x64xf32>) attributes {weft.lane = -1 : i64, weft.lowering = #weft.lowering<"reduce", across = 4, lane = 1, width = 16>} {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } where {
  ^bb0(%e: f32):
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.cmpi sle, %u, %t : index
    weft.yield %0 : i1
  }
  return
}
}
