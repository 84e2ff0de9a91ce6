// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// Integers: rounding of quotients, wrap-around, booleans.
// CHECK-LABEL: integers
// CHECK-NEXT: tensor 8 int [-4, -3, -1, -3, -2147483648, 1, -1, 1]
func.func @integers() -> tensor<8xi32> {
  %y = weft.map [i in 8] {
    %i = weft.index 0
    %m7 = arith.constant -7 : i32
    %p2 = arith.constant 2 : i32
    %max = arith.constant 2147483647 : i32
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %0 = arith.floordivsi %m7, %p2 : i32
    %1 = arith.ceildivsi %m7, %p2 : i32
    %2 = arith.remsi %m7, %p2 : i32
    %3 = arith.divsi %m7, %p2 : i32
    %4 = arith.addi %max, %one : i32
    %5 = arith.extui %true : i1 to i32
    %6 = arith.extsi %true : i1 to i32
    %lt = arith.cmpi ult, %one, %m7 : i32
    %7 = arith.extui %lt : i1 to i32
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %e1 = arith.cmpi eq, %i, %c1 : index
    %s1 = arith.select %e1, %1, %0 : i32
    %e2 = arith.cmpi eq, %i, %c2 : index
    %s2 = arith.select %e2, %2, %s1 : i32
    %e3 = arith.cmpi eq, %i, %c3 : index
    %s3 = arith.select %e3, %3, %s2 : i32
    %e4 = arith.cmpi eq, %i, %c4 : index
    %s4 = arith.select %e4, %4, %s3 : i32
    %e5 = arith.cmpi eq, %i, %c5 : index
    %s5 = arith.select %e5, %5, %s4 : i32
    %e6 = arith.cmpi eq, %i, %c6 : index
    %s6 = arith.select %e6, %6, %s5 : i32
    %e7 = arith.cmpi eq, %i, %c7 : index
    %s7 = arith.select %e7, %7, %s6 : i32
    weft.yield %s7 : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// CHECK-LABEL: reals
// CHECK-NEXT: tensor 2 real [0.0455003, 1.9545]
// CHECK-NEXT: tensor 2 real [1, 16]
// CHECK-NEXT: tensor 2 bool [true, false]
// CHECK-NEXT: tensor 2 int [-2, 4]
func.func @reals() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi32>) {
  %x = arith.constant dense<[-2.0, 2.0]> : tensor<2xf32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %gelu = weft.map [i in 2] ins(%x[i] : tensor<2xf32>) {
  ^bb0(%0: f32):
    %r = math.sqrt %half : f32
    %1 = arith.mulf %0, %r : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %one, %2 : f32
    weft.yield %3 : f32
  } -> tensor<2xf32>
  %max = weft.map [i in 2] ins(%x[i] : tensor<2xf32>) {
  ^bb0(%0: f32):
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = math.fpowi %1, %c4 : f32, i32
    %3 = arith.maxnumf %2, %one : f32
    weft.yield %3 : f32
  } -> tensor<2xf32>
  %less = weft.map [i in 2] ins(%x[i] : tensor<2xf32>) {
  ^bb0(%0: f32):
    %1 = arith.cmpf olt, %0, %half : f32
    weft.yield %1 : i1
  } -> tensor<2xi1>
  %cast = weft.map [i in 2] ins(%x[i] : tensor<2xf32>) {
  ^bb0(%0: f32):
    %1 = math.exp2 %0 : f32
    %2 = arith.cmpf ogt, %1, %one : f32
    %3 = arith.select %2, %1, %0 : f32
    %4 = arith.fptosi %3 : f32 to i32
    weft.yield %4 : i32
  } -> tensor<2xi32>
  return %gelu, %max, %less, %cast : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi32>
}
