// RUN: weft-opt %s --weft-form-choices --cse | FileCheck %s
// RUN: weft-opt %s --weft-fusion-pipeline | FileCheck %s --check-prefix=OFF
// RUN: weft-opt %s --weft-fusion-pipeline="choices=true" | FileCheck %s --check-prefix=ON

// OFF-NOT: chosen

!x = tensor<4x8xf32>
!c = tensor<4x2xi32>
!w = tensor<3x6x8xf32>

// The sum over what an expert multiplies is a product of the rows that choose it; it is the last index.
// CHECK-LABEL: @product
// CHECK-NEXT: %[[Y:.+]] = weft.contract [t in 4, j in J = 2, f in 6, d in 8, e in 3] ins(%arg0[t, d], %arg1[e, f, d], %arg2[t, j] : {{.*}}) attributes {chosen, scale = 5.000000e-01 : f64, weft.label = "y"} -> tensor<4x2x6xf32>
// CHECK-NEXT: return %[[Y]]
func.func @product(%x: !x, %w: !w, %c: !c) -> tensor<4x2x6xf32> {
  %y = weft.reduce sum [t in 4, j in J = 2, f in 6, d in 8] ins(%x[t, d], %c[t, j] : !x, !c) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: i32):
    %2 = arith.index_cast %1 : i32 to index
    %f = weft.index 2
    %d = weft.index 3
    %3 = weft.at %w[%2, %f, %d] inbounds : !w
    %half = arith.constant 0.5 : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    weft.yield %5 : f32
  } -> tensor<4x2x6xf32>
  return %y : tensor<4x2x6xf32>
}

// What is summed over and chooses stays a sum, of products; factors that no product needs are behind it. An index of that
// name is there.
// CHECK-LABEL: @sum
// CHECK: %[[Z:.+]] = weft.contract [t in 4, e in 6, j in J = 2, d in 8, e1 in 3] ins(%arg0[t, j, d], %arg1[e1, d, e], %arg2[t, j] : {{.*}}) attributes {chosen, weft.label = "y.part"} -> tensor<4x6x2xf32>
// CHECK: weft.reduce sum [t in 4, e in 6, j in J = 2] ins(%[[Z]][t, e, j], %arg3[t, j]
// CHECK-SAME: weft.label = "y", weft.lane = -1
// CHECK: arith.mulf
// ON-LABEL: @sum
// ON: weft.contract {{.*}}chosen
func.func @sum(%x: tensor<4x2x8xf32>, %w: tensor<3x8x6xf32>, %c: !c, %s: tensor<4x2xf32>) -> tensor<4x6xf32> {
  %y = weft.reduce sum [t in 4, e in 6, j in J = 2, d in 8] ins(%x[t, j, d], %c[t, j], %s[t, j] : tensor<4x2x8xf32>, !c, tensor<4x2xf32>) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: i32, %2: f32):
    %3 = arith.index_cast %1 : i32 to index
    %e = weft.index 1
    %d = weft.index 3
    %4 = weft.at %w[%3, %d, %e] inbounds : tensor<3x8x6xf32>
    %5 = arith.mulf %0, %4 : f32
    %6 = arith.mulf %5, %2 : f32
    weft.yield %6 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A factor of the row alone is behind the product, and an epilogue of it.
// CHECK-LABEL: @row
// CHECK: %[[Y:.+]] = weft.contract {{.*}}attributes {chosen, weft.label = "y.part"}
// CHECK: weft.map [t in 4, f in 6] ins(%[[Y]][t, f], %arg3[t]
// ON-LABEL: @row
// ON: weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%arg0[t, d], %arg1[e, f, d], %arg2[t, 0], %arg3[t] : {{.*}}) attributes {chosen
// ON-NEXT: ^bb0(%[[SUM:.+]]: f32, %[[S:.+]]: f32):
// ON-NEXT: arith.mulf %[[SUM]], %[[S]]
func.func @row(%x: !x, %w: !w, %c: !c, %s: tensor<4xf32>) -> tensor<4x6xf32> {
  %y = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %c[t, 0], %s[t] : !x, !c, tensor<4xf32>) attributes {weft.label = "y"} {
  ^bb0(%0: f32, %1: i32, %2: f32):
    %3 = arith.index_cast %1 : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %4 = weft.at %w[%3, %f, %d] inbounds : !w
    %5 = arith.mulf %0, %2 : f32
    %6 = arith.mulf %5, %4 : f32
    weft.yield %6 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A check says that the choice is one of the matrices; must not fire where it says so of another number of them, or of
// one row.
// CHECK-LABEL: @checked
// CHECK: weft.contract {{.*}}%arg1[e, f, d], %arg2[t]
// CHECK: weft.reduce
// CHECK: weft.reduce
func.func @checked(%x: !x, %w: !w, %c: tensor<4xi32>, %l: tensor<4xi32>, %o: tensor<4xi32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  weft.check "c" [t in 4] ins(%c[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %n = arith.constant 3 : index
    %1 = arith.index_cast %0 : i32 to index
    %2 = arith.cmpi ult, %1, %n : index
    weft.yield %2 : i1
  }
  weft.check "l" [t in 4] ins(%l[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %n = arith.constant 4 : index
    %1 = arith.index_cast %0 : i32 to index
    %2 = arith.cmpi ult, %1, %n : index
    weft.yield %2 : i1
  }
  weft.check "o" [t in 3] ins(%o[t] : tensor<4xi32>) {
  ^bb0(%0: i32):
    %n = arith.constant 3 : index
    %1 = arith.index_cast %0 : i32 to index
    %2 = arith.cmpi ult, %1, %n : index
    weft.yield %2 : i1
  }
  %1 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %c[t] : !x, tensor<4xi32>) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  %2 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %l[t] : !x, tensor<4xi32>) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  %3 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %o[t] : !x, tensor<4xi32>) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  return %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @must_not
// CHECK-NOT: weft.contract
// CHECK: return
// What is computed is a tensor in the pipeline.
// ON-LABEL: @must_not
// ON: %[[TANH:.+]] = weft.map
// ON-NEXT: ^bb0
// ON-NEXT: math.tanh
// ON: weft.contract {{.*}} ins(%[[TANH]][t, d], %{{.*}}[e, f, d]{{.*}} {chosen, weft.lane = 0 : i64}
// ON-NOT: chosen
// ON: return
func.func @must_not(%x: !x, %w: !w, %c: !c, %v: tensor<3x8xf32>, %u: tensor<3x2x8xf32>) -> (tensor<4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  // Rows of a table: there are no columns.
  %0 = weft.reduce sum [t in 4, d in 8] ins(%x[t, d], %c[t, 0] : !x, !c) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %d = weft.index 1
    %k = weft.at %v[%e, %d] inbounds : tensor<3x8xf32>
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4xf32>
  // What may be outside reads 0 there.
  %1 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %c[t, 0] : !x, !c) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  // A part of the columns.
  %2 = weft.reduce sum [t in 4, f in 6, d in 4] ins(%x[t, d], %c[t, 0] : !x, !c) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] inbounds : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  // A computed factor, a maximum, and a row that is the same for what is summed over.
  %3 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, d], %c[t, 0] : !x, !c) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] inbounds : !w
    %t = math.tanh %a : f32
    %m = arith.mulf %t, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  %4 = weft.reduce max [t in 4, f in 6, d in 8] ins(%x[t, d], %c[t, 0] : !x, !c) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] inbounds : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  %5 = weft.reduce sum [t in 4, f in 6, d in 8] ins(%x[t, 0], %c[t, 0] : !x, !c) {
  ^bb0(%a: f32, %b: i32):
    %e = arith.index_cast %b : i32 to index
    %f = weft.index 1
    %d = weft.index 2
    %k = weft.at %w[%e, %f, %d] inbounds : !w
    %m = arith.mulf %a, %k : f32
    weft.yield %m : f32
  } -> tensor<4x6xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
