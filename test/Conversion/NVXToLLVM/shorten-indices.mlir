// RUN: weft-opt %s --nvx-shorten-indices --split-input-file | FileCheck %s

// Where a function says that its indices are short they are i32; what is computed of them does not wrap.
// CHECK-LABEL: llvm.func @short
// CHECK-NOT: index
// CHECK: %[[FEW:.+]] = arith.constant 8 : i32
// CHECK: %[[ID:.+]] = nvx.block_id : i32
// CHECK: %[[SIZE:.+]] = arith.trunci %{{.+}} : i64 to i32
// CHECK: %[[ALL:.+]] = arith.muli %[[SIZE]], %[[FEW]] overflow<nsw> : i32
// CHECK: %[[SUM:.+]] = scf.for %{{.+}} = %[[ID]] to %[[ALL]] step %[[FEW]] iter_args(%[[BEFORE:.+]] = %[[FEW]]) -> (i32) : i32 {
// CHECK: arith.addi %[[BEFORE]], %{{.+}} overflow<nsw> : i32
// CHECK: arith.divui %{{.+}}, %[[FEW]] : i32
// CHECK: %[[PLACE:.+]] = arith.extsi %[[SUM]] : i32 to i64
// CHECK: llvm.getelementptr %arg0[%[[PLACE]]]
llvm.func @short(%buffer: !llvm.ptr<1>, %count: i64) attributes {nvx.short_indices} {
  %c8 = arith.constant 8 : index
  %id = nvx.block_id : i32
  %first = arith.index_castui %id : i32 to index
  %size = arith.index_cast %count : i64 to index
  %all = arith.muli %size, %c8 : index
  %sum = scf.for %i = %first to %all step %c8 iter_args(%before = %c8) -> (index) {
    %next = arith.addi %before, %i : index
    %half = arith.divui %next, %c8 : index
    scf.yield %half : index
  }
  %place = arith.index_cast %sum : index to i64
  %element = llvm.getelementptr %buffer[%place] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %short = arith.index_cast %sum : index to i32
  llvm.store %short, %element : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// Others stay: those that do not say so, and those with a number beyond 32 bits.
// CHECK-LABEL: llvm.func @silent
// CHECK: arith.muli %{{.+}}, %{{.+}} : index
llvm.func @silent(%count: i64) -> i64 {
  %c8 = arith.constant 8 : index
  %size = arith.index_cast %count : i64 to index
  %all = arith.muli %size, %c8 : index
  %result = arith.index_cast %all : index to i64
  llvm.return %result : i64
}

// CHECK-LABEL: llvm.func @long
// CHECK: arith.muli %{{.+}}, %{{.+}} : index
llvm.func @long(%count: i64) -> i64 attributes {nvx.short_indices} {
  %c = arith.constant 8589934592 : index
  %size = arith.index_cast %count : i64 to index
  %all = arith.muli %size, %c : index
  %result = arith.index_cast %all : index to i64
  llvm.return %result : i64
}
