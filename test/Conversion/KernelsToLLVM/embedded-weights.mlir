// RUN: weft-opt --weft-lower-calls=embeds-weights --split-input-file %s | FileCheck %s

module attributes {weft.model = "tiny", weft.symbols = #weft.bounds<T to 16>, weft.weights_bytes = 320 : i64} {
// A call without weights takes those in the object, by the description: their address is never in the code.
// CHECK-LABEL: llvm.func internal @tiny_run.call
// CHECK-SAME: (%[[GIVEN:[a-z0-9]+]]: !llvm.ptr,
// CHECK: %[[INFO:.*]] = llvm.mlir.addressof @tiny_info
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[INFO]][%[[OFFSET]]]
// CHECK: %[[OWN:.*]] = llvm.load volatile %[[PLACE]]
// CHECK: %[[NONE:.*]] = llvm.icmp "eq" %[[GIVEN]],
// CHECK: %[[WEIGHTS:.*]] = llvm.select %[[NONE]], %[[OWN]], %[[GIVEN]]
// CHECK: call @entry.run(%[[WEIGHTS]],
func.func @run(%y: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>, weft.name = "y", weft.output}) attributes {weft.entry, weft.scratch = 0 : i64} {
  return
}
}
// CHECK: llvm.mlir.global external hidden constant @tiny.weights() {{{.*}}} : !llvm.array<320 x i8>

// -----

// A model without weights has nothing to embed.
// CHECK-LABEL: module attributes {weft.model = "bare"
// CHECK-NOT: weights()
// CHECK-NOT: volatile
module attributes {weft.model = "bare", weft.symbols = #weft.bounds<T to 16>} {
func.func @run(%y: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>, weft.name = "y", weft.output}) attributes {weft.entry, weft.scratch = 0 : i64} {
  return
}
}
