// The register tile of a product: accumulators as loop-carried vectors, k unrolled by eight or four.
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 threads=2" --weft-lower-kernels | FileCheck %s --check-prefix=THREADS
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | sed 's/prefetch = false/prefetch = true/; s/unroll = 8/unroll = 4/' | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=PREFETCH
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | sed 's/prefetch = false/prefetch = true/' | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=EIGHT
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32" | sed 's/prefetch = false/fetch_rows = 2, prefetch = true/; s/unroll = 8/unroll = 4/' | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=ROWS
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=SIX

module attributes {weft.symbols = #weft.bounds<T to 1024>} {

// CHECK-LABEL: func.func private @product(
// CHECK-SAME: %[[A:.*]]: memref<?x64xf32>, %[[W:.*]]: memref<100x64xf32, #{{.*}}>, %[[BIAS:.*]]: memref<100xf32>, %[[OUT:.*]]: memref<?x100xf32>, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// Eight rows of two vectors.
// CHECK: %{{.*}}:16 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NOT: llvm.store
// CHECK: scf.yield
// The rows that are left, in powers of two.
// CHECK: scf.if
// CHECK-COUNT-32: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: scf.if
// CHECK-COUNT-16: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// The epilogue, once, and masked because 100 columns are no whole number of panels.
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK: llvm.intr.masked.store
// CHECK-NOT: llvm.intr.masked.store
// CHECK: return

// Tiles of six rows; of two that are left and the last tile there are two of four.
// SIX-LABEL: func.func private @product(
// SIX: %[[REST:.+]] = arith.remui %{{.*}}, %c6
// SIX: %[[EVEN:.+]] = arith.cmpi eq, %[[REST]], %c2
// SIX: %[[BOTH:.+]] = arith.andi %[[EVEN]],
// SIX: %[[END:.+]] = arith.select %[[BOTH]]
// SIX: scf.for %{{.*}} = %c0 to %[[END]] step %c6
// SIX: scf.for %{{.*}} = %[[END]] to %{{.*}} step %c4
// SIX: scf.if

// Up to two tiles of rows wait for their panel. They multiply blocks of 128 steps, each with all tiles, and every tile names
// eight lines of the next block in four steps: four, twice, or twice as many where there is no other tile. Many rows:
// a line of the next panel. Before all of that the bias of the panel's columns, two lines.
// PREFETCH-LABEL: func.func private @product(
// PREFETCH: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// PREFETCH: "llvm.intr.prefetch"(%[[BIAS:.*]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// PREFETCH-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[BIAS]][16]
// PREFETCH-NEXT: "llvm.intr.prefetch"(%[[NEXT]])
// PREFETCH: %[[FEW:.+]] = arith.cmpi sle, %{{.*}}, %c16
// PREFETCH: scf.if %[[FEW]]
// PREFETCH: scf.for
// PREFETCH: scf.for %[[ROW:.+]] = %c0 to %{{.*}} step %c8
// PREFETCH: %[[FIRST:.+]] = arith.cmpi eq, %[[ROW]], %c0
// PREFETCH: %[[ALONE:.+]] = arith.cmpi eq, %{{.*}}, %c8
// PREFETCH: arith.select %[[FIRST]], %c2048, %c3072
// PREFETCH: %[[MORE:.+]] = arith.select %[[ALONE]], %c64, %c0
// PREFETCH: %[[MORE64:.+]] = arith.index_cast %[[MORE]]
// PREFETCH: llvm.getelementptr %{{.*}}[%[[MORE64]]]
// PREFETCH-COUNT-8: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// PREFETCH-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// PREFETCH-NEXT: scf.yield
// Tiles of up to four rows: each step names two of the lines behind its sums, in their order.
// PREFETCH-COUNT-16: llvm.intr.prefetch
// One row alone: 3 KB on.
// PREFETCH: %[[ALONE:.+]] = arith.cmpi eq, %{{.*}}, %c1
// PREFETCH: arith.select %[[ALONE]], %c768, %c2048
// PREFETCH: %[[MORE:.+]] = arith.select %[[ALONE]], %c64, %c0
// PREFETCH: %[[MORE64:.+]] = arith.index_cast %[[MORE]]
// PREFETCH: %[[BEHIND:.+]] = llvm.getelementptr %{{.*}}[%[[MORE64]]]
// PREFETCH-COUNT-2: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// PREFETCH-NEXT: "llvm.intr.prefetch"(%[[OWN:.+]]) <{
// PREFETCH-NEXT: %[[LINE:.+]] = llvm.getelementptr %[[OWN]][16]
// PREFETCH-NEXT: "llvm.intr.prefetch"(%[[LINE]])
// PREFETCH-COUNT-2: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// PREFETCH-COUNT-2: llvm.intr.prefetch
// PREFETCH-COUNT-2: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// PREFETCH-NEXT: "llvm.intr.prefetch"(%[[BEHIND]])
// PREFETCH-COUNT-1: llvm.intr.prefetch
// PREFETCH-COUNT-2: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// PREFETCH-COUNT-2: llvm.intr.prefetch
// PREFETCH-NEXT: scf.yield
// PREFETCH: else
// PREFETCH-COUNT-1: llvm.intr.prefetch
// PREFETCH-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// PREFETCH-NEXT: scf.yield
// PREFETCH-COUNT-3: llvm.intr.prefetch
// And what the results of a later row will be, two lines.
// PREFETCH: "llvm.intr.prefetch"(%[[LINE:.*]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// PREFETCH-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[LINE]][16]
// PREFETCH-NEXT: "llvm.intr.prefetch"(%[[NEXT]])
// PREFETCH-NOT: llvm.intr.prefetch
// PREFETCH: return

// Many rows in loops of eight steps: a line every four.
// EIGHT-LABEL: func.func private @product(
// EIGHT: scf.if
// EIGHT: } else {
// EIGHT: scf.for %{{.*}} = %c0 to %c64 step %c8
// EIGHT-COUNT-1: llvm.intr.prefetch
// EIGHT-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// EIGHT: llvm.intr.prefetch
// EIGHT-COUNT-64: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// EIGHT-NEXT: scf.yield
// EIGHT: return

// With two rows at least: a tile of one row fetches nothing, if it is the first, so that it names no more lines.
// ROWS-LABEL: func.func private @product(
// ROWS-COUNT-26: llvm.intr.prefetch
// ROWS: arith.select %{{.*}}, %c0, %c3072
// ROWS-COUNT-4: llvm.intr.prefetch
// ROWS: else
// ROWS-COUNT-6: llvm.intr.prefetch
// ROWS-NOT: llvm.intr.prefetch
// ROWS: return

// THREADS: llvm.func @weft_parallel_for(!llvm.ptr, !llvm.ptr, i64)
// THREADS: func.func private @product(
// THREADS: %[[CONTEXT:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, ptr, ptr, i64, ptr)>
// THREADS: %[[BODY:.*]] = llvm.mlir.addressof @product.body
// THREADS: llvm.call @weft_parallel_for(%[[BODY]], %[[CONTEXT]],
// THREADS: llvm.func internal @product.body(%{{.*}}: !llvm.ptr, %{{.*}}: i64)
func.func private @product(%a: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 1024>}, %w: memref<100x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>,
                           %bias: memref<100xf32>,
                           %out: memref<?x100xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.contract [t in T to 1024, f in F = 100, d in D = 64]
      ins(%a[t, d], %w[f, d], %bias[f] : memref<?x64xf32>, memref<100x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<100xf32>)
      outs(%out : memref<?x100xf32>) {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    weft.yield %0 : f32
  }
  return
}
}
