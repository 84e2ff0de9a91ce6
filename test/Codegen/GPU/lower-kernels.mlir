// Every kernel is a function of the device and one of the host that launches it.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels --canonicalize --cse --weft-verify-loops | FileCheck %s
// Both are what they were after they have been printed.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels | weft-opt | FileCheck %s --check-prefix=AGAIN
// AGAIN: gpu.module @weft.device

// CHECK: module attributes {gpu.container_module

// The host: one block for 256 vectors of 4 elements, one at least.
// CHECK-LABEL: func.func private @double.map(
// CHECK-SAME: %[[X:[^:]+]]: memref<?x64xf32>, %[[Y:[^:]+]]: memref<?x64xf32>, %[[T:[^:]+]]: i64, %[[FRAME:[^:]+]]: !llvm.ptr) attributes {weft.kernel}
// CHECK-DAG: %[[PX:.+]] = weft.address %[[X]]
// CHECK-DAG: %[[PY:.+]] = weft.address %[[Y]]
// CHECK-DAG: %[[SIZE:.+]] = arith.index_cast %[[T]]
// CHECK: %[[COUNT:.+]] = arith.muli %[[SIZE]], %c16
// CHECK: %[[MORE:.+]] = arith.addi %[[COUNT]], %c255
// CHECK: %[[BLOCKS:.+]] = arith.divui %[[MORE]], %c256
// CHECK: %[[GRID:.+]] = arith.maxsi %[[BLOCKS]], %c1
// CHECK: gpu.launch_func {{ *}}@weft.device::@double_map blocks in (%[[GRID]], %c1, %c1) threads in (%c256, %c1, %c1) {{ *}}args(%[[PX]] : !llvm.ptr, %[[PY]] : !llvm.ptr, %[[FRAME]] : !llvm.ptr)

// The same kernel for other symbols, in a cache.
// CHECK-LABEL: func.func private @double.map.1(
// CHECK-SAME: %{{[^:]+}}: memref<?x64xf32>, %{{[^:]+}}: memref<32x64xf32>, %{{[^:]+}}: i64, %{{[^:]+}}: !llvm.ptr)
// CHECK: gpu.launch_func {{ *}}@weft.device::@double_map_1

// CHECK-LABEL: func.func @entry
// CHECK: weft.launch @double.map ins(%{{.+}} : memref<?x64xf32>) outs(%{{.+}} : memref<?x64xf32>) sizes ["T"]
// CHECK: weft.launch @double.map.1 ins(%{{.+}} : memref<?x64xf32>) outs(%{{.+}} : memref<32x64xf32>) sizes ["N"]
// CHECK-NOT: weft.slot
// CHECK: weft.launch @ids.check

// The device. The symbol is the second one of the model, behind the status and another one.
// CHECK: gpu.module @weft.device
// CHECK-LABEL: llvm.func @double_map(
// CHECK-SAME: %[[X:[^:]+]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[Y:[^:]+]]: !llvm.ptr<1> {llvm.noalias}, %[[FRAME:[^:]+]]: !llvm.ptr<1>)
// CHECK-SAME: gpu.kernel
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>
// CHECK: %[[PLACE:.+]] = llvm.getelementptr %[[FRAME]][16]
// CHECK: llvm.load %[[PLACE]] invariant {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK: nvx.block_id
// CHECK: nvx.thread_id
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.store

// The rows behind those of the cache: 256 bytes for each of T - N.
// CHECK-LABEL: llvm.func @double_map_1(
// CHECK-DAG: llvm.getelementptr %{{.+}}[16]
// CHECK-DAG: llvm.getelementptr %{{.+}}[8]
// CHECK: arith.subi
// CHECK: llvm.getelementptr %{{.+}}[%{{.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8

// A failure is noted unless there is one already.
// CHECK-LABEL: llvm.func @ids_check(
// CHECK: scf.if
// CHECK: scf.if
// CHECK: llvm.cmpxchg %{{.+}}, %{{.+}}, %{{.+}} monotonic monotonic : !llvm.ptr<1>, i32

module attributes {weft.symbols = #weft.bounds<N to 4, T to 32>} {
func.func private @double.map(%x: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 32>}, %y: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.map [t in T to 32, d in D = 64] ins(%x[t, d] : memref<?x64xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func private @ids.check(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.check "out of range" [t in T to 32] ins(%ids[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c9 = arith.constant 9 : i32
    %1 = arith.cmpi ult, %0, %c9 : i32
    weft.yield %1 : i1
  }
  return
}
func.func @entry(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %new: memref<?x64xf32>, %cache: memref<32x64xf32>, %ids: memref<?xi32>) {
  weft.launch @double.map ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>) sizes ["T"]
  %rows = weft.slot %cache length "T" count "N" : memref<32x64xf32> to memref<?x64xf32>
  weft.launch @double.map ins(%new : memref<?x64xf32>) outs(%rows : memref<?x64xf32>) sizes ["N"]
  weft.launch @ids.check ins(%ids : memref<?xi32>) sizes ["T"]
  return
}
}
