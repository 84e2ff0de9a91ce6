// RUN: weft-opt %s --split-input-file | FileCheck %s
// RUN: weft-opt %s --split-input-file | weft-opt --split-input-file | FileCheck %s
// RUN: weft-opt %s --split-input-file --mlir-print-op-generic | weft-opt --split-input-file | FileCheck %s
// Every attribute of WeftDiscardableAttrs.td where it may stand.

// CHECK: module attributes {
// CHECK-SAME: weft.batch = "B"
// CHECK-SAME: weft.checkpoint = #weft.checkpoint<prefix = ["model."], rename = ["{p}.gamma", "{p}.weight"], ignore = [], unread = ["head"]>
// CHECK-SAME: weft.model = "M"
// CHECK-SAME: weft.stage = "graph"
// CHECK-SAME: weft.symbols = #weft.bounds<B to 4, T to 8, N to 8>
module attributes {weft.model = "M", weft.stage = "graph", weft.batch = "B",
    weft.symbols = #weft.bounds<B to 4, T to 8, N to 8>,
    weft.checkpoint = #weft.checkpoint<ignore = [], prefix = ["model."], unread = ["head"], rename = ["{p}.gamma", "{p}.weight"]>} {
  // CHECK: func.func @y(%{{.*}}: tensor<?xf32, #weft.bounds<T to 8>> {weft.name = "x"}
  // CHECK-SAME: tensor<4xf32> {weft.computed, weft.default = 0.000000e+00 : f32, weft.name = "s"}
  // CHECK-SAME: tensor<i1> {weft.given = "s"}
  // CHECK-SAME: {weft.name = "y"}
  // CHECK-SAME: {weft.location = "m.weft:1:2", weft.name = "y.part"}
  // CHECK-SAME: weft.entry, weft.generate = #weft.generate<"y", along = "T">
  func.func @y(%x: tensor<?xf32, #weft.bounds<T to 8>> {weft.name = "x"},
               %s: tensor<4xf32> {weft.name = "s", weft.default = 0.0 : f32, weft.computed},
               %given: tensor<i1> {weft.given = "s"})
      -> (tensor<?xf32, #weft.bounds<T to 8>> {weft.name = "y"},
          tensor<?xf32, #weft.bounds<T to 8>> {weft.name = "y.part", weft.location = "m.weft:1:2"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "T">} {
    // CHECK: attributes {weft.constant, weft.folded = ["a", "b"], weft.label = "y", weft.unfused_reason = "why"}
    %y = weft.map [t in T to 8] ins(%x[t] : tensor<?xf32, #weft.bounds<T to 8>>)
        attributes {weft.label = "y", weft.folded = ["a", "b"], weft.constant, weft.unfused_reason = "why"} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<?xf32, #weft.bounds<T to 8>>
    return %y, %y : tensor<?xf32, #weft.bounds<T to 8>>, tensor<?xf32, #weft.bounds<T to 8>>
  }
  // CHECK: weft.name = "k.0", weft.state, weft.window = 3 : i64
  // CHECK-SAME: weft.name = "k.0", weft.state
  // CHECK-SAME: weft.step = #weft.step<@y, length = "T", count = "N">
  func.func @y_step(%k: tensor<8xf32> {weft.name = "k.0", weft.state, weft.window = 3})
      -> (tensor<8xf32> {weft.name = "k.0", weft.state})
      attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return %k : tensor<8xf32>
  }
  // CHECK: weft.last = @y_step, weft.step = #weft.step<@y, length = "T", count = "M">
  func.func @y_step_last(%k: tensor<8xf32> {weft.name = "k.0", weft.state, weft.window = 3})
      -> (tensor<8xf32> {weft.name = "k.0", weft.state})
      attributes {weft.entry, weft.last = @y_step, weft.step = #weft.step<@y, length = "T", count = "M">} {
    return %k : tensor<8xf32>
  }
  // CHECK: weft.start = @y_step
  func.func @y_start() attributes {weft.entry, weft.start = @y_step} {
    return
  }
}

// -----

// CHECK: weft.fingerprint = -7 : i64
// CHECK-SAME: weft.weights_bytes = 0 : i64
module attributes {weft.symbols = #weft.bounds<T to 8, N to 8>, weft.weights_bytes = 0, weft.fingerprint = -7} {
  // CHECK: memref<?xf32> {weft.bounds = #weft.bounds<T to 8>, weft.default = 1.000000e+00 : f32, weft.default_offset = 64 : i64, weft.name = "x"}
  // CHECK-SAME: memref<4xi32> {weft.index_bound = 10 : i64, weft.name = "ids"}
  // CHECK-SAME: memref<4xf32> {weft.name = "y", weft.output}
  // CHECK-SAME: weft.flop_count = "T N * 2 *"
  // CHECK-SAME: weft.flops = array<f64: 1.000000e+00, 2.000000e+00, 0.000000e+00>
  // CHECK-SAME: weft.scratch = 128 : i64
  func.func @y(%x: memref<?xf32> {weft.name = "x", weft.bounds = #weft.bounds<T to 8>, weft.default = 1.0 : f32, weft.default_offset = 64},
               %ids: memref<4xi32> {weft.name = "ids", weft.index_bound = 10},
               %y: memref<4xf32> {weft.name = "y", weft.output})
      attributes {weft.entry, weft.scratch = 128, weft.flop_count = "T N * 2 *", weft.flops = array<f64: 1.0, 2.0, 0.0>} {
    // CHECK: weft.buffer {{.*}} {weft.label = "t"}
    %t = weft.buffer offset 0 bytes 16 live 0 to 0 {weft.label = "t"} : memref<4xf32>
    // CHECK: call @layer{{.*}} {weft.arena = 64 : i64}
    call @layer(%t) {weft.arena = 64} : (memref<4xf32>) -> ()
    return
  }
  func.func private @layer(%t: memref<4xf32>) attributes {weft.scratch = 0} {
    return
  }
  // CHECK: weft.state, weft.state_offset = 64 : i64
  // CHECK-SAME: weft.state_bytes = 128 : i64
  func.func @y_step(%k: memref<8xf32> {weft.name = "k.0", weft.state, weft.state_offset = 64})
      attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">, weft.scratch = 0, weft.state_bytes = 128} {
    return
  }
  // CHECK: func.func private @kernel{{.*}} attributes {weft.kernel, weft.work = #weft.work<symbols = ["T"], unit = "f32", passes = 3, flops = "T 2 * 4.5 +", functions = "T", bytes = "T T * 16 <", weights = "0">}
  func.func private @kernel(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.kernel,
      weft.work = #weft.work<symbols = ["T"], unit = "f32", passes = 3, flops = "T 2 * 4.5 +", functions = "T", bytes = "T T * 16 <", weights = "0">} {
    // CHECK: weft.lowering = #weft.lowering<"map", parallel = true, rows = 4, width = 16>
    weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%y : memref<4xf32>)
        attributes {weft.lowering = #weft.lowering<"map", parallel = true, rows = 4, width = 16>} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    }
    return
  }
}

// -----

// CHECK-LABEL: @rounded
func.func @rounded(%x: f32) -> f32 {
  // CHECK: arith.mulf %{{.*}}, %{{.*}} {weft.rounded} : f32
  %y = arith.mulf %x, %x {weft.rounded} : f32
  return %y : f32
}
