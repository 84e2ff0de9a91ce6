//===- WeftFormulaOps.td - the ops that are formulas ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Constraints are numbered through the whole dialect; messages of the verifiers name them.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTFORMULAOPS_TD
#define WEFT_DIALECT_WEFT_IR_WEFTFORMULAOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "weft/Dialect/Weft/IR/WeftDialect.td"
include "weft/Dialect/Weft/IR/WeftInterfaces.td"

def Weft_Data : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "tensor or buffer">;

/// (C26) Tensors and buffers have storage types, and no layout but ours.
def Weft_StoresElements : NativeOpTrait<"StoresElements">, StructuralOpTrait {
  let cppNamespace = "::weft";
}

class Weft_Op<string mnemonic, list<Trait> traits = []>
    : Op<Weft_Dialect, mnemonic, traits # [Weft_StoresElements]>;

/// An op that is one formula. The operands print as elements: `ins(%x[t, d] : tensor<...>)`.
/// `indexed` are the methods of IndexedOpInterface whose default does not serve.
class Weft_FormulaOp<string mnemonic, list<string> indexed = []> : Weft_Op<mnemonic, [
    SingleBlock, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Weft_IndexedOpInterface, ["getNumOutputIndices"] # indexed>,
    DeclareOpInterfaceMethods<Weft_FormulaOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;
}

def Weft_MapOp : Weft_FormulaOp<"map"> {
  let summary = "element-wise formula or gather";
  let description = [{
    `result[i...] = body(inputs at maps(i...))`.

    The canonical form reads each element once, as an input wherever its place is affine and in range; the input of an
    identity is used in its place.

    Constraints: (C1) one map for each input, with one dimension for each index and no symbols, and as many results as
    the input has dimensions; (C2) the body has one argument of the compute type for each input and yields the
    compute type of the output; (C3) the output's shape is the extent of the output indices, permuted by `output_maps`;
    (C4) an affine access is in range for every value of the indices and symbols (an access that leaves its tensor at an
    end of their ranges is refused); (C5) the encoding of a dynamic type names the
    symbols of its indices.

    Example:
    ```mlir
    %y = weft.map [t in T to 1024, d in D = 64] ins(%x[t, d], %b[d] : tensor<?x64xf32, #weft.bounds<T to 1024>>, tensor<64xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      weft.yield %2 : f32
    } -> tensor<?x64xf32, #weft.bounds<T to 1024>>
    ```
  }];
  let arguments = (ins Variadic<Weft_Data>:$inputs, Optional<AnyMemRef>:$output, Weft_IndexArrayAttr:$indices,
                       AffineMapArrayAttr:$maps, OptionalAttr<AffineMapArrayAttr>:$output_maps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<IndexList>($indices) `` custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword $body (`->` type($result)^)?
  }];
}

def Weft_ReduceOp : Weft_FormulaOp<"reduce"> {
  let summary = "a reduction over the last indices";
  let description = [{
    `result[o...] = kind over r... where predicate of body(inputs at maps(o..., r...))`. The first indices are the
    output's, the others are reduced. `mean` divides by the number of elements for which the predicate holds. An empty
    `sum`, `mean`, `max` or `min` is 0, an empty `prod` 1, an empty `argmax` 0. `argmax` gives the first index of
    the largest element; `argtop` the index of the j-th largest (ties by smaller index), where its body yields the
    value and j.

    Constraints: (C1)-(C5) of `weft.map`, but `argmax` yields any number, and `argtop` a number and an `index`; (C6) at
    least one index is reduced, exactly one for `argmax` and `argtop`; (C7) the predicate has the body's arguments and
    yields `i1`.

    Example:
    ```mlir
    %m = weft.reduce mean [t in T to 1024, d in D = 64] ins(%x[t, d] : tensor<?x64xf32, #weft.bounds<T to 1024>>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } -> tensor<?xf32, #weft.bounds<T to 1024>>
    ```
  }];
  let arguments = (ins Weft_ReduceKindAttr:$kind, Variadic<Weft_Data>:$inputs, Optional<AnyMemRef>:$output,
                       Weft_IndexArrayAttr:$indices, AffineMapArrayAttr:$maps, OptionalAttr<AffineMapArrayAttr>:$output_maps);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$predicate);
  let assemblyFormat = [{
    `` $kind custom<IndexList>($indices) `` custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword
    custom<BodyAndPredicate>($body, $predicate) (`->` type($result)^)?
  }];
}

def Weft_ContractOp : Weft_FormulaOp<"contract", ["getFirstElementInput", "getNumFixedIndices", "isReduced"]> {
  let summary = "sum of a product: what a matrix unit can do";
  let description = [{
    `result[o...] = epilogue(scale * sum(r...) lhs[...] * rhs[...], extras at maps(o...))`. The first two inputs are
    the factors, the others are read by the epilogue only, whose first argument is the sum (the identity if there is
    no epilogue region).

    Factors of integers are multiplied and summed up in i32, without a scale; an epilogue says what becomes of the sum.
    An integer times an f32 is an f32; kernels of a weight whose codes stand for whole numbers sum each group's up exactly.

    With `chosen` data say which of many matrices is multiplied, as a router says which expert: the last index, e, is not
    summed over, its value is the element of the third input, `result[o...] = epilogue(scale * sum(r...) lhs[...] *
    rhs[...], extras...)` at `e = choice[o...]`, or 0 where that is outside of the index. Made by `weft-form-choices` only.

    With `apart` the last index (before that of a chosen matrix) is not summed over either: each of its values has a sum
    of its own, and these are the first arguments of the epilogue, as the halves of an activation that is stored as two
    codes are. Made by `weft-code-weights` only.

    Constraints: (C1), (C3)-(C5) of `weft.map`; (C6) of `weft.reduce`; (C8) at least two inputs, the factors both of
    reals, computed in f32, or both of integers of 8 bits, or one of signed integers of 8 bits (i8) and one of f32; (C9) the maps of the extras do not use a reduced index; (C10) the epilogue's arguments are the sum, an f32 (of integers alone an i32), or the sums, and one
    element for each extra, and it yields the compute type of the output; without it the output has
    the sums, in f32 or fewer bits (of integers alone in i32), and there are no extras; (C17) with `chosen` the third input is of i32 and its map
    uses output indices alone, the size of the last index is known, and something is summed over beside it; (C18) with
    `apart` there is an epilogue, no input that it reads uses that index, the size of which is 1 to 8, and something is summed over beside it.

    Example:
    ```mlir
    %y = weft.contract [t in T to 1024, f in F = 256, d in D = 64]
        ins(%x[t, d], %w[f, d], %b[f] : tensor<?x64xf32, #weft.bounds<T to 1024>>, tensor<256x64xf32>, tensor<256xf32>) {
    ^bb0(%sum: f32, %bias: f32):
      %0 = arith.addf %sum, %bias : f32
      weft.yield %0 : f32
    } -> tensor<?x256xf32, #weft.bounds<T to 1024>>
    ```
  }];
  let arguments = (ins Variadic<Weft_Data>:$inputs, Optional<AnyMemRef>:$output, Weft_IndexArrayAttr:$indices,
                       AffineMapArrayAttr:$maps, OptionalAttr<AffineMapArrayAttr>:$output_maps,
                       DefaultValuedAttr<F64Attr, "1.0">:$scale, UnitAttr:$chosen, UnitAttr:$apart);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    custom<IndexList>($indices) `` custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword ($epilogue^)? (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getLhs() { return getInputs()[0]; }
    ::mlir::Value getRhs() { return getInputs()[1]; }
    ::mlir::OperandRange getExtras() { return getInputs().drop_front(getFirstElementInput()); }
    /// Of a chosen matrix: the input that says which one, and the index that has its value.
    static constexpr unsigned kChoice = 2;
    unsigned getChosenIndex() { return getIndices().size() - 1; }
    /// The indices that are summed over.
    ::llvm::SmallVector<unsigned> getSummed();
    /// The index whose values have sums of their own, and how many sums an element of the result is made of.
    std::optional<unsigned> getApartIndex();
    int64_t getNumSums();
    /// What sums are: f32, or i32 if both factors are integers.
    ::mlir::Type getSumType();
  }];
}

def Weft_SoftmaxOp : Weft_FormulaOp<"softmax", ["rewriteIndexAttributes", "isReduced"]> {
  let summary = "normalisation along one index";
  let description = [{
    `result[i...] = exp(e - m) / sum(axis where predicate) exp(e - m)` with `e = body(...)` and m the row's largest e;
    0 where the predicate fails; a row without any element is 0. With `log_softmax`, `e - m - log(sum)` (and -infinity
    where the predicate fails).

    Constraints: (C1)-(C5) of `weft.map`; (C7) of `weft.reduce`; (C11) `axis` is one of the indices, and the output
    of f32: it holds the exponentials before they are divided by their sum.

    Example:
    ```mlir
    %p = weft.softmax softmax axis 1 [t in T to 8, s in T to 8] ins(%x[t, s] : tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>) {
    ^bb0(%0: f32):
      weft.yield %0 : f32
    } where {
    ^bb0(%0: f32):
      %t = weft.index 0
      %s = weft.index 1
      %c = arith.cmpi sle, %s, %t : index
      weft.yield %c : i1
    } -> tensor<?x?xf32, #weft.bounds<T to 8, T to 8>>
    ```
  }];
  let arguments = (ins Weft_NormalizerAttr:$normalizer, Variadic<Weft_Data>:$inputs, Optional<AnyMemRef>:$output,
                       I64Attr:$axis, Weft_IndexArrayAttr:$indices, AffineMapArrayAttr:$maps,
                       OptionalAttr<AffineMapArrayAttr>:$output_maps);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$predicate);
  let assemblyFormat = [{
    `` $normalizer `axis` $axis custom<IndexList>($indices) ``
    custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword
    custom<BodyAndPredicate>($body, $predicate) (`->` type($result)^)?
  }];
}

def Weft_RowOp : Weft_FormulaOp<"row", ["rewriteIndexAttributes", "isReduced"]> {
  let summary = "reductions along one index and what is made of them: made by `weft-fuse-rows` only";
  let description = [{
    `result[i...] = element(s_0, ..., s_n, inputs at maps(i...))` with the *statistics* of a row
    `s_j = kinds[j] over axis of reductions[j](s_0, ..., s_{j-1}, inputs at maps(i...))`: a norm, a softmax written by
    hand. What several regions need of an element, each computes.

    The element region yields a value for each output. An output whose map lacks the axis has an element for each row: a
    statistic that is read elsewhere, too, or what is computed from statistics.

    Constraints: (C1), (C3)-(C5) of `weft.map`; (C29) `axis` is one of the indices, and there are as many `kinds` as
    reductions, at least one, each sum, mean, max, min or prod; (C30) reduction j has j arguments of f32, the statistics
    before it, and one for each input, and yields f32; (C31) the element region has the statistics and the inputs as
    arguments and yields the compute type of each output; (C32) the first output has all indices, a further one may lack
    the axis, and then its value does not depend on it.

    Example:
    ```mlir
    %y = weft.row axis 1 [t in T to 1024, d in D = 64] ins(%x[t, d] : tensor<?x64xf32, #weft.bounds<T to 1024>>) sum {
    ^bb0(%0: f32):
      %1 = math.absf %0 : f32
      weft.yield %1 : f32
    } element {
    ^bb0(%sum: f32, %0: f32):
      %1 = arith.divf %0, %sum : f32
      weft.yield %1 : f32
    } -> tensor<?x64xf32, #weft.bounds<T to 1024>>
    ```
  }];
  let arguments = (ins Variadic<Weft_Data>:$inputs, Variadic<AnyMemRef>:$outputs, I64Attr:$axis,
                       TypedArrayAttrBase<Weft_ReduceKindAttr, "kinds of reductions">:$kinds,
                       Weft_IndexArrayAttr:$indices, AffineMapArrayAttr:$maps,
                       OptionalAttr<AffineMapArrayAttr>:$output_maps);
  let regions = (region SizedRegion<1>:$element, VariadicRegion<SizedRegion<1>>:$reductions);
  let assemblyFormat = [{
    `axis` $axis custom<IndexList>($indices) ``
    custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? attr-dict-with-keyword
    custom<RowRegions>($kinds, $reductions, $element) (`->` type($results)^)?
  }];
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let extraClassDeclaration = [{
    unsigned getNumReductions() { return getReductions().size(); }
    ReduceKind getKind(unsigned reduction) {
      return ::llvm::cast<ReduceKindAttr>(getKinds()[reduction]).getValue();
    }
    /// Whether the output has an element for every value of the axis, not one for a row.
    bool isAlongAxis(unsigned output);
    /// For each reduction on how many it rests that follow from each other: 0 needs the inputs only.
    ::llvm::SmallVector<unsigned> getLevels();
  }];
}

def Weft_AttentionOp : Weft_FormulaOp<"attention", [
    "getFirstElementInput", "getNumFixedIndices", "rewriteIndexAttributes"]> {
  let summary = "fused attention: made by `weft-fuse-attention` only";
  let description = [{
    `result[o...] = sum(s) weight(s) * value[...]` with
    `weight = normalizer over s where predicate of score(scales[i] * sum(c_i) query_i[...] * key_i[...], extras[...])`.
    The n x n tensors of scores and weights never exist: keys are visited in tiles with a running maximum and sum
    (Milakov and Gimelshein 2018; Dao et al. 2022). With the normaliser `none` the score is the weight itself.

    The indices are the output's, then the key index s, then one contracted index or more for each dot product. Inputs
    are `query_0, key_0, query_1, key_1, ...` (`dots` pairs), then the value, then the extras. The score region's
    arguments are the dot products and the extras' elements; the predicate's are the extras' elements.

    `key_lower` and `key_upper`, if set by `weft-fuse-mask`, are affine maps of the output indices that bound the keys
    for which the predicate can hold: `max(key_lower) <= s < min(key_upper)`; they are applied in addition to the
    predicate region, which then holds only what they do not express (and is absent if they say all).
    Symbols of the maps are the values of the model's run-time dimensions named by `bound_symbols`.

    A second output, if there is one, holds for each row of scores the logarithm of the sum of their exponentials over
    the keys that are seen: what adjoints and attentions over parts of the keys need. It is +infinity for a row without
    keys, so that `exp(score - log-sum)` is the weight in any case. With the normaliser `none` it is the sum of the
    weights themselves. A third output, of softmaxes, holds the largest score that the row sees, minus infinity for a row
    without keys.

    Scores, exponentials and sums are f32. Where there are queries and keys, and they and values are all stored in bf16,
    weights are rounded to bf16 where they multiply values: those of a softmax before they are divided by their sum,
    relative to the power of two at or above the row's largest exponential, the sum being that of what they were before.
    With a third output they are relative to the largest one itself, which may be that of the keys so far.

    Constraints: (C1), (C3)-(C5) of `weft.map`; (C12) `2 * dots + 1` inputs at least, `dots` scales and a key index;
    queries, keys, values and the output of reals, computed in f32, though an output of f32 may hold sums over some keys;
    (C13) no query depends on the key index, no value on the contracted indices; (C14) extras depend on output indices
    and the key index only, the bounds of the keys on output indices and `bound_symbols`; (C15) score and predicate have the arguments above and yield f32 and i1;
    (C28) at most two outputs, three with the normaliser `softmax`, those behind the first of f32, with all indices on which
    weights depend.

    Example: see test/Dialect/roundtrip.mlir.
  }];
  let arguments = (ins Weft_NormalizerAttr:$normalizer, Variadic<Weft_Data>:$inputs, Variadic<AnyMemRef>:$outputs,
                       I64Attr:$dots, Weft_IndexArrayAttr:$indices, AffineMapArrayAttr:$maps,
                       OptionalAttr<AffineMapArrayAttr>:$output_maps, DenseF64ArrayAttr:$scales,
                       OptionalAttr<AffineMapAttr>:$key_lower, OptionalAttr<AffineMapAttr>:$key_upper,
                       OptionalAttr<StrArrayAttr>:$bound_symbols);
  let regions = (region SizedRegion<1>:$score, AnyRegion:$predicate);
  let assemblyFormat = [{
    `` $normalizer `dots` $dots `scales` custom<Scales>($scales) custom<IndexList>($indices) ``
    custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? attr-dict-with-keyword
    custom<BodyAndPredicate>($score, $predicate) (`->` type($results)^)?
  }];
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let extraClassDeclaration = [{
    ::mlir::Value getOutput() { return getOutputs().empty() ? ::mlir::Value() : getOutputs().front(); }
    /// Whether the weight of a key depends on the index at `position`.
    bool weightDependsOn(unsigned position);
    /// Whether rows differ for different values of that output index: their weights, or how their sums are stored.
    bool selectsRow(unsigned position);
    /// Whether the largest score of a row is an output.
    bool hasLargest() { return ::llvm::cast<FormulaOpInterface>(getOperation()).getNumOutputs() > 2; }
    /// Position of the key index s in the index list.
    unsigned getKeyIndex() { return getNumOutputIndices(); }
    ::mlir::Value getQuery(unsigned i) { return getInputs()[2 * i]; }
    ::mlir::Value getKey(unsigned i) { return getInputs()[2 * i + 1]; }
    ::mlir::Value getValue() { return getInputs()[2 * getDots()]; }
    ::mlir::OperandRange getExtras() { return getInputs().drop_front(2 * getDots() + 1); }
  }];
}

#endif
