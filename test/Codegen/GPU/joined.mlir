// A kernel of several formulas is one function of the device, where they are alike, with the tasks of all of them.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels --canonicalize --cse --weft-verify-loops --split-input-file | FileCheck %s

// 6 blocks of 16 columns and 4 of them: the first formula has those before number 6.
// CHECK-LABEL: func.func private @joined(
// CHECK: gpu.launch_func {{ *}}@weft.device::@joined blocks in (%c10, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-NOT: gpu.launch_func
// Maps of 200 and 56 vectors of four elements share their only block, warps and all.
// CHECK-LABEL: func.func private @maps(
// CHECK: gpu.launch_func {{ *}}@weft.device::@maps blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-LABEL: llvm.func @joined(
// CHECK-SAME: llvm.readonly{{.*}}llvm.readonly{{.*}}llvm.readonly
// CHECK-SAME: %[[Y:[^:]+]]: !llvm.ptr<1> {llvm.noalias}, %[[Z:[^:]+]]: !llvm.ptr<1> {llvm.noalias}
// CHECK-SAME: nvvm.minctasm = 2
// CHECK: %[[BLOCK:.+]] = nvx.block_id
// CHECK: %[[TASK:.+]] = arith.index_castui %[[BLOCK]] : i32 to index
// CHECK: %[[FIRST:.+]] = arith.cmpi slt, %[[TASK]], %c6
// CHECK: scf.if %[[FIRST]] {
// CHECK: nvx.mma
// CHECK: } else {
// CHECK: arith.subi %[[TASK]], %c6
// CHECK: nvx.mma
// CHECK-LABEL: llvm.func @maps(
module attributes {weft.symbols = #weft.bounds<T to 32>} {
func.func private @joined(%a: memref<1x4096xbf16>, %w: memref<96x4096xbf16>, %v: memref<57x4096xbf16>, %y: memref<1x96xf32>, %z: memref<1x57xf32>) attributes {weft.kernel} {
  weft.contract [t in T = 1, f in F = 96, d in D = 4096] ins(%a[t, d], %w[f, d] : memref<1x4096xbf16>, memref<96x4096xbf16>) outs(%y : memref<1x96xf32>)
  weft.contract [t in T = 1, f in F = 57, d in D = 4096] ins(%a[t, d], %v[f, d] : memref<1x4096xbf16>, memref<57x4096xbf16>) outs(%z : memref<1x57xf32>)
  return
}
func.func private @maps(%a: memref<800xf32>, %b: memref<224xf32>, %y: memref<800xf32>, %z: memref<224xf32>) attributes {weft.kernel} {
  weft.map [i in 800] ins(%a[i] : memref<800xf32>) outs(%y : memref<800xf32>) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  }
  weft.map [i in 224] ins(%b[i] : memref<224xf32>) outs(%z : memref<224xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
}

// -----

// Must not fire: rows of threads of a block and of a warp, and tiles that take all of shared memory.
// CHECK-LABEL: func.func private @rows(
// CHECK: gpu.launch_func {{ *}}@weft.device::@rows blocks
// CHECK: gpu.launch_func {{ *}}@weft.device::@rows_1 blocks
// CHECK-LABEL: func.func private @tiles(
// CHECK: gpu.launch_func {{ *}}@weft.device::@tiles blocks
// CHECK: gpu.launch_func {{ *}}@weft.device::@tiles_1 blocks
module attributes {weft.symbols = #weft.bounds<T to 32>} {
func.func private @rows(%a: memref<4x2048xf32>, %b: memref<4x512xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weft.kernel} {
  weft.reduce sum [i in 4, j in 2048] ins(%a[i, j] : memref<4x2048xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  weft.reduce sum [i in 4, j in 512] ins(%b[i, j] : memref<4x512xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func private @tiles(%a: memref<256x512xbf16>, %w: memref<256x512xbf16>, %v: memref<128x512xbf16>, %y: memref<256x256xf32>, %z: memref<256x128xf32>) attributes {weft.kernel} {
  weft.contract [t in 256, f in 256, d in 512] ins(%a[t, d], %w[f, d] : memref<256x512xbf16>, memref<256x512xbf16>) outs(%y : memref<256x256xf32>)
  weft.contract [t in 256, f in 128, d in 512] ins(%a[t, d], %v[f, d] : memref<256x512xbf16>, memref<128x512xbf16>) outs(%z : memref<256x128xf32>)
  return
}
}
