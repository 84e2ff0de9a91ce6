// RUN: weft-opt --weft-lower-calls=target=x86-64-v3 %s | FileCheck %s

// The new positions are computed in pieces: whatever is taken of the stack is taken once, before the first piece.
// CHECK-LABEL: llvm.func internal @m_y_step.call(
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: !llvm.ptr, %[[STATE:[a-z0-9]+]]: !llvm.ptr, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %[[SIZES:[a-z0-9]+]]: !llvm.ptr, %[[IN:[a-z0-9]+]]: !llvm.ptr, %[[OUT:[a-z0-9]+]]: !llvm.ptr
// CHECK: %[[ALL:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[STATUS:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: %[[TENSORS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[GIVEN:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: llvm.getelementptr %[[IN]][0]
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[MISSING:.*]] = llvm.icmp "eq" %[[X]]
// CHECK: %[[ANSWER:.*]] = llvm.select %[[MISSING]]
// CHECK: llvm.store %[[ANSWER]], %[[GIVEN]]
// CHECK: llvm.br ^[[PIECE:bb[0-9]+]](
// CHECK: ^[[PIECE]](%[[DONE:.*]]: i64):
// CHECK-NOT: llvm.alloca
// CHECK: "llvm.intr.memmove"
// CHECK-NOT: llvm.alloca
// CHECK: call @entry.y_step(%[[WEIGHTS]], %[[SCRATCH]], %[[ALL]], %[[STATUS]], %[[TENSORS]])
// CHECK-NOT: llvm.alloca
// CHECK: llvm.cond_br %{{.*}}, ^[[PIECE]](
// CHECK: llvm.func @m_y_step(

// What all positions see: the start is told whether it is given, and keeps the answer.
// CHECK-LABEL: llvm.func internal @m_y_start.call(
// CHECK: %[[TENSORS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[ASKED:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: %[[LEFT_OUT:.*]] = llvm.icmp "eq" %{{.*}}
// CHECK: llvm.select %[[LEFT_OUT]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[TENSORS]][1]
// CHECK: llvm.store %[[ASKED]], %[[SECOND]]
// CHECK: call @entry.y_start(%{{.*}}, %[[TENSORS]])
// CHECK-LABEL: llvm.func @m_y_start(
module attributes {weft.model = "m", weft.symbols = #weft.bounds<T to 64, N to 64>} {
func.func @y(%x: memref<?xi32> {weft.bounds = #weft.bounds<T to 64>, weft.name = "x", weft.default = 0 : i32, weft.computed},
             %given: memref<i1> {weft.given = "x"}, %mode: memref<i32> {weft.name = "mode", weft.default = 0 : i32, weft.computed},
             %asked: memref<i1> {weft.given = "mode"},
             %y: memref<?xf32> {weft.bounds = #weft.bounds<T to 64>, weft.name = "y", weft.output})
    attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">, weft.scratch = 0 : i64} {
  return
}
func.func @y_start(%mode: memref<i32> {weft.name = "mode", weft.default = 0 : i32, weft.computed}, %asked: memref<i1> {weft.given = "mode"},
                   %kept: memref<i1> {weft.name = "input.0", weft.output, weft.state, weft.state_offset = 64 : i64})
    attributes {weft.entry, weft.start = @y_step, weft.scratch = 0 : i64} {
  return
}
func.func @y_step(%x: memref<?xi32> {weft.bounds = #weft.bounds<N to 64>, weft.name = "x", weft.default = 0 : i32, weft.computed},
                  %given: memref<i1> {weft.given = "x"},
                  %kept: memref<i1> {weft.name = "input.0", weft.state, weft.state_offset = 64 : i64},
                  %k: memref<64x8xf32> {weft.name = "k.1", weft.state, weft.state_offset = 128 : i64, weft.window = 3 : i64},
                  %y: memref<?xf32> {weft.bounds = #weft.bounds<N to 64>, weft.name = "y", weft.output})
    attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">, weft.scratch = 0 : i64, weft.state_bytes = 384 : i64} {
  return
}
}
