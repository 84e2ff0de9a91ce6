// RUN: weft-opt %s --weft-merge-functions | FileCheck %s

// CHECK: llvm.func internal @first.body(
// CHECK-NOT: @second.body(
// CHECK: llvm.func internal @third.body(
// CHECK: llvm.func internal @quick.body(
// CHECK: llvm.func @offered(
llvm.func internal @first.body(%context: !llvm.ptr, %task: i64) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %task, %c1 : i64
  llvm.store %next, %context : i64, !llvm.ptr
  llvm.return
}
llvm.func internal @second.body(%address: !llvm.ptr, %i: i64) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %i, %c1 : i64
  llvm.store %next, %address : i64, !llvm.ptr
  llvm.return
}
// Another number.
llvm.func internal @third.body(%context: !llvm.ptr, %task: i64) {
  %c1 = llvm.mlir.constant(2 : i64) : i64
  %next = llvm.add %task, %c1 : i64
  llvm.store %next, %context : i64, !llvm.ptr
  llvm.return
}
// The same code, of another function.
llvm.func internal @quick.body(%context: !llvm.ptr, %task: i64) attributes {target_cpu = "x86-64"} {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %task, %c1 : i64
  llvm.store %next, %context : i64, !llvm.ptr
  llvm.return
}
// Others may call it by its name.
llvm.func @offered(%context: !llvm.ptr, %task: i64) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %task, %c1 : i64
  llvm.store %next, %context : i64, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: func.func @launch(
// CHECK: llvm.mlir.addressof @first.body
// CHECK: llvm.mlir.addressof @first.body
// CHECK: llvm.mlir.addressof @third.body
func.func @launch() -> (!llvm.ptr, !llvm.ptr, !llvm.ptr) {
  %0 = llvm.mlir.addressof @first.body : !llvm.ptr
  %1 = llvm.mlir.addressof @second.body : !llvm.ptr
  %2 = llvm.mlir.addressof @third.body : !llvm.ptr
  return %0, %1, %2 : !llvm.ptr, !llvm.ptr, !llvm.ptr
}

// A kernel and that of a step, which call their rows by other names.
// CHECK: func.func private @whole(
// CHECK-NOT: @step(
// CHECK: func.func private @turned(
func.func private @whole(%x: !llvm.ptr, %y: !llvm.ptr) attributes {weft.kernel,
    weft.work = #weft.work<symbols = ["T"], unit = "f32", passes = 1, flops = "T 2 *", functions = "0", bytes = "T", weights = "0">} {
  %0 = llvm.load %x : !llvm.ptr -> f32
  llvm.store %0, %y : f32, !llvm.ptr
  return
}
func.func private @step(%x: !llvm.ptr, %y: !llvm.ptr) attributes {weft.kernel,
    weft.work = #weft.work<symbols = ["N"], unit = "f32", passes = 1, flops = "N 2 *", functions = "0", bytes = "N", weights = "0">} {
  %0 = llvm.load %x : !llvm.ptr -> f32
  llvm.store %0, %y : f32, !llvm.ptr
  return
}
func.func private @turned(%x: !llvm.ptr, %y: !llvm.ptr) attributes {weft.kernel} {
  %0 = llvm.load %y : !llvm.ptr -> f32
  llvm.store %0, %x : f32, !llvm.ptr
  return
}

// What launches a kernel on buffers says what it is given: they stay two.
// CHECK: func.func private @kernel(
// CHECK: func.func private @kernel.2(
func.func private @kernel(%x: memref<4xf32>) attributes {weft.kernel} {
  return
}
func.func private @kernel.2(%x: memref<4xf32>) attributes {weft.kernel} {
  return
}

// CHECK-LABEL: func.func @calls(
// CHECK: call @whole(
// CHECK: call @whole(
// CHECK: call @turned(
func.func @calls(%x: !llvm.ptr, %y: !llvm.ptr) {
  call @whole(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
  call @step(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
  call @turned(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
  return
}
