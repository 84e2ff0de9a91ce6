// Formulas of matrices of which some are codes with scales of groups, and what is left as it is.
// RUN: weft-opt %s --split-input-file --weft-factor-matrix | FileCheck %s -enable-var-scope

// Four bits less eight, times a real of 16 bits of 32 neighbours.
// CHECK-LABEL: func.func @table() -> tensor<16xf32>
// CHECK-NEXT: dense<[-8.000000e+00, -7.000000e+00, {{.*}}, 7.000000e+00]>
// CHECK-LABEL: func.func @codes(
// CHECK-SAME: -> (tensor<4x64xf32>
// CHECK: weft.map [o in O = 4, i in I = 64] ins(%{{.*}}[o, i] : tensor<4x64xui8>)
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: -> (tensor<4x2xf16>
// CHECK: weft.map [o in O = 4, g in 2] ins(%{{.*}}[o, g] : tensor<4x2xf16>)
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x64xui8>, %s: tensor<4x2xf16>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %s[o, i floordiv 32] : tensor<4x64xui8>, tensor<4x2xf16>) {
  ^bb0(%a: i32, %scale: f32):
    %c15 = arith.constant 15 : i32
    %c8 = arith.constant 8 : i32
    %n = arith.andi %a, %c15 : i32
    %c = arith.subi %n, %c8 : i32
    %r = arith.sitofp %c : i32 to f32
    %w = arith.mulf %scale, %r : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// A zero of each group is subtracted from whole numbers; the place of the bits depends on the column.
// CHECK-LABEL: func.func @table() -> tensor<16xf32>
// CHECK-NEXT: dense<[0.000000e+00, {{.*}}, 1.500000e+01]>
// CHECK-LABEL: func.func @codes(
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: -> (tensor<4x2xf32>
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME: -> (tensor<4x2xf16>
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x16xi32>, %z: tensor<4x2xi32>, %s: tensor<4x2xf32>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i floordiv 4], %z[o, i floordiv 32], %s[o, i floordiv 32] : tensor<4x16xi32>, tensor<4x2xi32>, tensor<4x2xf32>) {
  ^bb0(%a: i32, %zero: i32, %scale: f32):
    %c15 = arith.constant 15 : i32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : i32
    %i = weft.index 1
    %rest = arith.remsi %i, %c4 : index
    %at = arith.muli %rest, %c4 : index
    %by = arith.index_cast %at : index to i32
    %moved = arith.shrsi %a, %by : i32
    %n = arith.andi %moved, %c15 : i32
    %z4 = arith.andi %zero, %c15 : i32
    %d = arith.subi %n, %z4 : i32
    %e = arith.subi %d, %c1 : i32
    %r = arith.sitofp %e : i32 to f32
    %w = arith.mulf %r, %scale : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// An offset, a divisor for all, five bits in two places, groups of a quarter that the code of the column's index makes.
// CHECK-LABEL: func.func @table() -> tensor<32xf32>
// CHECK-LABEL: func.func @codes(
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: -> (tensor<4x4xf32>
// CHECK: arith.divf
// CHECK-LABEL: func.func @offsets(
// CHECK-SAME: -> (tensor<4x4xf16>
// CHECK: arith.negf
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x64xui8>, %h: tensor<4x64xui8>, %s: tensor<4x4xf32>, %m: tensor<4x2xf16>, %g: tensor<1xf32>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %h[o, i], %m[o, i floordiv 32], %g[0] : tensor<4x64xui8>, tensor<4x64xui8>, tensor<4x2xf16>, tensor<1xf32>) {
  ^bb0(%a: i32, %b: i32, %least: f32, %all: f32):
    %c15 = arith.constant 15 : i32
    %c16i = arith.constant 16 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : index
    %i = weft.index 1
    %o = weft.index 0
    %quarter = arith.floordivsi %i, %c16 : index
    %scale = weft.at %s[%o, %quarter] : tensor<4x4xf32>
    %n = arith.andi %a, %c15 : i32
    %bit = arith.andi %b, %c1 : i32
    %high = arith.muli %bit, %c16i : i32
    %code = arith.addi %n, %high : i32
    %r = arith.sitofp %code : i32 to f32
    %x = arith.mulf %scale, %r : f32
    %y = arith.divf %x, %all : f32
    %w = arith.subf %y, %least : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// What is no line: the square of four bits is a table. The scale is the exponent of a real, a byte: bf16 has all of them.
// CHECK-LABEL: func.func @table() -> tensor<16xf32>
// CHECK-NEXT: dense<[0.000000e+00, 1.000000e+00, 4.000000e+00, {{.*}}, 2.250000e+02]>
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: -> (tensor<4x1xbf16>
func.func @matrix(%q: tensor<4x64xui8>, %s: tensor<4xui8>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %s[o] : tensor<4x64xui8>, tensor<4xui8>) {
  ^bb0(%a: i32, %bits: i32):
    %c15 = arith.constant 15 : i32
    %c23 = arith.constant 23 : i32
    %up = arith.shli %bits, %c23 : i32
    %scale = arith.bitcast %up : i32 to f32
    %n = arith.andi %a, %c15 : i32
    %r = arith.sitofp %n : i32 to f32
    %rr = arith.mulf %r, %r : f32
    %w = arith.mulf %scale, %rr : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// The square of a code less a zero of its group is no table of codes.
// CHECK-LABEL: func.func @matrix(
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x64xui8>, %z: tensor<4xui8>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %z[o] : tensor<4x64xui8>, tensor<4xui8>) {
  ^bb0(%a: i32, %zero: i32):
    %d = arith.subi %a, %zero : i32
    %r = arith.sitofp %d : i32 to f32
    %w = arith.mulf %r, %r : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// Scales of groups that data choose.
// CHECK-LABEL: func.func @matrix(
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x64xui8>, %s: tensor<4x2xf16>, %g: tensor<64xi32>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %g[i] : tensor<4x64xui8>, tensor<64xi32>) {
  ^bb0(%a: i32, %group: i32):
    %o = weft.index 0
    %at = arith.index_cast %group : i32 to index
    %scale = weft.at %s[%o, %at] : tensor<4x2xf16>
    %r = arith.sitofp %a : i32 to f32
    %w = arith.mulf %r, %scale : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// Groups of eight are too short, and codes of nine bits too long.
// CHECK-LABEL: func.func @matrix(
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x64xui8>, %s: tensor<4x8xf16>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %s[o, i floordiv 8] : tensor<4x64xui8>, tensor<4x8xf16>) {
  ^bb0(%a: i32, %scale: f32):
    %r = arith.sitofp %a : i32 to f32
    %w = arith.mulf %r, %scale : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func.func @matrix(
// CHECK-NOT: func.func
func.func @matrix(%q: tensor<4x64xui8>, %h: tensor<4x64xui8>, %s: tensor<4x2xf16>) -> (tensor<4x64xf32> {weft.name = "matrix"}) attributes {weft.entry} {
  %0 = weft.map [o in O = 4, i in I = 64] ins(%q[o, i], %h[o, i], %s[o, i floordiv 32] : tensor<4x64xui8>, tensor<4x64xui8>, tensor<4x2xf16>) {
  ^bb0(%a: i32, %b: i32, %scale: f32):
    %code = arith.addi %a, %b : i32
    %r = arith.sitofp %code : i32 to f32
    %w = arith.mulf %r, %scale : f32
    weft.yield %w : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
