// RUN: weft-opt %s --nvx-expand-divisions | FileCheck %s

// CHECK-LABEL: @quotients
// CHECK-NOT: arith.{{ceildiv|floordiv}}
// CHECK: arith.divsi
// CHECK: arith.divui
func.func @quotients(%a: i32, %b: i32) -> (i32, i32, i32) {
  %0 = arith.floordivsi %a, %b : i32
  %1 = arith.ceildivsi %a, %b : i32
  %2 = arith.ceildivui %a, %b : i32
  return %0, %1, %2 : i32, i32, i32
}

// What is an instruction stays.
// CHECK-LABEL: @extrema
// CHECK-NEXT: arith.maxnumf
// CHECK-NEXT: arith.maximumf
// CHECK-NEXT: arith.divui
func.func @extrema(%x: f32, %y: f32, %a: i32, %b: i32) -> (f32, f32, i32) {
  %0 = arith.maxnumf %x, %y : f32
  %1 = arith.maximumf %x, %y : f32
  %2 = arith.divui %a, %b : i32
  return %0, %1, %2 : f32, f32, i32
}
