//===- WeftDialect.td - the weft dialect and its attributes ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTDIALECT_TD
#define WEFT_DIALECT_WEFT_IR_WEFTDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "weft/Dialect/Weft/IR/WeftDiscardableAttrs.td"

def Weft_Dialect : Dialect {
  let name = "weft";
  let cppNamespace = "::weft";
  let summary = "transformers as index-notation formulas: one op is one formula";
  let description = !strconcat([{
    An op of this dialect defines a tensor (or writes a buffer) by saying what its element is. Every op lists its
    *indices*, each a name with a range; an operand is read through an affine map from the indices to its dimensions;
    the element is computed by a scalar region (`arith` and `math` on `f32`, `index` and `i1`). Inside a region the
    index values are available (`weft.index`), so are gathers (`weft.at`) and small inner reductions (`weft.inner`).

    Elements of tensors and buffers have a *storage* type, regions compute in the *compute* type of its kind: `f16`,
    `bf16` and `f32` in `f32`, `i8` and `i32` (both signed) and `ui8` in `i32`, `i1` (a byte in memory) in `i1`. An element is
    extended where it is read, as an argument or by `weft.at`, and rounded to nearest, ties to even, or cut to its lower
    bits where it is stored. (C26) Every op has tensors and buffers of storage types only, in row-major order or that of a
    `#weft.layout`; at stage `kernels` new rows may have the strides of the cache that they lie in.

    A dimension that is known only at run time is a *symbol* with a bound (`T <= 1024` in the language), the same in a whole module.
    Tensor types with dynamic dimensions carry the symbols in their encoding (`#weft.bounds<T to 1024>`; MLIR
    balances angle brackets inside attributes, so the language's `<=` cannot stand there).

    What other ops say for the dialect are the attributes below. They are verified wherever they stand: another name
    of the form `weft.NAME`, another type or place is an error.

  }], Weft_DiscardablesTable);
  let discardableAttrs = !dag(ins, !foreach(attr, Weft_Discardables, attr.kind.type),
                              !foreach(attr, Weft_Discardables, attr.name));
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = Weft_DiscardablesDecl;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::func::FuncDialect"];
}

class Weft_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Weft_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Weft_IndexAttr : Weft_Attr<"Index", "index"> {
  let summary = "an index of a formula: its name and its range";
  let description = [{
    The index runs over `0 .. size-1`, or, when `dynamic`, over `0 .. value of the symbol dim - 1`, where `size` is the
    symbol's bound. `dim` may be empty for a nameless static range.

    Examples: `#weft.index<c in C = 64>`, `#weft.index<t in T to 1024>`, `#weft.index<p in 16>`. Inside the index list
    of an op they print without the prefix: `[t in T to 1024, c in C = 64]`.
  }];
  let parameters = (ins StringRefParameter<"index name">:$name, StringRefParameter<"dimension name">:$dim,
                        "int64_t":$size, "bool":$dynamic);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The extent as it stands in a shaped type: the size, or ShapedType::kDynamic.
    int64_t getExtent() const { return getDynamic() ? ::mlir::ShapedType::kDynamic : getSize(); }
  }];
}
def Weft_IndexArrayAttr : TypedArrayAttrBase<Weft_IndexAttr, "a list of formula indices">;

def Weft_BoundsAttr : Weft_Attr<"Bounds", "bounds", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the symbols of the dynamic dimensions of a tensor type, in order";
  let description = [{Example: `tensor<12x?x?xf32, #weft.bounds<T to 1024, S to 512>>`.}];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$symbols, ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def Weft_LayoutAttr : Weft_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["isIdentity", "verifyLayout"]>]> {
  let summary = "where the elements of a tensor or buffer lie: matrices in panels of columns";
  let description = [{
    A tensor without a layout is stored in row-major order. With one it is seen as matrices of K rows and N columns:
    `k` are the dimensions that make up K (in this order, the last fastest), `n` those of N, `batch` those that count
    the matrices; together every dimension once. With `tile = [nr, kr]` a matrix is stored as
    `[ceil(N/nr)][ceil(K/kr)][nr][kr]`, filled up with zeros if it is a weight and with anything else otherwise.
    Indices, maps and coordinates are those of the tensor itself: who reads and writes it need not know.

    `tile = [nr, 1]` are the panels that a register tile of nr columns walks through; `[nr, 2]` and `[nr, 4]` what
    instructions with pairs or quadruples of short numbers want; `[1, 1]` a matrix stored by columns.

    With `nibbles = g`, of codes (i8) in tiles of [nr, 4], an element is stored in 4 bits: it is `(u - z) * m` with u of its own
    and one byte of factor m and zero z for g rows of a column (weft/Support/CodeFormat.h). K is a multiple of g.

    With `narrow`, of codes (i8) in tiles of [nr, 4], rows 2 i and 2 i + 1 of a column come to at most 128 together, of either sign
    (`#weft.coded`).

    With `codes = "T" group = g`, of f32 in tiles of [nr, 1] alone, an element is a number of table T times the scale of g rows of a
    column (weft/Support/CodeTable.h): stored are codes of 4 or 8 bits, and scales. K is a multiple of g. Such buffers are read only.

    With `parts = p`, of f32 alone, an element is stored as p numbers of bf16 whose sum it is, to 8 p bits: the first is the
    element, rounded, each of the others what is left, rounded. A matrix is `[ceil(N/nr)][ceil(K/kr)][p][nr][kr]`.

    On tensors `bounds` has the symbols of the dynamic dimensions; on buffers they are the argument's.

    Example: `tensor<50257x768xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>`.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$batch, ArrayRefParameter<"int64_t">:$n,
                        ArrayRefParameter<"int64_t">:$k, ArrayRefParameter<"int64_t">:$tile,
                        DefaultValuedParameter<"int64_t", "0">:$nibbles,
                        DefaultValuedParameter<"int64_t", "1">:$parts,
                        StringRefParameter<"name of a table", "\"\"">:$codes, DefaultValuedParameter<"int64_t", "0">:$group,
                        DefaultValuedParameter<"bool", "false">:$narrow,
                        OptionalParameter<"::weft::BoundsAttr">:$bounds);
  let assemblyFormat = "`<` (`parts` `=` $parts^ `,` ` `)? (`batch` `=` `[` $batch^ `]` `,` ` `)? `n` `=` `[` $n `]` `,` `k` `=` `[` $k `]` `,` "
                       "`tile` `=` `[` $tile `]` (`nibbles` `=` $nibbles^)? (`codes` `=` $codes^)? (`group` `=` $group^)? (`narrow` `=` $narrow^)? (`,` `bounds` `=` $bounds^)? `>`";
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$batch, "::llvm::ArrayRef<int64_t>":$n,
                                   "::llvm::ArrayRef<int64_t>":$k, "::llvm::ArrayRef<int64_t>":$tile,
                                   CArg<"int64_t", "0">:$nibbles, CArg<"int64_t", "1">:$parts), [{
    return $_get($_ctxt, batch, n, k, tile, nibbles, parts, /*codes=*/"", /*group=*/0, /*narrow=*/false,
                /*bounds=*/::weft::BoundsAttr());
  }]>];
  let extraClassDeclaration = [{
    unsigned getRank() const { return getBatch().size() + getN().size() + getK().size(); }
    /// Columns of a panel; rows whose elements of one column lie side by side.
    int64_t getNr() const { return getTile()[0]; }
    int64_t getKr() const { return getTile()[1]; }
    /// Whether elements are stored as numbers of bf16; from one of an element to the next.
    bool isSplit() const { return getParts() > 1; }
    int64_t getPartStride() const { return getNr() * getKr(); }
    /// `()[s0, ...] -> (sizes)`: the row-major shape that is stored for a tensor of the shape s0, ...: the matrices,
    /// the panels of one, the groups of rows, the parts if there are several, nr, kr.
    ::mlir::AffineMap getStoredShapeMap() const;
    /// The same for a shape of known sizes; nothing where the elements reach `maxElements`.
    std::optional<::llvm::SmallVector<int64_t>> getStoredShape(::llvm::ArrayRef<int64_t> shape) const;
    /// What a tensor of `bits` bits an element takes; nothing where these are too many.
    std::optional<int64_t> getStoredBytes(::llvm::ArrayRef<int64_t> shape, unsigned bits) const;
    /// A panel of a matrix with `k` rows; `nibbles` is set.
    ::weft::NibblePanel getNibblePanel(int64_t k) const { return {getNr(), k, getNibbles()}; }
    /// The table of codes; None: elements are as their type says.
    ::weft::CodeTable getTable() const;
    /// A panel of a matrix with `k` rows; there is a table.
    ::weft::ScaledPanel getScaledPanel(int64_t k) const { return {getNr(), k, getGroup(), getTable()}; }
    /// The same layout of codes of a table.
    ::weft::LayoutAttr withCodes(::weft::CodeTable table, int64_t group) const;
    /// The same layout of codes that are narrow.
    ::weft::LayoutAttr asNarrow() const;
    /// The same layout with other symbols, or (null) without.
    ::weft::LayoutAttr withBounds(::weft::BoundsAttr bounds) const;
  }];
}

def Weft_CodePart : I32EnumAttr<"CodePart", "a part of a weight that is stored as codes", [
    I32EnumAttrCase<"Codes", 0, "codes">, I32EnumAttrCase<"Scales", 1, "scales">, I32EnumAttrCase<"Sums", 2, "sums">,
    I32EnumAttrCase<"Reals", 3, "reals">]> {
  let cppNamespace = "::weft";
  let genSpecializedAttr = 0;
}
def Weft_CodePartAttr : EnumAttr<Weft_Dialect, Weft_CodePart, "code_part"> {
  let assemblyFormat = "$value";
}

def Weft_CodedAttr : Weft_Attr<"Coded", "coded"> {
  let summary = "a part of a weight of the checkpoint that is stored as codes";
  let description = [{
    The elements w of a checkpoint's tensor become codes c, whole numbers with `|c| <= 127`, and a scale s for each place of
    the dimensions that are not `along`: `w ~ c * s`, with the s that loses least of these elements. The weight is
    one part: `codes` are the c (i8, the tensor's shape), `scales` the s (f32, the dimensions that are not `along`, in their order),
    `sums` the sums of the c over `along` (i32, like the scales). `shape` is the tensor's.

    With `bits = 4` a code is `c = (u - z) * m`: u of 0 to 15 is its own, the factor m and the zero z (of 0 to 15 both) are shared by
    `group` neighbours along the row, or by all of it; unless `asymmetric`, z is 7 or 8.

    Narrow codes (`narrow = true`, of 8 bits) are such that the elements 2 i and 2 i + 1 of a row come to at most 128 together, of either
    sign: their products with two bytes fit a word of 16 bits.

    With `table = "T"` an element is `T[code] * s`, rounded to f32, with a scale for each `group` neighbours along the row, or for all of it
    (weft/Support/CodeTable.h). The weight is all of it, `reals`: an f32 of the tensor's shape, which layouts store as codes.

    Examples: `weft.weight "w" coded <scales along [1] of [64, 768]> : tensor<64xf32>`,
    `weft.weight "w" coded <codes along [1] of [64, 768] bits = 4 group = 32> : tensor<64x768xi8>`,
    `weft.weight "w" coded <reals along [1] of [64, 768] bits = 4 group = 64 table = "nf4"> : tensor<64x768xf32>`.
  }];
  let parameters = (ins EnumParameter<Weft_CodePart>:$part, ArrayRefParameter<"int64_t">:$along,
                        ArrayRefParameter<"int64_t">:$shape, DefaultValuedParameter<"int64_t", "8">:$bits,
                        DefaultValuedParameter<"int64_t", "0">:$group,
                        DefaultValuedParameter<"bool", "false">:$asymmetric,
                        StringRefParameter<"name of a table", "\"\"">:$table,
                        DefaultValuedParameter<"bool", "false">:$narrow);
  let assemblyFormat = "`<` $part `along` ` ` `[` $along `]` `of` ` ` `[` $shape `]` (`bits` `=` $bits^)? "
                       "(`group` `=` $group^)? (`asymmetric` `=` $asymmetric^)? (`table` `=` $table^)? (`narrow` `=` $narrow^)? `>`";
  let builders = [AttrBuilder<(ins "::weft::CodePart":$part, "::llvm::ArrayRef<int64_t>":$along,
                                   "::llvm::ArrayRef<int64_t>":$shape, "const ::weft::CodeFormat &":$format), [{
    ::llvm::StringRef table = format.table == ::weft::CodeTable::None ? "" : ::llvm::StringRef(infoOf(format.table).name);
    return $_get($_ctxt, part, along, shape, format.bits, format.group, format.asymmetric, table, format.narrow);
  }]>];
  let extraClassDeclaration = [{
    /// The shape of the part.
    ::llvm::SmallVector<int64_t> getPartShape() const;
    ::mlir::Type getPartElement() const;
    /// The dimensions of the tensor that are not `along`.
    ::llvm::SmallVector<int64_t> getKeptDims() const;
    ::weft::CodeFormat getFormat() const;
  }];
}

def Weft_LoweringAttr : Weft_Attr<"Lowering", "lowering"> {
  let summary = "how a kernel becomes loops: the choice of `weft-assign-lowering`, as text";
  let description = [{
    `emitter` names what writes the kernel, `schedule` has a named field for everything that it could do in several ways:
    lanes, sizes of tiles and blocks, what a task is, whether tasks go to threads. The code is what the fields say. Which
    fields there are, and of what values, is the emitter's business, so targets share the attribute; a target verifies them
    before it writes a kernel. Fields are given in any order and printed in that of their names.

    Example: `#weft.lowering<"gemm", k = 768, panels = 3, parallel = true, rows = 128, tile = [8, 32], unroll = 4,
    width = 16>`.
  }];
  let parameters = (ins StringRefParameter<"emitter">:$emitter, "::mlir::DictionaryAttr":$schedule);
  let assemblyFormat = "`<` $emitter `` custom<Schedule>($schedule) `>`";
}

def Weft_GenerateAttr : Weft_Attr<"Generate", "generate"> {
  let summary = "what an entry generates, and along which dimension";
  let description = [{
    The entry's output `output` predicts what follows a sequence, which has as many positions as the symbol `along`
    says.

    Example: `#weft.generate<"logits", along = "T">`.
  }];
  let parameters = (ins StringRefParameter<"output">:$output, StringRefParameter<"symbol">:$along);
  let assemblyFormat = "`<` $output `,` `along` `=` $along `>`";
}

def Weft_StepAttr : Weft_Attr<"Step", "step"> {
  let summary = "which entry a step continues, and its numbers of positions";
  let description = [{
    After a call the sequence has as many positions as the symbol `length` says; the last `count` of them are new.

    Example: `#weft.step<@logits, length = "T", count = "N">`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$entry, StringRefParameter<"symbol">:$length,
                        StringRefParameter<"symbol">:$count);
  let assemblyFormat = "`<` $entry `,` `length` `=` $length `,` `count` `=` $count `>`";
  let genVerifyDecl = 1;
}

def Weft_CheckpointAttr : Weft_Attr<"Checkpoint", "checkpoint"> {
  let summary = "how the names of a checkpoint's tensors differ from the model's";
  let description = [{
    `prefix`: what may stand before every name of the file; `rename`: pairs of a pattern of the file's and of the
    model's names; `ignore`: patterns of tensors of the file that the model does not know; `unread`: weights that the
    model declares and does not read. All are lists of strings.

    Example: `#weft.checkpoint<prefix = ["model."], rename = ["{p}.gamma", "{p}.weight"], ignore = [], unread = []>`.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$prefix, "::mlir::ArrayAttr":$rename, "::mlir::ArrayAttr":$ignore,
                        "::mlir::ArrayAttr":$unread);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Weft_WorkAttr : Weft_Attr<"Work", "work"> {
  let summary = "what a call of a kernel does, for any sizes";
  let description = [{
    `symbols` are those that the kernel needs, in the order of the sizes of its launches. In these, `flops` counts operations
    on reals, `functions` exponentials and other functions, `bytes` what is read and written, `weights` what of that are
    weights; all four in postfix form (weft/Support/WorkCount.h). `unit` multiplies: none, f32, bf16 or int8, and `passes`
    times for each product, if factors are split.

    Example: `#weft.work<symbols = ["T"], unit = "f32", passes = 1, flops = "1179648 T *", functions = "0",
    bytes = "2359296 3072 T * + 3072 T * +", weights = "2359296">`.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$symbols, StringRefParameter<"unit">:$unit, "int64_t":$passes,
                        StringRefParameter<"count">:$flops, StringRefParameter<"count">:$functions,
                        StringRefParameter<"count">:$bytes, StringRefParameter<"count">:$weights);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Weft_ReduceKind : I32EnumAttr<"ReduceKind", "the combining function of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">, I32EnumAttrCase<"ArgMax", 5, "argmax">,
    I32EnumAttrCase<"ArgTop", 6, "argtop">]> {
  let cppNamespace = "::weft";
  let genSpecializedAttr = 0;
}
def Weft_ReduceKindAttr : EnumAttr<Weft_Dialect, Weft_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Weft_Normalizer : I32EnumAttr<"Normalizer", "what turns scores into weights", [
    I32EnumAttrCase<"Softmax", 0, "softmax">, I32EnumAttrCase<"LogSoftmax", 1, "log_softmax">,
    I32EnumAttrCase<"None", 2, "none">]> {
  let cppNamespace = "::weft";
  let genSpecializedAttr = 0;
}
def Weft_NormalizerAttr : EnumAttr<Weft_Dialect, Weft_Normalizer, "normalizer"> {
  let assemblyFormat = "$value";
}

#endif
