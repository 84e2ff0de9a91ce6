// RUN: weft-opt --weft-expand-math %s | FileCheck %s

// CHECK-LABEL: func.func @expanded
// CHECK: arith.mulf
// CHECK: math.powf
// CHECK: arith.maximumf
// CHECK-NOT: math.
// CHECK: return
func.func @expanded(%x: f32, %n: i32, %v: vector<8xf32>, %w: vector<8xf32>) -> (f32, f32, vector<8xf32>) {
  %two = arith.constant 2 : i32
  %0 = math.fpowi %x, %two : f32, i32
  %1 = math.fpowi %x, %n : f32, i32
  %2 = math.clampf %v to [%v, %w] : vector<8xf32>
  return %0, %1, %2 : f32, f32, vector<8xf32>
}

// Must not fire: what LLVM or libm has.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: math.powf
// CHECK-NEXT: math.tanh
// CHECK-NEXT: return
func.func @others(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  %0 = math.powf %x, %x : f32
  %1 = math.tanh %v : vector<8xf32>
  return %0, %1 : f32, vector<8xf32>
}
