// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --convert-nvx-to-llvm | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: nvx.

// CHECK-LABEL: @position
// CHECK: nvx.thread_id : i32
// CHECK: nvx.block_id : i32
// LLVM-LABEL: @position
// LLVM: nvvm.read.ptx.sreg.tid.x : i32
// LLVM: nvvm.read.ptx.sreg.ctaid.x : i32
func.func @position() -> (i32, i32) {
  %0 = nvx.thread_id : i32
  %1 = nvx.block_id : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @together
// CHECK: nvx.shuffle %arg0 xor 16 : f32
// CHECK: nvx.shuffle %arg1 xor 1 : i32
// CHECK: nvx.barrier
// LLVM-LABEL: @together
// LLVM-DAG: %[[ALL:.+]] = llvm.mlir.constant(-1 : i32)
// LLVM-DAG: %[[LAST:.+]] = llvm.mlir.constant(31 : i32)
// LLVM-DAG: %[[DISTANCE:.+]] = llvm.mlir.constant(16 : i32)
// LLVM: nvvm.shfl.sync bfly %[[ALL]], %arg0, %[[DISTANCE]], %[[LAST]] : f32 -> f32
// LLVM: nvvm.shfl.sync bfly %{{.+}}, %arg1, %{{.+}}, %{{.+}} : i32 -> i32
// LLVM: nvvm.barrier0
func.func @together(%x: f32, %n: i32) -> (f32, i32) {
  %0 = nvx.shuffle %x xor 16 : f32
  %1 = nvx.shuffle %n xor 1 : i32
  nvx.barrier
  return %0, %1 : f32, i32
}

// CHECK-LABEL: @functions
// CHECK: nvx.ex2 %arg0 : f32
// CHECK: nvx.rsqrt %arg0 : f32
// LLVM-LABEL: @functions
// LLVM: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%arg0) : (f32) -> f32
// LLVM: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%arg0) : (f32) -> f32
func.func @functions(%x: f32) -> (f32, f32) {
  %0 = nvx.ex2 %x : f32
  %1 = nvx.rsqrt %x : f32
  return %0, %1 : f32, f32
}
