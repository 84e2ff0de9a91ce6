// Buffers in another memory space are reached by pointers of that space, alone, in vectors and by threads; stacks and what
// threads are given stay where they are.
// RUN: weft-opt %s --weft-assign-lowering="width=4" --weft-lower-kernels --weft-verify-loops | FileCheck %s
// RUN: sed '/^func.func @run/,/^}/d' %s | weft-opt --weft-assign-lowering="width=4 threads=2" --weft-lower-kernels --weft-lower-units=native=flush --weft-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: sed '/^func.func @run/,/^}/d' %s | weft-opt --weft-assign-lowering="width=4 threads=2" --weft-lower-kernels --weft-lower-units=native=flush --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// Launches are verified against the kernels' buffers until these are pointers.
// CHECK-LABEL: func.func @run
// CHECK: weft.launch @gather ins(%{{.*}}, %{{.*}} : memref<8xi32>, memref<64x8xf32, 1>) outs(%{{.*}} : memref<8x8xf32, 1>)
func.func @run(%ids: memref<8xi32>, %table: memref<64x8xf32, 1>, %out: memref<8x8xf32, 1>) {
  weft.launch @gather ins(%ids, %table : memref<8xi32>, memref<64x8xf32, 1>) outs(%out : memref<8x8xf32, 1>)
  return
}

// CHECK-LABEL: func.func private @gather(
// CHECK-SAME: %[[IDS:.*]]: memref<8xi32>, %[[TABLE:.*]]: memref<64x8xf32, 1>, %[[OUT:.*]]: memref<8x8xf32, 1>, %{{.*}}: !llvm.ptr)
// CHECK: weft.address %[[IDS]] : memref<8xi32> to !llvm.ptr{{$}}
// CHECK: weft.address %[[TABLE]] : memref<64x8xf32, 1> to !llvm.ptr<1>
// CHECK: weft.address %[[OUT]] : memref<8x8xf32, 1> to !llvm.ptr<1>
// CHECK: llvm.getelementptr {{.*}} -> !llvm.ptr<1>, f32
// LLVM-LABEL: llvm.func internal @gather(
// LLVM-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr)
// LLVM: llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr<1>, ptr<1>, ptr)>
// LLVM: llvm.func internal @gather.body(
// LLVM: llvm.intr.masked.gather {{.*}} (vector<4x!llvm.ptr<1>>,
// LLVM: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// LLVM-NOT: weft.address
// IR: call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>
// IR: store <4 x float> %{{.*}}, ptr addrspace(1) %
func.func private @gather(%ids: memref<8xi32>, %table: memref<64x8xf32, 1>, %out: memref<8x8xf32, 1>) attributes {weft.kernel} {
  weft.map [d in D = 8, t in T = 8] ins(%ids[t] : memref<8xi32>) outs(%out : memref<8x8xf32, 1>)
      attributes {weft.lowering = #weft.lowering<"map", rows = 3>} {
  ^bb0(%0: i32):
    %d = weft.index 0
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %table[%i, %d] : memref<64x8xf32, 1>
    weft.yield %1 : f32
  }
  return
}

// IR-LABEL: define internal void @product.body(
// IR: alloca i8, i64 {{.*}}, align 64
// IR: load <4 x float>, ptr addrspace(1)
// IR: load float, ptr addrspace(1)
func.func private @product(%a: memref<8x64xf32, 1>, %w: memref<32x64xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>, 1>, %out: memref<8x32xf32, 1>) attributes {weft.kernel} {
  weft.contract [t in T = 8, f in F = 32, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32, 1>, memref<32x64xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>, 1>)
      outs(%out : memref<8x32xf32, 1>)
  return
}
