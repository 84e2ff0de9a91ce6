// RUN: weft-opt --weft-lower-addresses --split-input-file --verify-diagnostics %s | FileCheck %s

// Buffers of a kernel become pointers in their memory spaces; what launches it stays on buffers.
// CHECK-LABEL: func.func private @k(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr<3>, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-NEXT: %[[V:.*]] = llvm.load %[[X]] : !llvm.ptr<1> -> f32
// CHECK-NEXT: llvm.store %[[V]], %[[Y]] : f32, !llvm.ptr
// CHECK-NEXT: llvm.load %[[X]] : !llvm.ptr<1> -> i32
func.func private @k(%x: memref<?xf32, 1>, %y: memref<4xf32>, %unused: memref<4xf32, 3>, %T: i64, %status: !llvm.ptr) attributes {weft.kernel} {
  %0 = weft.address %x : memref<?xf32, 1> to !llvm.ptr<1>
  %1 = weft.address %y : memref<4xf32> to !llvm.ptr
  %2 = llvm.load %0 : !llvm.ptr<1> -> f32
  llvm.store %2, %1 : f32, !llvm.ptr
  %3 = weft.address %x : memref<?xf32, 1> to !llvm.ptr<1>
  %4 = llvm.load %3 : !llvm.ptr<1> -> i32
  return
}
// CHECK: func.func @run(%[[A:.*]]: memref<?xf32, 1>,
// CHECK: weft.launch @k ins(%[[A]],
func.func @run(%x: memref<?xf32, 1>, %y: memref<4xf32>, %z: memref<4xf32, 3>) {
  weft.launch @k ins(%x, %y : memref<?xf32, 1>, memref<4xf32>) outs(%z : memref<4xf32, 3>)
  return
}

// -----

func.func private @k(%x: memref<4xf32>, %status: !llvm.ptr) attributes {weft.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{uses a buffer of a kernel: only its address is known at stage loops}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  return
}
