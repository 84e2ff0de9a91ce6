// RUN: weft-opt %s | FileCheck %s
// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --mlir-print-op-generic | weft-opt | FileCheck %s
// RUN: weft-opt %s --emit-bytecode | weft-opt | FileCheck %s
// CHECK-DAG: #[[TRANSPOSE:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[LOWER:.+]] = affine_map<(d0, d1, d2) -> (d1 - 128, 0)>
// CHECK-DAG: #[[UPPER:.+]] = affine_map<(d0, d1, d2)[s0] -> (d1 + 1, s0)>
!x = tensor<?x64xf32, #weft.bounds<T to 1024>>
!heads = tensor<4x?x16xf32, #weft.bounds<T to 1024>>

// CHECK-LABEL: func @map
// CHECK: %shifted = weft.map [t in T to 1024, d in D = 64] ins(%{{.*}}[t, (d floordiv 2) * 2], %{{.*}}[d mod 8] : {{.*}}) attributes {weft.label = "shifted"} {
// CHECK: weft.map [p in 16] {
// CHECK: %p = weft.index 0
// CHECK: } -> tensor<16xi32>
func.func @map(%x: !x, %b: tensor<8xf32>) -> (!x, tensor<16xi32>) {
  %y = weft.map [t in T to 1024, d in D = 64] ins(%x[t, (d floordiv 2) * 2], %b[d mod 8] : !x, tensor<8xf32>)
      attributes {weft.label = "shifted"} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !x
  %z = weft.map [p in 16] {
    %p = weft.index 0
    %0 = arith.index_cast %p : index to i32
    weft.yield %0 : i32
  } -> tensor<16xi32>
  return %y, %z : !x, tensor<16xi32>
}

// CHECK-LABEL: func @output_maps
// CHECK: weft.map [i in 4, j in 8] ins(%{{.*}}[i, j] : tensor<4x8xf32>) attributes {output_maps = [#[[TRANSPOSE]]]} {
func.func @output_maps(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %y = weft.map [i in 4, j in 8] ins(%x[i, j] : tensor<4x8xf32>)
      attributes {output_maps = [affine_map<(i, j) -> (j, i)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @reduce
// CHECK: weft.reduce mean [t in T to 1024, d in D = 64] ins(%{{.*}}[t, d] : {{.*}}) {
// CHECK: } where {
// CHECK: } -> tensor<?xf32, #weft.bounds<T to 1024>>
// CHECK: weft.reduce argtop [k in 2, d in D = 64] ins(
// CHECK: weft.yield %{{.*}}, %k : f32, index
func.func @reduce(%x: !x, %w: tensor<64xf32>) -> (tensor<?xf32, #weft.bounds<T to 1024>>, tensor<2xi32>) {
  %m = weft.reduce mean [t in T to 1024, d in D = 64] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %0, %zero : f32
    weft.yield %c : i1
  } -> tensor<?xf32, #weft.bounds<T to 1024>>
  %a = weft.reduce argtop [k in 2, d in D = 64] ins(%w[d] : tensor<64xf32>) {
  ^bb0(%0: f32):
    %k = weft.index 0
    weft.yield %0, %k : f32, index
  } -> tensor<2xi32>
  return %m, %a : tensor<?xf32, #weft.bounds<T to 1024>>, tensor<2xi32>
}

// CHECK-LABEL: func @contract
// CHECK: weft.contract [t in T to 1024, f in F = 256, d in D = 64] ins({{.*}}) attributes {scale = 5.000000e-01 : f64} {
// CHECK: weft.contract [i in 64] ins(%{{.*}}[i], %{{.*}}[i] : tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
func.func @contract(%x: !x, %w: tensor<256x64xf32>, %b: tensor<256xf32>, %v: tensor<64xf32>) -> (tensor<?x256xf32, #weft.bounds<T to 1024>>, tensor<f32>) {
  %y = weft.contract [t in T to 1024, f in F = 256, d in D = 64]
      ins(%x[t, d], %w[f, d], %b[f] : !x, tensor<256x64xf32>, tensor<256xf32>) attributes {scale = 0.5 : f64} {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> tensor<?x256xf32, #weft.bounds<T to 1024>>
  %z = weft.contract [i in 64] ins(%v[i], %v[i] : tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  return %y, %z : tensor<?x256xf32, #weft.bounds<T to 1024>>, tensor<f32>
}

// The matrix of each row is that of its choice, and so is what an epilogue reads of it.
// CHECK-LABEL: func @chosen
// CHECK: weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%{{.*}}[t, d], %{{.*}}[e, f, d], %{{.*}}[t], %{{.*}}[e, f] : {{.*}}) attributes {chosen, scale = 5.000000e-01 : f64} {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK: weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%{{.*}}[t, d], %{{.*}}[e, f, d], %{{.*}}[t] : {{.*}}) attributes {chosen} -> tensor<4x6xf32>
func.func @chosen(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<4xi32>, %b: tensor<3x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t], %b[e, f] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<4xi32>, tensor<3x6xf32>) attributes {chosen, scale = 0.5 : f64} {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  } -> tensor<4x6xf32>
  %z = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<4xi32>) attributes {chosen} -> tensor<4x6xf32>
  return %y, %z : tensor<4x6xf32>, tensor<4x6xf32>
}

// Each value of the last index has a sum of its own.
// CHECK-LABEL: func @apart
// CHECK: weft.contract [t in 4, f in 6, d in 8, p in 2] ins(%{{.*}}[t, p, d], %{{.*}}[f, d] : {{.*}}) attributes {apart} {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
func.func @apart(%x: tensor<4x2x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %y = weft.contract [t in 4, f in 6, d in 8, p in 2] ins(%x[t, p, d], %w[f, d] : tensor<4x2x8xf32>, tensor<6x8xf32>) attributes {apart} {
  ^bb0(%first: f32, %second: f32):
    %0 = arith.subf %first, %second : f32
    weft.yield %0 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// Every kind of a reduction, with and without a predicate, over one index and over two.
// CHECK-LABEL: func @kinds
// CHECK: weft.reduce sum [i in 4, j in 8]
// CHECK: weft.reduce max [i in 4, j in 8]
// CHECK: weft.reduce min [i in 4, j in 8]
// CHECK: weft.reduce prod [i in 4, j in 8]
// CHECK: weft.reduce argmax [i in 4, j in 8]
func.func @kinds(%x: tensor<4x8xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %sum = weft.reduce sum [i in 4, j in 8] ins(%x[i, j] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  %max = weft.reduce max [i in 4, j in 8] ins(%x[i, j] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %min = weft.reduce min [i in 4, j in 8] ins(%x[i, j] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %prod = weft.reduce prod [i in 4, j in 8] ins(%x[i, j] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  %argmax = weft.reduce argmax [i in 4, j in 8] ins(%x[i, j] : tensor<4x8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xi32>
  return %sum, %max, %min, %prod, %argmax : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// Differences, quotients and remainders print as they are written.
// CHECK-LABEL: func @accesses
// CHECK: weft.map [i in 4, j in 8] ins(%{{.*}}[3 - i, j ceildiv 2, 0], %{{.*}}[i - j + 7], %{{.*}}[(i + j) mod 5 + 1] :
func.func @accesses(%x: tensor<4x8x1xf32>, %y: tensor<11xf32>, %z: tensor<6xf32>) -> tensor<4x8xf32> {
  %a = weft.map [i in 4, j in 8] ins(%x[3 - i, j ceildiv 2, 0], %y[i - j + 7], %z[(i + j) mod 5 + 1] : tensor<4x8x1xf32>, tensor<11xf32>, tensor<6xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  } -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// CHECK-LABEL: func @softmax
// CHECK: weft.softmax softmax axis 0 {{.*}}
// CHECK: } where {
// CHECK: weft.softmax log_softmax axis 1 [t in T to 1024, d in D = 64] ins(
func.func @softmax(%z: !x) -> !x {
  %x = weft.softmax softmax axis 0 [t in T to 1024, d in D = 64] ins(%z[t, d] : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %true = arith.constant true
    weft.yield %true : i1
  } -> !x
  %y = weft.softmax log_softmax axis 1 [t in T to 1024, d in D = 64] ins(%x[t, d] : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x
  return %y : !x
}

// CHECK-LABEL: func @attention
// CHECK: %context = weft.attention softmax dots 1 scales [2.500000e-01] [h in H = 4, t in T to 1024, v in C = 16, s in T to 1024, c in C = 16] ins(
// CHECK-SAME: attributes {bound_symbols = ["T"], key_lower = #[[LOWER]], key_upper = #[[UPPER]], weft.label = "context"} {
// CHECK: } where {
// CHECK: %s = weft.index 3
func.func @attention(%q: !heads, %bias: tensor<4xf32>) -> !heads {
  %a = weft.attention softmax dots 1 scales [0.25] [h in H = 4, t in T to 1024, v in C = 16, s in T to 1024, c in C = 16]
      ins(%q[h, t, c], %q[h, s, c], %q[h, s, v], %bias[h] : !heads, !heads, !heads, tensor<4xf32>)
      attributes {weft.label = "context", key_lower = affine_map<(h, t, v) -> (t - 128, 0)>,
                  key_upper = affine_map<(h, t, v)[T] -> (t + 1, T)>, bound_symbols = ["T"]} {
  ^bb0(%dot: f32, %b: f32):
    %0 = arith.addf %dot, %b : f32
    weft.yield %0 : f32
  } where {
  ^bb0(%b: f32):
    %t = weft.index 1
    %s = weft.index 3
    %c = arith.cmpi sle, %s, %t : index
    weft.yield %c : i1
  } -> !heads
  return %a : !heads
}

// No dot product, no predicate, and scores that are the weights themselves.
// CHECK-LABEL: func @attention_forms
// CHECK: weft.attention none dots 0 scales [] [t in T to 1024, v in D = 64, s in T to 1024] ins(%{{.*}}[s, v] :
// CHECK: weft.attention log_softmax dots 2 scales [1.000000e+00, -5.000000e-01] [t in T to 1024, v in D = 64, s in T to 1024, c in D = 64, e in D = 64] ins(
// CHECK-NOT: where
// CHECK: return
func.func @attention_forms(%x: !x) -> (!x, !x) {
  %a = weft.attention none dots 0 scales [] [t in T to 1024, v in D = 64, s in T to 1024] ins(%x[s, v] : !x) {
    %one = arith.constant 1.0 : f32
    weft.yield %one : f32
  } -> !x
  %b = weft.attention log_softmax dots 2 scales [1.0, -0.5] [t in T to 1024, v in D = 64, s in T to 1024, c in D = 64, e in D = 64]
      ins(%x[t, c], %x[s, c], %x[t, e], %x[s, e], %x[s, v] : !x, !x, !x, !x, !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  } -> !x
  return %a, %b : !x, !x
}

// A second result has an output map of its own, and is named after the first.
// CHECK-LABEL: func @row_sums
// CHECK: %[[Y:y]], %[[ROWS:.+]] = weft.attention softmax dots 1 {{.*}} attributes {output_maps = [#{{.*}}, #{{.*}}], weft.label = "y"} {
// CHECK: } -> tensor<?x64xf32, #weft.bounds<T to 1024>>, tensor<?xf32, #weft.bounds<T to 1024>>
// CHECK: return %[[Y]], %[[ROWS]]
// CHECK: weft.attention softmax dots 1 {{.*}} outs(%{{.*}}, %{{.*}} : memref<4x2xf32>, memref<4xf32>) attributes
func.func @row_sums(%x: !x) -> (!x, tensor<?xf32, #weft.bounds<T to 1024>>) {
  %y, %rows = weft.attention softmax dots 1 scales [1.0] [t in T to 1024, v in D = 64, s in T to 1024, c in D = 64]
      ins(%x[t, c], %x[s, c], %x[s, v] : !x, !x, !x)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>], weft.label = "y"} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> !x, tensor<?xf32, #weft.bounds<T to 1024>>
  return %y, %rows : !x, tensor<?xf32, #weft.bounds<T to 1024>>
}
func.func @row_sums_kernel(%x: memref<4x2xf32>, %y: memref<4x2xf32>, %rows: memref<4xf32>) {
  weft.attention softmax dots 1 scales [1.0] [t in 4, v in 2, s in 4, c in 2]
      ins(%x[t, c], %x[s, c], %x[s, v] : memref<4x2xf32>, memref<4x2xf32>, memref<4x2xf32>)
      outs(%y, %rows : memref<4x2xf32>, memref<4xf32>)
      attributes {output_maps = [affine_map<(t, v, s, c) -> (t, v)>, affine_map<(t, v, s, c) -> (t)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func @gather
// CHECK: weft.check "input_ids is out of range" [t in T to 1024] ins(
// CHECK: %T = weft.size "T" : index
// CHECK: weft.at %{{.*}}[%{{.*}}, %d] inbounds : tensor<100x64xf32>
// CHECK: weft.inner sum (e in E = 64) {
func.func @gather(%ids: tensor<?xi32, #weft.bounds<T to 1024>>, %table: tensor<100x64xf32>) -> !x {
  weft.check "input_ids is out of range" [t in T to 1024] ins(%ids[t] : tensor<?xi32, #weft.bounds<T to 1024>>) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  %y = weft.map [t in T to 1024, d in D = 64] ins(%ids[t] : tensor<?xi32, #weft.bounds<T to 1024>>) {
  ^bb0(%id: i32):
    %d = weft.index 1
    %n = weft.size "T" : index
    %row = arith.index_cast %id : i32 to index
    %0 = weft.at %table[%row, %d] inbounds : tensor<100x64xf32>
    %1 = weft.inner sum (e in E = 64) {
    ^bb0(%e: index):
      %2 = weft.at %table[%n, %e] : tensor<100x64xf32>
      weft.yield %2 : f32
    }
    %3 = arith.addf %0, %1 : f32
    weft.yield %3 : f32
  } -> !x
  return %y : !x
}

// CHECK-LABEL: func @kernels
// CHECK: weft.weight "a.b" {offset = 64 : i64, tied = ["c"]} : memref<256x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
// CHECK: weft.buffer offset 4096 bytes 3072 live 2 to 5 : memref<?x64xf32>
// CHECK: weft.map [t in T to 1024, d in D = 64] ins(%{{.*}}[t, d] : memref<?x64xf32>) outs(%{{.*}} : memref<?x64xf32>) attributes {weft.lowering = #weft.lowering<"map", parallel = true, rows = 4, width = 16>} {
func.func @kernels(%x: memref<?x64xf32>) {
  %w = weft.weight "a.b" {tied = ["c"], offset = 64 : i64} : memref<256x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
  %b = weft.buffer offset 4096 bytes 3072 live 2 to 5 : memref<?x64xf32>
  weft.map [t in T to 1024, d in D = 64] ins(%x[t, d] : memref<?x64xf32>) outs(%b : memref<?x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", parallel = true, rows = 4, width = 16>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// What a step keeps: rows behind those of a cache, at stage `kernels` in their place.
// CHECK-LABEL: func @step
// CHECK: weft.append %{{.*}} to %{{.*}} length "T" : tensor<?x8xf32, #weft.bounds<N to 32>>, tensor<32x8xf32>
func.func @step(%rows: tensor<?x8xf32, #weft.bounds<N to 32>>, %cache: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %k = weft.append %rows to %cache length "T" : tensor<?x8xf32, #weft.bounds<N to 32>>, tensor<32x8xf32>
  return %k : tensor<32x8xf32>
}

// CHECK-LABEL: func @heads
// CHECK: weft.append %{{.*}} to %{{.*}} length "T" : tensor<2x?x8xf32, #weft.bounds<N to 32>>, tensor<2x32x8xf32>
func.func @heads(%rows: tensor<2x?x8xf32, #weft.bounds<N to 32>>, %cache: tensor<2x32x8xf32>) -> tensor<2x32x8xf32> {
  %k = weft.append %rows to %cache length "T" : tensor<2x?x8xf32, #weft.bounds<N to 32>>, tensor<2x32x8xf32>
  return %k : tensor<2x32x8xf32>
}

// CHECK-LABEL: func @slot
// CHECK: weft.slot %{{.*}} length "T" count "N" : memref<32x8xf32> to memref<?x8xf32>
// CHECK: weft.slot %{{.*}} length "T" count "N" : memref<2x32x8xf32> to memref<2x?x8xf32, strided<[256, 8, 1]>>
func.func @slot(%cache: memref<32x8xf32>, %heads: memref<2x32x8xf32>) {
  %rows = weft.slot %cache length "T" count "N" : memref<32x8xf32> to memref<?x8xf32>
  %ofHeads = weft.slot %heads length "T" count "N" : memref<2x32x8xf32> to memref<2x?x8xf32, strided<[256, 8, 1]>>
  return
}

// What one product of a kernel makes for the epilogue of the next.
// CHECK-LABEL: func @local
// CHECK: %[[G:.*]] = weft.local : memref<4x32xf32>
// CHECK: weft.contract {{.*}} outs(%[[G]] : memref<4x32xf32>)
// CHECK: weft.contract {{.*}} ins(%{{.*}}[t, d], %{{.*}}[f, d], %[[G]][t, f] :
func.func @local(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d], %g[t, f] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// Weights that lie in one tensor, in a tensor for each expert, and in either of two names.
// CHECK-LABEL: func @weights
// CHECK: weft.weight "w" : tensor<f32>
// CHECK: weft.weight "experts.{8}.w" : tensor<8x4x4xf32>
// CHECK: weft.weight "head" {tied = ["wte", "embed"]} : tensor<4xi32>
func.func @weights() -> (tensor<f32>, tensor<8x4x4xf32>, tensor<4xi32>) {
  %0 = weft.weight "w" : tensor<f32>
  %1 = weft.weight "experts.{8}.w" : tensor<8x4x4xf32>
  %2 = weft.weight "head" {tied = ["wte", "embed"]} : tensor<4xi32>
  return %0, %1, %2 : tensor<f32>, tensor<8x4x4xf32>, tensor<4xi32>
}

// Inputs that the caller may leave out, and whether it did.
// CHECK-LABEL: func @optional(
// CHECK-SAME: weft.computed, weft.default = 0 : i32, weft.name = "ids"
// CHECK-SAME: weft.given = "ids"
// CHECK-SAME: weft.default = 1.000000e+00 : f32
// CHECK: weft.inner prod (e in T to 1024) {
// CHECK: weft.at %{{.*}}[] : tensor<i1>
func.func @optional(%ids: tensor<?xi32, #weft.bounds<T to 1024>> {weft.computed, weft.default = 0 : i32, weft.name = "ids"},
                    %given: tensor<i1> {weft.given = "ids"}, %mask: tensor<4xf32> {weft.default = 1.0 : f32}) -> tensor<4xf32> {
  %y = weft.map [i in 4] ins(%mask[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    %1 = weft.inner prod (e in T to 1024) {
    ^bb0(%e: index):
      weft.yield %0 : f32
    }
    %2 = weft.at %given[] : tensor<i1>
    %3 = arith.select %2, %0, %1 : f32
    weft.yield %3 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The attributes outside of ops.
// CHECK-LABEL: func private @attributes
// CHECK-SAME: a = #weft.index<t in T to 1024>, b = #weft.index<c in C = 64>, c = #weft.index<p in 16>
// CHECK-SAME: d = #weft.lowering<"check">, e = #weft.bounds<T to 4, S to 8>
func.func private @attributes() attributes {a = #weft.index<t in T to 1024>, b = #weft.index<c in C = 64>, c = #weft.index<p in 16>,
    d = #weft.lowering<"check">, e = #weft.bounds<T to 4, S to 8>}

// A lowering has fields of any name and type, in the order of the names: which ones is for the target to say.
// CHECK-LABEL: func private @lowerings
// CHECK-SAME: a = #weft.lowering<"gemm.sm90", causal = true, order = "snake", split = 1, stages = 4, tile = [128, 256, 64], warps = 12>
// CHECK-SAME: b = #weft.lowering<"gather", slices = []>
func.func private @lowerings() attributes {
    a = #weft.lowering<"gemm.sm90", tile = [128, 256, 64], warps = 12, stages = 4, split = 1, causal = true, order = "snake">,
    b = #weft.lowering<"gather", slices = []>}

// Names that are no keywords, and symbols with odd names, are quoted.
// CHECK-LABEL: func @names
// CHECK: weft.map ["a b" in "x-y" to 4] {
// CHECK: } -> tensor<?xi32, #weft.bounds<"x-y" to 4>>
func.func @names() -> tensor<?xi32, #weft.bounds<"x-y" to 4>> {
  %y = weft.map ["a b" in "x-y" to 4] {
    %0 = weft.index 0
    %1 = arith.index_cast %0 : index to i32
    weft.yield %1 : i32
  } -> tensor<?xi32, #weft.bounds<"x-y" to 4>>
  return %y : tensor<?xi32, #weft.bounds<"x-y" to 4>>
}

// Regions compute in f32, i32 and i1 whatever is stored.
// CHECK-LABEL: func @storage
// CHECK: weft.at %{{.*}}[%{{.*}}] : tensor<8xi8>
// CHECK: } -> tensor<4xbf16>
// CHECK: weft.contract {{.*}} : tensor<4x8xf16>, tensor<8xbf16>) -> tensor<4xf16>
func.func @storage(%x: tensor<4x8xf16>, %w: tensor<8xbf16>, %ids: tensor<8xi8>) -> (tensor<4xbf16>, tensor<4xf16>) {
  %y = weft.map [i in 4] ins(%x[i, i], %w[i], %ids[i] : tensor<4x8xf16>, tensor<8xbf16>, tensor<8xi8>) {
  ^bb0(%0: f32, %1: f32, %2: i32):
    %3 = arith.index_cast %2 : i32 to index
    %4 = weft.at %ids[%3] : tensor<8xi8>
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.addf %0, %1 : f32
    %7 = arith.addf %5, %6 : f32
    weft.yield %7 : f32
  } -> tensor<4xbf16>
  %z = weft.contract [i in 4, k in 8] ins(%x[i, k], %w[k] : tensor<4x8xf16>, tensor<8xbf16>) -> tensor<4xf16>
  return %y, %z : tensor<4xbf16>, tensor<4xf16>
}

// CHECK-LABEL: func @unsigned
// CHECK: weft.map {{.*}} : tensor<4xui8>
// CHECK-NEXT: ^bb0(%{{.*}}: i32):
// CHECK: } -> tensor<4xui8>
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xui8>) {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  } -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// Kernels at work.
// CHECK-LABEL: func @launches
// CHECK: weft.launch @kernel ins(%{{.*}} : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) sizes ["T"]
// CHECK: weft.launch @check ins(%{{.*}} : memref<?xf32>){{$}}
func.func private @kernel(%x: memref<?xf32>, %y: memref<?xf32>) attributes {weft.kernel}
func.func private @check(%x: memref<?xf32>) attributes {weft.kernel}
func.func @launches(%x: memref<?xf32>, %y: memref<?xf32>) {
  weft.launch @kernel ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) sizes ["T"]
  weft.launch @check ins(%x : memref<?xf32>)
  return
}

// Where elements lie is a part of the type; on tensors it carries the symbols.
// CHECK-LABEL: func @layouts
// CHECK-SAME: %{{.*}}: tensor<4x?x8xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [16, 2], bounds = <T to 1024>>>
// CHECK-SAME: %{{.*}}: memref<4x?x8xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [16, 2]>>
// CHECK-SAME: %{{.*}}: tensor<?x8xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32], bounds = <T to 1024>>>
func.func @layouts(%a: tensor<4x?x8xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [16, 2], bounds = <T to 1024>>>,
                   %b: memref<4x?x8xf32, #weft.layout<batch = [0], n = [2], k = [1], tile = [16, 2]>>,
                   %c: tensor<?x8xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32], bounds = <T to 1024>>>) {
  return
}

// Pointers to buffers, in their memory spaces.
// CHECK-LABEL: func @addresses
// CHECK: weft.address %{{.*}} : memref<4xf32> to !llvm.ptr{{$}}
// CHECK: weft.address %{{.*}} : memref<?x8xf32, 1> to !llvm.ptr<1>
func.func @addresses(%x: memref<4xf32>, %y: memref<?x8xf32, 1>) {
  %0 = weft.address %x : memref<4xf32> to !llvm.ptr
  %1 = weft.address %y : memref<?x8xf32, 1> to !llvm.ptr<1>
  return
}

// A norm: reductions in their order, each with the statistics before it, then the element.
// CHECK-LABEL: func @row
// CHECK: %y = weft.row axis 1 [t in T to 1024, d in D = 64] ins(%{{.*}}[t, d], %{{.*}}[d] : {{.*}}) attributes {weft.label = "y"} mean {
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: weft.yield %[[X]] : f32
// CHECK-NEXT: } mean {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32):
// CHECK: } element {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32):
// CHECK: } -> tensor<?x64xf32, #weft.bounds<T to 1024>>
func.func @row(%x: tensor<?x64xf32, #weft.bounds<T to 1024>>, %w: tensor<64xf32>) {
  %y = weft.row axis 1 [t in T to 1024, d in D = 64]
      ins(%x[t, d], %w[d] : tensor<?x64xf32, #weft.bounds<T to 1024>>, tensor<64xf32>) attributes {weft.label = "y"} mean {
  ^bb0(%0: f32, %1: f32):
    weft.yield %0 : f32
  } mean {
  ^bb0(%mean: f32, %0: f32, %1: f32):
    %2 = arith.subf %0, %mean : f32
    %3 = arith.mulf %2, %2 : f32
    weft.yield %3 : f32
  } element {
  ^bb0(%mean: f32, %variance: f32, %0: f32, %1: f32):
    %2 = arith.subf %0, %mean : f32
    %3 = math.rsqrt %variance : f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.mulf %4, %1 : f32
    weft.yield %5 : f32
  } -> tensor<?x64xf32, #weft.bounds<T to 1024>>
  return
}

// Rows of bytes, and their scales: an output for each row. On buffers, along the first index.
// CHECK-LABEL: func @row_outputs
// CHECK: %{{.*}}:2 = weft.row axis 1 {{.*}} attributes {output_maps = [#{{.*}}, #{{.*}}]} max {
// CHECK: } -> tensor<4x8xui8>, tensor<4xf32>
// CHECK: weft.row axis 0 [d in 8] ins(%{{.*}}[d] : memref<8xf32>) outs(%{{.*}} : memref<8xf32>) sum {
func.func @row_outputs(%x: tensor<4x8xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  %q, %s = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>)
      attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>]} max {
  ^bb0(%0: f32):
    %1 = math.absf %0 : f32
    weft.yield %1 : f32
  } element {
  ^bb0(%max: f32, %0: f32):
    %1 = arith.divf %0, %max : f32
    %2 = arith.fptosi %1 : f32 to i32
    weft.yield %2, %max : i32, f32
  } -> tensor<4x8xui8>, tensor<4xf32>
  weft.row axis 0 [d in 8] ins(%a[d] : memref<8xf32>) outs(%b : memref<8xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    %1 = arith.divf %0, %sum : f32
    weft.yield %1 : f32
  }
  return
}

// CHECK-LABEL: @codes
// CHECK: weft.weight "w" coded <codes along [1] of [6, 8]> {offset = 64 : i64} : tensor<6x8xi8>
// CHECK: weft.weight "w" coded <scales along [0, 2] of [6, 8, 5]> : tensor<8xf32>
// CHECK: weft.weight "w" coded <sums along [1] of [6, 8]> : tensor<6xi32>
// CHECK: weft.weight "v" coded <codes along [1] of [6, 64] bits = 4 group = 32 asymmetric = true> : tensor<6x64xi8, #weft.layout<n = [0], k = [1], tile = [4, 4] nibbles = 32>>
// CHECK: weft.weight "u" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "nf4"> : tensor<6x64xf32, #weft.layout<n = [0], k = [1], tile = [4, 1] codes = "nf4" group = 32>>
// CHECK: weft.weight "k" coded <reals along [1] of [6, 64] bits = 4 group = 16 table = "uint4*i8+i8 of f16/4"> : tensor<6x64xf32, #weft.layout<n = [0], k = [1], tile = [4, 1] codes = "uint4*i8+i8 of f16/4" group = 16>>
// CHECK: weft.weight "v" coded <scales along [1] of [6, 64] bits = 4> : tensor<6xf32>
// CHECK: weft.weight "n" coded <codes along [1] of [6, 8] narrow = true> : tensor<6x8xi8, #weft.layout<n = [0], k = [1], tile = [4, 4] narrow = true>>
// CHECK: weft.contract
// CHECK-NEXT: ^bb0(%{{.+}}: i32):
func.func @codes(%q: tensor<4x8xui8>) -> tensor<4x6xf32> {
  %w = weft.weight "w" coded <codes along [1] of [6, 8]> {offset = 64 : i64} : tensor<6x8xi8>
  %s = weft.weight "w" coded <scales along [0, 2] of [6, 8, 5]> : tensor<8xf32>
  %n = weft.weight "w" coded <sums along [1] of [6, 8]> : tensor<6xi32>
  %short = weft.weight "v" coded <codes along [1] of [6, 64] bits = 4 group = 32 asymmetric = true> : tensor<6x64xi8, #weft.layout<n = [0], k = [1], tile = [4, 4] nibbles = 32>>
  %reals = weft.weight "u" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "nf4"> : tensor<6x64xf32, #weft.layout<n = [0], k = [1], tile = [4, 1] codes = "nf4" group = 32>>
  %kept = weft.weight "k" coded <reals along [1] of [6, 64] bits = 4 group = 16 table = "uint4*i8+i8 of f16/4"> : tensor<6x64xf32, #weft.layout<n = [0], k = [1], tile = [4, 1] codes = "uint4*i8+i8 of f16/4" group = 16>>
  %shorts = weft.weight "v" coded <scales along [1] of [6, 64] bits = 4> : tensor<6xf32>
  %narrow = weft.weight "n" coded <codes along [1] of [6, 8] narrow = true> : tensor<6x8xi8, #weft.layout<n = [0], k = [1], tile = [4, 4] narrow = true>>
  %0 = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %w[n, d] : tensor<4x8xui8>, tensor<6x8xi8>) {
  ^bb0(%sum: i32):
    %1 = arith.sitofp %sum : i32 to f32
    weft.yield %1 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
