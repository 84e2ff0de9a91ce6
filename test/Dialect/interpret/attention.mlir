// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s
module attributes {test.symbols = {T = 3 : i64}} {
  // All scores are 0: the mean of the values that are seen. Row 0 sees itself only.
  // CHECK-LABEL: causal
  // CHECK-NEXT: tensor 3x2 real {{\[\[}}1, 10], [1.5, 15], [2, 20]]
  // The same with bounds on the keys instead of the predicate.
  // CHECK-NEXT: tensor 3x2 real {{\[\[}}1, 10], [1.5, 15], [2, 20]]
  func.func @causal() -> (tensor<3x2xf32>, tensor<3x2xf32>) {
    %q = arith.constant dense<0.0> : tensor<3x1xf32>
    %v = arith.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]> : tensor<3x2xf32>
    %a = weft.attention softmax dots 1 scales [1.0] [t in 3, v in 2, s in 3, c in 1]
        ins(%q[t, c], %q[s, c], %v[s, v] : tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x2xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } where {
      %t = weft.index 0
      %s = weft.index 2
      %c = arith.cmpi sle, %s, %t : index
      weft.yield %c : i1
    } -> tensor<3x2xf32>
    %b = weft.attention softmax dots 1 scales [1.0] [t in 3, v in 2, s in 3, c in 1]
        ins(%q[t, c], %q[s, c], %v[s, v] : tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x2xf32>)
        attributes {key_lower = affine_map<(t, v) -> (0)>, key_upper = affine_map<(t, v)[T] -> (t + 1, T)>,
                    bound_symbols = ["T"]} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3x2xf32>
    return %a, %b : tensor<3x2xf32>, tensor<3x2xf32>
  }

  // Two products, each with its scale and its contracted index, an extra, and no normalisation:
  // y[t] = sum(s) (2 q[t] k[s] + sum(c) p[t, c] p[s, c] + b[s]) v[s].
  // CHECK-LABEL: two_dots
  // CHECK-NEXT: tensor 2 real [223, 392]
  func.func @two_dots() -> tensor<2xf32> {
    %q = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    %k = arith.constant dense<[[3.0], [4.0]]> : tensor<2x1xf32>
    %p = arith.constant dense<[[1.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
    %v = arith.constant dense<[1.0, 10.0]> : tensor<2xf32>
    %b = arith.constant dense<[5.0, 8.0]> : tensor<2xf32>
    %a = weft.attention none dots 2 scales [2.0, 1.0] [t in 2, s in 2, c in 1, d in 2]
        ins(%q[t, c], %k[s, c], %p[t, d], %p[s, d], %v[s], %b[s] : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      weft.yield %4 : f32
    } -> tensor<2xf32>
    return %a : tensor<2xf32>
  }

  // The sum of a row's weights, of as many as it sees: y[t] = sum(s < t) q[t] q[s] v[s].
  // CHECK-LABEL: totals
  // CHECK-NEXT: tensor 3 real [0, 2, 18]
  // CHECK-NEXT: tensor 3 real [0, 2, 9]
  func.func @totals() -> (tensor<3xf32>, tensor<3xf32>) {
    %q = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %v = arith.constant dense<[1.0, 2.5, 3.0]> : tensor<3xf32>
    %a, %totals = weft.attention none dots 1 scales [1.0] [t in 3, s in 3, c in 1]
        ins(%q[t], %q[s], %v[s] : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
        attributes {output_maps = [affine_map<(t, s, c) -> (t)>, affine_map<(t, s, c) -> (t)>],
                    key_upper = affine_map<(t) -> (t)>} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3xf32>, tensor<3xf32>
    return %a, %totals : tensor<3xf32>, tensor<3xf32>
  }

  // The logarithm of the sum of a row's exponentials, by head and row as it is stored; nothing is seen by row 0.
  // CHECK-LABEL: row_sums
  // CHECK-NEXT: tensor 3 real [0, 1, 1.5]
  // CHECK-NEXT: tensor 2x3 real {{\[\[}}inf, 0, 0.693147{{[0-9]*}}], [inf, 0, 0.693147{{[0-9]*}}]]
  func.func @row_sums() -> (tensor<3xf32>, tensor<2x3xf32>) {
    %q = arith.constant dense<0.0> : tensor<2x3xf32>
    %v = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %a, %rows = weft.attention softmax dots 1 scales [1.0] [t in 3, h in 2, s in 3, c in 1]
        ins(%q[h, t], %q[h, s], %v[s] : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>)
        attributes {output_maps = [affine_map<(t, h, s, c) -> (t, h)>, affine_map<(t, h, s, c) -> (h, t)>],
                    key_upper = affine_map<(t, h) -> (t)>} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3x2xf32>, tensor<2x3xf32>
    %b = weft.map [t in 3] ins(%a[t, 1] : tensor<3x2xf32>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3xf32>
    return %b, %rows : tensor<3xf32>, tensor<2x3xf32>
  }

  // The largest score that a row sees: of row 0, which sees none, minus infinity.
  // CHECK-LABEL: largest
  // CHECK-NEXT: tensor 3 real [0, 1, 1.0474{{[0-9]*}}]
  // CHECK-NEXT: tensor 3 real [inf, 2, 6.0485{{[0-9]*}}]
  // CHECK-NEXT: tensor 3 real [-inf, 2, 6]
  func.func @largest() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %q = arith.constant dense<[1.0, 1.0, 3.0]> : tensor<3xf32>
    %k = arith.constant dense<[5.0, 2.0, 1.0]> : tensor<3xf32>
    %v = arith.constant dense<[2.0, 1.0, 2.0]> : tensor<3xf32>
    %a, %rows, %largest = weft.attention softmax dots 1 scales [1.0] [t in 3, s in 3, c in 1]
        ins(%q[t], %k[s], %v[s] : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
        attributes {key_lower = affine_map<(t) -> (1)>, key_upper = affine_map<(t) -> (t + 1)>} {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    return %a, %rows, %largest : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
