// Launches become calls of the runtime, kernels are known by their numbers.
// RUN: weft-opt %s --weft-lower-launches --split-input-file --verify-diagnostics | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @device {
  llvm.func @first(%x: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  llvm.func @helper() { llvm.return }
  llvm.func @second(%x: !llvm.ptr, %y: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
// CHECK-LABEL: @run
// CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[Y:.*]]: !llvm.ptr, %[[N:.*]]: index
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[LIST:.*]] = llvm.alloca %[[TWO]] x !llvm.ptr
// CHECK: llvm.store %[[X]]
// CHECK: llvm.store %[[Y]]
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[BLOCKS:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[THREADS:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: llvm.call @weft_cuda_launch(%[[NUMBER]], %[[BLOCKS]], %[[THREADS]], %[[LIST]], %[[TWO]])
// CHECK-NOT: gpu.launch_func
func.func @run(%x: !llvm.ptr, %y: !llvm.ptr, %n: index) {
  %one = arith.constant 1 : index
  %block = arith.constant 256 : index
  gpu.launch_func @device::@second blocks in (%n, %one, %one) threads in (%block, %one, %one) args(%x : !llvm.ptr, %y : !llvm.ptr)
  return
}
}

// -----

// Where nothing is launched the runtime is not asked for.
// CHECK-LABEL: @quiet
// CHECK-NOT: weft_cuda_launch
func.func @quiet() { return }
