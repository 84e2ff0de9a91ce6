// Models whose kernels run on a GPU: the C functions hand tensors to the runtime, constants lie behind the weights.
// RUN: weft-opt --weft-lower-calls="target=gpu images=sm_90a,sm_80" %s | FileCheck %s
// RUN: weft-opt --weft-lower-calls="target=gpu images=sm_80 profile=true" %s | FileCheck --check-prefix=PROFILE %s

module attributes {weft.model = "tiny", weft.symbols = #weft.bounds<T to 16, S to 8>, weft.weights_bytes = 320 : i64} {
memref.global "private" constant @first : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
memref.global "private" constant @second : memref<2xi1> = dense<[true, false]>

func.func private @scale(%x: !llvm.ptr, %w: !llvm.ptr, %c: !llvm.ptr, %y: !llvm.ptr, %frame: !llvm.ptr) attributes {weft.kernel} {
  return
}
gpu.module @weft.device {
  llvm.func @helper() { llvm.return }
  llvm.func @scale_1() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  llvm.func @scale_2() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
}

// No default is filled in on the host; a constant is 512 + 256 bytes behind the start of the weights.
// CHECK-LABEL: func.func private @entry.run
// CHECK-SAME: (%[[WEIGHTS:[a-z0-9]+]]: !llvm.ptr
// CHECK-NOT: llvm.icmp
// CHECK-NOT: scf.for
// CHECK: llvm.mlir.constant(768 : i64)
// CHECK: %[[C:.*]] = llvm.getelementptr %[[WEIGHTS]]
// CHECK: call @scale(%{{.*}}, %{{.*}}, %[[C]], %{{.*}}, %{{.*}})
// PROFILE-LABEL: func.func private @entry.run
// PROFILE: llvm.call @weft_cuda_profile_begin
// PROFILE-NEXT: call @scale
// PROFILE: llvm.call @weft_cuda_profile_end
func.func @run(%x: memref<?x4xf32> {weft.bounds = #weft.bounds<T to 16>, weft.default = 1.0 : f32, weft.default_offset = 128 : i64, weft.name = "x"},
               %y: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>, weft.name = "y", weft.output}) attributes {weft.entry, weft.scratch = 256 : i64} {
  %w = weft.weight "w" {offset = 64 : i64} : memref<64xf32>
  %a = memref.get_global @first : memref<3xf32>
  %c = memref.get_global @second : memref<2xi1>
  weft.launch @scale ins(%x, %w, %c : memref<?x4xf32>, memref<64xf32>, memref<2xi1>) outs(%y : memref<?xf32>)
  return
}

// What is checked is what a call on a processor checks, but for the scratch.
// CHECK-LABEL: llvm.func internal @tiny_run.call(
// CHECK-SAME: %[[W:[a-z0-9]+]]: !llvm.ptr, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %[[SIZES:[a-z0-9]+]]: !llvm.ptr
// CHECK: llvm.icmp "uge"
// CHECK: llvm.icmp "eq" %[[W]]
// CHECK-NOT: llvm.icmp "eq" %[[SCRATCH]]
// CHECK: %[[P:.*]] = llvm.mlir.addressof @tiny.program
// CHECK-NEXT: %[[F:.*]] = llvm.mlir.addressof @tiny_run.device
// CHECK: llvm.call @weft_cuda_call(%[[P]], %[[F]], %[[W]], %{{.*}}, %[[SIZES]], %{{.*}})

// CHECK: llvm.func @weft_cuda_call(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.func internal @tiny_run.device.body
// CHECK: call @entry.run

// Of x, 4 floats for each T that are 1.0 where it is null; of y, one.
// CHECK: llvm.mlir.global internal constant @tiny_run.device.places.2
// CHECK: llvm.mlir.constant(16 : i64)
// CHECK: llvm.mlir.constant(1065353216 : i32)
// CHECK: llvm.mlir.constant(4 : i64)

// CHECK: "scale_1\00"
// CHECK-NEXT: "scale_2\00"
// CHECK: llvm.mlir.global external constant @weft.image.sm_90a
// CHECK: llvm.mlir.global external constant @weft.image.sm_80
// CHECK: llvm.mlir.global internal constant @tiny.program.constants("{{.*}}\01\00")
// CHECK: llvm.mlir.global internal constant @tiny.program()
// CHECK-NOT: memref.global
// CHECK-NOT: @first
}
