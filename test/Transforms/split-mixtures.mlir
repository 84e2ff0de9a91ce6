// RUN: weft-opt %s --weft-split-mixtures | FileCheck %s
// RUN: weft-opt %s --weft-split-mixtures --weft-fuse-attention | FileCheck %s --check-prefix=FUSED

!x = tensor<4x8xf32>
!s = tensor<4x4xf32>
!h = tensor<2x4x4xf32>
!y = tensor<2x4x8xf32>

// The shares are what is the same for all keys, with their signs; constants are one factor. The sum keeps its name and scale.
// CHECK-LABEL: @two
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>, %[[G:.+]]: tensor<4xf32>,
// CHECK: %[[A:.+]] = weft.softmax
// CHECK: %[[B:.+]] = weft.softmax
// CHECK: %[[YA:.+]] = weft.contract [t in 4, c in 8, s in 4] ins(%[[A]][t, s], %[[X]][s, c] {{.*}} {scale = 3.0{{.*}}weft.label = "y.part"}
// CHECK: %[[YB:.+]] = weft.contract [t in 4, c in 8, s in 4] ins(%[[B]][t, s], %[[X]][s, c] {{.*}} {scale = 3.0{{.*}}weft.label = "y.part"}
// CHECK: weft.map [t in 4, c in 8] ins(%[[YA]][t, c], %[[G]][t], %[[YB]][t, c]
// CHECK-SAME: weft.folded = ["m"], weft.label = "y"
// CHECK: %[[LEFT:.+]] = arith.mulf %[[E:.+]], %{{.+}} : f32
// CHECK: %[[C:.+]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[RIGHT:.+]] = arith.mulf %{{.+}}, %[[C]] : f32
// CHECK: arith.subf %[[LEFT]], %[[RIGHT]] : f32
// FUSED-LABEL: @two
// FUSED-COUNT-2: weft.attention softmax
// FUSED-NOT: weft.softmax
func.func @two(%x: !x, %g: tensor<4xf32>, %p: !s, %q: !s) -> !x {
  %a = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%p[t, s] : !s) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !s
  %b = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%q[t, s] : !s) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !s
  %m = weft.map [t in 4, s in 4] ins(%a[t, s], %b[t, s], %g[t] : !s, !s, tensor<4xf32>) attributes {weft.label = "m"} {
  ^bb0(%1: f32, %2: f32, %3: f32):
    %half = arith.constant 0.5 : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.mulf %2, %half : f32
    %6 = arith.subf %4, %5 : f32
    weft.yield %6 : f32
  } -> !s
  %y = weft.contract [t in 4, c in 8, s in 4] ins(%m[t, s], %x[s, c] : !s, !x) attributes {scale = 3.0, weft.label = "y"} -> !x
  return %y : !x
}

// One softmax of a dimension more, read at its places: it and its scores are formulas of their own.
// CHECK-LABEL: @places
// CHECK-DAG: %[[S1:.+]] = weft.contract [t in T = 4, s in T = 4, c in 8] ins(%{{.+}}[1, t, c], %{{.+}}[1, s, c]
// CHECK-DAG: %[[S0:.+]] = weft.contract [t in T = 4, s in T = 4, c in 8] ins(%{{.+}}[0, t, c], %{{.+}}[0, s, c]
// CHECK-DAG: %[[A1:.+]] = weft.softmax softmax axis 1 [t in T = 4, s in T = 4] ins(%[[S1]][t, s] {{.*}}weft.label = "a.part"
// CHECK-DAG: %[[A0:.+]] = weft.softmax softmax axis 1 [t in T = 4, s in T = 4] ins(%[[S0]][t, s] {{.*}}weft.label = "a.part"
// CHECK-DAG: weft.contract {{.*}} ins(%[[A0]][t, s]
// CHECK-DAG: weft.contract {{.*}} ins(%[[A1]][t, s]
// CHECK: return
// FUSED-LABEL: @places
// FUSED-COUNT-2: weft.attention softmax dots 1
func.func @places(%q: !y, %x: !x) -> !x {
  %p = weft.contract [i in 2, t in T = 4, s in T = 4, c in 8] ins(%q[i, t, c], %q[i, s, c] : !y, !y) -> !h
  %a = weft.softmax softmax axis 2 [i in 2, t in T = 4, s in T = 4] ins(%p[i, t, s] : !h) attributes {weft.label = "a"} {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !h
  %m = weft.map [t in T = 4, s in T = 4] ins(%a[0, t, s], %a[1, t, s] : !h, !h) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.subf %1, %2 : f32
    weft.yield %3 : f32
  } -> !s
  %y = weft.contract [t in T = 4, c in 8, s in T = 4] ins(%m[t, s], %x[s, c] : !s, !x) -> !x
  return %y : !x
}

// Every second head, and halves of the heads, share no place either.
// CHECK-LABEL: @steps
// CHECK-DAG: weft.softmax softmax axis 2 [h in 2, t in 4, s in 4] ins(%{{.+}}[h * 2, t, s]
// CHECK-DAG: weft.softmax softmax axis 2 [h in 2, t in 4, s in 4] ins(%{{.+}}[h * 2 + 1, t, s]
// CHECK: return
// CHECK-LABEL: @halves
// CHECK-DAG: weft.softmax softmax axis 2 [h in 2, t in 4, s in 4] ins(%{{.+}}[h, t, s]
// CHECK-DAG: weft.softmax softmax axis 2 [h in 2, t in 4, s in 4] ins(%{{.+}}[h + 2, t, s]
// CHECK: return
!g = tensor<4x4x4xf32>
func.func @steps(%p: !g, %x: !y) -> (!y, !y) {
  %a = weft.softmax softmax axis 2 [h in 4, t in 4, s in 4] ins(%p[h, t, s] : !g) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !g
  %y = weft.contract [h in 2, t in 4, c in 8, s in 4] ins(%a[h * 2, t, s], %x[h, s, c] : !g, !y) -> !y
  %z = weft.contract [h in 2, t in 4, c in 8, s in 4] ins(%a[h * 2 + 1, t, s], %x[h, s, c] : !g, !y) -> !y
  return %y, %z : !y, !y
}
func.func @halves(%p: !g, %x: !y) -> (!y, !y) {
  %a = weft.softmax softmax axis 2 [h in 4, t in 4, s in 4] ins(%p[h, t, s] : !g) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !g
  %y = weft.contract [h in 2, t in 4, c in 8, s in 4] ins(%a[h, t, s], %x[h, s, c] : !g, !y) -> !y
  %z = weft.contract [h in 2, t in 4, c in 8, s in 4] ins(%a[h + 2, t, s], %x[h, s, c] : !g, !y) -> !y
  return %y, %z : !y, !y
}

// Two that read the same place need the same weights.
// CHECK-LABEL: @shared
// CHECK-COUNT-1: weft.softmax
// CHECK-NOT: weft.softmax
// CHECK: return
func.func @shared(%p: !g, %x: !y) -> (!y, !y) {
  %a = weft.softmax softmax axis 2 [h in 4, t in 4, s in 4] ins(%p[h, t, s] : !g) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !g
  %y = weft.contract [h in 2, t in 4, c in 8, s in 4] ins(%a[h, t, s], %x[h, s, c] : !g, !y) -> !y
  %z = weft.contract [h in 2, t in 4, c in 8, s in 4] ins(%a[h + 1, t, s], %x[h, s, c] : !g, !y) -> !y
  return %y, %z : !y, !y
}

// A factor that differs from key to key is none of a share; weights that somebody else reads stay in memory, as do those of a
// mixture that is a result. What is no softmax's is no share.
// CHECK-LABEL: @stay
// CHECK: %[[K:.+]] = weft.map
// CHECK: weft.contract {{.*}} ins(%[[K]][t, s]
// CHECK: %[[R:.+]] = weft.map
// CHECK: weft.contract {{.*}} ins(%[[R]][t, s]
// CHECK: %[[O:.+]] = weft.map
// CHECK: weft.contract {{.*}} ins(%[[O]][t, s]
// CHECK: return
func.func @stay(%x: !x, %g: tensor<4xf32>, %p: !s) -> (!x, !x, !x, !s) {
  %a = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%p[t, s] : !s) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !s
  %b = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%p[t, s] : !s) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !s
  %m = weft.map [t in 4, s in 4] ins(%a[t, s], %g[s] : !s, tensor<4xf32>) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> !s
  %y = weft.contract [t in 4, c in 8, s in 4] ins(%m[t, s], %x[s, c] : !s, !x) -> !x
  %n = weft.map [t in 4, s in 4] ins(%b[t, s], %g[t] : !s, tensor<4xf32>) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.mulf %1, %2 : f32
    weft.yield %3 : f32
  } -> !s
  %z = weft.contract [t in 4, c in 8, s in 4] ins(%n[t, s], %x[s, c] : !s, !x) -> !x
  %o = weft.map [t in 4, s in 4] ins(%p[t, s], %g[t] : !s, tensor<4xf32>) {
  ^bb0(%1: f32, %2: f32):
    %3 = arith.addf %1, %2 : f32
    weft.yield %3 : f32
  } -> !s
  %w = weft.contract [t in 4, c in 8, s in 4] ins(%o[t, s], %x[s, c] : !s, !x) -> !x
  return %y, %z, %w, %b : !x, !x, !x, !s
}

// What is added to itself many times has as many terms as there are ways to it.
// CHECK-LABEL: @doubled
// CHECK: %[[M:.+]] = weft.map
// CHECK: weft.contract {{.*}} ins(%[[M]][t, s]
// CHECK: return
func.func @doubled(%x: !x, %p: !s) -> !x {
  %a = weft.softmax softmax axis 1 [t in 4, s in 4] ins(%p[t, s] : !s) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> !s
  %m = weft.map [t in 4, s in 4] ins(%a[t, s] : !s) {
  ^bb0(%1: f32):
    %2 = arith.addf %1, %1 : f32
    %3 = arith.addf %2, %2 : f32
    %4 = arith.addf %3, %3 : f32
    %5 = arith.addf %4, %4 : f32
    %6 = arith.addf %5, %5 : f32
    %7 = arith.addf %6, %6 : f32
    %8 = arith.addf %7, %7 : f32
    %9 = arith.addf %8, %8 : f32
    %10 = arith.addf %9, %9 : f32
    %11 = arith.addf %10, %10 : f32
    %12 = arith.addf %11, %11 : f32
    %13 = arith.addf %12, %12 : f32
    %14 = arith.addf %13, %13 : f32
    %15 = arith.addf %14, %14 : f32
    %16 = arith.addf %15, %15 : f32
    %17 = arith.addf %16, %16 : f32
    %18 = arith.addf %17, %17 : f32
    %19 = arith.addf %18, %18 : f32
    %20 = arith.addf %19, %19 : f32
    %21 = arith.addf %20, %20 : f32
    %22 = arith.addf %21, %21 : f32
    %23 = arith.addf %22, %22 : f32
    %24 = arith.addf %23, %23 : f32
    %25 = arith.addf %24, %24 : f32
    %26 = arith.addf %25, %25 : f32
    %27 = arith.addf %26, %26 : f32
    %28 = arith.addf %27, %27 : f32
    %29 = arith.addf %28, %28 : f32
    %30 = arith.addf %29, %29 : f32
    %31 = arith.addf %30, %30 : f32
    %32 = arith.addf %31, %31 : f32
    %33 = arith.addf %32, %32 : f32
    %34 = arith.addf %33, %33 : f32
    %35 = arith.addf %34, %34 : f32
    %36 = arith.addf %35, %35 : f32
    %37 = arith.addf %36, %36 : f32
    %38 = arith.addf %37, %37 : f32
    %39 = arith.addf %38, %38 : f32
    %40 = arith.addf %39, %39 : f32
    %41 = arith.addf %40, %40 : f32
    %42 = arith.addf %41, %41 : f32
    %43 = arith.addf %42, %42 : f32
    %44 = arith.addf %43, %43 : f32
    %45 = arith.addf %44, %44 : f32
    %46 = arith.addf %45, %45 : f32
    %47 = arith.addf %46, %46 : f32
    %48 = arith.addf %47, %47 : f32
    weft.yield %48 : f32
  } -> !s
  %y = weft.contract [t in 4, c in 8, s in 4] ins(%m[t, s], %x[s, c] : !s, !x) -> !x
  return %y : !x
}
