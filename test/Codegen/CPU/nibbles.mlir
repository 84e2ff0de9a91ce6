// Codes times numbers of 4 bits. Of one or two rows zeros are left out of the dots: what a row's codes of a group add up to, of all
// steps and of second ones, is made once, and second steps' numbers are 16 (U - 8), which takes two bits off a byte. Lines ahead are
// named one at a time, between the dots.
// RUN: split-file %s %t
// RUN: sed 's/GROUP/32/' %t/product.mlir | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed 's/GROUP/64/' %t/product.mlir | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=ONE
// RUN: sed 's/GROUP/32/; s/unroll = 4/unit = "words", unroll = 4/' %t/product.mlir | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=WORDS
// RUN: sed 's/GROUP/32/; s/rows = 8, tile = .8, 32., unroll = 4/padded = 16, rows = 32, tile = [32, 32], unit = "tiles", unroll = 1/' %t/product.mlir | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=TILES
// RUN: sed 's/GROUP/32/; s/rows = 8, tile = .8, 32., unroll = 4/rows = 32, tile = [32, 32], unit = "tiles", unroll = 1/' %t/product.mlir | weft-opt --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func private @product(
// The last rows of up to eight, modulo four: eight times the second steps' codes, and all in 16 bits.
// CHECK: %[[LAST:.+]] = arith.remui %{{.*}}, %c4
// CHECK: scf.for %{{.*}} = %c0 to %[[LAST]]
// CHECK: %[[FIRST:.+]] = weft_cpu.dot_codes %{{.*}}, %{{.*}}, %[[ONES:.+]] : vector<4xi32>
// CHECK: %[[SUMS:.+]] = weft_cpu.dot_codes %[[FIRST]], %{{.*}}, %[[ONES]] : vector<4xi32>
// CHECK: vector.shuffle %[[SUMS]], %[[SUMS]] [2, 3, 0, 1]
// CHECK: arith.shli %{{.*}}, %c3_i32
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr
// Eight rows and four: numbers without their zeros, in bytes.
// CHECK: arith.subi %{{.*}}, %{{.*}} : vector<64xi8>
// CHECK-NOT: arith.xori
// CHECK: arith.subi %{{.*}}, %{{.*}} : vector<64xi8>
// Two rows and one.
// CHECK: scf.for
// CHECK: arith.xori %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK-NOT: vector<64xi8>
// CHECK: scf.for
// CHECK: %[[LOWER:.+]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[START:.+]] = vector.broadcast %[[LOWER]] : i32 to vector<16xi32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[START]], %{{.*}} = %[[ZERO:.+]], %{{.*}} = %[[ZERO]])
// CHECK: %[[BOTH:.+]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xi32>
// CHECK: %[[U:.+]] = arith.andi %[[BOTH]], %{{.*}} : vector<16xi32>
// CHECK: weft_cpu.dot_codes %{{.*}}, %{{.*}}, %[[U]] : vector<16xi32>
// CHECK: %[[UPPER:.+]] = arith.andi %[[BOTH]], %{{.*}} : vector<16xi32>
// CHECK-NEXT: %[[SIGNED:.+]] = arith.xori %[[UPPER]], %{{.*}} : vector<16xi32>
// CHECK: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: weft_cpu.dot_codes %{{.*}}, %{{.*}}, %[[SIGNED]] : vector<16xi32>
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xi32>
// CHECK: scf.yield
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: arith.shrsi %{{.*}}, %{{.*}} : vector<16xi32>

// A group that is all of a row has no sums, and words have no room for 16 (U - 8).
// ONE-LABEL: func.func private @product(
// ONE-NOT: vector<4xi32>
// ONE-NOT: arith.xori
// ONE: return
// WORDS-LABEL: func.func private @product(
// WORDS-NOT: vector<4xi32>
// WORDS-NOT: arith.xori
// WORDS: return

// Up to 32 rows: the unit keeps the sums while codes become bytes, a step after the other; without memory for whole tiles it does not.
// TILES-LABEL: func.func private @product(
// TILES: weft_cpu.begin_tiles
// TILES: weft_cpu.load_sums %[[SUMS:.+]] count %[[ROWS:.+]] fresh
// TILES: vector.shuffle %{{.*}} [0, 1, 0, 1,
// TILES: arith.muli %{{.*}} : vector<32xi16>
// TILES: vector.shuffle %{{.*}} [0, 0, 0, 0,
// TILES: arith.subi %{{.*}} : vector<64xi8>
// TILES: weft_cpu.tile_product %[[SUMS]], %{{.*}} k %c64 codes padded held
// TILES: weft_cpu.store_sums %[[SUMS]] count %[[ROWS]]
// TILES: weft_cpu.end_tiles
// APART-LABEL: func.func private @product(
// APART-NOT: weft_cpu.load_sums
// APART: weft_cpu.tile_product {{.*}} codes :
// APART-NOT: weft_cpu.store_sums
// APART: return

//--- product.mlir
module attributes {weft.symbols = #weft.bounds<T to 64>} {
func.func private @product(%a: memref<?x64xui8, strided<[128, 1]>> {weft.bounds = #weft.bounds<T to 64>}, %w: memref<32x64xi8, #weft.layout<n = [0], k = [1], tile = [32, 4] nibbles = GROUP>>,
                           %out: memref<?x32xf32> {weft.bounds = #weft.bounds<T to 64>}) attributes {weft.kernel} {
  weft.contract [t in T to 64, f in F = 32, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<?x64xui8, strided<[128, 1]>>, memref<32x64xi8, #weft.layout<n = [0], k = [1], tile = [32, 4] nibbles = GROUP>>)
      outs(%out : memref<?x32xf32>) attributes {weft.lowering = #weft.lowering<"gemm", k = 64, panels = 1, parallel = false, prefetch = true, rows = 8, tile = [8, 32], unroll = 4, width = 16>} {
  ^bb0(%sum: i32):
    %real = arith.sitofp %sum : i32 to f32
    weft.yield %real : f32
  }
  return
}
}
