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
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[LIST:.*]] = llvm.alloca %[[TWO]] x !llvm.ptr
// CHECK: llvm.store %[[X]]
// CHECK: llvm.store %[[Y]]
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[BLOCKS:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[THREADS:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[MAPS:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @weft_cuda_launch(%[[NUMBER]], %[[BLOCKS]], %[[THREADS]], %[[NONE]], %[[LIST]], %[[COUNT]], %[[MAPS]])
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

// -----

// Kernels of all modules have numbers. A map is memory that the runtime fills, and itself an argument.
module attributes {gpu.container_module} {
gpu.module @device {
  llvm.func @other(%x: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  llvm.func @tiles(%x: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
gpu.module @device.sm_90a {
  llvm.func @tiles_sm_90a(%x: !llvm.ptr, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}
// CHECK: llvm.mlir.global internal constant @weft.box.0(dense<[9, 2, 64, 128, 1, 1, 1, 1]> : tensor<8xi32>)
// CHECK-LABEL: @copied
// CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[ROWS:.*]]: i64, %[[SHARED:.*]]: i32
// CHECK: llvm.call @weft_cuda_chip() : () -> i32
// CHECK: llvm.call @weft_cuda_processors() : () -> i32
// CHECK: %[[MAP:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// CHECK: %[[NUMBERS:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.store %[[ROWS]]
// CHECK: %[[BOX:.*]] = llvm.mlir.addressof @weft.box.0
// CHECK: llvm.call @weft_cuda_encode(%[[MAP]], %[[BOX]], %[[X]], %[[NUMBERS]])
// CHECK: llvm.store %[[MAP]]
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @weft_cuda_launch(%[[NUMBER]], %{{.*}}, %{{.*}}, %[[SHARED]], %{{.*}}, %{{.*}}, %[[ONE]])
func.func @copied(%x: !llvm.ptr, %rows: i64, %shared: i32) -> (i32, i32) {
  %one = arith.constant 1 : index
  %k = arith.constant 72 : i64
  %stride = arith.constant 144 : i64
  %chip = nvx.chip : i32
  %processors = nvx.processors : i32
  %map = nvx.tensor_map %x sizes [%k, %rows] strides [%stride] box [64, 128] of bf16 : !llvm.ptr
  gpu.launch_func @device.sm_90a::@tiles_sm_90a blocks in (%one, %one, %one) threads in (%one, %one, %one) dynamic_shared_memory_size %shared args(%x : !llvm.ptr, %map : !llvm.ptr)
  return %chip, %processors : i32, i32
}
}
