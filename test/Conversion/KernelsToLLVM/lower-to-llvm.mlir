// RUN: weft-opt --weft-lower-to-llvm %s | FileCheck %s

// Vectors and numbers use polynomials, a sine by way of a function that LLVM is to inline.
// CHECK-LABEL: llvm.func internal @math
// CHECK-NOT: llvm.intr.exp(
// CHECK: llvm.call @math.sin.8(%{{.*}}) : (vector<8xf32>)
// CHECK-NOT: llvm.intr.exp(
// CHECK: llvm.intr.sqrt(%{{.*}}) : (f32)
// CHECK-NOT: unrealized_conversion_cast
func.func private @math(%v: vector<8xf32>, %x: f32, %p: !llvm.ptr) {
  %0 = math.exp %v : vector<8xf32>
  llvm.store %0, %p : vector<8xf32>, !llvm.ptr
  %1 = math.sin %v : vector<8xf32>
  llvm.store %1, %p : vector<8xf32>, !llvm.ptr
  %2 = math.exp %x : f32
  %3 = math.rsqrt %2 : f32
  llvm.store %3, %p : f32, !llvm.ptr
  return
}

// CHECK-LABEL: llvm.func internal @loop
// CHECK: llvm.cond_br
func.func private @loop(%n: i64, %p: !llvm.ptr) attributes {weft.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %end = arith.index_cast %n : i64 to index
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%s = %c0) -> (index) {
    %q = arith.floordivsi %i, %c7 : index
    %t = arith.addi %s, %q : index
    scf.yield %t : index
  }
  %v = arith.index_cast %r : index to i64
  llvm.store %v, %p : i64, !llvm.ptr
  return
}

// Lanes that are far away have libm's.
// CHECK-LABEL: llvm.func internal @math.sin.8.far
// CHECK-SAME: passthrough = ["cold"]
// CHECK: llvm.intr.sin(%{{.*}}) : (vector<8xf64>)
// CHECK-LABEL: llvm.func internal @math.sin.8(
// CHECK-SAME: passthrough = ["alwaysinline"]
// CHECK: llvm.cond_br
// CHECK: llvm.call @math.sin.8.far
// CHECK: llvm.select
