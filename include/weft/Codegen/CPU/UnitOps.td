//===- UnitOps.td - what the matrix and dot units of processors do --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_CPU_UNITOPS_TD
#define WEFT_CODEGEN_CPU_UNITOPS_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Unit_Dialect : Dialect {
  let name = "weft_cpu";
  let cppNamespace = "::weft::cpu";
  let summary = "the units of a processor that multiply short numbers (stage `loops`)";
  let description = [{
    An op is what one unit computes. `weft-lower-units` makes it the unit's instructions, or plain loops with the same
    meaning, so that all code around a unit runs on any machine. The two round alike but for the order in which the
    products of an element are added, and a unit may take subnormal numbers for zero.
  }];
}

def Unit_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "pointer">;
def Unit_Pairs : VectorOfRankAndType<[1], [I32]>;
def Unit_Sums : VectorOfRankAndType<[1], [F32]>;

class Unit_Op<string mnemonic, list<Trait> traits = []> : Op<Unit_Dialect, mnemonic, traits>;

def Unit_DotOp : Unit_Op<"dot", [Pure, AllTypesMatch<["sum", "result"]>, AllTypesMatch<["lhs", "rhs"]>,
    PredOpTrait<"the lanes of sums and factors are as many", CPred<
      "::llvm::cast<::mlir::VectorType>($lhs.getType()).getShape() == "
      "::llvm::cast<::mlir::VectorType>($sum.getType()).getShape()">>]> {
  let summary = "dot products of pairs of bf16";
  let description = [{
    `result[i] = sum[i] + lhs[i].low * rhs[i].low + lhs[i].high * rhs[i].high`: a lane of 32 bits is a pair of bf16, the
    first one in its lower half. Unit: AVX-512 BF16 (`vdpbf16ps`).

    Example: `%1 = weft_cpu.dot %0, %a, %b : vector<16xf32>, vector<16xi32>`.
  }];
  let arguments = (ins Unit_Sums:$sum, Unit_Pairs:$lhs, Unit_Pairs:$rhs);
  let results = (outs Unit_Sums:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs)";
}

def Unit_DotCodesOp : Unit_Op<"dot_codes", [Pure, AllTypesMatch<["sum", "lhs", "rhs", "result"]>]> {
  let summary = "dot products of four codes";
  let description = [{
    `result[i] = sum[i] + sum(j < 4) lhs[i].byte(j) * rhs[i].byte(j)` in i32: a lane is four codes, of the left factor without
    a sign, of the right one with one. Unit: AVX-512 VNNI, for 8 lanes AVX-VNNI (`vpdpbusd`). Where there is neither, that of
    `dot_words` multiplies what the bytes are spread to; of codes that are `narrow`, whose products come to no more than an i16
    holds for bytes 0 and 1, and for 2 and 3, that of `dot_bytes` multiplies them as they are.

    Example: `%1 = weft_cpu.dot_codes %0, %a, %b narrow : vector<16xi32>`.
  }];
  let arguments = (ins Unit_Pairs:$sum, Unit_Pairs:$lhs, Unit_Pairs:$rhs, UnitAttr:$narrow);
  let results = (outs Unit_Pairs:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs (`narrow` $narrow^)? attr-dict `:` type($sum)";
}

def Unit_DotSignedOp : Unit_Op<"dot_signed", [Pure, AllTypesMatch<["sum", "lhs", "rhs", "result"]>]> {
  let summary = "dot products of four codes that all have a sign";
  let description = [{
    `result[i] = sum[i] + sum(j < 4) lhs[i].byte(j) * rhs[i].byte(j)` in i32, of bytes with a sign, those of the right factor from -127
    to 127. Unit: `vpmaddubsw` of the left factor without its sign and the right one with that sign (`vpabsb`, `vpsignb`), as two such
    products come to at most 128 * 127 * 2, then `vpmaddwd` and an addition.

    Example: `%1 = weft_cpu.dot_signed %0, %a, %b : vector<8xi32>`.
  }];
  let arguments = (ins Unit_Pairs:$sum, Unit_Pairs:$lhs, Unit_Pairs:$rhs);
  let results = (outs Unit_Pairs:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum)";
}

def Unit_DotBytesOp : Unit_Op<"dot_bytes", [Pure, AllTypesMatch<["sum", "lhs", "rhs", "result"]>]> {
  let summary = "dot products of two short codes, in words";
  let description = [{
    `result[i].word(j) = sum[i].word(j) + sum(l < 2) lhs[i].byte(2 j + l) * rhs[i].byte(2 j + l)` in i16, for both words of a lane: the
    bytes of the left factor have no sign, those of the right one have one. The products of two bytes are no more than an i16
    holds, nor are the sums: codes of 4 bits leave room for several. Unit: `vpmaddubsw`, and an addition.

    Example: `%1 = weft_cpu.dot_bytes %0, %a, %b : vector<8xi32>`.
  }];
  let arguments = (ins Unit_Pairs:$sum, Unit_Pairs:$lhs, Unit_Pairs:$rhs);
  let results = (outs Unit_Pairs:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum)";
}

def Unit_DotWordsOp : Unit_Op<"dot_words", [Pure, AllTypesMatch<["sum", "lhs", "rhs", "result"]>]> {
  let summary = "dot products of two words";
  let description = [{
    `result[i] = sum[i] + sum(j < 2) lhs[i].word(j) * rhs[i].word(j)` in i32, of words with a sign. Unit: `vpmaddwd`, and an
    addition.

    Example: `%1 = weft_cpu.dot_words %0, %a, %b : vector<8xi32>`.
  }];
  let arguments = (ins Unit_Pairs:$sum, Unit_Pairs:$lhs, Unit_Pairs:$rhs);
  let results = (outs Unit_Pairs:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum)";
}

def Unit_PowerOfTwoOp : Unit_Op<"power_of_two", [Pure, AllTypesMatch<["number", "result"]>,
    PredOpTrait<"a power is rounded, a weight, or neither", CPred<"!$rounded || !$weight">>]> {
  let summary = "2^x";
  let description = [{
    `result[i] = 2^number[i]` as `emitExp2` promises it (Exponential.h): within 2 ulp from -126 on and 0 below; if it is to be `rounded` to bf16
    within 1.1e-4 of it, and infinity from 128 on. The `weight` of a key is 0 below 2^-100. Minus infinity gives 0. Unit: AVX-512 (`vreduceps`, `vrndscaleps`, `vscalefps`), of the same bits.

    Example: `%1 = weft_cpu.power_of_two %0 rounded : vector<16xf32>`.
  }];
  let arguments = (ins Unit_Sums:$number, UnitAttr:$rounded, UnitAttr:$weight);
  let results = (outs Unit_Sums:$result);
  let assemblyFormat = "$number (`rounded` $rounded^)? (`weight` $weight^)? attr-dict `:` type($number)";
}

def Unit_LookUpOp : Unit_Op<"look_up", [Pure,
    PredOpTrait<"there are as many numbers as results", CPred<
      "::llvm::cast<::mlir::VectorType>($words.getType()).getShape() == "
      "::llvm::cast<::mlir::VectorType>($result.getType()).getShape()">>,
    PredOpTrait<"the table has 16 numbers", CPred<"$values.size() == 16">>]> {
  let summary = "numbers of a table of 16";
  let description = [{
    `result[i] = values[words[i] mod 16]`. Unit: the permutation of a vector register (`vpermps`), which of a table of 16 looks at
    the lowest four bits alone; of two of 8 lanes with AVX2.

    Example: `%1 = weft_cpu.look_up %0 of [0.0, 0.5, ...] : vector<16xi32> to vector<16xf32>`.
  }];
  let arguments = (ins Unit_Pairs:$words, DenseF32ArrayAttr:$values);
  let results = (outs Unit_Sums:$result);
  let assemblyFormat = "$words `of` $values attr-dict `:` type($words) `to` type($result)";
}

def Unit_LookUpBytesOp : Unit_Op<"look_up_bytes", [Pure, AllTypesMatch<["words", "result"]>,
    PredOpTrait<"the table has 16 numbers", CPred<"$values.size() == 16">>]> {
  let summary = "bytes of a table of 16";
  let description = [{
    `result[i].byte(j) = values[words[i].byte(j)]`: the bytes of the words are 0 to 15. Unit: `vpshufb`.

    Example: `%1 = weft_cpu.look_up_bytes %0 of [0, 1, 2, ...] : vector<16xi32>`.
  }];
  let arguments = (ins Unit_Pairs:$words, DenseI8ArrayAttr:$values);
  let results = (outs Unit_Pairs:$result);
  let assemblyFormat = "$words `of` $values attr-dict `:` type($words)";
}

/// Numbers whose sum a factor is.
def Unit_Parts : ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<3>]>;

def Unit_TileProductOp : Unit_Op<"tile_product", [AttrSizedOperandSegments,
    PredOpTrait<"columns have no more parts than rows", CPred<"$columnParts <= $parts">>]> {
  let summary = "a tile of a product of bf16 or codes";
  let description = [{
    `sums[i][j] += sum(l < k) rows[i][l] * panel[l floordiv 2][j][l mod 2]` for `i < count` and `j < 32`: `count` rows of bf16,
    `stride` bytes apart, times a panel of 32 columns, in pairs of rows; the sums are f32, 128 bytes a row. `k` is even, `count` is 1 to
    32; it stands between `weft_cpu.begin_tiles` and `weft_cpu.end_tiles`. Each row has its own sums, in an order that `k` alone decides. With `codes` rows are bytes
    without a sign, the panel has four bytes with one side by side, the sums are i32 and `k` is a multiple of four. Unit: AMX (`tdpbf16ps`, `tdpbusd`), on up to two by two tiles.

    With `padded` there are rows and sums up to a multiple of 16, whatever they hold: the unit may multiply these, too.

    With `held`, between `weft_cpu.load_sums` and `weft_cpu.store_sums` of the same sums, these are not in memory: the unit keeps them from
    one product to the next. There are rows as with `padded`, and `k` is a multiple of 32, of codes 64.

    Where `fresh` is given and true the sums begin at zero, not with what is there. With `ahead` the unit fetches into the second cache, beside
    each 64 bytes of the rows, `portions` times eight lines, each `apart` bytes behind the one before: one of each eighth of what is
    fetched in the whole, and the next time those that follow them.

    With `parts = p by q` rows are sums of p numbers, columns of q <= p, and the products of part a of a row and part b of a column are
    added for `a + b < p`. Rows then lie in tiles, `rows[l floordiv 32][part][i][l mod 32]`, and `stride` is 64; the panel is
    `panel[l floordiv 2][part][j][l mod 2]`.

    Example: `weft_cpu.tile_product %sums, %rows stride %s, %panel count %n k %k fresh %true : !llvm.ptr, !llvm.ptr, !llvm.ptr`.
  }];
  let arguments = (ins Arg<Unit_Pointer, "", [MemRead, MemWrite]>:$sums, Arg<Unit_Pointer, "", [MemRead]>:$rows,
                       Index:$stride, Arg<Unit_Pointer, "", [MemRead]>:$panel, Index:$count, Index:$k,
                       Optional<Unit_Pointer>:$ahead, Optional<Index>:$portions, Optional<Index>:$apart, Optional<I1>:$fresh,
                       UnitAttr:$codes, UnitAttr:$padded, UnitAttr:$held, DefaultValuedAttr<Unit_Parts, "1">:$parts,
                       DefaultValuedAttr<Unit_Parts, "1">:$columnParts);
  let builders = [OpBuilder<(ins "::mlir::Value":$sums, "::mlir::Value":$rows, "::mlir::Value":$stride, "::mlir::Value":$panel,
                                 "::mlir::Value":$count, "::mlir::Value":$k, "bool":$codes, "::mlir::Value":$fresh,
                                 CArg<"bool", "false">:$padded), [{
    build($_builder, $_state, sums, rows, stride, panel, count, k, /*ahead=*/::mlir::Value(), /*portions=*/::mlir::Value(),
          /*apart=*/::mlir::Value(), fresh, codes, padded, /*held=*/false, /*parts=*/1, /*columnParts=*/1);
  }]>];
  let assemblyFormat = "$sums `,` $rows `stride` $stride `,` $panel `count` $count `k` $k (`ahead` $ahead^ `portions` $portions `apart` $apart)? "
                       "(`codes` $codes^)? (`fresh` $fresh^)? (`padded` $padded^)? (`held` $held^)? (`parts` `=` $parts^ `by` $columnParts)? attr-dict "
                       "`:` type($sums) `,` type($rows) `,` type($panel) (`,` type($ahead)^)?";
}

class Unit_TileStateOp<string mnemonic> : Unit_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let assemblyFormat = "attr-dict";
}

def Unit_BeginTilesOp : Unit_TileStateOp<"begin_tiles"> {
  let summary = "tile products may follow";
  let description = "Gives the tile registers of the thread their shapes. Example: `weft_cpu.begin_tiles`.";
}

class Unit_SumsOp<string mnemonic> : Unit_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  dag sums = (ins Unit_Pointer:$sums, Index:$count);
}

def Unit_LoadSumsOp : Unit_SumsOp<"load_sums"> {
  let summary = "the unit takes the sums of a tile";
  let description = [{
    Of `count` rows of sums, 128 bytes each, 1 to 32; with `fresh` they are zero, whatever is there. There is memory up to a multiple of 16
    rows. Until `weft_cpu.store_sums` nothing but products that are `held` uses the unit, and what the memory holds is not said.

    Example: `weft_cpu.load_sums %sums count %n fresh : !llvm.ptr`.
  }];
  let arguments = !con(sums, (ins UnitAttr:$fresh));
  let assemblyFormat = "$sums `count` $count (`fresh` $fresh^)? attr-dict `:` type($sums)";
}

def Unit_StoreSumsOp : Unit_SumsOp<"store_sums"> {
  let summary = "sums of a tile go to memory";
  let description = "Those that `weft_cpu.load_sums` took. Example: `weft_cpu.store_sums %sums count %n : !llvm.ptr`.";
  let arguments = sums;
  let assemblyFormat = "$sums `count` $count attr-dict `:` type($sums)";
}

def Unit_EndTilesOp : Unit_TileStateOp<"end_tiles"> {
  let summary = "no tile product follows";
  let description = "The thread has no tiles that a system would have to keep. Example: `weft_cpu.end_tiles`.";
}

def Unit_BeginFlushOp : Unit_Op<"begin_flush", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "subnormal numbers are 0";
  let description = [{
    From here on arithmetic on f32 takes subnormal numbers, those below 2^-126, for 0, and makes 0 of results that would be subnormal: a
    processor may take a hundred times as long for these. The result is how the thread computed before. Unit: `MXCSR`.

    Example: `%0 = weft_cpu.begin_flush`.
  }];
  let results = (outs I32:$before);
  let assemblyFormat = "attr-dict";
}

def Unit_EndFlushOp : Unit_Op<"end_flush", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the thread computes as before";
  let description = "What `weft_cpu.begin_flush` changed is as it was. Example: `weft_cpu.end_flush %0`.";
  let arguments = (ins I32:$before);
  let assemblyFormat = "$before attr-dict";
}

#endif
