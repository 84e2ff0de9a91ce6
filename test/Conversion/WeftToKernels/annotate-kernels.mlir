// RUN: weft-opt --weft-annotate-kernels --split-input-file %s | FileCheck %s

// Coefficients of a polynomial in T, two for each product and its sum: 2 * 8 * 4 T for the rows of a projection, and
// (2 * 8 + 2 * 4) T^2 for an attention's dot products and weighted values; S counts at its bound. An entry also says it for any T and S.
!x = memref<?x8xf32>
module attributes {weft.symbols = #weft.bounds<T to 32, S to 5>} {
// CHECK-LABEL: func.func @model(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.index_bound = 100 : i64, weft.name = "ids"}
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.name = "mask"}
// CHECK-SAME: weft.flop_count = "S T * 24 * T 64 * + T T * 24 * +"
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 1.840000e+02, 2.400000e+01>
func.func @model(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.name = "ids"},
                 %mask: memref<?xi32> {weft.bounds = #weft.bounds<T to 32>, weft.name = "mask"},
                 %x: !x, %w: memref<4x8xf32>, %y: memref<?x4xf32>) attributes {weft.entry} {
  weft.launch @ids_check ins(%ids : memref<?xi32>)
  weft.launch @mask_check ins(%mask : memref<?xi32>)
  call @layer(%x, %w, %y) : (!x, memref<4x8xf32>, memref<?x4xf32>) -> ()
  weft.launch @cross ins(%x, %x : !x, !x) outs(%y : memref<?x4xf32>)
  return
}
// A layer is no kernel; what it calls counts where it is called.
// CHECK-LABEL: func.func private @layer(
// CHECK-NOT: weft.flop
// CHECK: weft.launch @projection
func.func private @layer(%x: !x, %w: memref<4x8xf32>, %y: memref<?x4xf32>) {
  weft.launch @projection ins(%x, %w : !x, memref<4x8xf32>) outs(%y : memref<?x4xf32>)
  weft.launch @attention ins(%x, %x : !x, !x) outs(%y : memref<?x4xf32>)
  return
}
// CHECK-LABEL: func.func private @ids_check
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 0.000000e+00>
func.func private @ids_check(%ids: memref<?xi32>) attributes {weft.kernel} {
  weft.check "ids is out of range" [t in T to 32] ins(%ids[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 100 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}
// Must not fire: what is compared as a signed number is no index.
func.func private @mask_check(%mask: memref<?xi32>) attributes {weft.kernel} {
  weft.check "mask is too large" [t in T to 32] ins(%mask[t] : memref<?xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 2 : i32
    %1 = arith.cmpi slt, %0, %c : i32
    weft.yield %1 : i1
  }
  return
}
// What it does for any T: 2 * 8 * 4 operations for a row, 4 bytes for each element that is read or written.
// CHECK-LABEL: func.func private @projection
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 6.400000e+01, 0.000000e+00>
// CHECK-SAME: weft.work = #weft.work<symbols = ["T"], unit = "f32", passes = 1, flops = "T 64 *", functions = "0", bytes = "T 8 * 4 * 128 + T 4 * 4 * +", weights = "0">
func.func private @projection(%x: !x, %w: memref<4x8xf32>, %y: memref<?x4xf32>) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 4, d in 8] ins(%x[t, d], %w[f, d] : !x, memref<4x8xf32>) outs(%y : memref<?x4xf32>)
  return
}
// Each score takes an exponential.
// CHECK-LABEL: func.func private @attention
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 2.400000e+01>
// CHECK-SAME: unit = "f32", passes = 1, flops = "T T * 16 * T T * 8 * +", functions = "T T *"
func.func private @attention(%q: !x, %k: !x, %y: memref<?x4xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 4, s in T to 32, c in 8]
      ins(%q[t, c], %k[s, c], %k[s, v] : !x, !x, !x) outs(%y : memref<?x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// (2 * 8 + 2 * 4) * 5 T.
// CHECK-LABEL: func.func private @cross
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 1.200000e+02, 0.000000e+00>
func.func private @cross(%q: !x, %k: !x, %y: memref<?x4xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [1.0] [t in T to 32, v in 4, s in S to 5, c in 8]
      ins(%q[t, c], %k[s, c], %k[s, v] : !x, !x, !x) outs(%y : memref<?x4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
// Every operation on reals of an element, 3 * 8 T; neither the comparison, nor the choice, nor the conversion.
// CHECK-LABEL: func.func private @map
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 2.400000e+01, 0.000000e+00>
func.func private @map(%x: !x, %n: memref<?xi32>, %y: !x) attributes {weft.kernel} {
  weft.map [t in T to 32, d in 8] ins(%x[t, d], %n[t] : !x, memref<?xi32>) outs(%y : !x) {
  ^bb0(%0: f32, %1: i32):
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %0, %2 : f32
    %4 = math.exp %3 : f32
    %5 = arith.cmpf olt, %0, %4 : f32
    %6 = arith.select %5, %0, %4 : f32
    %7 = arith.addf %6, %0 : f32
    weft.yield %7 : f32
  }
  return
}
// An element is squared and added, 2 * 8 T; a sum of integers is no arithmetic on reals.
// CHECK-LABEL: func.func private @reduce
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 1.600000e+01, 0.000000e+00>
func.func private @reduce(%x: !x, %y: memref<?xf32>) attributes {weft.kernel} {
  weft.reduce mean [t in T to 32, d in 8] ins(%x[t, d] : !x) outs(%y : memref<?xf32>) {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
// CHECK-LABEL: func.func private @count
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 0.000000e+00>
func.func private @count(%n: memref<?xi32>, %y: memref<i32>) attributes {weft.kernel} {
  weft.reduce sum [t in T to 32] ins(%n[t] : memref<?xi32>) outs(%y : memref<i32>) {
  ^bb0(%0: i32):
    weft.yield %0 : i32
  }
  return
}
// Five for an element, and the one of the body: 6 T^2.
// CHECK-LABEL: func.func private @softmax
// CHECK-SAME: weft.flops = array<f64: 0.000000e+00, 0.000000e+00, 6.000000e+00>
func.func private @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [t in T to 32, s in T to 32] ins(%x[t, s] : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%0: f32):
    %1 = arith.negf %0 : f32
    weft.yield %1 : f32
  }
  return
}
}

// -----

// Weights are what is passed as such, through layers, too. Codes of 4 bits have a byte for their group of 32; what is read
// through two maps counts twice, as far as there are so many elements.
!q = memref<2x?x32xui8>
!c = memref<64x32xi8, #weft.layout<n = [0], k = [1], tile = [32, 4] nibbles = 32>>
!s = memref<2x?x64xi32>
module attributes {weft.symbols = #weft.bounds<T to 200>} {
// CHECK-LABEL: func.func private @codes
// CHECK-SAME: weft.work = #weft.work<symbols = ["T"], unit = "int8", passes = 1, flops = "T 8192 *", functions = "0", bytes = "T 64 * 1088 + T 128 * 4 * +", weights = "1088">
// CHECK-LABEL: func.func private @planes
// CHECK-SAME: unit = "elements", passes = 1, flops = "0", functions = "0", bytes = "T 64 * T 64 * + T 128 * < 4 * T 64 * 4 * +"
func.func @model(%q: !q {weft.bounds = #weft.bounds<T to 200>, weft.name = "q"}, %y: memref<?x64xi32> {weft.bounds = #weft.bounds<T to 200>, weft.name = "y", weft.output}) attributes {weft.entry} {
  %c = weft.weight "c" coded <codes along [1] of [64, 32] bits = 4 group = 32> {offset = 64 : i64} : !c
  call @layer(%q, %c, %y) : (!q, !c, memref<?x64xi32>) -> ()
  return
}
func.func private @layer(%q: !q, %c: !c, %y: memref<?x64xi32>) {
  %s = weft.buffer offset 0 bytes 102400 live 0 to 1 : !s
  weft.launch @codes ins(%q, %c : !q, !c) outs(%s : !s) sizes ["T"]
  weft.launch @planes ins(%s : !s) outs(%y : memref<?x64xi32>) sizes ["T"]
  return
}
func.func private @codes(%q: !q {weft.bounds = #weft.bounds<T to 200>}, %c: !c, %s: !s {weft.bounds = #weft.bounds<T to 200>}) attributes {weft.kernel} {
  weft.contract [plane in 2, t in T to 200, n in 64, k in 32] ins(%q[plane, t, k], %c[n, k] : !q, !c) outs(%s : !s)
  return
}
func.func private @planes(%s: !s {weft.bounds = #weft.bounds<T to 200>}, %y: memref<?x64xi32> {weft.bounds = #weft.bounds<T to 200>}) attributes {weft.kernel} {
  weft.map [t in T to 200, n in 64] ins(%s[0, t, n], %s[1, t, n] : !s, !s) outs(%y : memref<?x64xi32>) {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.addi %0, %1 : i32
    weft.yield %2 : i32
  }
  return
}
}

// -----

// Each product of factors that are split is six of the unit's; a table counts as often as it is read, but at most once.
!x = memref<?x32xf32, #weft.layout<parts = 3, n = [0], k = [1], tile = [32, 32]>>
!w = memref<64x32xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
module attributes {weft.symbols = #weft.bounds<T to 200>} {
// CHECK-LABEL: func.func private @split
// CHECK-SAME: unit = "bf16", passes = 6, flops = "T 4096 *", functions = "0", bytes = "T 32 * 6 * 8192 + T 64 * 4 * +"
// CHECK-LABEL: func.func private @table
// CHECK-SAME: bytes = "T 4 * T 8 * 776 < 2 * + T 8 * 4 * +", weights = "0"
func.func private @split(%x: !x {weft.bounds = #weft.bounds<T to 200>}, %w: !w, %y: memref<?x64xf32> {weft.bounds = #weft.bounds<T to 200>}) attributes {weft.kernel} {
  weft.contract [t in T to 200, n in 64, k in 32] ins(%x[t, k], %w[n, k] : !x, !w) outs(%y : memref<?x64xf32>)
  return
}
func.func private @table(%ids: memref<?xi32> {weft.bounds = #weft.bounds<T to 200>}, %t: memref<97x8xbf16>, %y: memref<?x8xf32> {weft.bounds = #weft.bounds<T to 200>}) attributes {weft.kernel} {
  weft.map [t in T to 200, d in 8] ins(%ids[t] : memref<?xi32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%0: i32):
    %d = weft.index 1
    %i = arith.index_cast %0 : i32 to index
    %1 = weft.at %t[%i, %d] : memref<97x8xbf16>
    weft.yield %1 : f32
  }
  return
}
}
