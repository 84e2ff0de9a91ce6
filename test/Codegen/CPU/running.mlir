// A reduction of all that was before goes through the rows once: what the condition lets in is put to what is carried, then a row is stored.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | FileCheck %s
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=CODE
// RUN: sed 's/, weft.lane = -1 : i64}/, weft.lane = -1 : i64, weft.lowering = #weft.lowering<"running", tile = 0>}/' %s | not weft-opt --weft-assign-lowering="width=16 registers=32" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/, weft.lane = 0 : i64}/, weft.lane = 0 : i64, weft.lowering = #weft.lowering<"running">}/' %s | not weft-opt --weft-assign-lowering="width=16 registers=32" 2>&1 | FileCheck %s --check-prefix=ORDER
// TILE: error: lowering "running": 'tile' is 0, expected
// ORDER: error: the target has no emitter "running" for this; the only choice is reduce
module attributes {weft.symbols = #weft.bounds<T to 64>} {
// CHECK-LABEL: func.func private @sums(
// CHECK: #weft.lowering<"running", parallel = false, tile = 2, width = 16>
// CODE-LABEL: func.func private @sums(
// CODE: scf.for {{.*}} iter_args(%{{.*}} = %c0, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (index, vector<16xf32>, vector<16xf32>)
// CODE: %[[NEXT:.*]]:3 = scf.while
// CODE: arith.cmpi sle
// CODE: arith.cmpi slt
// CODE: scf.condition
// CODE-COUNT-2: llvm.load {{.*}} vector<16xf32>
// CODE: scf.yield
// CODE-COUNT-2: llvm.store {{.*}} vector<16xf32>
// CODE: scf.yield %[[NEXT]]#0, %[[NEXT]]#1, %[[NEXT]]#2
func.func private @sums(%x: memref<?x160xf32> {weft.bounds = #weft.bounds<T to 64>}, %y: memref<?x160xf32> {weft.bounds = #weft.bounds<T to 64>}) attributes {weft.kernel} {
  weft.reduce sum [t in T to 64, d in 160, s in T to 64] ins(%x[s, d] : memref<?x160xf32>) outs(%y : memref<?x160xf32>) attributes {weft.label = "y", weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %s = weft.index 2
    %t = weft.index 0
    %1 = arith.cmpi sle, %s, %t : index
    weft.yield %1 : i1
  }
  return
}
// Must not fire: a sum whose order is that of lanes.
// CHECK-LABEL: func.func private @lanes(
// CHECK: #weft.lowering<"reduce"
func.func private @lanes(%x: memref<?xf32> {weft.bounds = #weft.bounds<T to 64>}, %y: memref<?xf32> {weft.bounds = #weft.bounds<T to 64>}) attributes {weft.kernel} {
  weft.reduce sum [t in T to 64, s in T to 64] ins(%x[s] : memref<?xf32>) outs(%y : memref<?xf32>) attributes {weft.label = "y", weft.lane = 0 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %s = weft.index 1
    %t = weft.index 0
    %1 = arith.cmpi sle, %s, %t : index
    weft.yield %1 : i1
  }
  return
}
// What comes after is gone through from the end.
// CHECK-LABEL: func.func private @behind(
// CHECK: #weft.lowering<"running", parallel = false, tile = 1, width = 1>
// CODE-LABEL: func.func private @behind(
// CODE: scf.for %[[ROW:[^ ]+]] = %c0 to %[[SIZE:[^ ]+]] step %c1 iter_args
// CODE: scf.while (%[[NUMBER:[^ ]+]] =
// CODE-DAG: %[[LAST:.*]] = arith.subi %[[SIZE]], %c1
// CODE-DAG: %[[T:.*]] = arith.subi %[[LAST]], %[[ROW]]
// CODE-DAG: %[[S:.*]] = arith.subi %[[LAST]], %[[NUMBER]]
// CODE: arith.cmpi sge, %[[S]], %[[T]]
// CODE: scf.condition
func.func private @behind(%x: memref<4x?xf32> {weft.bounds = #weft.bounds<T to 64>}, %y: memref<4x?xf32> {weft.bounds = #weft.bounds<T to 64>}) attributes {weft.kernel} {
  weft.reduce sum [h in 4, t in T to 64, s in T to 64] ins(%x[h, s] : memref<4x?xf32>) outs(%y : memref<4x?xf32>) attributes {weft.label = "y", weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %s = weft.index 2
    %t = weft.index 1
    %1 = arith.cmpi sge, %s, %t : index
    weft.yield %1 : i1
  }
  return
}
}
