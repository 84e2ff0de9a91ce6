// RUN: weft-opt --weft-lower-calls=target=x86-64-v3 --split-input-file --verify-diagnostics %s | FileCheck %s

module attributes {weft.model = "tiny", weft.symbols = #weft.bounds<T to 16, S to 8>, weft.weights_bytes = 320 : i64} {
func.func private @scale(%x: !llvm.ptr, %w: !llvm.ptr, %y: !llvm.ptr, %S: i64, %status: !llvm.ptr) attributes {weft.kernel} {
  return
}

// Buffers are addresses; sizes and tensors are read from lists where they are needed.
// CHECK-LABEL: func.func private @entry.run
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: !llvm.ptr, %[[ARENA:[a-z0-9]+]]: !llvm.ptr, %[[SIZES:[a-z0-9]+]]: !llvm.ptr, %[[STATUS:[a-z0-9]+]]: !llvm.ptr, %[[TENSORS:[a-z0-9]+]]: !llvm.ptr)
// CHECK: %[[LIST:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[XS:.*]] = llvm.getelementptr %[[TENSORS]][0]
// CHECK: %[[X:.*]] = llvm.load %[[XS]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[NULL:.*]] = llvm.icmp "eq" %[[X]]
// CHECK: %[[GIVEN:.*]] = scf.if %[[NULL]] -> (!llvm.ptr) {
// CHECK:   scf.for
// CHECK:     llvm.store %{{.*}} : f32
// CHECK: %[[W:.*]] = llvm.getelementptr %[[WEIGHTS]]
// CHECK: %[[B:.*]] = llvm.getelementptr %[[ARENA]]
// CHECK: %[[SS:.*]] = llvm.getelementptr %[[SIZES]][1]
// CHECK: %[[S:.*]] = llvm.load %[[SS]] : !llvm.ptr -> i64
// CHECK: call @scale(%[[GIVEN]], %[[W]], %[[B]], %[[S]], %[[STATUS]])
// CHECK: llvm.store %[[B]], %{{.*}}
// CHECK: %[[YS:.*]] = llvm.getelementptr %[[TENSORS]][1]
// CHECK: %[[Y:.*]] = llvm.load %[[YS]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[LIST]][1]
// CHECK: llvm.store %[[Y]], %[[SECOND]]
// CHECK: %[[SUB:.*]] = llvm.getelementptr %[[ARENA]]
// CHECK: call @layer.layer(%[[WEIGHTS]], %[[SUB]], %[[SIZES]], %[[STATUS]], %[[LIST]])
func.func @run(%x: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>, weft.default = 1.0 : f32, weft.default_offset = 128 : i64, weft.name = "x"},
               %y: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>, weft.name = "y", weft.output}) attributes {weft.entry, weft.scratch = 256 : i64} {
  %w = weft.weight "w" {offset = 64 : i64} : memref<64xf32>
  %b = weft.buffer offset 64 bytes 64 live 0 to 1 : memref<?xf32>
  weft.launch @scale ins(%x, %w : memref<?xf32>, memref<64xf32>) outs(%b : memref<?xf32>) sizes ["S"]
  call @layer(%b, %y) {weft.arena = 192 : i64} : (memref<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @layer(%x: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>}, %y: memref<?xf32> {weft.bounds = #weft.bounds<T to 16>, weft.output}) attributes {weft.scratch = 0 : i64} {
  return
}

// It checks the sizes that its tensors have: T from 1 to 16, and not S. The optional input may be
// null.
// CHECK-LABEL: llvm.func internal @tiny_run.call(
// CHECK-SAME: %[[W:[a-z0-9]+]]: !llvm.ptr, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %[[SIZES:[a-z0-9]+]]: !llvm.ptr, %[[IN:[a-z0-9]+]]: !llvm.ptr, %[[OUT:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK: %[[TENSORS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.getelementptr %[[SIZES]][0]
// CHECK: %[[T:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[BELOW:.*]] = llvm.sub %[[T]]
// CHECK: llvm.icmp "uge" %[[BELOW]], %{{.*}} : i64
// CHECK-NOT: llvm.icmp "uge"
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.icmp "eq" %[[W]]
// CHECK: llvm.icmp "eq" %[[SCRATCH]]
// CHECK-NOT: llvm.getelementptr %[[IN]]
// CHECK: llvm.getelementptr %[[OUT]][0]
// CHECK: %[[Y:.*]] = llvm.load
// CHECK: llvm.icmp "eq" %[[Y]]
// CHECK-NOT: llvm.icmp
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.intr.memcpy
// CHECK: llvm.intr.memcpy
// CHECK: call @entry.run(%[[W]], %[[SCRATCH]], %[[SIZES]], %{{.*}}, %[[TENSORS]])

// The typed C function makes lists of what it is given.
// CHECK-LABEL: llvm.func @tiny_run
// CHECK-SAME: (%[[W:[a-z0-9]+]]: !llvm.ptr, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr, %[[T:[a-z0-9]+]]: i64, %[[X:[a-z0-9]+]]: !llvm.ptr, %[[Y:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK: llvm.store %[[T]], %{{.*}} : i64
// CHECK: llvm.store %[[X]], %{{.*}} : !llvm.ptr
// CHECK: llvm.store %[[Y]], %{{.*}} : !llvm.ptr
// CHECK: llvm.call @tiny_run.call(%[[W]], %[[SCRATCH]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.mlir.global external constant @tiny_info()
// CHECK: llvm.func weak @weft_get_info()
}

// -----

// The C function answers what the entry asks for: whether x is passed. The processor answers before a list is read.
// CHECK-LABEL: func.func private @entry.ask
// CHECK: llvm.getelementptr %{{.*}}[1]
// CHECK: %[[GIVEN:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[2]
// CHECK: %[[Y:.*]] = llvm.load
// CHECK: call @pick(%[[GIVEN]], %{{.*}}, %[[Y]], %{{.*}})
// CHECK-LABEL: llvm.func internal @asks_ask.call
// CHECK: %[[TENSORS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[PLACE:.*]] = llvm.alloca %{{.*}} x i8
// CHECK-NOT: llvm.load
// CHECK: llvm.call @weft.processor()
// CHECK: %[[NULL:.*]] = llvm.icmp "eq"
// CHECK: %[[BYTE:.*]] = llvm.select %[[NULL]]
// CHECK: llvm.store %[[BYTE]], %[[PLACE]] : i8, !llvm.ptr
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[TENSORS]][1]
// CHECK: llvm.store %[[PLACE]], %[[SECOND]]
// CHECK: call @entry.ask(%{{.*}}, %[[TENSORS]])
// CHECK-LABEL: llvm.func @asks_ask
// CHECK-SAME: (%{{[a-z0-9]+}}: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr) -> i32
module attributes {weft.model = "asks"} {
llvm.func internal @weft.processor() -> i32 {
  %good = llvm.mlir.constant(0 : i32) : i32
  llvm.return %good : i32
}
func.func private @pick(%g: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %status: !llvm.ptr) attributes {weft.kernel} {
  return
}
func.func @ask(%x: memref<4xf32> {weft.default = 1.0 : f32, weft.default_offset = 0 : i64, weft.name = "x"}, %g: memref<i1> {weft.given = "x"}, %y: memref<4xf32> {weft.name = "y", weft.output}) attributes {weft.entry, weft.scratch = 64 : i64} {
  weft.launch @pick ins(%g, %x : memref<i1>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
}

// -----

module attributes {weft.model = "m"} {
func.func private @k(%x: memref<4xf32>) attributes {weft.kernel} {
  return
}
func.func @run(%x: memref<4xf32> {weft.name = "x"}) attributes {weft.entry, weft.scratch = 0 : i64} {
  // expected-error@+1 {{the kernel 'k' takes no addresses of memory space 0: run weft-lower-kernels and weft-lower-addresses first}}
  weft.launch @k ins(%x : memref<4xf32>)
  return
}
}
