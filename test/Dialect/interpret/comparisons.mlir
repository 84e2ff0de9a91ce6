// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// Every predicate of two equal reals, a lesser and a greater one, and with NaN on either side and on both.
// CHECK-LABEL: comparisons
// CHECK-NEXT: tensor 6 bool [false, false, false, false, false, false]
// CHECK-NEXT: tensor 6 bool [true, false, false, false, false, false]
// CHECK-NEXT: tensor 6 bool [false, false, true, false, false, false]
// CHECK-NEXT: tensor 6 bool [true, false, true, false, false, false]
// CHECK-NEXT: tensor 6 bool [false, true, false, false, false, false]
// CHECK-NEXT: tensor 6 bool [true, true, false, false, false, false]
// CHECK-NEXT: tensor 6 bool [false, true, true, false, false, false]
// CHECK-NEXT: tensor 6 bool [true, true, true, false, false, false]
// CHECK-NEXT: tensor 6 bool [true, false, false, true, true, true]
// CHECK-NEXT: tensor 6 bool [false, false, true, true, true, true]
// CHECK-NEXT: tensor 6 bool [true, false, true, true, true, true]
// CHECK-NEXT: tensor 6 bool [false, true, false, true, true, true]
// CHECK-NEXT: tensor 6 bool [true, true, false, true, true, true]
// CHECK-NEXT: tensor 6 bool [false, true, true, true, true, true]
// CHECK-NEXT: tensor 6 bool [false, false, false, true, true, true]
// CHECK-NEXT: tensor 6 bool [true, true, true, true, true, true]
func.func @comparisons() -> (tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>) {
  %x = arith.constant dense<[1.0, 1.0, 2.0, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<6xf32>
  %y = arith.constant dense<[1.0, 2.0, 1.0, 1.0, 0x7FC00000, 0x7FC00000]> : tensor<6xf32>
  %false = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf false, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %oeq = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oeq, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ogt = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %oge = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %olt = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ole = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %one = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf one, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ord = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ord, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ueq = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ueq, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ugt = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ugt, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %uge = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf uge, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ult = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ult, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %ule = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ule, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %une = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf une, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %uno = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf uno, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  %true = weft.map [i in 6] ins(%x[i], %y[i] : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf true, %a, %b : f32
    weft.yield %c : i1
  } -> tensor<6xi1>
  return %false, %oeq, %ogt, %oge, %olt, %ole, %one, %ord, %ueq, %ugt, %uge, %ult, %ule, %une, %uno, %true
      : tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>
}
