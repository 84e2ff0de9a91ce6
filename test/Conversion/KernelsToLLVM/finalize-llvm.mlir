// RUN: weft-opt --weft-finalize-llvm %s | FileCheck %s

// CHECK: module attributes {weft.stage = "llvm-dialect"} {
module attributes {weft.stage = "llvm-dialect", weft.model = "m", weft.symbols = #weft.bounds<T to 8>} {
  // CHECK-NEXT: llvm.func internal @kernel()
  // CHECK-NOT: weft.
  llvm.func @kernel() attributes {sym_visibility = "private", weft.kernel, weft.scratch = 64 : i64} {
    llvm.return
  }
  // Must not fire: what the runtime defines and what the caller sees keep their linkage, other attributes stay.
  // CHECK: llvm.func @weft_parallel_for() attributes {sym_visibility = "private"}
  llvm.func @weft_parallel_for() attributes {sym_visibility = "private"}
  // CHECK: llvm.func @model() attributes {other = 1 : i64}
  llvm.func @model() attributes {other = 1 : i64, weft.flops = array<f64: 0.0, 0.0, 0.0>} {
    llvm.return
  }
}
