// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --weft-lower-units | FileCheck %s --check-prefix=PLAIN
// RUN: weft-opt %s --weft-lower-units='native=dot,power_of_two,look_up,tiles,flush' --canonicalize | FileCheck %s --check-prefix=NATIVE
// RUN: weft-opt %s --weft-lower-units='native=round' --canonicalize | FileCheck %s --check-prefix=ROUND
// RUN: weft-opt %s --weft-lower-units='native=dot_codes' --canonicalize | FileCheck %s --check-prefix=CODES
// RUN: weft-opt %s --weft-lower-units='native=short_dot_codes,short_look_up' | FileCheck %s --check-prefix=SHORT
// RUN: weft-opt %s --weft-lower-units='native=dot_words,dot_bytes' | FileCheck %s --check-prefix=WORDS
// RUN: weft-opt %s --weft-lower-units='native=dot_words' | FileCheck %s --check-prefix=SPREAD
// RUN: weft-opt %s --weft-lower-units='native=dot' | FileCheck %s --check-prefix=DOT
// RUN: not weft-opt %s --weft-lower-units='native=tile' 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: error: unknown unit 'tile': dot, dot_codes, short_dot_codes, dot_bytes, dot_words, round, power_of_two, look_up, short_look_up, tiles and flush are known
// PLAIN-NOT: weft_cpu
// NATIVE: module attributes {weft_cpu.features = ["avx512bf16", "avx512dq", "avx512vl", "avx2", "amx-tile", "amx-bf16", "amx-int8"]}
// NATIVE: llvm.mlir.global internal constant @weft.tiles.shapes
// CODES: module attributes {weft_cpu.features = ["avx512vnni", "avx512bw"]}
// SHORT: module attributes {weft_cpu.features = ["avxvnni", "avx2"]}
// DOT: module attributes {weft_cpu.features = ["avx512bf16"]}

// CHECK-LABEL: @dot
// CHECK: weft_cpu.dot %arg0, %arg1, %arg2 : vector<16xf32>, vector<16xi32>
// Both halves of the pairs, the lower ones first.
// PLAIN-LABEL: @dot
// PLAIN: arith.shli %arg1
// PLAIN: arith.shli %arg2
// PLAIN: %[[LOW:.+]] = arith.addf %arg0, %{{.+}} fastmath<contract>
// PLAIN: arith.andi %arg1
// PLAIN: arith.andi %arg2
// PLAIN: %[[SUM:.+]] = arith.addf %[[LOW]], %{{.+}} fastmath<contract>
// PLAIN: return %[[SUM]]
// NATIVE-LABEL: @dot
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%arg0, {{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
func.func @dot(%sum: vector<16xf32>, %a: vector<16xi32>, %b: vector<16xi32>) -> vector<16xf32> {
  %0 = weft_cpu.dot %sum, %a, %b : vector<16xf32>, vector<16xi32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: @dot_codes
// CHECK: weft_cpu.dot_codes %arg0, %arg1, %arg2 : vector<8xi32>
// PLAIN-LABEL: @dot_codes
// PLAIN-NOT: call_intrinsic
// PLAIN: return
// Even and odd bytes, extended without and with a sign.
// WORDS-LABEL: @dot_codes
// WORDS: %[[A:.+]] = llvm.bitcast %arg1 : vector<8xi32> to vector<16xi16>
// WORDS-DAG: %[[AODD:.+]] = arith.shrui %[[A]]
// WORDS-DAG: %[[AEVEN:.+]] = arith.andi %[[A]]
// WORDS: %[[B:.+]] = llvm.bitcast %arg2 : vector<8xi32> to vector<16xi16>
// WORDS-DAG: %[[BODD:.+]] = arith.shrsi %[[B]]
// WORDS-DAG: %[[BUP:.+]] = arith.shli %[[B]]
// WORDS: %[[BEVEN:.+]] = arith.shrsi %[[BUP]]
// WORDS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[AEVEN]], %[[BEVEN]]) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// WORDS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[AODD]], %[[BODD]])
// CODES-LABEL: @dot_codes
// CODES: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%arg0, {{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
// SHORT-LABEL: @dot_codes
// SHORT: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%arg0, {{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
func.func @dot_codes(%sum: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %0 = weft_cpu.dot_codes %sum, %a, %b : vector<8xi32>
  return %0 : vector<8xi32>
}

// Neighbours that a word holds are multiplied as they are; with words alone, or without any, as others.
// CHECK-LABEL: @dot_narrow
// CHECK: weft_cpu.dot_codes %arg0, %arg1, %arg2 narrow : vector<8xi32>
// PLAIN-LABEL: @dot_narrow
// PLAIN-NOT: call_intrinsic
// PLAIN: return
// SPREAD-LABEL: @dot_narrow
// SPREAD-NOT: pmadd.ub
// SPREAD-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// SPREAD: return
// WORDS-LABEL: @dot_narrow
// WORDS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// WORDS-NOT: pmadd.ub
// WORDS: %[[FOURS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// WORDS-NOT: pmadd
// WORDS: arith.addi %arg0, %[[FOURS]]
// CODES-LABEL: @dot_narrow
// CODES: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%arg0,
func.func @dot_narrow(%sum: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %0 = weft_cpu.dot_codes %sum, %a, %b narrow : vector<8xi32>
  return %0 : vector<8xi32>
}

// The left factor's magnitudes with what has its signs.
// CHECK-LABEL: @dot_signed
// CHECK: weft_cpu.dot_signed %arg0, %arg1, %arg2 : vector<8xi32>
// PLAIN-LABEL: @dot_signed
// PLAIN-NOT: call_intrinsic
// PLAIN: return
// SPREAD-LABEL: @dot_signed
// SPREAD-NOT: call_intrinsic
// SPREAD: return
// WORDS-LABEL: @dot_signed
// WORDS: %[[A:.+]] = llvm.bitcast %arg1 : vector<8xi32> to vector<32xi8>
// WORDS: %[[B:.+]] = llvm.bitcast %arg2 : vector<8xi32> to vector<32xi8>
// WORDS: %[[SIGNED:.+]] = llvm.call_intrinsic "llvm.x86.avx2.psign.b"(%[[B]], %[[A]])
// WORDS: "llvm.intr.abs"(%[[A]]) <{is_int_min_poison = false}>
// WORDS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// WORDS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
func.func @dot_signed(%sum: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %0 = weft_cpu.dot_signed %sum, %a, %b : vector<8xi32>
  return %0 : vector<8xi32>
}

// There is no such instruction of 64 bytes.
// WORDS-LABEL: @wide_signed
// WORDS-NOT: psign
// WORDS: arith.select
// WORDS: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"
func.func @wide_signed(%sum: vector<16xi32>, %a: vector<16xi32>, %b: vector<16xi32>) -> vector<16xi32> {
  %0 = weft_cpu.dot_signed %sum, %a, %b : vector<16xi32>
  return %0 : vector<16xi32>
}

// Thirty-two lanes are no register.
// NATIVE-LABEL: @wide
// NATIVE-NOT: call_intrinsic
// NATIVE: return
// CODES-LABEL: @wide
// CODES-NOT: call_intrinsic
// CODES: return
func.func @wide(%sum: vector<32xf32>, %codes: vector<32xi32>, %a: vector<32xi32>) -> (vector<32xf32>, vector<32xi32>) {
  %0 = weft_cpu.dot %sum, %a, %a : vector<32xf32>, vector<32xi32>
  %1 = weft_cpu.dot_codes %codes, %a, %a : vector<32xi32>
  return %0, %1 : vector<32xf32>, vector<32xi32>
}

// Words are added as such, and no unit multiplies what is no register.
// CHECK-LABEL: @dot_bytes
// CHECK: weft_cpu.dot_bytes %arg0, %arg1, %arg2 : vector<8xi32>
// PLAIN-LABEL: @dot_bytes
// PLAIN-NOT: call_intrinsic
// PLAIN: arith.addi {{.*}} : vector<16xi16>
// WORDS-LABEL: @dot_bytes
// WORDS: %[[PRODUCTS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// WORDS: %[[SUM:.+]] = llvm.bitcast %arg0 : vector<8xi32> to vector<16xi16>
// WORDS: arith.addi %[[SUM]], %[[PRODUCTS]] : vector<16xi16>
// WORDS-LABEL: @dot_bytes_4
// WORDS: llvm.call_intrinsic "llvm.x86.ssse3.pmadd.ub.sw.128"
// WORDS-LABEL: @dot_bytes_16
// WORDS: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"
// WORDS-LABEL: @dot_bytes_2
// WORDS-NOT: call_intrinsic
// WORDS: return
func.func @dot_bytes(%sum: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %0 = weft_cpu.dot_bytes %sum, %a, %b : vector<8xi32>
  return %0 : vector<8xi32>
}

func.func @dot_bytes_4(%sum: vector<4xi32>, %a: vector<4xi32>, %b: vector<4xi32>) -> vector<4xi32> {
  %0 = weft_cpu.dot_bytes %sum, %a, %b : vector<4xi32>
  return %0 : vector<4xi32>
}

func.func @dot_bytes_16(%sum: vector<16xi32>, %a: vector<16xi32>, %b: vector<16xi32>) -> vector<16xi32> {
  %0 = weft_cpu.dot_bytes %sum, %a, %b : vector<16xi32>
  return %0 : vector<16xi32>
}

func.func @dot_bytes_2(%sum: vector<2xi32>, %a: vector<2xi32>, %b: vector<2xi32>) -> vector<2xi32> {
  %0 = weft_cpu.dot_bytes %sum, %a, %b : vector<2xi32>
  return %0 : vector<2xi32>
}

// CHECK-LABEL: @dot_words
// CHECK: weft_cpu.dot_words %arg0, %arg1, %arg2 : vector<8xi32>
// PLAIN-LABEL: @dot_words
// PLAIN-NOT: call_intrinsic
// PLAIN-COUNT-2: arith.muli
// WORDS-LABEL: @dot_words
// WORDS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
func.func @dot_words(%sum: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %0 = weft_cpu.dot_words %sum, %a, %b : vector<8xi32>
  return %0 : vector<8xi32>
}

// What is left beside a whole number, a polynomial of it, scaled by the number; other lanes than those of a register by bits.
// CHECK-LABEL: @power_of_two
// CHECK: weft_cpu.power_of_two %arg0 : vector<16xf32>
// CHECK: weft_cpu.power_of_two %arg1 rounded : vector<8xf32>
// CHECK: weft_cpu.power_of_two %arg0 weight : vector<16xf32>
// PLAIN-LABEL: @power_of_two
// PLAIN-NOT: call_intrinsic
// PLAIN: arith.shli {{.*}} : vector<16xi32>
// PLAIN: arith.shli {{.*}} : vector<8xi32>
// PLAIN: %[[X:.+]] = arith.select %{{.*}}, %{{.*}}, %arg0 : vector<16xi1>, vector<16xf32>
// PLAIN: %[[SMALL:.+]] = arith.cmpf olt, %[[X]], %{{.*}} : vector<16xf32>
// PLAIN: arith.select %[[SMALL]], %{{.*}}, %[[X]] : vector<16xi1>, vector<16xf32>
// NATIVE-LABEL: @power_of_two
// NATIVE-NOT: arith.shli
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.mask.rndscale.ps.512"
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"
// NATIVE-COUNT-5: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// NATIVE: %[[NORMAL:.+]] = arith.cmpf uge, %{{.*}} : vector<16xf32>
// NATIVE: %[[MASK:.+]] = llvm.bitcast %[[NORMAL]] : vector<16xi1> to i16
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]],
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.mask.rndscale.ps.256"
// NATIVE-COUNT-3: arith.addf {{.*}} fastmath<contract> : vector<8xf32>
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
// NATIVE: arith.shli {{.*}} : vector<32xi32>
// NATIVE: %[[SOME:.+]] = arith.cmpf uge, %arg0, %{{.*}} : vector<16xf32>
// NATIVE: %[[MASK:.+]] = llvm.bitcast %[[SOME]] : vector<16xi1> to i16
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]],
func.func @power_of_two(%x: vector<16xf32>, %y: vector<8xf32>, %z: vector<32xf32>) -> (vector<16xf32>, vector<8xf32>, vector<32xf32>, vector<16xf32>) {
  %0 = weft_cpu.power_of_two %x : vector<16xf32>
  %1 = weft_cpu.power_of_two %y rounded : vector<8xf32>
  %2 = weft_cpu.power_of_two %z : vector<32xf32>
  %3 = weft_cpu.power_of_two %x weight : vector<16xf32>
  return %0, %1, %2, %3 : vector<16xf32>, vector<8xf32>, vector<32xf32>, vector<16xf32>
}

// Two registers of numbers are rounded to one of bf16 at once; one is LLVM's.
// PLAIN-LABEL: @round
// PLAIN-COUNT-3: arith.truncf
// ROUND-LABEL: @round
// ROUND: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"({{.*}}) : (vector<16xf32>, vector<16xf32>) -> vector<32xbf16>
// ROUND: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// ROUND: arith.truncf %{{.*}} : vector<32xf32> to vector<32xf16>
func.func @round(%x: vector<32xf32>, %y: vector<16xf32>) -> (vector<32xbf16>, vector<16xbf16>, vector<32xf16>) {
  %0 = arith.truncf %x : vector<32xf32> to vector<32xbf16>
  %1 = arith.truncf %y : vector<16xf32> to vector<16xbf16>
  %2 = arith.truncf %x : vector<32xf32> to vector<32xf16>
  return %0, %1, %2 : vector<32xbf16>, vector<16xbf16>, vector<32xf16>
}

// A register of 16 numbers is permuted, of 8 both halves; of 4 none. Vectors of several registers one after the other.
// CHECK-LABEL: @look_up
// CHECK: weft_cpu.look_up %arg0 of [0.000000e+00, 5.000000e-01, {{.*}}] : vector<16xi32> to vector<16xf32>
// PLAIN-LABEL: @look_up
// PLAIN-COUNT-15: arith.select
// NATIVE-LABEL: @look_up
// NATIVE: %[[TABLE:.+]] = arith.constant dense<[0.000000e+00, 5.000000e-01, {{.*}}]> : vector<16xf32>
// NATIVE: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%[[TABLE]], %arg0) : (vector<16xf32>, vector<16xi32>) -> vector<16xf32>
// NATIVE-NOT: arith.select
// SHORT-LABEL: @look_up
// SHORT-COUNT-4: llvm.call_intrinsic "llvm.x86.avx2.permps"
// SHORT-LABEL: @look_up_8
// SHORT-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.permps"
// NATIVE-LABEL: @look_up_8
// NATIVE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.permps"
// NATIVE: arith.select
// NATIVE-LABEL: @look_up_32
// NATIVE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// NATIVE-LABEL: @look_up_4
// NATIVE-NOT: llvm.call_intrinsic
// NATIVE-COUNT-15: arith.select
func.func @look_up(%words: vector<16xi32>) -> vector<16xf32> {
  %0 = weft_cpu.look_up %words of [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0] : vector<16xi32> to vector<16xf32>
  return %0 : vector<16xf32>
}

func.func @look_up_8(%words: vector<8xi32>) -> vector<8xf32> {
  %0 = weft_cpu.look_up %words of [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0] : vector<8xi32> to vector<8xf32>
  return %0 : vector<8xf32>
}

func.func @look_up_32(%words: vector<32xi32>) -> vector<32xf32> {
  %0 = weft_cpu.look_up %words of [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0] : vector<32xi32> to vector<32xf32>
  return %0 : vector<32xf32>
}

func.func @look_up_4(%words: vector<4xi32>) -> vector<4xf32> {
  %0 = weft_cpu.look_up %words of [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0] : vector<4xi32> to vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: @look_up_bytes
// CHECK: weft_cpu.look_up_bytes %arg0 of [1, 3, {{.*}}] : vector<16xi32>
// PLAIN-LABEL: @look_up_bytes
// PLAIN-COUNT-15: arith.select {{.*}} vector<64xi8>
// CODES-LABEL: @look_up_bytes
// CODES: %[[TABLE:.+]] = arith.constant dense<[1, 3, {{.*}}]> : vector<64xi8>
// CODES: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"(%[[TABLE]], %{{.+}}) : (vector<64xi8>, vector<64xi8>) -> vector<64xi8>
// NATIVE-LABEL: @look_up_bytes_8
// NATIVE: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
func.func @look_up_bytes(%words: vector<16xi32>) -> vector<16xi32> {
  %0 = weft_cpu.look_up_bytes %words of [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, -128, 127] : vector<16xi32>
  return %0 : vector<16xi32>
}

func.func @look_up_bytes_8(%words: vector<8xi32>) -> vector<8xi32> {
  %0 = weft_cpu.look_up_bytes %words of [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, -128, 127] : vector<8xi32>
  return %0 : vector<8xi32>
}

// CHECK-LABEL: @tile
// CHECK: weft_cpu.begin_tiles
// CHECK: weft_cpu.tile_product %arg0, %arg1 stride %{{.+}}, %arg2 count %arg3 k %{{.+}} : !llvm.ptr, !llvm.ptr, !llvm.ptr
// CHECK: weft_cpu.end_tiles
// PLAIN-LABEL: @tile
// PLAIN: scf.for
// PLAIN: %{{.*}}:16 = scf.for {{.*}} iter_args(
// PLAIN-COUNT-2: llvm.load {{.*}} -> vector<16xi32>
// PLAIN-NOT: llvm.load {{.*}} -> vector<16xi32>
// PLAIN-COUNT-16: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
// PLAIN: %{{.*}}:2 = scf.for {{.*}} iter_args(
// PLAIN-COUNT-2: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
// 70 numbers are two steps of 32, and one of six.
// NATIVE-LABEL: @tile
// NATIVE: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// NATIVE: scf.if
// NATIVE: llvm.call @weft.tiles.whole.bf16
// NATIVE: else
// NATIVE: llvm.call @weft.tiles.part.bf16
// NATIVE: llvm.call @weft.tiles.part.bf16
// NATIVE: llvm.call_intrinsic "llvm.x86.tilerelease"
func.func @tile(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr, %count: index) {
  %stride = arith.constant 140 : index
  %k = arith.constant 70 : index
  weft_cpu.begin_tiles
  weft_cpu.tile_product %sums, %rows stride %stride, %panel count %count k %k : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.end_tiles
  return
}

// Sums that begin at zero are not read, but by what is left of k.
// CHECK-LABEL: @fresh
// CHECK: weft_cpu.tile_product {{.*}} fresh %{{.+}} : !llvm.ptr
// PLAIN-LABEL: @fresh
// PLAIN: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// PLAIN: scf.for {{.*}} iter_args(%{{.+}} = %[[ZERO]], %
// NATIVE-LABEL: @fresh
// NATIVE-DAG: %[[TRUE:.+]] = arith.constant true
// NATIVE-DAG: %[[FALSE:.+]] = llvm.mlir.constant(false)
// NATIVE: llvm.call @weft.tiles.whole.bf16({{.*}}, %[[TRUE]], %
// NATIVE: llvm.call @weft.tiles.part.bf16({{.*}}, %[[TRUE]], %
// NATIVE: llvm.call @weft.tiles.part.bf16({{.*}}, %[[FALSE]], %
func.func @fresh(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr, %count: index) {
  %stride = arith.constant 140 : index
  %true = arith.constant true
  %k = arith.constant 70 : index
  weft_cpu.begin_tiles
  weft_cpu.tile_product %sums, %rows stride %stride, %panel count %count k %k fresh %true : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.end_tiles
  return
}

// Where the run says whether they begin at zero.
// PLAIN-LABEL: @maybe_fresh
// PLAIN: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// PLAIN: arith.select %arg4, %[[ZERO]], %{{.+}} : vector<16xf32>
// NATIVE-LABEL: @maybe_fresh
// NATIVE: llvm.call @weft.tiles.whole.bf16({{.*}}, %arg4, %
// NATIVE: llvm.call @weft.tiles.part.bf16({{.*}}, %arg4, %
func.func @maybe_fresh(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr, %count: index, %first: i1) {
  %k = arith.constant 64 : index
  weft_cpu.begin_tiles
  weft_cpu.tile_product %sums, %rows stride %k, %panel count %count k %k fresh %first : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.end_tiles
  return
}

// With rows up to a multiple of 16 the unit has whole shapes, of 16 rows or of 32.
// CHECK-LABEL: @padded
// CHECK: weft_cpu.tile_product {{.*}} padded : !llvm.ptr
// NATIVE-LABEL: @padded
// NATIVE: arith.cmpi ugt
// NATIVE: llvm.call @weft.tiles.whole.bf16(
// NATIVE: else
// NATIVE: llvm.call @weft.tiles.half.bf16(
// NATIVE-NOT: weft.tiles.part
// NATIVE: return
func.func @padded(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr, %count: index) {
  %k = arith.constant 64 : index
  weft_cpu.begin_tiles
  weft_cpu.tile_product %sums, %rows stride %k, %panel count %count k %k padded : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.end_tiles
  return
}

// Sums that begin at zero, lines of the next panel, and the products of parts that are large: a row's first part with all of a
// column's, its second with two, its third with the first.
// CHECK-LABEL: @split
// CHECK: weft_cpu.tile_product %arg0, %arg1 stride %{{.+}}, %arg2 count %arg3 k %{{.+}} ahead %arg2 portions %{{.+}} apart %{{.+}} fresh %{{.+}} parts = 3 by 3 : !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr
// PLAIN-LABEL: @split
// PLAIN: arith.constant dense<0.000000e+00> : vector<16xf32>
// PLAIN-COUNT-24: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// NATIVE-LABEL: @split
// NATIVE: llvm.call @weft.tiles.whole.bf16x3by3
// NATIVE: llvm.call @weft.tiles.part.bf16x3by3
func.func @split(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr, %count: index) {
  %true = arith.constant true
  %stride = arith.constant 64 : index
  %k = arith.constant 64 : index
  %two = arith.constant 2 : index
  weft_cpu.begin_tiles
  weft_cpu.tile_product %sums, %rows stride %stride, %panel count %count k %k ahead %panel portions %two apart %k fresh %true parts = 3 by 3 : !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.end_tiles
  return
}

// Sums that the unit keeps: products between are steps alone, of one or two tiles of rows, and loops find them in memory.
// CHECK-LABEL: @held
// CHECK: weft_cpu.load_sums %arg0 count %arg3 fresh : !llvm.ptr
// CHECK: weft_cpu.tile_product {{.*}} codes padded held : !llvm.ptr
// CHECK: weft_cpu.store_sums %arg0 count %arg3 : !llvm.ptr
// CHECK: weft_cpu.load_sums %arg0 count %arg3 : !llvm.ptr
// PLAIN-LABEL: @held
// PLAIN: scf.for %{{.+}} = %{{.+}} to %arg3
// PLAIN: llvm.store %{{.+}} : vector<32xf32>, !llvm.ptr
// PLAIN-COUNT-2: scf.for
// PLAIN: return
// NATIVE-LABEL: @held
// NATIVE: arith.cmpi ugt
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// NATIVE: else
// NATIVE-COUNT-2: llvm.call_intrinsic "llvm.x86.tilezero"
// NATIVE-NOT: tilezero
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbusd"
// NATIVE: else
// NATIVE-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbusd"
// NATIVE-NOT: tdpbusd
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// NATIVE: else
// NATIVE-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64"
// NATIVE-NOT: tilestored64
// NATIVE-COUNT-6: llvm.call_intrinsic "llvm.x86.tileloadd64"
// NATIVE-NOT: tileloadd64
// NATIVE-NOT: llvm.call @
// NATIVE: return
func.func @held(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr, %count: index) {
  %k = arith.constant 64 : index
  weft_cpu.begin_tiles
  weft_cpu.load_sums %sums count %count fresh : !llvm.ptr
  weft_cpu.tile_product %sums, %rows stride %k, %panel count %count k %k codes padded held : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.store_sums %sums count %count : !llvm.ptr
  weft_cpu.load_sums %sums count %count : !llvm.ptr
  weft_cpu.store_sums %sums count %count : !llvm.ptr
  weft_cpu.end_tiles
  return
}

// Subnormal numbers are 0 from the one to the other, where the processor has that.
// CHECK-LABEL: @flush
// CHECK: %[[BEFORE:.+]] = weft_cpu.begin_flush
// CHECK: weft_cpu.end_flush %[[BEFORE]]
// PLAIN-LABEL: @flush
// PLAIN-NOT: mxcsr
// PLAIN: return
// NATIVE-LABEL: @flush
// NATIVE: %[[FLAGS:.+]] = llvm.mlir.constant(32832 : i32)
// NATIVE: llvm.call_intrinsic "llvm.x86.sse.stmxcsr"(%[[STATE:.+]]) :
// NATIVE: %[[WAS:.+]] = llvm.load %[[STATE]]
// NATIVE: %[[NOW:.+]] = llvm.or %[[WAS]], %[[FLAGS]]
// NATIVE: llvm.store %[[NOW]], %[[STATE]]
// NATIVE: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%[[STATE]]) :
// NATIVE: llvm.store
// NATIVE: llvm.store %[[WAS]], %[[STATE:.+]] {
// NATIVE: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%[[STATE]]) :
func.func @flush(%x: !llvm.ptr, %y: f32) {
  %0 = weft_cpu.begin_flush
  llvm.store %y, %x : f32, !llvm.ptr
  weft_cpu.end_flush %0
  return
}

// Without a product there is nothing to begin.
// CHECK-LABEL: @idle
// CHECK: weft_cpu.begin_tiles
// NATIVE-LABEL: @idle
// NATIVE-NOT: llvm.call_intrinsic
// NATIVE: return
func.func @idle() {
  weft_cpu.begin_tiles
  weft_cpu.end_tiles
  return
}

// Nor in the body of a task.
// NATIVE-LABEL: llvm.func internal @idle.body
// NATIVE-NOT: llvm.call_intrinsic
// NATIVE: llvm.return
llvm.func internal @idle.body() {
  weft_cpu.begin_tiles
  weft_cpu.end_tiles
  llvm.return
}

// Columns of fewer parts have the products of these alone: five, or three.
// CHECK-LABEL: @fewer
// CHECK: weft_cpu.tile_product {{.*}} parts = 3 by 2 : !llvm.ptr
// CHECK: weft_cpu.tile_product {{.*}} parts = 3 by 1 : !llvm.ptr
func.func @fewer(%sums: !llvm.ptr, %rows: !llvm.ptr, %panel: !llvm.ptr) {
  %stride = arith.constant 64 : index
  %k = arith.constant 64 : index
  %one = arith.constant 1 : index
  weft_cpu.begin_tiles
  weft_cpu.tile_product %sums, %rows stride %stride, %panel count %one k %k parts = 3 by 2 : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.tile_product %sums, %rows stride %stride, %panel count %one k %k parts = 3 by 1 : !llvm.ptr, !llvm.ptr, !llvm.ptr
  weft_cpu.end_tiles
  return
}

// Four products of tiles in a step, and shapes of its own for fewer rows.
// NATIVE-LABEL: llvm.func internal @weft.tiles.whole.bf16(
// NATIVE: scf.if %arg5
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// NATIVE: else
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64"
// What is fetched ahead comes behind the loads, which wait for the same buffers.
// NATIVE: scf.for
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64"
// NATIVE: scf.for
// NATIVE-COUNT-8: llvm.intr.prefetch
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// NATIVE-LABEL: llvm.func internal @weft.tiles.part.bf16(
// NATIVE: llvm.alloca
// NATIVE: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// NATIVE: scf.if
// NATIVE: llvm.call_intrinsic "llvm.x86.ldtilecfg"

// Six products of parts in a step, whose factors' tiles are loaded seven times.
// NATIVE-LABEL: llvm.func internal @weft.tiles.whole.bf16x3by3(
// NATIVE-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64"
// NATIVE: scf.for
// NATIVE-COUNT-14: llvm.call_intrinsic "llvm.x86.{{tileloadd64|tdpbf16ps}}"

// Of columns of two parts five, of those of one three, with one load of their tiles.
// NATIVE-LABEL: llvm.func internal @weft.tiles.whole.bf16x3by2(
// NATIVE-COUNT-20: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// NATIVE-NOT: tdpbf16ps
// NATIVE-LABEL: llvm.func internal @weft.tiles.part.bf16x3by2(
// NATIVE-LABEL: llvm.func internal @weft.tiles.whole.bf16x3by1(
// NATIVE: scf.for
// NATIVE-COUNT-8: llvm.call_intrinsic "llvm.x86.{{tileloadd64|tdpbf16ps}}"
// NATIVE-COUNT-8: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// NATIVE-NOT: tdpbf16ps
// NATIVE-LABEL: llvm.func internal @weft.tiles.part.bf16x3by1(
