// RUN: weft-opt %s --weft-assign-lowering=width=16 --weft-lower-kernels --canonicalize | FileCheck %s
// RUN: weft-opt %s --weft-assign-lowering=width=4 --weft-lower-kernels --canonicalize | FileCheck %s --check-prefix=FOUR

// An element of 16 bits lies in a word at a multiple of four bytes.
// CHECK-LABEL: func.func private @halves(
// CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[TABLE:.+]] : !llvm.ptr to i64
// CHECK: %[[BEHIND:.+]] = arith.andi %[[ADDRESS]], %c3_i64
// CHECK: %[[BACK:.+]] = arith.subi %{{.+}}, %[[BEHIND]]
// CHECK: %[[WORDS:.+]] = llvm.getelementptr %[[TABLE]][%[[BACK]]]
// CHECK: %[[PLACE:.+]] = arith.addi %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK: %[[NUMBER:.+]] = arith.shrui %[[PLACE]], %{{.+}}
// CHECK: %[[WITHIN:.+]] = arith.andi %[[PLACE]], %{{.+}}
// CHECK: %[[SHIFT:.+]] = arith.shli %[[WITHIN]], %{{.+}}
// CHECK: %[[AT:.+]] = llvm.getelementptr %[[WORDS]][%[[NUMBER]]] : (!llvm.ptr, vector<16xi32>) -> vector<16x!llvm.ptr>, i32
// CHECK: %[[FOUND:.+]] = llvm.intr.masked.gather %[[AT]], {{.*}} -> vector<16xi32>
// CHECK: arith.shrui %[[FOUND]], %[[SHIFT]]
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
// Four lanes have no such instruction.
// FOUR-LABEL: func.func private @halves(
// FOUR-NOT: llvm.ptrtoint
// FOUR: llvm.intr.masked.gather {{.*}} -> vector<4x{{b?}}{{[fi]}}16>
func.func private @halves(%ids: memref<64xi32>, %w: memref<1000xbf16>, %out: memref<64xf32>) attributes {weft.kernel} {
  weft.map [t in 64] ins(%ids[t] : memref<64xi32>) outs(%out : memref<64xf32>) {
  ^bb0(%0: i32):
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %w[%i] : memref<1000xbf16>
    weft.yield %1 : f32
  }
  return
}

// What lies in the other direction is loaded and turned round, the last ones where the mask has them.
// CHECK-LABEL: func.func private @reversed(
// CHECK-NOT: gather
// CHECK: %[[LOADED:.+]] = llvm.load %{{.+}} : !llvm.ptr -> vector<16xf32>
// CHECK: vector.shuffle %[[LOADED]], %[[LOADED]] [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: %[[SOME:.+]] = llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK: vector.shuffle %[[SOME]], %[[SOME]] [15, 14, 13,
func.func private @reversed(%w: memref<60xf32>, %out: memref<60xf32>) attributes {weft.kernel} {
  weft.map [t in 60] ins(%w[59 - t] : memref<60xf32>) outs(%out : memref<60xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// Must not fire: words are gathered as they are.
// CHECK-LABEL: func.func private @words(
// CHECK-NOT: llvm.ptrtoint
// CHECK: llvm.intr.masked.gather {{.*}} -> vector<16xf32>
func.func private @words(%ids: memref<64xi32>, %w: memref<1000xf32>, %out: memref<64xf32>) attributes {weft.kernel} {
  weft.map [t in 64] ins(%ids[t] : memref<64xi32>) outs(%out : memref<64xf32>) {
  ^bb0(%0: i32):
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %w[%i] : memref<1000xf32>
    weft.yield %1 : f32
  }
  return
}
