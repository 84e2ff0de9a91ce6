// RUN: weft-opt --weft-join-launches --split-input-file %s | FileCheck %s

// Queries, keys and values of one input are one launch, though a rotation comes before the keys; so are the two
// rotations. The input and the angles are passed once, and two layers share the kernels.
!x = memref<?x8xf32>
!y = memref<?x4xf32>
!w = memref<4x8xf32>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x8xf32>, %[[A:[a-z0-9]+]]: memref<?x4xf32>, %[[W:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-DAG: %[[Q:.*]] = weft.buffer offset -1 bytes 512 live 0 to 0
// CHECK-DAG: %[[K:.*]] = weft.buffer offset -1 bytes 513 live 0 to 0
// CHECK-DAG: %[[V:.*]] = weft.buffer offset -1 bytes 514 live 0 to 0
// CHECK: weft.launch @project.and.project.and.project ins(%[[X]], %[[W]] : memref<?x8xf32>, memref<4x8xf32>) outs(%[[Q]], %[[K]], %[[V]] : memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>) sizes ["T"]
// CHECK: weft.launch @rotate.and.rotate ins(%[[Q]], %[[A]], %[[K]] : {{.*}}) outs({{.*}}) sizes ["T"]
// CHECK: weft.launch @add ins(
// CHECK-NOT: weft.launch
// CHECK-LABEL: func.func @next
// CHECK: weft.launch @project.and.project.and.project ins(
// CHECK-NOT: weft.launch
// CHECK-LABEL: func.func private @project.and.project.and.project(
// CHECK-SAME: %[[XA:[a-z0-9]+]]: memref<?x8xf32> {weft.bounds = #weft.bounds<T to 32>}, %[[WA:[a-z0-9]+]]: memref<4x8xf32>, %[[QA:[a-z0-9]+]]: memref<?x4xf32> {weft.bounds = #weft.bounds<T to 32>}, %[[KA:[a-z0-9]+]]: memref<?x4xf32> {weft.bounds = #weft.bounds<T to 32>}, %[[VA:[a-z0-9]+]]:
// CHECK-SAME: attributes {weft.kernel}
// CHECK: weft.contract {{.*}} ins(%[[XA]][t, d], %[[WA]][f, d] : {{.*}}) outs(%[[QA]] :
// CHECK: weft.contract {{.*}} ins(%[[XA]][t, d], %[[WA]][f, d] : {{.*}}) outs(%[[KA]] :
// CHECK: weft.contract {{.*}} ins(%[[XA]][t, d], %[[WA]][f, d] : {{.*}}) outs(%[[VA]] :
// What is no longer launched is gone, and what was made on the way.
// CHECK-NOT: func.func private @project(
// CHECK-NOT: func.func private @project.and.project(
// CHECK-NOT: func.func private @rotate(
// CHECK: func.func private @add(
func.func @layer(%x: !x, %angles: !y, %w: !w, %sum: !y) {
  %q = weft.buffer offset -1 bytes 512 live 0 to 0 : !y
  weft.launch @project ins(%x, %w : !x, !w) outs(%q : !y) sizes ["T"]
  %rq = weft.buffer offset -1 bytes 512 live 0 to 0 : !y
  weft.launch @rotate ins(%q, %angles : !y, !y) outs(%rq : !y) sizes ["T"]
  %k = weft.buffer offset -1 bytes 513 live 0 to 0 : !y
  weft.launch @project ins(%x, %w : !x, !w) outs(%k : !y) sizes ["T"]
  %rk = weft.buffer offset -1 bytes 512 live 0 to 0 : !y
  weft.launch @rotate ins(%k, %angles : !y, !y) outs(%rk : !y) sizes ["T"]
  %v = weft.buffer offset -1 bytes 514 live 0 to 0 : !y
  weft.launch @project ins(%x, %w : !x, !w) outs(%v : !y) sizes ["T"]
  weft.launch @add ins(%rk, %v : !y, !y) outs(%sum : !y) sizes ["T"]
  return
}
func.func @next(%x: !x, %w: !w, %q: !y, %k: !y, %v: !y) {
  weft.launch @project ins(%x, %w : !x, !w) outs(%q : !y) sizes ["T"]
  weft.launch @project ins(%x, %w : !x, !w) outs(%k : !y) sizes ["T"]
  weft.launch @project ins(%x, %w : !x, !w) outs(%v : !y) sizes ["T"]
  return
}
func.func private @project(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %y: !y {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 4, d in 8] ins(%x[t, d], %w[f, d] : !x, !w) outs(%y : !y)
  return
}
func.func private @rotate(%x: !y, %a: !y, %y: !y) attributes {weft.kernel} {
  weft.map [t in T to 32, f in 4] ins(%x[t, f], %a[t, f] : !y, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @add(%x: !y, %a: !y, %y: !y) attributes {weft.kernel} {
  weft.map [t in T to 32, f in 4] ins(%x[t, f], %a[t, f] : !y, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
}

// -----

// Must not fire.
!x = memref<?x8xf32>
!y = memref<?x4xf32>
!w = memref<4x8xf32>
!u = memref<4x8xbf16>
module attributes {weft.symbols = #weft.bounds<T to 32, N to 32, N_last to 32>} {
// One reads what the other writes.
// CHECK-LABEL: func.func @chain
// CHECK: weft.launch @scale ins
// CHECK: weft.launch @scale ins
func.func @chain(%x: !y, %y: !y) {
  %m = weft.buffer offset -1 bytes 512 live 0 to 0 : !y
  weft.launch @scale ins(%x : !y) outs(%m : !y) sizes ["T"]
  weft.launch @scale ins(%m : !y) outs(%y : !y) sizes ["T"]
  return
}
// The first one reads the rows of a cache that the second one writes.
// CHECK-LABEL: func.func @cache
// CHECK: weft.launch @scale ins
// CHECK: weft.launch @scale ins
func.func @cache(%x: !y, %cache: !y, %y: !y) {
  weft.launch @scale ins(%cache : !y) outs(%y : !y) sizes ["T"]
  %rows = weft.slot %cache length "T" count "N" : !y to !y
  weft.launch @scale ins(%x : !y) outs(%rows : !y) sizes ["T"]
  return
}
// What is called between them may write what the second one reads.
// CHECK-LABEL: func.func @called
// CHECK: weft.launch @scale ins
// CHECK: call @chain
// CHECK: weft.launch @scale ins
func.func @called(%x: !y, %y: !y, %z: !y) {
  weft.launch @scale ins(%x : !y) outs(%y : !y) sizes ["T"]
  call @chain(%x, %z) : (!y, !y) -> ()
  weft.launch @scale ins(%z : !y) outs(%z : !y) sizes ["T"]
  return
}
// The check says whether the second one may run.
// CHECK-LABEL: func.func @checked
// CHECK: weft.launch @scale ins
// CHECK: weft.launch @check
// CHECK: weft.launch @scale ins
func.func @checked(%x: !y, %ids: memref<?xi32>, %y: !y, %z: !y) {
  weft.launch @scale ins(%x : !y) outs(%y : !y) sizes ["T"]
  weft.launch @check ins(%ids : memref<?xi32>) sizes ["T"]
  weft.launch @scale ins(%x : !y) outs(%z : !y) sizes ["T"]
  return
}
// Other units multiply.
// CHECK-LABEL: func.func @types
// CHECK: weft.launch @project ins
// CHECK: weft.launch @short ins
func.func @types(%x: !x, %w: !w, %u: !u, %y: !y, %z: !y) {
  weft.launch @project ins(%x, %w : !x, !w) outs(%y : !y) sizes ["T"]
  weft.launch @short ins(%x, %u : !x, !u) outs(%z : !y) sizes ["T"]
  return
}
// Both factors differ, so may the rows.
// CHECK-LABEL: func.func @factors
// CHECK: weft.launch @project ins
// CHECK: weft.launch @project ins
func.func @factors(%x: !x, %w: !w, %a: !x, %u: !w, %y: !y, %z: !y) {
  weft.launch @project ins(%x, %w : !x, !w) outs(%y : !y) sizes ["T"]
  weft.launch @project ins(%a, %u : !x, !w) outs(%z : !y) sizes ["T"]
  return
}
// The last position, and all of them.
// CHECK-LABEL: func.func @counts
// CHECK: weft.launch @scale ins{{.*}} sizes ["N"]
// CHECK: weft.launch @scale ins{{.*}} sizes ["N_last"]
func.func @counts(%x: !y, %y: !y, %z: !y) {
  weft.launch @scale ins(%x : !y) outs(%y : !y) sizes ["N"]
  weft.launch @scale ins(%x : !y) outs(%z : !y) sizes ["N_last"]
  return
}
// Of five four are one.
// CHECK-LABEL: func.func @many
// CHECK: weft.launch @scale.and.scale.and.scale.and.scale ins
// CHECK: weft.launch @scale ins
func.func @many(%x: !y, %a: !y, %b: !y, %c: !y, %d: !y, %e: !y) {
  weft.launch @scale ins(%x : !y) outs(%a : !y) sizes ["T"]
  weft.launch @scale ins(%x : !y) outs(%b : !y) sizes ["T"]
  weft.launch @scale ins(%x : !y) outs(%c : !y) sizes ["T"]
  weft.launch @scale ins(%x : !y) outs(%d : !y) sizes ["T"]
  weft.launch @scale ins(%x : !y) outs(%e : !y) sizes ["T"]
  return
}
func.func private @project(%x: !x, %w: !w, %y: !y) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 4, d in 8] ins(%x[t, d], %w[f, d] : !x, !w) outs(%y : !y)
  return
}
func.func private @short(%x: !x, %w: !u, %y: !y) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 4, d in 8] ins(%x[t, d], %w[f, d] : !x, !u) outs(%y : !y)
  return
}
func.func private @scale(%x: !y, %y: !y) attributes {weft.kernel} {
  weft.map [t in T to 32, f in 4] ins(%x[t, f] : !y) outs(%y : !y) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func private @check(%ids: memref<?xi32>) attributes {weft.kernel} {
  weft.check "ids is out of range" [t in T to 32] ins(%ids[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}
}
