// RUN: weft-opt %s --split-input-file --verify-diagnostics
// One case for each constraint of WeftOps.td.

func.func @c1_coordinates(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0 is read at 1 coordinates but has 2 dimensions (C1)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c1_number_of_maps(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{there are 0 maps for 1 inputs (C1)}}
  %y = "weft.map"(%x) <{indices = [#weft.index<i in 4>], maps = [], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c1_dimensions(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the map of input 0 has 2 dimensions, expected one for each of 1 indices (C1)}}
  %y = "weft.map"(%x) <{indices = [#weft.index<i in 4>], maps = [affine_map<(i, j) -> (i)>], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c1_symbols(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the map of input 0 has symbols (C1)}}
  %y = "weft.map"(%x) <{indices = [#weft.index<i in 4>], maps = [affine_map<(i)[n] -> (n)>], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c1_divisor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the map of input 0 divides by a number that is not above 0 (C1)}}
  %y = weft.map [i in 4] ins(%x[i floordiv 0] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c2_arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the body has 0 arguments, expected 1 (C2)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c2_argument_type(%x: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{argument 0 of the body has type 'f32', expected 'i32' (C2)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xi32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c2_yield(%x: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{the body yields ('i32'), expected ('f32') (C2)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xi32>) {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c2_argtop(%x: tensor<4xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{the body yields ('f32'), expected (a number, 'index') (C2)}}
  %y = weft.reduce argtop [k in 2, i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @c2_no_yield(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the body does not end in 'weft.yield' (C2)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    llvm.unreachable
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c2_empty_body() -> tensor<4xf32> {
  // expected-error @+1 {{expects a non-empty block}}
  %y = "weft.map"() <{indices = [#weft.index<i in 4>], maps = [], operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0:
  }) : () -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c3_extent(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{dimension 0 of the output type 'tensor<5xf32>' does not match index #weft.index<i in 4> (C3)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @c3_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the output has 1 dimensions, expected one for each of 2 indices (C3)}}
  %y = weft.map [i in 4, j in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c3_too_many(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{the output has 2 dimensions but there are only 1 indices (C3)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @c3_output_map(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{map 0 of 'output_maps', affine_map<(d0, d1) -> (d0, d0)>, is no permutation of the first 2 of 2 indices (C3)}}
  %y = weft.map [i in 4, j in 4] ins(%x[i] : tensor<4xf32>) attributes {output_maps = [affine_map<(i, j) -> (i, i)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @c3_output_maps(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{there are 2 'output_maps' for 1 outputs (C3)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) attributes {output_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c3_second_output(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{map 1 of 'output_maps', affine_map<(d0, d1, d2) -> (d1)>, is no choice of the first 1 of 3 indices (C3)}}
  %y, %r = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>)
      attributes {output_maps = [affine_map<(t, s, c) -> (t)>, affine_map<(t, s, c) -> (s)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c3_second_type(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{dimension 0 of the output type 'tensor<5xf32>' does not match index #weft.index<t in 4> (C3)}}
  %y, %r = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>, tensor<5xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c28_four(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 4 outputs, expected the values and at most their rows' sums and largest scores (C28)}}
  %y, %r, %m, %z = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c28_three(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 3 outputs, expected the values and at most their rows' sums (C28)}}
  %y, %r, %z = weft.attention none dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c28_largest(%q: tensor<3x4x2xf32>, %v: tensor<4xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{the third output lacks index 't', on which the weights depend (C28)}}
  %y, %r, %m = weft.attention softmax dots 1 scales [1.0] [h in 3, t in 4, s in 4, c in 2]
      ins(%q[h, t, c], %q[h, s, c], %v[s] : tensor<3x4x2xf32>, tensor<3x4x2xf32>, tensor<4xf32>)
      attributes {output_maps = [affine_map<(h, t, s, c) -> (h, t)>, affine_map<(h, t, s, c) -> (h, t)>, affine_map<(h, t, s, c) -> (h)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>
  return %y : tensor<3x4xf32>
}

// -----

func.func @c28_type(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the second output has elements of type 'i32', expected f32 (C28)}}
  %y, %r = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>, tensor<4xi32>
  return %y : tensor<4xf32>
}

// -----

func.func @c28_index(%q: tensor<3x4x2xf32>, %v: tensor<4xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{the second output lacks index 'h', on which the weights depend (C28)}}
  %y, %r = weft.attention softmax dots 1 scales [1.0] [h in 3, t in 4, s in 4, c in 2]
      ins(%q[h, t, c], %q[h, s, c], %v[s] : tensor<3x4x2xf32>, tensor<3x4x2xf32>, tensor<4xf32>)
      attributes {output_maps = [affine_map<(h, t, s, c) -> (h, t)>, affine_map<(h, t, s, c) -> (t)>]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<3x4xf32>, tensor<4xf32>
  return %y : tensor<3x4xf32>
}

// -----

func.func @c3_no_output(%x: tensor<4xf32>) {
  // expected-error @+1 {{needs either a result or an 'outs' buffer (C3)}}
  weft.map [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func @c4_above(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{coordinate 0 of input 0 takes the value 4 in a dimension of size 4 (C4)}}
  %y = weft.map [i in 4] ins(%x[i + 1] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c4_below(%x: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{coordinate 1 of input 0 takes the value -3 in a dimension of size 4 (C4)}}
  %y = weft.map [i in 4, j in 4] ins(%x[i + j, i - j] : tensor<8x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// In range for short sequences only.
func.func @c4_symbol(%x: tensor<16xf32>) -> tensor<?xf32, #weft.bounds<T to 17>> {
  // expected-error @+1 {{coordinate 0 of input 0 takes the value 16 in a dimension of size 16 (C4)}}
  %y = weft.map [t in T to 17] ins(%x[t] : tensor<16xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 17>>
  return %y : tensor<?xf32, #weft.bounds<T to 17>>
}

// -----

// Two symbols may differ whatever their bounds.
func.func @c4_two_symbols(%x: tensor<?xf32, #weft.bounds<S to 8>>) -> tensor<?xf32, #weft.bounds<T to 8>> {
  // expected-error @+1 {{coordinate 0 of input 0 takes the value 7 in a dimension of size 1 (C4)}}
  %y = weft.map [t in T to 8] ins(%x[t] : tensor<?xf32, #weft.bounds<S to 8>>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<T to 8>>
  return %y : tensor<?xf32, #weft.bounds<T to 8>>
}

// -----

func.func @c5_output() -> tensor<?xf32, #weft.bounds<S to 8>> {
  // expected-error @+1 {{the output type is 'tensor<?xf32, #weft.bounds<S to 8>>', expected 'tensor<?xf32, #weft.bounds<T to 8>>' (C5)}}
  %y = weft.map [t in T to 8] {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  } -> tensor<?xf32, #weft.bounds<S to 8>>
  return %y : tensor<?xf32, #weft.bounds<S to 8>>
}

// -----

func.func @c5_input(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0 of type 'tensor<?xf32>' has no symbols for its dynamic dimensions (C5)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<?xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c6_nothing_reduced(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{0 indices are reduced, expected at least one (C6)}}
  %y = weft.reduce sum [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c6_argmax(%x: tensor<4x4xf32>) -> tensor<i32> {
  // expected-error @+1 {{2 indices are reduced, expected exactly one (C6)}}
  %y = weft.reduce argmax [i in 4, j in 4] ins(%x[i, j] : tensor<4x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<i32>
  return %y : tensor<i32>
}

// -----

func.func @c7_arguments(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{the predicate has 0 arguments, expected 1 (C7)}}
  %y = weft.reduce sum [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
    %true = arith.constant true
    weft.yield %true : i1
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c7_yield(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the predicate yields ('f32'), expected ('i1') (C7)}}
  %y = weft.softmax softmax axis 0 [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c8_factors(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{has 1 inputs, expected at least the two factors (C8)}}
  %y = weft.contract [i in 4] ins(%x[i] : tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c8_type(%x: tensor<4xf32>, %n: tensor<4xi32>) -> tensor<f32> {
  // expected-error @+1 {{factor 1 has elements of type 'i32', expected reals, computed in f32 (C8)}}
  %y = weft.contract [i in 4] ins(%x[i], %n[i] : tensor<4xf32>, tensor<4xi32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c9(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{input 2 depends on the reduced index 'i' (C9)}}
  %y = weft.contract [i in 4] ins(%x[i], %x[i], %x[i] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    weft.yield %1 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c10_arguments(%x: tensor<4xf32>, %b: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{the epilogue has 1 arguments, expected 2 (C10)}}
  %y = weft.contract [i in 4] ins(%x[i], %x[i], %b[] : tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c10_no_epilogue(%x: tensor<4xf32>, %b: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{has 1 extras but no epilogue to read them (C10)}}
  %y = weft.contract [i in 4] ins(%x[i], %x[i], %b[] : tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c10_type(%x: tensor<4xf32>) -> tensor<i32> {
  // expected-error @+1 {{the output has elements of type 'i32', expected reals, computed in f32 (C10)}}
  %y = weft.contract [i in 4] ins(%x[i], %x[i] : tensor<4xf32>, tensor<4xf32>) -> tensor<i32>
  return %y : tensor<i32>
}

// -----

func.func @c10_yield(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{the epilogue yields ('i1'), expected ('f32') (C10)}}
  %y = weft.contract [i in 4] ins(%x[i], %x[i] : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    %true = arith.constant true
    weft.yield %true : i1
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c11(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{axis 1 is none of 1 indices (C11)}}
  %y = weft.softmax softmax axis 1 [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c12_inputs(%q: tensor<4x2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 2 inputs, expected at least 1 pairs of query and key and a value (C12)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c] : tensor<4x2xf32>, tensor<4x2xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c12_scales(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 2 scales for 1 dot products (C12)}}
  %y = weft.attention softmax dots 1 scales [1.0, 1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c12_negative(%v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 1 inputs, expected at least -1 pairs of query and key and a value (C12)}}
  %y = weft.attention softmax dots -1 scales [] [t in 4, s in 4] ins(%v[s] : tensor<4xf32>) {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c12_key(%v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no key index after the output's indices (C12)}}
  %y = weft.attention softmax dots 0 scales [] [t in 4] ins(%v[t] : tensor<4xf32>) {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c13_query(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0 depends on the key index 's' (C13)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[s, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c13_value(%q: tensor<4x2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 2 depends on the contracted index 'c' (C13)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %q[s, c] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c14_extra(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 3 depends on the contracted index 'c' (C14)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s], %q[t, c] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x2xf32>) {
  ^bb0(%0: f32, %1: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c14_key_bound(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a bound of the keys has 1 dimensions and 1 symbols, expected 1 output indices and at most 0 bound symbols (C14)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>)
      attributes {key_upper = affine_map<(t)[n] -> (n)>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c14_divisor(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a bound of the keys divides by a number that is not above 0 (C14)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>)
      attributes {key_upper = affine_map<(t) -> (t mod 0)>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c15_score(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the score has 2 arguments, expected 1 (C15)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c15_predicate(%q: tensor<4x2xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the predicate has 1 arguments, expected 0 (C15)}}
  %y = weft.attention softmax dots 1 scales [1.0] [t in 4, s in 4, c in 2]
      ins(%q[t, c], %q[s, c], %v[s] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } where {
  ^bb0(%0: f32):
    %true = arith.constant true
    weft.yield %true : i1
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c16(%ids: tensor<4xi32>) {
  // expected-error @+1 {{the body yields ('i32'), expected ('i1') (C16)}}
  weft.check "out of range" [i in 4] ins(%ids[i] : tensor<4xi32>) {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  }
  return
}

// -----

func.func @c17_position() -> tensor<4xi32> {
  %y = weft.map [i in 4] {
    // expected-error @+1 {{position 1 is none of the 1 indices that have a value here (C17)}}
    %0 = weft.index 1
    %1 = arith.index_cast %0 : index to i32
    weft.yield %1 : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// A reduced index has no value in an epilogue.
func.func @c17_epilogue(%x: tensor<4xf32>) -> tensor<f32> {
  %y = weft.contract [i in 4] ins(%x[i], %x[i] : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%0: f32):
    // expected-error @+1 {{position 0 is none of the 0 indices that have a value here (C17)}}
    %i = weft.index 0
    weft.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c17_outside() -> index {
  // expected-error @+1 {{stands outside of a formula (C17)}}
  %0 = weft.index 0
  return %0 : index
}

// -----

func.func @c18(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %y = weft.map [i in 4] {
    %i = weft.index 0
    // expected-error @+1 {{has 1 coordinates for 2 dimensions (C18)}}
    %0 = weft.at %x[%i] : tensor<4x4xf32>
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c19_kind() -> tensor<4xf32> {
  %y = weft.map [i in 4] {
    // expected-error @+1 {{the kind is argmax, expected sum, mean, max, min or prod (C19)}}
    %0 = weft.inner argmax (e in 4) {
    ^bb0(%e: index):
      %1 = arith.constant 1.0 : f32
      weft.yield %1 : f32
    }
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c19_body() -> tensor<4xf32> {
  %y = weft.map [i in 4] {
    // expected-error @+1 {{the body yields ('index'), expected ('f32') (C19)}}
    %0 = weft.inner sum (e in 4) {
    ^bb0(%e: index):
      weft.yield %e : index
    }
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c20_cache(%rows: tensor<?x8xf32, #weft.bounds<N to 4>>, %cache: tensor<32x4xf32>) -> tensor<32x4xf32> {
  // expected-error @+1 {{cannot keep rows of type 'tensor<?x8xf32, #weft.bounds<N to 4>>' in a cache of type 'tensor<32x4xf32>' (C20)}}
  %k = weft.append %rows to %cache length "T" : tensor<?x8xf32, #weft.bounds<N to 4>>, tensor<32x4xf32>
  return %k : tensor<32x4xf32>
}

// -----

func.func @c20_later(%rows: tensor<2x?x8xf32, #weft.bounds<N to 4>>, %cache: tensor<3x32x8xf32>) -> tensor<3x32x8xf32> {
  // expected-error @+1 {{cannot keep rows of type 'tensor<2x?x8xf32, #weft.bounds<N to 4>>' in a cache of type 'tensor<3x32x8xf32>' (C20)}}
  %k = weft.append %rows to %cache length "T" : tensor<2x?x8xf32, #weft.bounds<N to 4>>, tensor<3x32x8xf32>
  return %k : tensor<3x32x8xf32>
}

// -----

func.func @c20_rows(%rows: tensor<4x8xf32>, %cache: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // expected-error @+1 {{cannot keep rows of type 'tensor<4x8xf32>' in a cache of type 'tensor<32x8xf32>' (C20)}}
  %k = weft.append %rows to %cache length "T" : tensor<4x8xf32>, tensor<32x8xf32>
  return %k : tensor<32x8xf32>
}

// -----

func.func @c20_element(%rows: tensor<?xi32, #weft.bounds<N to 4>>, %cache: tensor<32xf32>) -> tensor<32xf32> {
  // expected-error @+1 {{cannot keep rows of type 'tensor<?xi32, #weft.bounds<N to 4>>' in a cache of type 'tensor<32xf32>' (C20)}}
  %k = weft.append %rows to %cache length "T" : tensor<?xi32, #weft.bounds<N to 4>>, tensor<32xf32>
  return %k : tensor<32xf32>
}

// -----

func.func @c20_dynamic(%rows: tensor<?xf32, #weft.bounds<N to 4>>, %cache: tensor<?xf32, #weft.bounds<T to 4>>) -> tensor<?xf32, #weft.bounds<T to 4>> {
  // expected-error @+1 {{cannot keep rows of type 'tensor<?xf32, #weft.bounds<N to 4>>' in a cache of type 'tensor<?xf32, #weft.bounds<T to 4>>' (C20)}}
  %k = weft.append %rows to %cache length "T" : tensor<?xf32, #weft.bounds<N to 4>>, tensor<?xf32, #weft.bounds<T to 4>>
  return %k : tensor<?xf32, #weft.bounds<T to 4>>
}

// -----

func.func @weight_name() {
  // expected-error @+1 {{needs the name of a checkpoint tensor}}
  %w = weft.weight "" : tensor<4xf32>
  return
}

// -----

func.func @weight_dynamic() {
  // expected-error @+1 {{'w' has the dynamic type 'tensor<?xf32>'}}
  %w = weft.weight "w" : tensor<?xf32>
  return
}

// -----

// A dimension is missing, is there twice, or is none of the tensor's.
// expected-error @+1 {{#weft.layout<n = [0], k = [1], tile = [8, 1]> does not divide the 3 dimensions into matrices, columns and rows}}
func.func private @layout_missing(tensor<4x8x1xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>)

// -----

// expected-error @+1 {{#weft.layout<n = [1], k = [1], tile = [8, 1]> does not divide the 2 dimensions}}
func.func private @layout_twice(tensor<4x8xf32, #weft.layout<n = [1], k = [1], tile = [8, 1]>>)

// -----

// expected-error @+1 {{#weft.layout<n = [0], k = [2], tile = [8, 1]> does not divide the 2 dimensions}}
func.func private @layout_none(memref<4x8xf32, #weft.layout<n = [0], k = [2], tile = [8, 1]>>)

// -----

// expected-error @+1 {{the tile of #weft.layout<n = [0], k = [1], tile = [0, 1]> is not [columns, rows], both at least 1}}
func.func private @layout_tile(memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [0, 1]>>)

// -----

// expected-error @+1 {{the tile of #weft.layout<n = [0], k = [1], tile = [8]> is not [columns, rows], both at least 1}}
func.func private @layout_tile_rank(memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [8]>>)

// -----

// expected-error @+1 {{the nibbles of #weft.layout<n = [0], k = [1], tile = [8, 1] nibbles = 8> are no groups of 8, 16, ... rows or all, in tiles of [columns, 4]}}
func.func private @layout_nibbles(memref<4x8xi8, #weft.layout<n = [0], k = [1], tile = [8, 1] nibbles = 8>>)

// -----

// expected-error @+1 {{are no groups of 8, 16, ... rows or all}}
func.func private @layout_nibbles_group(memref<4x40xi8, #weft.layout<n = [0], k = [1], tile = [8, 4] nibbles = 20>>)

// -----

// expected-error @+1 {{#weft.layout<n = [0], k = [1], tile = [8, 4] nibbles = 8> has nibbles for elements of type 'f32', expected 'i8'}}
func.func private @layout_nibbles_element(tensor<4x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 4] nibbles = 8>>)

// -----

// expected-error @+1 {{the codes of #weft.layout<n = [0], k = [1], tile = [8, 1] codes = "nf5" group = 8> are none of a table, in groups that divide the rows, in tiles of [columns, 1]}}
func.func private @layout_codes(memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1] codes = "nf5" group = 8>>)

// -----

// expected-error @+1 {{are none of a table, in groups that divide the rows}}
func.func private @layout_codes_group(memref<4x40xf32, #weft.layout<n = [0], k = [1], tile = [8, 1] codes = "nf4" group = 16>>)

// -----

// expected-error @+1 {{are none of a table, in groups that divide the rows}}
func.func private @layout_codes_bytes(memref<4x15xf32, #weft.layout<n = [0], k = [1], tile = [8, 1] codes = "nf4" group = 15>>)

// -----

// expected-error @+1 {{in tiles of [columns, 1]}}
func.func private @layout_codes_tile(memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 2] codes = "nf4" group = 8>>)

// -----

// expected-error @+1 {{#weft.layout<n = [0], k = [1], tile = [8, 1] codes = "fp8" group = 8> has codes of elements of type 'bf16', expected 'f32'}}
func.func private @layout_codes_element(tensor<4x8xbf16, #weft.layout<n = [0], k = [1], tile = [8, 1] codes = "fp8" group = 8>>)

// -----

// expected-error @+1 {{#weft.layout<parts = 4, n = [0], k = [1], tile = [8, 1]> has 4 parts, expected 1 to 3}}
func.func private @layout_parts(memref<4x8xf32, #weft.layout<parts = 4, n = [0], k = [1], tile = [8, 1]>>)

// -----

func.func @weight_parts() {
  // expected-error @+1 {{'w' is stored in parts, expected f32 as it is}}
  %w = weft.weight "w" : tensor<4x8xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 2]>>
  return
}

// -----

// expected-error @+1 {{#weft.layout<parts = 2, n = [0], k = [1], tile = [8, 2]> has parts of elements of type 'bf16', expected 'f32'}}
func.func private @layout_parts_type(tensor<4x8xbf16, #weft.layout<parts = 2, n = [0], k = [1], tile = [8, 2]>>)

// -----

// expected-error @+1 {{#weft.layout<n = [0], k = [1], tile = [8, 1]> has no symbols for the dynamic dimensions}}
func.func private @layout_symbols(tensor<?x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1]>>)

// -----

// expected-error @+1 {{#weft.bounds names 2 symbols for 1 dynamic dimensions}}
func.func private @layout_bounds(tensor<?x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 1], bounds = <T to 4, S to 4>>>)

// -----

func.func @index_negative() {
  // expected-error @+1 {{index 'i' has the negative size -4}}
  %w = weft.map [i in -4] {
    %1 = arith.constant 1.0 : f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @index_name() {
  // expected-error @+1 {{an index needs a name}}
  %w = weft.map ["" in 4] {
    %1 = arith.constant 1.0 : f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @index_symbol() {
  // expected-error @+1 {{the run-time range of index 't' needs a symbol}}
  %w = weft.map [t in "" to 4] {
    %1 = arith.constant 1.0 : f32
    weft.yield %1 : f32
  } -> tensor<?xf32, #weft.bounds<T to 4>>
  return
}

// -----

func.func @index_range() {
  // expected-error @+1 {{expected '='}}
  %w = weft.map [t in T] {
    %1 = arith.constant 1.0 : f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{#weft.bounds names 2 symbols for 1 dynamic dimensions}}
func.func private @bounds(tensor<?xf32, #weft.bounds<T to 4, S to 4>>)

// -----

// expected-error @+1 {{symbol 'T' has the negative bound -4}}
func.func private @bounds_negative(tensor<?xf32, #weft.bounds<T to -4>>)

// -----

// expected-error @+1 {{a symbol needs a name}}
func.func private @bounds_name(tensor<?xf32, #weft.bounds<"" to 4>>)

// -----

// The two regions of a formula know nothing of each other. Text that is broken behind such a use must
// not bring the parser down either.
!x = tensor<4xf32>
func.func @uses_the_other_region(%x: !x) -> tensor<f32> {
  // expected-error @+1 {{a region of a formula uses a value of its other region}}
  %y = weft.reduce sum [i in 4] ins(%x[i] : !x) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %later : f32
    weft.yield %1 : f32
  } where {
  ^bb0(%0: f32):
    %later = arith.constant 1.0 : f32
    %2 = arith.cmpf olt, %0, %later : f32
    weft.yield %2 : i1
  } -> broken
  return %y : tensor<f32>
}

// -----

func.func private @layer(%x: memref<4xf32>)
func.func @launch_of_layer(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.launch' op 'layer' is no kernel of the module}}
  weft.launch @layer ins(%x : memref<4xf32>)
  return
}

// -----

func.func @launch_of_nothing(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.launch' op 'k' is no kernel of the module}}
  weft.launch @k outs(%x : memref<4xf32>)
  return
}

// -----

func.func private @k(%x: memref<4xf32>, %y: memref<4xi32>) attributes {weft.kernel}
func.func @launch_of_other_buffers(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.launch' op 'k' is a kernel on buffers of other types: ('memref<4xf32>', 'memref<4xi32>'), given ('memref<4xf32>', 'memref<4xf32>')}}
  weft.launch @k ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

func.func @c2_compute_type(%x: tensor<4xbf16>) -> tensor<4xf32> {
  // expected-error @+1 {{argument 0 of the body has type 'bf16', expected 'f32' (C2)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xbf16>) {
  ^bb0(%0: bf16):
    %1 = arith.extf %0 : bf16 to f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c11_output(%x: tensor<4xf32>) -> tensor<4xbf16> {
  // expected-error @+1 {{the output has elements of type 'bf16', expected f32, in which sums are kept (C11)}}
  %y = weft.softmax softmax axis 0 [i in 4] ins(%x[i] : tensor<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

func.func @c18_compute_type(%x: tensor<4xf16>) -> tensor<4xf32> {
  %y = weft.map [i in 4] {
    %i = weft.index 0
    // expected-error @+1 {{the result is what elements of the source are computed in}}
    %0 = "weft.at"(%x, %i) : (tensor<4xf16>, index) -> f16
    %1 = arith.extf %0 : f16 to f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c26_strided(%x: memref<4x4xf32, strided<[8, 1], offset: 2>>, %y: memref<4x4xf32>) {
  // expected-error @+1 {{operand 0 has the layout 'strided<[8, 1], offset: 2>', expected none or '#weft.layout' (C26)}}
  weft.map [i in 4, j in 4] ins(%x[i, j] : memref<4x4xf32, strided<[8, 1], offset: 2>>) outs(%y : memref<4x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func @c26_parts(%x: memref<4x4xbf16, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 2]>>, %y: memref<4x4xf32>) {
  // expected-error @+1 {{operand 0 has parts of elements of type 'bf16', expected f32 (C26)}}
  weft.map [i in 4, j in 4] ins(%x[i, j] : memref<4x4xbf16, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 2]>>) outs(%y : memref<4x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func @c26_f64(%x: tensor<4xf64>) -> tensor<4xf32> {
  // expected-error @+1 {{operand 0 has elements of type 'f64', expected one of 'f32', 'f16', 'bf16', 'i32', 'i8', 'ui8', 'i1' (C26)}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf64>) {
  ^bb0(%0: f64):
    %1 = arith.truncf %0 : f64 to f32
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c26_i16() -> tensor<4xi16> {
  // expected-error @+1 {{result 0 has elements of type 'i16', expected one of}}
  %y = weft.map [i in 4] {
    %0 = arith.constant 0 : i16
    weft.yield %0 : i16
  } -> tensor<4xi16>
  return %y : tensor<4xi16>
}

// -----

func.func @c26_i64() {
  // expected-error @+1 {{result 0 has elements of type 'i64', expected one of}}
  %w = weft.weight "w" : tensor<4xi64>
  return
}

// -----

func.func @c26_strides(%cache: memref<2x4xf32>) {
  // expected-error @+1 {{result 0 has the layout 'strided<[?, 1]>', expected none or '#weft.layout' (C26)}}
  %r = weft.slot %cache length "T" count "N" : memref<2x4xf32> to memref<2x?xf32, strided<[?, 1]>>
  return
}

// -----

func.func @c28_index(%cache: memref<4xindex>) {
  // expected-error @+1 {{operand 0 has elements of type 'index', expected one of}}
  %r = weft.slot %cache length "T" count "N" : memref<4xindex> to memref<?xindex>
  return
}

// -----

func.func @c26_signed(%x: tensor<4xsi8>) -> tensor<4xi32> {
  // expected-error @+1 {{operand 0 has elements of type 'si8', expected one of}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xsi8>) {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// At stage `loops`, where more than buffers is passed.
func.func private @k(%x: memref<4xi32>, %T: i64, %status: !llvm.ptr) attributes {weft.kernel}
func.func @launch_of_written_kernel(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.launch' op 'k' is a kernel on buffers of other types: ('memref<4xi32>'), given ('memref<4xf32>')}}
  weft.launch @k outs(%x : memref<4xf32>)
  return
}

// -----

func.func @address_elsewhere(%x: memref<4xf32, 1>) {
  // expected-error @+1 {{'weft.address' op the buffer is in memory space 1, the pointer in 0 (C27)}}
  %0 = weft.address %x : memref<4xf32, 1> to !llvm.ptr
  return
}

// -----

func.func @address_in_named_space(%x: memref<4xf32, "shared">) {
  // expected-error @+1 {{'weft.address' op the memory space "shared" of the buffer is no number (C27)}}
  %0 = weft.address %x : memref<4xf32, "shared"> to !llvm.ptr
  return
}

// -----

func.func @address_of_what(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.address' op result #0 must be pointer, but got 'i64'}}
  %0 = weft.address %x : memref<4xf32> to i64
  return
}

// -----

func.func @row_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op axis 2 is none of 2 indices (C29)}}
  %y = weft.row axis 2 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @row_of_nothing(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op has 0 kinds for 0 reductions, expected one for each of at least one (C29)}}
  %y = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) element {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @row_kind(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op the kind of reduction 0 is argmax, expected sum, mean, max, min or prod (C29)}}
  %y = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) argmax {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @row_reduction(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op the reduction 0 has 2 arguments, expected 1 (C30)}}
  %y = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) sum {
  ^bb0(%s: f32, %0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @row_reduction_yields(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op the reduction 0 yields ('i32'), expected ('f32') (C30)}}
  %y = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) sum {
  ^bb0(%0: f32):
    %1 = arith.fptosi %0 : f32 to i32
    weft.yield %1 : i32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @row_element(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op the element has 1 arguments, expected 2 (C31)}}
  %y = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @row_yields(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op the element yields ('f32'), expected ('f32', 'f32') (C31)}}
  %y:2 = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0 : f32
  } -> tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @row_reduces(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op the output has 1 dimensions, expected one for each of 2 indices (C3)}}
  %y = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %sum : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @row_output_lacks(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op output 1 lacks index 't', which is not the axis (C32)}}
  %y:2 = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (d)>]} sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %0, %sum : f32, f32
  } -> tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @row_output_depends(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op output 1 lacks the axis 'd', on which its value depends (C32)}}
  %y:2 = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>]} sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    %1 = arith.addf %0, %sum : f32
    weft.yield %0, %1 : f32, f32
  } -> tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @row_output_index(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'weft.row' op output 1 lacks the axis 'd', on which its value depends (C32)}}
  %y:2 = weft.row axis 1 [t in 4, d in 8] ins(%x[t, d] : tensor<4x8xf32>) attributes {output_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>]} sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    %d = weft.index 1
    %i = arith.index_cast %d : index to i32
    %r = arith.sitofp %i : i32 to f32
    weft.yield %0, %r : f32, f32
  } -> tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @coded_shape() {
  // expected-error @below {{has the type 'tensor<8x6xi8>', expected 'tensor<6x8xi8>' of #weft.coded<codes along [1] of [6, 8]> (C33)}}
  %w = weft.weight "w" coded <codes along [1] of [6, 8]> : tensor<8x6xi8>
  return
}

// -----

func.func @coded_element() {
  // expected-error @below {{has the type 'tensor<6xi32>', expected 'tensor<6xf32>' of #weft.coded<scales along [1] of [6, 8]> (C33)}}
  %w = weft.weight "w" coded <scales along [1] of [6, 8]> : tensor<6xi32>
  return
}

// -----

func.func @sums_of_codes(%q: tensor<4x8xui8>, %w: tensor<6x8xi8>) -> tensor<4x6xf32> {
  // expected-error @below {{the output has elements of type 'f32', expected 'i32', sums of integers (C10)}}
  %0 = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %w[n, d] : tensor<4x8xui8>, tensor<6x8xi8>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @coded_bits() {
  // expected-error @below {{has the codes #weft.coded<codes along [1] of [6, 8] bits = 5>, expected 8 bits, or 4 in groups that divide rows of 8 (C33)}}
  %w = weft.weight "w" coded <codes along [1] of [6, 8] bits = 5> : tensor<6x8xi8>
  return
}

// -----

func.func @coded_group() {
  // expected-error @below {{or 4 in groups that divide rows of 48 (C33)}}
  %w = weft.weight "w" coded <codes along [1] of [6, 48] bits = 4 group = 32> : tensor<6x48xi8>
  return
}

// -----

func.func @coded_group_of_bytes() {
  // expected-error @below {{expected 8 bits, or 4 in groups}}
  %w = weft.weight "w" coded <codes along [1] of [6, 64] group = 32> : tensor<6x64xi8>
  return
}

// -----

func.func @coded_along() {
  // expected-error @below {{is coded along dimension 2 of 2 (C33)}}
  %w = weft.weight "w" coded <sums along [2] of [6, 8]> : tensor<6x8xi32>
  return
}

// -----

func.func @c17_input(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<4xi32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{has no third input, which chooses (C17)}}
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d] : tensor<4x8xf32>, tensor<3x6x8xf32>) attributes {chosen} -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c17_type(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<4xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{is chosen by elements of type 'f32', expected 'i32' (C17)}}
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<4xf32>) attributes {chosen} -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c17_reduced(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<8xi32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{input 2 depends on the index 'd' (C17)}}
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[d] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<8xi32>) attributes {chosen} -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c17_itself(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<3xi32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{input 2 depends on the index 'e' (C17)}}
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[e] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<3xi32>) attributes {chosen} -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c17_sum(%x: tensor<4xf32>, %w: tensor<3xf32>, %c: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{sums over no index beside the chosen one (C17)}}
  %y = weft.contract [t in 4, e in 3] ins(%x[t], %w[e], %c[t] : tensor<4xf32>, tensor<3xf32>, tensor<4xi32>) attributes {chosen} -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c17_dynamic(%x: tensor<4x8xf32>, %w: tensor<?x8xf32, #weft.bounds<E to 3>>, %c: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{chooses among a number of matrices that is not known (C17)}}
  %y = weft.contract [t in 4, d in 8, e in E to 3] ins(%x[t, d], %w[e, d], %c[t] : tensor<4x8xf32>, tensor<?x8xf32, #weft.bounds<E to 3>>, tensor<4xi32>) attributes {chosen} -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @c17_extra(%x: tensor<4x8xf32>, %w: tensor<3x6x8xf32>, %c: tensor<4xi32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{input 3 depends on the reduced index 'd' (C9)}}
  %y = weft.contract [t in 4, f in 6, d in 8, e in 3] ins(%x[t, d], %w[e, f, d], %c[t], %x[t, d] : tensor<4x8xf32>, tensor<3x6x8xf32>, tensor<4xi32>, tensor<4x8xf32>) attributes {chosen} {
  ^bb0(%0: f32, %1: f32):
    weft.yield %1 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c18_sum(%x: tensor<4x2xf32>, %w: tensor<6xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{sums over no index beside the one of its sums (C18)}}
  %y = weft.contract [t in 4, f in 6, p in 2] ins(%x[t, p], %w[f] : tensor<4x2xf32>, tensor<6xf32>) attributes {apart} {
  ^bb0(%0: f32, %1: f32):
    weft.yield %1 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c18_chosen(%x: tensor<4x2xf32>, %w: tensor<2x2xf32>, %c: tensor<4xi32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{sums over no index beside the chosen one (C17)}}
  %y = weft.contract [t in 4, f in 2, e in 2] ins(%x[t, e], %w[e, f], %c[t] : tensor<4x2xf32>, tensor<2x2xf32>, tensor<4xi32>) attributes {apart, chosen} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @c18_none() -> tensor<f32> {
  %x = arith.constant dense<1.0> : tensor<f32>
  // expected-error @+1 {{(C6)}}
  %y = weft.contract [] ins(%x[], %x[] : tensor<f32>, tensor<f32>) attributes {apart} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @c18_dynamic(%x: tensor<4x?x8xf32, #weft.bounds<P to 2>>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{has a number of sums that is not known (C18)}}
  %y = weft.contract [t in 4, f in 6, d in 8, p in P to 2] ins(%x[t, p, d], %w[f, d] : tensor<4x?x8xf32, #weft.bounds<P to 2>>, tensor<6x8xf32>) attributes {apart} {
  ^bb0(%0: f32, %1: f32):
    weft.yield %1 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c18_number(%x: tensor<4x9x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{has 9 sums of an element, expected 1 to 8 (C18)}}
  %y = weft.contract [t in 4, f in 6, d in 8, p in 9] ins(%x[t, p, d], %w[f, d] : tensor<4x9x8xf32>, tensor<6x8xf32>) attributes {apart} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c18_epilogue(%x: tensor<4x2x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{has several sums and no epilogue (C18)}}
  %y = weft.contract [t in 4, f in 6, d in 8, p in 2] ins(%x[t, p, d], %w[f, d] : tensor<4x2x8xf32>, tensor<6x8xf32>) attributes {apart} -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c18_extra(%x: tensor<4x2x8xf32>, %w: tensor<6x8xf32>, %b: tensor<2xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{input 2 depends on the index 'p' (C18)}}
  %y = weft.contract [t in 4, f in 6, d in 8, p in 2] ins(%x[t, p, d], %w[f, d], %b[p] : tensor<4x2x8xf32>, tensor<6x8xf32>, tensor<2xf32>) attributes {apart} {
  ^bb0(%0: f32, %1: f32, %2: f32):
    weft.yield %1 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @c18_sums(%x: tensor<4x2x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{(C10)}}
  %y = weft.contract [t in 4, f in 6, d in 8, p in 2] ins(%x[t, p, d], %w[f, d] : tensor<4x2x8xf32>, tensor<6x8xf32>) attributes {apart} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @codes_and_reals(%q: tensor<4x8xui8>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{factor 0 has elements of type 'ui8', expected reals, computed in f32 (C8)}}
  %0 = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %w[n, d] : tensor<4x8xui8>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @codes_and_halves(%q: tensor<4x8xi8>, %w: tensor<6x8xbf16>) -> tensor<4x6xf32> {
  // expected-error @below {{factor 0 has elements of type 'i8', expected reals, computed in f32 (C8)}}
  %0 = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %w[n, d] : tensor<4x8xi8>, tensor<6x8xbf16>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @whole_sum(%q: tensor<4x8xi8>, %w: tensor<6x8xf32>) -> tensor<4x6xi32> {
  // expected-error @below {{the output has elements of type 'i32', expected reals, computed in f32 (C10)}}
  %0 = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %w[n, d] : tensor<4x8xi8>, tensor<6x8xf32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

func.func @sum_of_codes(%q: tensor<4x8xui8>, %w: tensor<6x8xi8>) -> tensor<4x6xf32> {
  // expected-error @below {{(C10)}}
  %0 = weft.contract [t in 4, n in 6, d in 8] ins(%q[t, d], %w[n, d] : tensor<4x8xui8>, tensor<6x8xi8>) {
  ^bb0(%sum: f32):
    weft.yield %sum : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @codes_of_a_table() {
  // expected-error @below {{has the codes #weft.coded<codes along [1] of [6, 8] bits = 4 table = "nf4">, expected reals of a table in groups that divide rows of 8 (C33)}}
  %w = weft.weight "w" coded <codes along [1] of [6, 8] bits = 4 table = "nf4"> : tensor<6x8xi8>
  return
}

// -----

func.func @reals_of_no_table() {
  // expected-error @below {{expected reals of a table in groups that divide rows of 8 (C33)}}
  %w = weft.weight "w" coded <reals along [1] of [6, 8] bits = 4> : tensor<6x8xf32>
  return
}

// -----

func.func @reals_in_groups() {
  // expected-error @below {{expected reals of a table in groups that divide rows of 8 (C33)}}
  %w = weft.weight "w" coded <reals along [1] of [6, 8] bits = 4 group = 3 table = "nf4"> : tensor<6x8xf32>
  return
}

// -----

// expected-error @+1 {{#weft.layout<n = [0], k = [1], tile = [8, 1] narrow = true> is narrow, expected bytes in tiles of [columns, 4]}}
func.func private @layout_narrow(memref<4x8xi8, #weft.layout<n = [0], k = [1], tile = [8, 1] narrow = true>>)

// -----

// expected-error @+1 {{#weft.layout<n = [0], k = [1], tile = [8, 4] narrow = true> is narrow for elements of type 'f32', expected 'i8'}}
func.func private @layout_narrow_element(tensor<4x8xf32, #weft.layout<n = [0], k = [1], tile = [8, 4] narrow = true>>)

// -----

func.func @narrow_groups() {
  // expected-error @+1 {{'weft.weight' op has the codes #weft.coded<codes along [1] of [6, 64] bits = 4 narrow = true>, which are narrow, expected 8 bits of whole rows (C33)}}
  %w = weft.weight "w" coded <codes along [1] of [6, 64] bits = 4 narrow = true> : tensor<6x64xi8>
  return
}

// -----

// Panels whose neighbours are none of the codes'.
func.func @narrow_across() {
  // expected-error @+1 {{'w' has the layout #weft.layout<n = [0], k = [2, 1], tile = [8, 4] narrow = true>, expected codes that are narrow along its rows}}
  %w = weft.weight "w" coded <codes along [1, 2] of [6, 4, 8] narrow = true> : tensor<6x4x8xi8, #weft.layout<n = [0], k = [2, 1], tile = [8, 4] narrow = true>>
  return
}

// -----

func.func @narrow_layout_alone() {
  // expected-error @+1 {{'w' has the layout #weft.layout<n = [0], k = [1], tile = [8, 4] narrow = true>, expected codes that are narrow along its rows}}
  %w = weft.weight "w" coded <codes along [1] of [6, 8]> : tensor<6x8xi8, #weft.layout<n = [0], k = [1], tile = [8, 4] narrow = true>>
  return
}

// -----

func.func @local_unused(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>) {
  // expected-error @+1 {{'weft.local' op is the result of no product (C34)}}
  %g = weft.local : memref<4x32xf32>
  return
}

// -----

func.func @local_unread(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>) {
  // expected-error @+1 {{'weft.local' op is read by no product (C34)}}
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  return
}

// -----

// Of other rows.
func.func @local_rows(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>, %z: memref<4x8xf32>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 32, d in 8] ins(%z[t, d], %w[f, d], %g[t, f] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// Of other matrices that data choose.
func.func @local_choice(%x: memref<4x8xf32>, %w: memref<5x32x8xf32, #weft.layout<batch = [0], n = [1], k = [2], tile = [32, 1]>>, %c: memref<4xi32>, %d: memref<4xi32>, %y: memref<4x32xf32>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8, e in 5] ins(%x[t, d], %w[e, f, d], %c[t] : memref<4x8xf32>, memref<5x32x8xf32, #weft.layout<batch = [0], n = [1], k = [2], tile = [32, 1]>>, memref<4xi32>) outs(%g : memref<4x32xf32>) attributes {chosen}
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 32, d in 8, e in 5] ins(%x[t, d], %w[e, f, d], %d[t], %g[t, f] : memref<4x8xf32>, memref<5x32x8xf32, #weft.layout<batch = [0], n = [1], k = [2], tile = [32, 1]>>, memref<4xi32>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) attributes {chosen} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// Before it is made.
func.func @local_before(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>) {
  %g = weft.local : memref<4x32xf32>
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d], %g[t, f] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  return
}

// -----

// By a map.
func.func @local_map(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.map [t in 4, f in 32] ins(%g[t, f] : memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

// A factor of another type.
func.func @local_factor(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>, %v: memref<32x8xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %v[f, d], %g[t, f] : memref<4x8xf32>, memref<32x8xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// A factor without panels.
func.func @local_panels(%x: memref<4x8xf32>, %w: memref<32x8xf32>, %y: memref<4x32xf32>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32>) outs(%g : memref<4x32xf32>)
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d], %g[t, f] : memref<4x8xf32>, memref<32x8xf32>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// At other places.
func.func @local_turned(%x: memref<4x8xf32>, %w: memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x4xf32>) {
  %g = weft.local : memref<4x4xf32>
  weft.contract [t in 4, f in 4, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x4xf32>)
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 4, d in 8] ins(%x[t, d], %w[f, d], %g[f, t] : memref<4x8xf32>, memref<4x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// Written twice.
func.func @local_twice(%x: memref<4x8xf32>, %w: memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %y: memref<4x32xf32>) {
  %g = weft.local : memref<4x32xf32>
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  // expected-error @+1 {{reads what another product of its kernel makes, but not where it stores its own result of the same rows (C34)}}
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%g : memref<4x32xf32>)
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d], %g[t, f] : memref<4x8xf32>, memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
