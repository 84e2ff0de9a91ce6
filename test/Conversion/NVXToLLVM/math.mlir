// RUN: weft-opt %s --convert-math-to-nvx --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: math.{{exp|log|log1p|sin|cos|tanh|erf|powf|rsqrt}}

// A factor near 1 makes up for what rounding the product lost.
// CHECK-LABEL: @exp
// CHECK: %[[EXPONENT:.+]] = arith.mulf
// CHECK: math.fma
// CHECK: math.fma
// CHECK: %[[FACTOR:.+]] = math.fma
// CHECK: %[[POWER:.+]] = nvx.ex2 %[[EXPONENT]]
// CHECK: arith.mulf %[[POWER]], %[[FACTOR]]
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: @instructions
// CHECK-NEXT: nvx.ex2 %arg0 : f32
// CHECK-NEXT: nvx.rsqrt %arg0 : f32
func.func @instructions(%x: f32) -> (f32, f32) {
  %0 = math.exp2 %x : f32
  %1 = math.rsqrt %x : f32
  return %0, %1 : f32, f32
}

// A function of vectors is that of each element; what has an instruction stays whole.
// CHECK-LABEL: @lanes
// CHECK-COUNT-4: nvx.ex2 %{{.+}} : f32
// CHECK: vector.from_elements
// CHECK: math.sqrt %{{.+}} : vector<4xf32>
func.func @lanes(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp2 %x : vector<4xf32>
  %1 = math.sqrt %0 : vector<4xf32>
  return %1 : vector<4xf32>
}

// CHECK-LABEL: @activations
// CHECK: nvx.ex2
// CHECK: nvx.rcp
// CHECK: math.copysign
// CHECK: arith.select
// CHECK: math.copysign
// CHECK-NOT: arith.divf
func.func @activations(%x: f32) -> (f32, f32) {
  %0 = math.tanh %x : f32
  %1 = math.erf %x : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: @logarithms
func.func @logarithms(%x: f32) -> (f32, f32) {
  %0 = math.log %x : f32
  %1 = math.log1p %x : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: @turns
// CHECK: math.roundeven {{.*}} : f64
// CHECK: math.fma {{.*}} : f64
func.func @turns(%x: f32) -> (f32, f32) {
  %0 = math.sin %x : f32
  %1 = math.cos %x : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: @power
// CHECK: nvx.ex2
func.func @power(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
}

// What is an instruction stays.
// CHECK-LABEL: @left
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.floor
// CHECK-NEXT: math.ceil
// CHECK-NEXT: math.absf
// CHECK-NEXT: math.roundeven
func.func @left(%x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = math.sqrt %x : f32
  %1 = math.floor %x : f32
  %2 = math.ceil %x : f32
  %3 = math.absf %x : f32
  %4 = math.roundeven %x : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @below {{'math.atan' of 'f32' is not written for GPUs}}
  %0 = math.atan %x : f32
  return %0 : f32
}

// -----

func.func @wide(%x: f64) -> f64 {
  // expected-error @below {{'math.exp' of 'f64' is not written for GPUs}}
  %0 = math.exp %x : f64
  return %0 : f64
}
