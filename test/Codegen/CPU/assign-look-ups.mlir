// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 l2=1048576" | FileCheck %s

// Rows that ids choose of a weight in panels are read together, as each element lies in a line of its own.
!p = memref<96x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
// CHECK-LABEL: func.func private @rows
// CHECK: #weft.lowering<"map", {{.*}}tile = 8, width = 16>
func.func private @rows(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 40>}, %w: !p, %y: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.map [t in T to 40, d in 64] ins(%ids[t] : memref<?xi32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %1 = arith.index_cast %0 : i32 to index
    %2 = weft.at %w[%1, %d] : !p
    weft.yield %2 : f32
  }
  return
}
// Must not fire: rows that lie side by side, a single row, and columns of panels, which do, too.
// CHECK-LABEL: func.func private @plain
// CHECK-NOT: tile
// CHECK: return
func.func private @plain(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 40>}, %w: memref<96x64xf32>, %y: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.map [t in T to 40, d in 64] ins(%ids[t] : memref<?xi32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %1 = arith.index_cast %0 : i32 to index
    %2 = weft.at %w[%1, %d] : memref<96x64xf32>
    weft.yield %2 : f32
  }
  return
}
// CHECK-LABEL: func.func private @single
// CHECK-NOT: "map", {{.*}}tile = 8
// CHECK: return
func.func private @single(%id: memref<i32>, %w: !p, %y: memref<64xf32>) attributes {weft.kernel} {
  weft.map [d in 64] ins(%id[] : memref<i32>) outs(%y : memref<64xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 0
    %1 = arith.index_cast %0 : i32 to index
    %2 = weft.at %w[%1, %d] : !p
    weft.yield %2 : f32
  }
  return
}
// CHECK-LABEL: func.func private @columns
// CHECK-NOT: "map", {{.*}}tile = 8
// CHECK: return
func.func private @columns(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 40>}, %w: !p, %y: memref<?x96xf32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.map [t in T to 40, v in 96] ins(%ids[t] : memref<?xi32>) outs(%y : memref<?x96xf32>) {
  ^bb0(%0: i32):
    %v = weft.index 1
    %1 = arith.index_cast %0 : i32 to index
    %2 = weft.at %w[%v, %1] : !p
    weft.yield %2 : f32
  }
  return
}
