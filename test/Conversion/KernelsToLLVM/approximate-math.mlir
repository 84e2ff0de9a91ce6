// RUN: weft-opt --weft-approximate-math %s | FileCheck %s

// CHECK-LABEL: func.func @vectors
// CHECK-NOT: math.{{exp |log |log1p |tanh |erf }}
// CHECK: return
func.func @vectors(%v: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %0 = math.exp %v : vector<8xf32>
  %1 = math.log %v : vector<8xf32>
  %2 = math.log1p %v : vector<8xf32>
  %3 = math.tanh %v : vector<8xf32>
  %4 = math.erf %v : vector<8xf32>
  return %0, %1, %2, %3, %4 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// One polynomial where an approximation will do.
// CHECK-LABEL: func.func @rough
// CHECK-NOT: arith.shli
// CHECK: return
func.func @rough(%v: vector<8xf32>) -> vector<8xf32> {
  %0 = math.erf %v fastmath<afn> : vector<8xf32>
  return %0 : vector<8xf32>
}

// A number has the bits that it has in a vector.
// CHECK-LABEL: func.func @numbers
// CHECK-NOT: math.{{exp |log |log1p |tanh |erf }}
// CHECK: return
func.func @numbers(%x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.log %x : f32
  %2 = math.log1p %x : f32
  %3 = math.tanh %x : f32
  %4 = math.erf %x : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// Sines and cosines are functions of their own, one for each type, whose vectors have one dimension.
// CHECK-LABEL: func.func @sines
// CHECK-NEXT: call @math.sin(%{{.*}}) : (f32) -> f32
// CHECK-NEXT: call @math.cos.8(%{{.*}}) : (vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: call @math.cos.8(
// CHECK-NEXT: vector.shape_cast %{{.*}} : vector<2x4xf32> to vector<8xf32>
// CHECK-NEXT: call @math.cos.8(
// CHECK-NEXT: vector.shape_cast %{{.*}} : vector<8xf32> to vector<2x4xf32>
// CHECK-NEXT: return
func.func @sines(%x: f32, %v: vector<8xf32>, %w: vector<2x4xf32>) -> (f32, vector<8xf32>, vector<8xf32>, vector<2x4xf32>) {
  %0 = math.sin %x : f32
  %1 = math.cos %v : vector<8xf32>
  %2 = math.cos %1 : vector<8xf32>
  %3 = math.cos %w : vector<2x4xf32>
  return %0, %1, %2, %3 : f32, vector<8xf32>, vector<8xf32>, vector<2x4xf32>
}

// CHECK-LABEL: func.func @powers
// CHECK-NOT: math.powf
// CHECK: return
func.func @powers(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  %0 = math.powf %x, %x : f32
  %1 = math.powf %v, %v : vector<8xf32>
  return %0, %1 : f32, vector<8xf32>
}

// Must not fire: other types.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: math.exp %{{.*}} : f64
// CHECK-NEXT: math.erf %{{.*}} : f64
// CHECK-NEXT: math.sin %{{.*}} : f64
// CHECK-NEXT: math.powf %{{.*}} : f64
// CHECK-NEXT: math.sqrt %{{.*}} : vector<8xf32>
// CHECK-NEXT: return
func.func @others(%x: f64, %v: vector<8xf32>) -> (f64, f64, f64, f64, vector<8xf32>) {
  %0 = math.exp %x : f64
  %1 = math.erf %x : f64
  %2 = math.sin %x : f64
  %3 = math.powf %x, %x : f64
  %4 = math.sqrt %v : vector<8xf32>
  return %0, %1, %2, %3, %4 : f64, f64, f64, f64, vector<8xf32>
}

// A lane that is far away, or not finite, has libm's; the others have not.
// CHECK-LABEL: func.func private @math.sin(
// CHECK-SAME: f32) -> f32
// CHECK: %[[FAR:.*]] = arith.cmpf uge, %{{.*}} : f32
// CHECK: scf.if %[[FAR]]
// CHECK-LABEL: func.func private @math.cos.8.far
// CHECK: math.cos %{{.*}} : vector<8xf64>
// CHECK-LABEL: func.func private @math.cos.8(
// CHECK: %[[LANES:.*]] = arith.cmpf uge, %{{.*}} : vector<8xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LANES]]
// CHECK: scf.if %[[ANY]]
// CHECK: %[[RIGHT:.*]] = func.call @math.cos.8.far
// CHECK: arith.select %[[LANES]], %[[RIGHT]]
