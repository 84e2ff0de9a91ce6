// RUN: weft-opt %s --split-input-file --weft-order-sums | FileCheck %s
// RUN: weft-opt %s --split-input-file --weft-order-sums --weft-batch=batch=3 | FileCheck %s --check-prefix=BATCH

// Vectors run along what is read side by side, results first; dimensions of one element are no matter.
// CHECK-LABEL: func.func @plain
// CHECK: weft.reduce sum [a in 40, k in 64] {{.*}}weft.lane = 0
// CHECK: weft.reduce mean [n in 64, a in 40] {{.*}}weft.lane = -1
// CHECK: weft.reduce sum [a in 40, k in 64, i in 8] {{.*}}weft.lane = 1
// CHECK: weft.reduce max
// CHECK-NOT: weft.lane
// CHECK: weft.contract {{.*}}weft.lane = 0
// Where a batch is derived it stays what it was.
// BATCH-LABEL: func.func @plain
// BATCH: weft.reduce sum [{{.*}}, a in 40, k in 64] {{.*}}weft.lane = 0
// BATCH: weft.reduce mean [{{.*}}, n in 64, a in 40] {{.*}}weft.lane = -1
func.func @plain(%x: tensor<40x64x1xf32> {weft.name = "x"}, %z: tensor<40x64x8xf32> {weft.name = "z"})
    -> (tensor<40xf32> {weft.name = "a"}, tensor<64xf32> {weft.name = "b"}, tensor<40xf32> {weft.name = "c"}, tensor<40xf32> {weft.name = "d"}, tensor<40x40xf32> {weft.name = "e"}) attributes {weft.entry} {
  %a = weft.reduce sum [a in 40, k in 64] ins(%x[a, k, 0] : tensor<40x64x1xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<40xf32>
  %b = weft.reduce mean [n in 64, a in 40] ins(%x[a, n, 0] : tensor<40x64x1xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<64xf32>
  %c = weft.reduce sum [a in 40, k in 64, i in 8] ins(%z[a, k, i], %x[a, k, 0] : tensor<40x64x8xf32>, tensor<40x64x1xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<40xf32>
  %d = weft.reduce max [a in 40, k in 64] ins(%x[a, k, 0] : tensor<40x64x1xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<40xf32>
  %e = weft.contract [a in 40, b in 40, k in 64] ins(%x[a, k, 0], %x[b, k, 0] : tensor<40x64x1xf32>, tensor<40x64x1xf32>) -> tensor<40x40xf32>
  return %a, %b, %c, %d, %e : tensor<40xf32>, tensor<64xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40x40xf32>
}

// -----

// In a model that generates they run along positions only where there is nothing else: those of a sum lie elsewhere in a cache, and of results a step has one.
!t = tensor<?x40xf32, #weft.bounds<T to 64>>
!u = tensor<40x?xf32, #weft.bounds<T to 64>>
!v = tensor<?xf32, #weft.bounds<T to 64>>
!p = tensor<?x?xf32, #weft.bounds<T to 64, T to 64>>
// CHECK-LABEL: func.func @positions
// CHECK: weft.reduce sum [d in 40, s in T to 64] {{.*}}weft.lane = -1
// CHECK: weft.reduce sum [t in T to 64, d in 40] {{.*}}weft.lane = 0
// CHECK: weft.reduce sum [s in T to 64] {{.*}}weft.lane = 0
// CHECK: weft.reduce sum [t in T to 64, s in T to 64] {{.*}}weft.lane = -1
func.func @positions(%x: !u {weft.name = "x"}, %p: !p {weft.name = "p"}) -> (tensor<40xf32> {weft.name = "a"}, !v {weft.name = "b"}, tensor<f32> {weft.name = "c"}, !v {weft.name = "d"})
    attributes {weft.entry, weft.generate = #weft.generate<"b", along = "T">} {
  %a = weft.reduce sum [d in 40, s in T to 64] ins(%x[d, s] : !u) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<40xf32>
  %b = weft.reduce sum [t in T to 64, d in 40] ins(%x[d, t] : !u) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !v
  %c = weft.reduce sum [s in T to 64] ins(%b[s] : !v) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  %d = weft.reduce sum [t in T to 64, s in T to 64] ins(%p[t, s] : !p) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !v
  return %a, %b, %c, %d : tensor<40xf32>, !v, tensor<f32>, !v
}

// -----

// The same in a model that does not generate.
!u = tensor<40x?xf32, #weft.bounds<T to 64>>
// CHECK-LABEL: func.func @elsewhere
// CHECK: weft.reduce sum [d in 40, s in T to 64] {{.*}}weft.lane = 0
func.func @elsewhere(%x: !u {weft.name = "x"}) -> (tensor<40xf32> {weft.name = "a"}) attributes {weft.entry} {
  %a = weft.reduce sum [d in 40, s in T to 64] ins(%x[d, s] : !u) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<40xf32>
  return %a : tensor<40xf32>
}

// -----

// What a sum says already stays.
// CHECK-LABEL: func.func @said
// CHECK: weft.reduce sum {{.*}}weft.lane = -1
func.func @said(%x: tensor<40x64xf32> {weft.name = "x"}) -> (tensor<40xf32> {weft.name = "a"}) attributes {weft.entry} {
  %a = weft.reduce sum [a in 40, k in 64] ins(%x[a, k] : tensor<40x64xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<40xf32>
  return %a : tensor<40xf32>
}
