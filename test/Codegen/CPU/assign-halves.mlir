// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 tiles" | FileCheck %s
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 tiles" | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=CODE
// RUN: weft-opt %s --weft-assign-lowering="width=16 registers=32 dots" | FileCheck %s --check-prefix=DOTS

module attributes {weft.symbols = #weft.bounds<T to 40>} {

// Beside tiles one row of bf16 is multiplied by multiply-adds in their order: the row's words are made f32, those of a panel both halves of
// two vectors, and a step of 16 words is added up for itself. Loops with dots add otherwise.
// CHECK-LABEL: func.func private @pairs
// CHECK: #weft.lowering<"gemm", halves = 1, k = 96,{{.*}} unit = "tiles"
// CODE-LABEL: func.func private @pairs
// CODE: scf.if
// CODE: llvm.load {{.*}} -> vector<16xi32>
// CODE: scf.if
// CODE: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CODE: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CODE: else
// CODE: weft_cpu.tile_product
// DOTS-NOT: halves
func.func private @pairs(%a: memref<?x96xbf16> {weft.bounds = #weft.bounds<T to 40>}, %w: memref<64x96xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.contract [t in T to 40, f in 64, d in 96]
      ins(%a[t, d], %w[f, d] : memref<?x96xbf16>, memref<64x96xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>)
      outs(%out : memref<?x64xf32>)
  return
}

// So is one of parts, all of which a word of the panel is multiplied with: of three the sums of twelve vectors.
// CHECK-LABEL: func.func private @parts
// CHECK: #weft.lowering<"gemm", halves = 1, k = 96,{{.*}} unit = "tiles"
// CODE-LABEL: func.func private @parts
// CODE-COUNT-3: llvm.load {{.*}} -> vector<16xi32>
// CODE: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CODE: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
func.func private @parts(%a: memref<?x96xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>> {weft.bounds = #weft.bounds<T to 40>}, %w: memref<64x96xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.contract [t in T to 40, f in 64, d in 96]
      ins(%a[t, d], %w[f, d] : memref<?x96xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>>, memref<64x96xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>)
      outs(%out : memref<?x64xf32>)
  return
}

// Columns that are taken apart are, in registers, each half of a word for itself: two parts of f16 with three of the row are five products,
// whose sums are twenty vectors.
// CHECK-LABEL: func.func private @split
// CHECK: #weft.lowering<"gemm", halves = 1, k = 96,{{.*}} unit = "tiles"
// CODE-LABEL: func.func private @split
// CODE-COUNT-3: llvm.load {{.*}} -> vector<16xi32>
// CODE: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CODE: llvm.load {{.*}} -> vector<16xi16>
// CODE: arith.subf
// CODE-COUNT-5: arith.mulf
// CODE: llvm.load {{.*}} -> vector<16xi16>
// CODE: else
// CODE: weft_cpu.tile_product
func.func private @split(%a: memref<?x96xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>> {weft.bounds = #weft.bounds<T to 40>}, %w: memref<64x96xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.contract [t in T to 40, f in 64, d in 96]
      ins(%a[t, d], %w[f, d] : memref<?x96xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>>, memref<64x96xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<?x64xf32>)
  return
}

// The lines of four pages are fetched in turns, 16 KB ahead: of f32 a word of the row has a line in each.
// Blocks of pages are those of the matrix, wherever its panels begin.
// CODE-LABEL: func.func private @pages
// CODE: %[[BEFORE:.*]] = arith.muli %{{.*}}, %c3072 : index
// CODE: %[[LINES:.*]] = arith.divui %[[BEFORE]], %c16 : index
// CODE: %[[LINE:.*]] = arith.addi %[[LINES]], %{{.*}} : index
// CODE: %[[BLOCK:.*]] = arith.divui %[[LINE]], %c256 : index
// CODE: %[[WITHIN:.*]] = arith.remui %[[LINE]], %c256 : index
// CODE: %[[PLACE:.*]] = arith.divui %[[WITHIN]], %c4 : index
// CODE: arith.muli %[[BLOCK]], %c4096 : index
// CODE: %[[PAGE:.*]] = arith.remui %[[LINE]], %c4 : index
// CODE: arith.muli %[[PAGE]], %c1024 : index
// CODE: arith.muli %[[PLACE]], %c16 : index
// CODE: llvm.getelementptr %{{.*}}[4096]
// CODE: "llvm.intr.prefetch"
// CODE-COUNT-3: "llvm.intr.prefetch"
func.func private @pages(%a: memref<1x96xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>>, %w: memref<64x96xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<1x64xf32>) attributes {weft.kernel} {
  weft.contract [t in 1, f in 64, d in 96]
      ins(%a[t, d], %w[f, d] : memref<1x96xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>>, memref<64x96xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<1x64xf32>) attributes {weft.lowering = #weft.lowering<"gemm", prefetch = true>}
  return
}

// Not of codes, which have dots.
// CHECK-LABEL: func.func private @codes
// CHECK-NOT: halves
func.func private @codes(%a: memref<?x96xui8> {weft.bounds = #weft.bounds<T to 40>}, %w: memref<64x96xi8, #weft.layout<n = [0], k = [1], tile = [32, 4]>>, %out: memref<?x64xi32> {weft.bounds = #weft.bounds<T to 40>}) attributes {weft.kernel} {
  weft.contract [t in T to 40, f in 64, d in 96]
      ins(%a[t, d], %w[f, d] : memref<?x96xui8>, memref<64x96xi8, #weft.layout<n = [0], k = [1], tile = [32, 4]>>)
      outs(%out : memref<?x64xi32>)
  return
}

}
