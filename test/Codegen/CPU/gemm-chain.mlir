// Products whose results the epilogues of others of their kernel read are made in one task: rows and columns of the one, which stay on the stack,
// then those of the next.
// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32" --verify-diagnostics | FileCheck %s
// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-assign-lowering="width=16 registers=32 threads=2" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=CODE

!x = memref<256x64xf32>
!w = memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x1024xf32>

// Of 32 panels a task would have one; of many it would have as many as the second cache holds the results of.
// CHECK-LABEL: func.func private @two(
// CHECK-COUNT-2: #weft.lowering<"gemm", {{.*}} panels = 1, {{.*}} rows = 128
// CODE-LABEL: func.func private @two(
// CODE: llvm.call @weft_parallel_for
// CODE-NOT: llvm.call @weft_parallel_for
// CODE: return
// 128 rows of 32 columns, and the sums of as many, which both products have one after the other.
// CODE-LABEL: llvm.func internal @two.body(
// CODE-COUNT-2: llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// CODE-NOT: llvm.alloca
// The first element of a row is in front of the row's memory, as far as the task's first column is from that of the result.
// CODE: scf.for
// CODE: %[[BEFORE:[0-9]+]] = arith.subi %{{[0-9]+}}, %{{[0-9]+}} : index
// CODE-NEXT: %[[MOVED:[0-9]+]] = arith.index_cast %[[BEFORE]]
// CODE-NEXT: llvm.getelementptr %{{[0-9]+}}[%[[MOVED]]]
// CODE: llvm.store
// CODE: scf.for
// CODE: llvm.load
// CODE: llvm.return
func.func private @two(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %v[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// Six panels of 128 rows take 96 KB.
!x = memref<256x64xf32>
!w = memref<32768x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x32768xf32>
// CHECK-LABEL: func.func private @many(
// CHECK-COUNT-2: #weft.lowering<"gemm", {{.*}} panels = 6, {{.*}} rows = 128
// CHECK-LABEL: func.func private @alone(
// CHECK: #weft.lowering<"gemm", {{.*}} panels = 32, {{.*}} rows = 128
// Of three products there are two results.
// CHECK-LABEL: func.func private @three(
// CHECK-COUNT-3: #weft.lowering<"gemm", {{.*}} panels = 3, {{.*}} rows = 128
func.func private @many(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 256, f in 32768, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  weft.contract [t in 256, f in 32768, d in 64] ins(%x[t, d], %v[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @alone(%x: !x, %w: !w, %y: !y) attributes {weft.kernel} {
  weft.contract [t in 256, f in 32768, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%y : !y)
  return
}
func.func private @three(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 256, f in 32768, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  %h = weft.local : !y
  weft.contract [t in 256, f in 32768, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%h : !y)
  weft.contract [t in 256, f in 32768, d in 64] ins(%x[t, d], %v[f, d], %g[t, f], %h[t, f] : !x, !w, !y, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    weft.yield %4 : f32
  }
  return
}

// -----

!x = memref<256x64xf32>
!w = memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x1024xf32>
func.func private @differ(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  // expected-error @+1 {{lowering "gemm": 'rows' is 64, but 128 in another product that the same task makes}}
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %v[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) attributes {weft.lowering = #weft.lowering<"gemm", rows = 64>} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

!x = memref<256x64xf32>
!w = memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x1024xf32>
func.func private @loops(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  // expected-error @+1 {{only products with lowering "gemm" make what others of their kernel read}}
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y) attributes {weft.lowering = #weft.lowering<"contract">}
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %v[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

!x = memref<256x64xf32>
!w = memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x1024xf32>
func.func private @results(%x: !x, %w: !w, %z: !y, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  // expected-error @+1 {{of products that one task makes, the last has a buffer for its result, and no other}}
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%z : !y)
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

!x = memref<256x64xf32>
!w = memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x1024xf32>
func.func private @large(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  // expected-error @+1 {{lowering "gemm": 'panels' is 8, expected results of at most 114688 bytes for other products}}
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y) attributes {weft.lowering = #weft.lowering<"gemm", panels = 8>}
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %v[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
