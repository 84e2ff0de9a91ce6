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

// Must not fire: other types, and functions whose polynomials lose accuracy for large arguments.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: math.exp %{{.*}} : f64
// CHECK-NEXT: math.erf %{{.*}} : f64
// CHECK-NEXT: math.sin %{{.*}} : vector<8xf32>
// CHECK-NEXT: math.cos %{{.*}} : vector<8xf32>
// CHECK-NEXT: math.sqrt %{{.*}} : vector<8xf32>
// CHECK-NEXT: return
func.func @others(%x: f64, %v: vector<8xf32>) -> (f64, f64, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %0 = math.exp %x : f64
  %1 = math.erf %x : f64
  %2 = math.sin %v : vector<8xf32>
  %3 = math.cos %v : vector<8xf32>
  %4 = math.sqrt %v : vector<8xf32>
  return %0, %1, %2, %3, %4 : f64, f64, vector<8xf32>, vector<8xf32>, vector<8xf32>
}
