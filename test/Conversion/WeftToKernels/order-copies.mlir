// RUN: weft-opt --weft-order-copies --split-input-file %s | FileCheck %s
// RUN: weft-opt --weft-order-copies --weft-pack-weights --split-input-file %s | FileCheck %s --check-prefix=PACKED

// Windows of channels that lie side by side are stored with the channels last; the weight's panels follow.
// CHECK: #[[STORED:.+]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: func.func @series
// CHECK: %[[ROWS:.+]] = weft.map [t in T = 15, c in C = 64, u in U = 3] ins(%{{.+}}[t * 2 + u, c] {{.*}}output_maps = [#[[STORED]]]
// CHECK: -> tensor<15x3x64xf32>
// CHECK-NEXT: weft.contract {{.*}} ins(%[[ROWS]][t, u, c], %{{.+}}[n, c, u] :
// PACKED-LABEL: func.func @series
// PACKED: weft.weight "w" : tensor<32x64x3xf32, #weft.layout<n = [0], k = [2, 1], tile = [32, 1]>>
func.func @series(%x: tensor<31x64xf32> {weft.name = "x"}) -> (tensor<15x32xf32> {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x64x3xf32>
  %r = weft.map [t in T = 15, c in C = 64, u in U = 3] ins(%x[t * 2 + u, c] : tensor<31x64xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<15x64x3xf32>
  %y = weft.contract [t in T = 15, n in N = 32, c in C = 64, u in U = 3] ins(%r[t, c, u], %w[n, c, u] : tensor<15x64x3xf32>, tensor<32x64x3xf32>) -> tensor<15x32xf32>
  return %y : tensor<15x32xf32>
}

// -----

// Also what a guard reads, as within a margin.
// CHECK-LABEL: func.func @guarded
// CHECK: weft.map
// CHECK: -> tensor<15x3x64xf32>
func.func @guarded(%x: tensor<30x64xf32> {weft.name = "x"}) -> (tensor<15x32xf32> {weft.name = "y"}) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x64x3xf32>
  %r = weft.map [t in T = 15, c in C = 64, u in U = 3] {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %t = weft.index 0
    %u = weft.index 2
    %0 = arith.muli %t, %two : index
    %1 = arith.addi %0, %u : index
    %2 = arith.cmpi sge, %1, %one : index
    %3 = arith.subi %1, %one : index
    %c = weft.index 1
    %4 = weft.at %x[%3, %c] : tensor<30x64xf32>
    %5 = arith.select %2, %4, %zero : f32
    weft.yield %5 : f32
  } -> tensor<15x64x3xf32>
  %y = weft.contract [t in T = 15, n in N = 32, c in C = 64, u in U = 3] ins(%r[t, c, u], %w[n, c, u] : tensor<15x64x3xf32>, tensor<32x64x3xf32>) -> tensor<15x32xf32>
  return %y : tensor<15x32xf32>
}

// -----

// Must not fire: patches that lie along the last index; channels that are fewer than what is last; columns that are no weight; a window that
// somebody else reads; codes that share factors.
// CHECK-LABEL: func.func @others
// CHECK-NOT: output_maps
// CHECK: return
func.func @others(%x: tensor<64x40xf32> {weft.name = "x"}, %z: tensor<40x2xf32> {weft.name = "z"}, %v: tensor<40x64xf32> {weft.name = "v"}, %a: tensor<32x64x3xf32> {weft.name = "a"})
    -> (tensor<10x32xf32>, tensor<10x32xf32>, tensor<19x32xf32>, tensor<19x32xf32>, tensor<19x64x3xf32>, tensor<19x32xf32>) attributes {weft.entry} {
  %w = weft.weight "w" : tensor<32x64x4xf32>
  %s = weft.weight "s" : tensor<32x2x4xf32>
  %m = weft.weight "m" : tensor<32x64x3xf32>
  %q = weft.weight "q" coded <reals along [1, 2] of [32, 64, 3] bits = 4 group = 32 table = "nf4"> : tensor<32x64x3xf32>
  %0 = weft.map [t in T = 10, c in C = 64, u in U = 4] ins(%x[c, t * 4 + u] : tensor<64x40xf32>) {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } -> tensor<10x64x4xf32>
  %1 = weft.map [t in T = 10, c in 2, u in U = 4] ins(%z[t * 4 + u, c] : tensor<40x2xf32>) {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } -> tensor<10x2x4xf32>
  %2 = weft.map [t in 19, c in C = 64, u in 3] ins(%v[t * 2 + u, c] : tensor<40x64xf32>) {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } -> tensor<19x64x3xf32>
  %3 = weft.map [t in 19, c in C = 64, u in 3] ins(%v[t * 2 + u, c] : tensor<40x64xf32>) {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } -> tensor<19x64x3xf32>
  %4 = weft.map [t in 19, c in C = 64, u in 3] ins(%v[t * 2 + u, c] : tensor<40x64xf32>) {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } -> tensor<19x64x3xf32>
  %5 = weft.contract [t in T = 10, n in N = 32, c in C = 64, u in U = 4] ins(%0[t, c, u], %w[n, c, u] : tensor<10x64x4xf32>, tensor<32x64x4xf32>) -> tensor<10x32xf32>
  %6 = weft.contract [t in T = 10, n in N = 32, c in 2, u in U = 4] ins(%1[t, c, u], %s[n, c, u] : tensor<10x2x4xf32>, tensor<32x2x4xf32>) -> tensor<10x32xf32>
  %7 = weft.contract [t in 19, n in N = 32, c in C = 64, u in 3] ins(%2[t, c, u], %a[n, c, u] : tensor<19x64x3xf32>, tensor<32x64x3xf32>) -> tensor<19x32xf32>
  %8 = weft.contract [t in 19, n in N = 32, c in C = 64, u in 3] ins(%3[t, c, u], %m[n, c, u] : tensor<19x64x3xf32>, tensor<32x64x3xf32>) -> tensor<19x32xf32>
  %9 = weft.contract [t in 19, n in N = 32, c in C = 64, u in 3] ins(%4[t, c, u], %q[n, c, u] : tensor<19x64x3xf32>, tensor<32x64x3xf32>) -> tensor<19x32xf32>
  return %5, %6, %7, %8, %3, %9 : tensor<10x32xf32>, tensor<10x32xf32>, tensor<19x32xf32>, tensor<19x32xf32>, tensor<19x64x3xf32>, tensor<19x32xf32>
}
