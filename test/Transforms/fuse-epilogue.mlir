// RUN: weft-opt %s --weft-fuse-epilogue | FileCheck %s

!x = tensor<4x8xf32>
!w = tensor<8x6xf32>
!y = tensor<4x6xf32>
!z = tensor<6x4xf32>

// Bias, activation and residual, link by link; the result in another order of indices.
// CHECK-LABEL: @chain
// CHECK: weft.contract [f in 6, t in 4, d in 8] ins(%{{.*}}[t, d], %{{.*}}[d, f], %{{.*}}[f], %{{.*}}[t, f]
// CHECK-SAME: weft.label = "out"
// CHECK-NEXT: ^bb0(%[[SUM:[^:]+]]: f32, %[[B:[^:]+]]: f32, %[[R:[^:]+]]: f32):
// CHECK-NEXT: %[[A:.+]] = arith.addf %[[SUM]], %[[B]]
// CHECK-NEXT: %[[T:.+]] = math.tanh %[[A]]
// CHECK-NEXT: arith.addf %[[T]], %[[R]]
// CHECK-NOT: weft.map
func.func @chain(%x: !x, %w: !w, %b: tensor<6xf32>, %r: !y) -> !z {
  %0 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> !y
  %1 = weft.map [t in 4, f in 6] ins(%0[t, f], %b[f] : !y, tensor<6xf32>) {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %3 : f32
    %5 = math.tanh %4 : f32
    weft.yield %5 : f32
  } -> !y
  %6 = weft.map [f in 6, t in 4] ins(%r[t, f], %1[t, f] : !y, !y) attributes {weft.label = "out"} {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  } -> !z
  return %6 : !z
}

// A gate joins the contraction that comes last; the other one is an extra.
// CHECK-LABEL: @gate
// CHECK: %[[A:.+]] = weft.contract
// CHECK: weft.contract {{.*}} ins(%{{.*}}[t, d], %{{.*}}[d, f], %[[A]][t, f]
// CHECK: arith.mulf
// CHECK-NOT: weft.map
func.func @gate(%x: !x, %w: !w, %v: !w) -> !y {
  %0 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> !y
  %1 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %v[d, f] : !x, !w) -> !y
  %2 = weft.map [t in 4, f in 6] ins(%1[t, f], %0[t, f] : !y, !y) {
  ^bb0(%3: f32, %4: f32):
    %5 = arith.mulf %3, %4 : f32
    weft.yield %5 : f32
  } -> !y
  return %2 : !y
}

// The matrix of each row is chosen as before; an extra reads the choice, too.
// CHECK-LABEL: @chosen
// CHECK: weft.contract [f in 6, t in 4, d in 8, e in 3] ins(%{{.*}}[t, d], %{{.*}}[e, f, d], %[[C:[a-z0-9]+]][t], %[[C]][t] : {{.*}}) attributes {chosen} {
// CHECK-NEXT: ^bb0(%[[SUM:[^:]+]]: f32, %[[K:[^:]+]]: i32):
// CHECK: arith.sitofp %[[K]]
// CHECK-NOT: weft.map
func.func @chosen(%x: !x, %w: tensor<3x6x8xf32>, %c: tensor<4xi32>) -> !z {
  %0 = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t] : !x, tensor<3x6x8xf32>, tensor<4xi32>) attributes {chosen} -> !y
  %1 = weft.map [f in 6, t in 4] ins(%0[t, f], %c[t] : !y, tensor<4xi32>) {
  ^bb0(%2: f32, %3: i32):
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.addf %2, %4 : f32
    weft.yield %5 : f32
  } -> !z
  return %1 : !z
}

// Must not fire: a part of the result is read, or another element of it, or it is used twice.
// CHECK-LABEL: @must_not
// CHECK: weft.map [t in 4] ins
// CHECK: weft.map [t in 4, f in 6] ins(%{{.*}}[t, 0]
// CHECK: weft.map [t in 4, f in 6] ins
func.func @must_not(%x: !x, %w: !w) -> (tensor<4xf32>, !y, !y, !y) {
  %0 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> !y
  %1 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> !y
  %2 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> !y
  %3 = weft.map [t in 4] ins(%0[t, 1] : !y) {
  ^bb0(%4: f32):
    %5 = math.exp %4 : f32
    weft.yield %5 : f32
  } -> tensor<4xf32>
  %6 = weft.map [t in 4, f in 6] ins(%1[t, 0] : !y) {
  ^bb0(%4: f32):
    weft.yield %4 : f32
  } -> !y
  %7 = weft.map [t in 4, f in 6] ins(%2[t, f] : !y) {
  ^bb0(%4: f32):
    %5 = math.exp %4 : f32
    weft.yield %5 : f32
  } -> !y
  return %3, %6, %7, %2 : tensor<4xf32>, !y, !y, !y
}

// The product is rounded after the epilogue, and only there.
// CHECK-LABEL: @rounds_once
// CHECK: weft.contract {{.*}} : tensor<4x8xf16>, tensor<8x6xbf16>)
// CHECK: math.tanh
// CHECK: } -> tensor<4x6xbf16>
// CHECK-NOT: weft.map
func.func @rounds_once(%x: tensor<4x8xf16>, %w: tensor<8x6xbf16>) -> tensor<4x6xbf16> {
  %0 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : tensor<4x8xf16>, tensor<8x6xbf16>) -> !y
  %1 = weft.map [t in 4, f in 6] ins(%0[t, f] : !y) {
  ^bb0(%2: f32):
    %3 = math.tanh %2 : f32
    weft.yield %3 : f32
  } -> tensor<4x6xbf16>
  return %1 : tensor<4x6xbf16>
}

// CHECK-LABEL: @must_not_forget_to_round
// CHECK: weft.contract {{.*}} -> tensor<4x6xbf16>
// CHECK: weft.map
func.func @must_not_forget_to_round(%x: !x, %w: !w) -> !y {
  %0 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> tensor<4x6xbf16>
  %1 = weft.map [t in 4, f in 6] ins(%0[t, f] : tensor<4x6xbf16>) {
  ^bb0(%2: f32):
    %3 = math.tanh %2 : f32
    weft.yield %3 : f32
  } -> !y
  return %1 : !y
}

// Must not fire: a part of what the product makes, whose panels would be others.
// CHECK-LABEL: @part
// CHECK: %[[ALL:.+]] = weft.contract [t in 4, f in 6, d in 8]
// CHECK: weft.map [t in 4, f in 2] ins(%[[ALL]][t, f]
func.func @part(%x: !x, %w: !w) -> tensor<4x2xf32> {
  %0 = weft.contract [t in 4, f in 6, d in 8] ins(%x[t, d], %w[d, f] : !x, !w) -> !y
  %1 = weft.map [t in 4, f in 2] ins(%0[t, f] : !y) {
  ^bb0(%2: f32):
    weft.yield %2 : f32
  } -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
