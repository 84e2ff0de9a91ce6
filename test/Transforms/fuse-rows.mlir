// RUN: weft-opt %s --weft-fuse-rows --canonicalize --cse | FileCheck %s

!x = tensor<?x8xf32, #weft.bounds<T to 32>>
!s = tensor<?xf32, #weft.bounds<T to 32>>
!w = tensor<8xf32>

// A norm: mean, variance, a factor for each row, the elements.
// CHECK-LABEL: @norm
// CHECK: %y = weft.row axis 1 [t in T to 32, d in 8] ins(%[[X:.+]][t, d], %{{.*}}[d] : {{.*}}) attributes {weft.folded = ["m", "v", "y.part"], weft.label = "y"} mean {
// CHECK-NEXT: ^bb0(%[[E:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: weft.yield %[[E]] : f32
// CHECK-NEXT: } mean {
// CHECK-NEXT: ^bb0(%[[M:.+]]: f32, %[[E:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: %[[D:.+]] = arith.subf %[[E]], %[[M]]
// CHECK-NEXT: arith.mulf %[[D]], %[[D]]
// CHECK: } element {
// CHECK-NEXT: ^bb0(%[[M:.+]]: f32, %[[V:.+]]: f32, %[[E:.+]]: f32, %[[W:.+]]: f32):
// CHECK-DAG: %[[R:.+]] = math.rsqrt %[[V]]
// CHECK-DAG: %[[D:.+]] = arith.subf %[[E]], %[[M]]
// CHECK: %[[P:.+]] = arith.mulf %[[D]], %[[R]]
// CHECK-NEXT: arith.mulf %[[P]], %[[W]]
// CHECK: } -> tensor<?x8xf32, #weft.bounds<T to 32>>
// CHECK-NEXT: return %y
func.func @norm(%x: !x, %w: !w) -> !x {
  %m = weft.reduce mean [t in T to 32, d in 8] ins(%x[t, d] : !x) attributes {weft.label = "m"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !s
  %v = weft.reduce mean [t in T to 32, d in 8] ins(%x[t, d], %m[t] : !x, !s) attributes {weft.label = "v"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    weft.yield %3 : f32
  } -> !s
  %r = weft.map [t in T to 32] ins(%v[t] : !s) attributes {weft.label = "y.part"} {
  ^bb0(%0: f32):
    %1 = math.rsqrt %0 : f32
    weft.yield %1 : f32
  } -> !s
  %y = weft.map [t in T to 32, d in 8] ins(%x[t, d], %m[t], %r[t], %w[d] : !x, !s, !s, !w) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32):
    %4 = arith.subf %0, %1 : f32
    %5 = arith.mulf %4, %2 : f32
    %6 = arith.mulf %5, %3 : f32
    weft.yield %6 : f32
  } -> !x
  return %y : !x
}

// A softmax written by hand, along the first index, with the exponentials in two regions; nothing has to be named.
// CHECK-LABEL: @softmax
// CHECK: weft.row axis 0 [s in 8, h in 4] ins(%{{.*}}[h, s] : tensor<4x8xf32>) max {
// CHECK: } sum {
// CHECK: math.exp
// CHECK: } element {
// CHECK: math.exp
// CHECK-NEXT: arith.divf
// CHECK: -> tensor<8x4xf32>
// CHECK-NEXT: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %m = weft.reduce max [h in 4, s in 8] ins(%x[h, s] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %e = weft.map [h in 4, k in 8] ins(%x[h, k], %m[h] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    weft.yield %3 : f32
  } -> tensor<4x8xf32>
  %n = weft.reduce sum [h in 4, s in 8] ins(%e[h, s] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %p = weft.map [s in 8, h in 4] ins(%e[h, s], %n[h] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x4xf32>
  return %p : tensor<8x4xf32>
}

// Two rows from one mean, one of them in bytes of its largest element; the scale and the mean are read elsewhere. The mean
// that the last map reads of another row is no part of it.
// CHECK-LABEL: @outputs
// CHECK: %[[R:.+]]:4 = weft.row axis 1 {{.*}}output_maps = [#[[ROW:.+]], #[[ROW]], #[[STATISTIC:.+]], #[[STATISTIC]]]
// CHECK: mean {
// CHECK: } max {
// CHECK: math.absf
// CHECK: } element {
// CHECK: } -> tensor<4x8xf32>, tensor<4x8xui8>, tensor<4xf32>, tensor<4xf32>
// CHECK: %[[Z:.+]] = weft.map [t in 4, d in 8] ins(%[[R]]#0[t, d], %[[R]]#2[3 - t] :
// CHECK: return %[[Z]], %[[R]]#1, %[[R]]#3
func.func @outputs(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xui8>, tensor<4xf32>) {
  %m = weft.reduce mean [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %y = weft.map [t in 4, d in 8] ins(%x[t, d], %m[t] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  %s = weft.reduce max [t in 4, d in 8] ins(%y[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    %1 = math.absf %0 : f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  %q = weft.map [t in 4, d in 8] ins(%y[t, d], %s[t] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    %3 = arith.fptosi %2 : f32 to i32
    weft.yield %3 : i32
  } -> tensor<4x8xui8>
  %z = weft.map [t in 4, d in 8] ins(%y[t, d], %m[3 - t] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  return %z, %q, %s : tensor<4x8xf32>, tensor<4x8xui8>, tensor<4xf32>
}

// Reductions that need nothing of each other, and a sum that only the row reads.
// CHECK-LABEL: @sources
// CHECK-NOT: weft.map
// CHECK: weft.row axis 1 [t in 4, d in 8] ins(%{{.*}}[t, d], %{{.*}}[t, d] : {{.*}}) max {
// CHECK: arith.addf
// CHECK: } min {
// CHECK: arith.addf
// CHECK: } element {
// CHECK-NEXT: ^bb0(%[[MAX:.+]]: f32, %[[MIN:.+]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: return
func.func @sources(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %x = weft.map [t in 4, d in 8] ins(%a[t, d], %b[t, d] : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  %m = weft.reduce max [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %n = weft.reduce min [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %y = weft.map [t in 4, d in 8] ins(%x[t, d], %m[t], %n[t] : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.subf %0, %2 : f32
    %4 = arith.subf %1, %2 : f32
    %5 = arith.divf %3, %4 : f32
    weft.yield %5 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What is made of the row on the way to another formula, through a product, is none of its parts; a check of a mean stays
// behind it.
// CHECK-LABEL: @others_between
// CHECK: %[[R:.+]]:2 = weft.row axis 1
// CHECK: weft.check "far" [t in 4] ins(%[[R]]#1[t] : tensor<4xf32>)
// CHECK: %[[C:.+]] = weft.contract {{.*}} ins(%[[R]]#0[t, e], %{{.*}}[e, d] :
// CHECK: %[[Z:.+]] = weft.map {{.*}} ins(%[[R]]#0[t, d], %[[C]][t, d], %[[R]]#1[t]
// CHECK: return %[[Z]]
func.func @others_between(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %m = weft.reduce mean [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %y = weft.map [t in 4, d in 8] ins(%x[t, d], %m[t] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  weft.check "far" [t in 4] ins(%m[t] : tensor<4xf32>) {
  ^bb0(%0: f32):
    %c = arith.constant 1.0 : f32
    %1 = arith.cmpf olt, %0, %c : f32
    weft.yield %1 : i1
  }
  %c = weft.contract [t in 4, d in 8, e in 8] ins(%y[t, e], %w[e, d] : tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %z = weft.map [t in 4, d in 8] ins(%y[t, d], %c[t, d], %m[t] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  } -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}

// The map reads a product that reads the mean: the row would have to be made before its mean is known.
// CHECK-LABEL: @too_late
// CHECK-NOT: weft.row
// CHECK: return
func.func @too_late(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %m = weft.reduce mean [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %c = weft.contract [t in 4, d in 8, e in 8] ins(%x[t, e], %w[e, d], %m[t] : tensor<4x8xf32>, tensor<8x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  %y = weft.map [t in 4, d in 8] ins(%c[t, d], %m[t] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Another axis; other rows, by a map and by computed places; only some of the rows; reductions with a condition, over two
// indices, or of positions; numbers that nothing is made of for each element.
// CHECK-LABEL: @must_not_fire
// CHECK-NOT: weft.row
// CHECK: return
func.func @must_not_fire(%x: tensor<8x8xf32>, %ids: tensor<8xi32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>,
    tensor<4x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %m = weft.reduce mean [t in 8, d in 8] ins(%x[t, d] : tensor<8x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8xf32>
  %both = weft.map [t in 8, d in 8] ins(%m[t], %m[d] : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x8xf32>
  %other = weft.map [t in 8, d in 8] ins(%x[t, d], %m[7 - t] : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x8xf32>
  %gathered = weft.map [t in 8, d in 8] ins(%x[t, d], %ids[t], %m[t] : tensor<8x8xf32>, tensor<8xi32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: i32, %2: f32):
    %3 = arith.index_cast %1 : i32 to index
    %4 = weft.at %m[%3] : tensor<8xf32>
    %5 = arith.subf %0, %4 : f32
    %6 = arith.mulf %5, %2 : f32
    weft.yield %6 : f32
  } -> tensor<8x8xf32>
  %some = weft.map [t in 4, d in 8] ins(%x[t, d], %m[t] : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  %n = weft.reduce mean [t in 8, d in 8] ins(%x[t, d] : tensor<8x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %d = weft.index 1
    %t = weft.index 0
    %c = arith.cmpi sle, %d, %t : index
    weft.yield %c : i1
  } -> tensor<8xf32>
  %masked = weft.map [t in 8, d in 8] ins(%x[t, d], %n[t] : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x8xf32>
  %a = weft.reduce sum [t in 8, d in 8] ins(%x[t, d] : tensor<8x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8xf32>
  %across = weft.map [t in 8, d in 8, e in 8] ins(%a[t], %x[d, e] : tensor<8xf32>, tensor<8x8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x8x8xf32>
  %all = weft.reduce sum [d in 8, t in 8, e in 8] ins(%across[t, d, e] : tensor<8x8x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8xf32>
  %two = weft.map [t in 8, d in 8] ins(%x[t, d], %all[t] : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x8xf32>
  %largest = weft.reduce argmax [t in 8, d in 8] ins(%x[t, d] : tensor<8x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8xi32>
  %place = weft.map [t in 8, d in 8] ins(%x[t, d], %largest[t] : tensor<8x8xf32>, tensor<8xi32>) {
  ^bb0(%0: f32, %1: i32):
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.subf %0, %2 : f32
    weft.yield %3 : f32
  } -> tensor<8x8xf32>
  %root = weft.map [t in 8] ins(%m[t] : tensor<8xf32>) {
  ^bb0(%0: f32):
    %1 = math.sqrt %0 : f32
    weft.yield %1 : f32
  } -> tensor<8xf32>
  return %both, %other, %gathered, %some, %masked, %two, %place, %root : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>,
      tensor<4x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// Two functions of an element that two sums and the row need cost more than a tensor: the first sum stays outside.
// CHECK-LABEL: @costly
// CHECK: weft.map
// CHECK: math.exp
// CHECK: weft.row axis 1 {{.*}} sum {
// CHECK-NOT: math.exp
// CHECK: return
func.func @costly(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = weft.map [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    %2 = math.tanh %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  %s = weft.reduce sum [t in 4, d in 8] ins(%e[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %y = weft.map [t in 4, d in 8] ins(%e[t, d], %s[t] : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What is made of a row that is one already, at its own place, is a further output: the row once more in fewer bits, its
// statistic as it is read. A sum with what is made of the row is not, nor what reads other rows.
// CHECK-LABEL: @outputs_of_rows
// CHECK: %[[R:.+]]:5 = weft.row axis 1 [t in 4, d in 8] ins(%{{.*}}[t, d], %{{.*}}[d, t] : {{.*}}) attributes {output_maps = [#[[ROW]], #[[STATISTIC]], #[[ROW]], #[[ACROSS:.+]], #[[STATISTIC]]]
// CHECK: } element {
// CHECK-NEXT: ^bb0(%[[M:.+]]: f32, %[[X:.+]]: f32, %[[A:.+]]: f32):
// CHECK-DAG: %[[D:.+]] = arith.subf %[[X]], %[[M]]
// CHECK-DAG: %[[S:.+]] = arith.addf %[[D]], %[[A]]
// CHECK-DAG: %[[Q:.+]] = math.sqrt %[[M]]
// CHECK: weft.yield %[[D]], %[[M]], %[[D]], %[[S]], %[[Q]] : f32, f32, f32, f32, f32
// CHECK: } -> tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xbf16>, tensor<8x4xf32>, tensor<4xf32>
// CHECK: weft.map {{.*}} ins(%[[R]]#0[t, d], %{{.*}}[t, d] :
// CHECK: weft.map {{.*}} ins(%[[R]]#0[3 - t, d] :
// CHECK: return
func.func @outputs_of_rows(%x: tensor<4x8xf32>, %a: tensor<8x4xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xbf16>, tensor<8x4xf32>, tensor<4xf32>,
    tensor<4x8xf32>, tensor<4x8xf32>) {
  %y, %m = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>]} max {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%max: f32, %0: f32):
    %1 = arith.subf %0, %max : f32
    weft.yield %1, %max : f32, f32
  } -> tensor<4x8xf32>, tensor<4xf32>
  %c = weft.contract [t in 4, d in 8, e in 8] ins(%y[t, e], %w[e, d] : tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %copy = weft.map [t in 4, d in 8] ins(%y[t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xbf16>
  %across = weft.map [d in 8, t in 4] ins(%y[t, d], %a[d, t] : tensor<4x8xf32>, tensor<8x4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<8x4xf32>
  %root = weft.map [t in 4] ins(%m[t] : tensor<4xf32>) {
  ^bb0(%0: f32):
    %1 = math.sqrt %0 : f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  %later = weft.map [t in 4, d in 8] ins(%y[t, d], %c[t, d] : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> tensor<4x8xf32>
  %other = weft.map [t in 4, d in 8] ins(%y[3 - t, d] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    %1 = math.sqrt %0 : f32
    weft.yield %1 : f32
  } -> tensor<4x8xf32>
  return %copy, %across, %root, %later, %other : tensor<4x8xbf16>, tensor<8x4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
