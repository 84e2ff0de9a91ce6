// RUN: weft-opt --weft-pack-weights=nr=8 --split-input-file %s | FileCheck %s
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!y = tensor<?x12xf32, #weft.bounds<T to 16>>

// A weight on the left changes sides; the last panel is padded.
// CHECK-LABEL: func.func @left
// CHECK: weft.weight "w" {pack = #weft.pack<view = [12, 8], k = [1], n = [0], nr = 8>} : tensor<2x8x8xf32>
// CHECK: ins(%{{.*}}[t, d], %{{.*}}[f floordiv 8, d, f mod 8] :
func.func @left(%x: !x) -> !y attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.contract [t in T to 16, f in F = 12, d in D = 8] ins(%w[f, d], %x[t, d] : tensor<12x8xf32>, !x) -> !y
  return %y : !y
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>

// Must not fire: the two products want different panels.
// CHECK-LABEL: func.func @disagree
// CHECK: weft.weight "w" : tensor<8x8xf32>
func.func @disagree(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<8x8xf32>) -> !x
  %z = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%y[t, d], %w[d, f] : !x, tensor<8x8xf32>) -> !x
  return %z : !x
}

// -----
!q = tensor<?x2x4xf32, #weft.bounds<T to 16>>

// Must not fire: one matrix for each head.
// CHECK-LABEL: func.func @heads
// CHECK: weft.weight "w" : tensor<2x4x4xf32>
func.func @heads(%q: !q) -> !q attributes {weft.entry} {
  %w = weft.weight "w" : tensor<2x4x4xf32>
  %y = weft.contract [t in T to 16, h in H = 2, e in E = 4, c in C = 4] ins(%q[t, h, c], %w[h, c, e] : !q, tensor<2x4x4xf32>) -> !q
  return %y : !q
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>

// Must not fire: the rows of the activation are not contiguous in memory.
// CHECK-LABEL: func.func @columns
// CHECK: weft.weight "w" : tensor<8x8xf32>
func.func @columns(%x: tensor<8x?xf32, #weft.bounds<T to 16>>) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[d, t], %w[d, f] : tensor<8x?xf32, #weft.bounds<T to 16>>, tensor<8x8xf32>) -> !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>
!y = tensor<?x12xf32, #weft.bounds<T to 16>>

// A weight is stored once: a function that only gathers from it reads the panels of the other one's product.
// CHECK-LABEL: func.func @product
// CHECK: weft.weight "w" {pack = #weft.pack<view = [12, 8], k = [1], n = [0], nr = 8>} : tensor<2x8x8xf32>
func.func @product(%x: !x) -> !y attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.contract [t in T to 16, f in F = 12, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<12x8xf32>) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @gather
// CHECK: weft.weight "w" {pack = #weft.pack<view = [12, 8], k = [1], n = [0], nr = 8>} : tensor<2x8x8xf32>
// CHECK: weft.at %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] inbounds : tensor<2x8x8xf32>
func.func @gather() -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<12x8xf32>
  %y = weft.map [t in T to 16, d in D = 8] {
    %d = weft.index 1
    %row = arith.constant 3 : index
    %0 = weft.at %w[%row, %d] inbounds : tensor<12x8xf32>
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #weft.bounds<T to 16>>

// Must not fire: what two functions want of the weight differs.
// CHECK-LABEL: func.func @rows
// CHECK: weft.weight "w" : tensor<8x8xf32>
func.func @rows(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[f, d] : !x, tensor<8x8xf32>) -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @columns
// CHECK: weft.weight "w" : tensor<8x8xf32>
func.func @columns(%x: !x) -> !x attributes {weft.entry} {
  %w = weft.weight "w" : tensor<8x8xf32>
  %y = weft.contract [t in T to 16, f in F = 8, d in D = 8] ins(%x[t, d], %w[d, f] : !x, tensor<8x8xf32>) -> !x
  return %y : !x
}
