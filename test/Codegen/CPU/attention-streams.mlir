// A few rows fetch what they read after the block in hand, at eight places of it at the same time; where hints are left to the processor for one row
// (AMD's), as keys and values 32 farther on.
// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32" | FileCheck %s --check-prefix=CHOSEN
// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32 fetch-rows=2" | FileCheck %s --check-prefix=NEAR
// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=STREAMS
// RUN: weft-opt %s --split-input-file --weft-assign-lowering="width=16 registers=32 fetch-rows=2" --weft-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=LATER

// CHOSEN-LABEL: @step(
// CHOSEN: #weft.lowering<"attention", keys = 128, {{.*}}streams = 8
// NEAR-LABEL: @step(
// NEAR-NOT: streams

// Of 128 keys of a block key i is fetched beside key (i mod 8) * 16 + i / 8 of the one before; behind the last one come the first ones of the next
// head, of as many keys as there are.
// STREAMS-LABEL: @step(
// STREAMS: scf.for %[[BLOCK:.+]] = %c0 to %[[KEYS:.+]] step %c128
// STREAMS: %[[NEXT:.+]] = arith.addi %[[BLOCK]], %c128
// STREAMS: arith.cmpi sle, %{{.+}}, %c8
// STREAMS-NEXT: scf.if
// STREAMS-NEXT: %[[NUMBER:.+]] = arith.subi %{{.+}}, %[[BLOCK]]
// STREAMS-NEXT: %[[STREAM:.+]] = arith.remui %[[NUMBER]], %c8
// STREAMS-NEXT: %[[LENGTH:.+]] = arith.divui %{{.+}}, %c8
// STREAMS-NEXT: %[[FIRST:.+]] = arith.muli %[[STREAM]], %[[LENGTH]]
// STREAMS-NEXT: %[[IN:.+]] = arith.divui %[[NUMBER]], %c8
// STREAMS-NEXT: %[[PLACE:.+]] = arith.addi %[[FIRST]], %[[IN]]
// STREAMS-NEXT: %[[AHEAD:.+]] = arith.addi %[[NEXT]], %[[PLACE]]
// STREAMS-NEXT: %[[PAST:.+]] = arith.cmpi sge, %[[AHEAD]], %[[KEYS]]
// STREAMS-NEXT: %[[BEHIND:.+]] = arith.subi %[[AHEAD]], %[[KEYS]]
// STREAMS-NEXT: arith.select %[[PAST]], %[[BEHIND]], %[[AHEAD]]
// STREAMS-COUNT-16: llvm.intr.prefetch

// LATER-LABEL: @step(
// LATER: arith.cmpi sle, %{{.+}}, %c8
// LATER-NEXT: scf.if
// LATER-NEXT: %[[AHEAD:.+]] = arith.addi %{{.+}}, %c32
// LATER-NEXT: arith.cmpi sge, %[[AHEAD]]
// LATER-COUNT-16: llvm.intr.prefetch
module attributes {weft.symbols = #weft.bounds<T to 1024, N to 1024>} {
func.func private @step(%q: memref<?x2x32xf32> {weft.bounds = #weft.bounds<N to 1024>}, %k: memref<2x?x32xf32> {weft.bounds = #weft.bounds<T to 1024>},
                        %v: memref<2x?x32xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x2x32xf32> {weft.bounds = #weft.bounds<N to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125] [h in H = 2, t in N to 1024, v in C = 32, s in T to 1024, c in C = 32]
    ins(%q[t, h, c], %k[h, s, c], %v[h, s, v] : memref<?x2x32xf32>, memref<2x?x32xf32>, memref<2x?x32xf32>) outs(%out : memref<?x2x32xf32>)
    attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>]} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
}

// -----

// Many rows have enough to do.
// CHOSEN-LABEL: @many(
// CHOSEN-NOT: streams
// STREAMS-LABEL: @many(
// STREAMS-NOT: prefetch
func.func private @many(%q: memref<64x2x32xf32>, %k: memref<2x64x32xf32>, %v: memref<2x64x32xf32>, %out: memref<64x2x32xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125] [h in H = 2, t in N = 64, v in C = 32, s in T = 64, c in C = 32]
    ins(%q[t, h, c], %k[h, s, c], %v[h, s, v] : memref<64x2x32xf32>, memref<2x64x32xf32>, memref<2x64x32xf32>) outs(%out : memref<64x2x32xf32>)
    attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>]} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
