// What converts to 16 bits and from f16 is arithmetic on bits where there are no instructions, and an instruction where there are.
// RUN: weft-opt %s --weft-expand-halves | FileCheck %s --check-prefixes=CHECK,BITS
// RUN: weft-opt %s --weft-expand-halves='f16=false' | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: weft-opt %s --weft-expand-halves='bf16=false' | FileCheck %s --check-prefixes=CHECK,F16
// RUN: weft-opt %s --weft-lower-units='native=round' | FileCheck %s --check-prefix=NEEDS
// RUN: weft-opt %s --weft-lower-units | FileCheck %s --check-prefix=NOTHING

// NEEDS: weft_cpu.features = ["avx512bf16"]
// NOTHING-NOT: weft_cpu.features

// CHECK-LABEL: @to_bf16
// BITS-NOT: arith.truncf
// BITS: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
// BF16-NOT: arith.truncf
// BF16: arith.trunci
// F16: arith.truncf %arg0 : vector<16xf32> to vector<16xbf16>
func.func @to_bf16(%number: vector<16xf32>) -> vector<16xbf16> {
  %0 = arith.truncf %number : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// CHECK-LABEL: @one_to_bf16
// BITS: arith.trunci {{.*}} : i32 to i16
// BF16: arith.trunci {{.*}} : i32 to i16
// F16: arith.truncf %arg0 : f32 to bf16
func.func @one_to_bf16(%number: f32) -> bf16 {
  %0 = arith.truncf %number : f32 to bf16
  return %0 : bf16
}

// An integer that becomes a half at once, by folding, is an f32 first: there is no such instruction, but a function that nobody has.
// CHECK-LABEL: @integers_to_bf16
// BITS: arith.sitofp %arg0 : vector<8xi32> to vector<8xf32>
// BITS: arith.trunci {{.*}} : vector<8xi32> to vector<8xi16>
// BITS: arith.uitofp %arg1 : i1 to f32
// BITS: arith.trunci {{.*}} : i32 to i16
// F16: arith.sitofp %arg0 : vector<8xi32> to vector<8xbf16>
// F16: arith.uitofp %arg1 : i1 to bf16
func.func @integers_to_bf16(%number: vector<8xi32>, %flag: i1) -> (vector<8xbf16>, bf16) {
  %0 = arith.sitofp %number : vector<8xi32> to vector<8xbf16>
  %1 = arith.uitofp %flag : i1 to bf16
  return %0, %1 : vector<8xbf16>, bf16
}

// CHECK-LABEL: @to_f16
// BITS: arith.trunci {{.*}} : i32 to i16
// BF16: arith.truncf %arg0 : f32 to f16
// F16: arith.trunci {{.*}} : i32 to i16
func.func @to_f16(%number: f32) -> f16 {
  %0 = arith.truncf %number : f32 to f16
  return %0 : f16
}

// CHECK-LABEL: @from_f16
// BITS-NOT: arith.extf
// BITS: arith.extui
// BF16: arith.extf %arg0 : f16 to f32
// F16-NOT: arith.extf
// F16: arith.extui
func.func @from_f16(%half: f16) -> f32 {
  %0 = arith.extf %half : f16 to f32
  return %0 : f32
}

// Of other types nothing is expanded.
// CHECK-LABEL: @others
// CHECK: arith.truncf %arg0 : f64 to f32
// CHECK: arith.extf %arg1 : f32 to f64
func.func @others(%number: f64, %short: f32) -> (f32, f64) {
  %0 = arith.truncf %number : f64 to f32
  %1 = arith.extf %short : f32 to f64
  return %0, %1 : f32, f64
}
