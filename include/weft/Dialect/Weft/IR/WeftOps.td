//===- WeftOps.td - the ops of the weft dialect ------------------------------------------------*- tablegen -*-===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTOPS_TD
#define WEFT_DIALECT_WEFT_IR_WEFTOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "weft/Dialect/Weft/IR/WeftDialect.td"
include "weft/Dialect/Weft/IR/WeftInterfaces.td"

def Weft_Data : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "tensor or buffer">;

class Weft_Op<string mnemonic, list<Trait> traits = []> : Op<Weft_Dialect, mnemonic, traits>;

/// An op that is one formula. The operands print as elements: `ins(%x[t, d] : tensor<...>)`.
class Weft_FormulaOp<string mnemonic, list<Trait> traits = []> : Weft_Op<mnemonic, traits # [
    SingleBlock, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Weft_FormulaOpInterface, ["getNumOutputIndices", "getFirstElementInput"]>,
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
    the input has dimensions; (C2) the body has one argument of the element type for each input and yields the
    element type of the output; (C3) the output's shape is the extent of the output indices, permuted by `output_map`;
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
                       AffineMapArrayAttr:$maps, OptionalAttr<AffineMapAttr>:$output_map);
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
                       Weft_IndexArrayAttr:$indices, AffineMapArrayAttr:$maps, OptionalAttr<AffineMapAttr>:$output_map);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$predicate);
  let assemblyFormat = [{
    `` $kind custom<IndexList>($indices) `` custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword $body (`where` $predicate^)? (`->` type($result)^)?
  }];
}

def Weft_ContractOp : Weft_FormulaOp<"contract"> {
  let summary = "sum of a product: what a matrix unit can do";
  let description = [{
    `result[o...] = epilogue(scale * sum(r...) lhs[...] * rhs[...], extras at maps(o...))`. The first two inputs are
    the factors, the others are read by the epilogue only, whose first argument is the sum (the identity if there is
    no epilogue region).

    Constraints: (C1), (C3)-(C5) of `weft.map`; (C6) of `weft.reduce`; (C8) at least two inputs, the factors of type
    f32; (C9) the maps of the extras do not use a reduced index; (C10) the epilogue's arguments are an f32 and one
    element for each extra, and it yields the element type of the output; without it there are no extras.

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
                       AffineMapArrayAttr:$maps, OptionalAttr<AffineMapAttr>:$output_map,
                       DefaultValuedAttr<F64Attr, "1.0">:$scale);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    custom<IndexList>($indices) `` custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword ($epilogue^)? (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getLhs() { return getInputs()[0]; }
    ::mlir::Value getRhs() { return getInputs()[1]; }
    ::mlir::OperandRange getExtras() { return getInputs().drop_front(2); }
  }];
}

def Weft_SoftmaxOp : Weft_FormulaOp<"softmax"> {
  let summary = "normalisation along one index";
  let description = [{
    `result[i...] = exp(e - m) / sum(axis where predicate) exp(e - m)` with `e = body(...)` and m the row's largest e;
    0 where the predicate fails; a row without any element is 0. With `log_softmax`, `e - m - log(sum)` (and -infinity
    where the predicate fails).

    Constraints: (C1)-(C5) of `weft.map`; (C7) of `weft.reduce`; (C11) `axis` is one of the indices.

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
                       OptionalAttr<AffineMapAttr>:$output_map);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$predicate);
  let assemblyFormat = [{
    `` $normalizer `axis` $axis custom<IndexList>($indices) ``
    custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword $body (`where` $predicate^)? (`->` type($result)^)?
  }];
}

def Weft_AttentionOp : Weft_FormulaOp<"attention"> {
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

    Constraints: (C1), (C3)-(C5) of `weft.map`; (C12) `2 * dots + 1` inputs at least, `dots` scales and a key index;
    (C13) no query depends on the key index, no value on the contracted indices; (C14) extras depend on output indices
    and the key index only, the bounds of the keys on output indices and `bound_symbols`; (C15) score and predicate have the arguments above and yield f32 and i1.

    Example: see test/Dialect/roundtrip.mlir.
  }];
  let arguments = (ins Weft_NormalizerAttr:$normalizer, Variadic<Weft_Data>:$inputs, Optional<AnyMemRef>:$output,
                       I64Attr:$dots, Weft_IndexArrayAttr:$indices, AffineMapArrayAttr:$maps,
                       OptionalAttr<AffineMapAttr>:$output_map, DenseF64ArrayAttr:$scales,
                       OptionalAttr<AffineMapAttr>:$key_lower, OptionalAttr<AffineMapAttr>:$key_upper,
                       OptionalAttr<StrArrayAttr>:$bound_symbols);
  let regions = (region SizedRegion<1>:$score, AnyRegion:$predicate);
  let assemblyFormat = [{
    `` $normalizer `dots` $dots `scales` custom<Scales>($scales) custom<IndexList>($indices) ``
    custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    (`outs` `(` $output^ `:` type($output) `)`)? attr-dict-with-keyword $score (`where` $predicate^)? (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    /// Position of the key index s in the index list.
    unsigned getKeyIndex() { return getNumOutputIndices(); }
    ::mlir::Value getQuery(unsigned i) { return getInputs()[2 * i]; }
    ::mlir::Value getKey(unsigned i) { return getInputs()[2 * i + 1]; }
    ::mlir::Value getValue() { return getInputs()[2 * getDots()]; }
    ::mlir::OperandRange getExtras() { return getInputs().drop_front(2 * getDots() + 1); }
  }];
}

def Weft_CheckOp : Weft_Op<"check", [SingleBlock]> {
  let summary = "a condition on run-time data that every element must meet";
  let description = [{
    If `body(inputs at maps(i...))` is false for some indices, the compiled function returns the error code `code`
    (WEFT_ERROR_INDEX = 2) instead of 0. Reads outside a tensor give 0 in the meantime, so nothing is undefined.

    Constraints: (C1) of `weft.map`; (C16) the body has one argument for each input and yields `i1`.

    Example:
    ```mlir
    weft.check "input_ids is out of range" [t in T to 1024] ins(%ids[t] : tensor<?xi32, #weft.bounds<T to 1024>>) {
    ^bb0(%0: i32):
      %c = arith.constant 50257 : i32
      %1 = arith.cmpi ult, %0, %c : i32
      weft.yield %1 : i1
    }
    ```
  }];
  let arguments = (ins StrAttr:$message, Variadic<Weft_Data>:$inputs, Weft_IndexArrayAttr:$indices,
                       AffineMapArrayAttr:$maps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $message custom<IndexList>($indices) `` custom<FormulaInputs>($inputs, type($inputs), $maps, ref($indices))
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Weft_WeightOp : Weft_Op<"weight", [Pure]> {
  let summary = "a parameter, by the name of its checkpoint tensor";
  let description = [{
    The result's shape is the parameter's view of the checkpoint tensor (the same row-major elements), or the packed
    shape if `pack` is set. Where a name has `{N}` in it, a leading dimension runs over N tensors, whose names have a
    number from 0 to N - 1 in its place. `tied` lists names to try in order if the checkpoint lacks `name`. `offset` is the place in
    the weights file, set at stage `kernels`, where the result is a buffer. The values are never in the IR.

    Example: `%w = weft.weight "transformer.wte.weight" : tensor<50257x768xf32>`.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<StrArrayAttr>:$tied, OptionalAttr<Weft_PackAttr>:$pack,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Weft_Data:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Weft_BufferOp : Weft_Op<"buffer", [Pure]> {
  let summary = "a buffer at its planned place in the arena (stage `kernels`)";
  let description = [{
    `offset` and `bytes` (for the largest sizes) place the buffer in the arena of the function; it is live from kernel
    call number `first` to `last` of its function. Example:
    `%b = weft.buffer offset 4096 bytes 3072 live 2 to 5 : memref<?x768xf32>`.
  }];
  let arguments = (ins I64Attr:$offset, I64Attr:$bytes, I64Attr:$first, I64Attr:$last);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`offset` $offset `bytes` $bytes `live` $first `to` $last attr-dict `:` type($result)";
}

def Weft_AppendOp : Weft_Op<"append", [Pure, AllTypesMatch<["cache", "result"]>]> {
  let summary = "new rows behind those that a cache holds";
  let description = [{
    `result[i, ...] = rows[i - (length - n), ...]` for `length - n <= i < length`, with n the number of rows, and
    `cache[i, ...]` elsewhere: the symbol `length` counts the rows with the new ones. Made by `weft-derive-step` only.
    At stage `kernels` the result is the cache itself, and the rows are written where they belong (`weft.slot`).

    Constraints: (C20) the cache is static, but for its first dimension the rows have its shape and element type, and
    their first dimension is a symbol.

    Example: `%k = weft.append %rows to %cache length "T" : tensor<?x8x64xf32, #weft.bounds<N to 32>>, tensor<32x8x64xf32>`.
  }];
  let arguments = (ins AnyRankedTensor:$rows, AnyRankedTensor:$cache, StrAttr:$length);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$rows `to` $cache `length` $length attr-dict `:` type($rows) `,` type($cache)";
  let hasVerifier = 1;
}

def Weft_SlotOp : Weft_Op<"slot", [Pure]> {
  let summary = "the place of new rows in a cache (stage `kernels`)";
  let description = [{
    The rows `length - count .. length - 1` of `cache`, as a buffer of their own; both are symbols. Example:
    `%r = weft.slot %cache length "T" count "N" : memref<32x8x64xf32> to memref<?x8x64xf32>`.
  }];
  let arguments = (ins AnyMemRef:$cache, StrAttr:$length, StrAttr:$count);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$cache `length` $length `count` $count attr-dict `:` type($cache) `to` type($result)";
}

def Weft_SizeOp : Weft_Op<"size", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the run-time value of a symbol";
  let description = "Example: `%n = weft.size \"T\" : index`. Allowed anywhere, regions of formulas included.";
  let arguments = (ins StrAttr:$symbol);
  let results = (outs Index:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Weft_IndexOp : Weft_Op<"index", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the value of an index of the enclosing formula";
  let description = [{
    Example: `%t = weft.index 0` is the value of the formula's first index. (C17) The enclosing formula op has that
    many indices; in a score, predicate or epilogue region only indices that are fixed there may be asked for.
  }];
  let arguments = (ins I64Attr:$position);
  let results = (outs Index:$result);
  let assemblyFormat = "$position attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Weft_AtOp : Weft_Op<"at", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"the result is the element type of the source", "source", "result",
                   "::llvm::cast<::mlir::ShapedType>($_self).getElementType()">]> {
  let summary = "an element at computed coordinates; 0 outside the tensor";
  let description = [{
    Reads `source[coordinates...]` inside a region of a formula; a coordinate outside its dimension gives 0 (padding).
    With `inbounds` the coordinates are known to be in range, for every value of the indices.

    Constraints: (C18) one coordinate for each dimension; the result is the element type.

    Example: `%v = weft.at %table[%id, %d] : tensor<50257x768xf32>`.
  }];
  let arguments = (ins Weft_Data:$source, Variadic<Index>:$coordinates, UnitAttr:$inbounds);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $coordinates `]` (`inbounds` $inbounds^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Weft_InnerOp : Weft_Op<"inner", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a small reduction inside a scalar region";
  let description = [{
    `result = kind over r of body(r)`, for scores such as `sum(e) v[e] * tanh(q[t, e] + k[s, e])` that are no product.
    The body's argument is the index value and it yields an f32.

    Constraints: (C19) `kind` is sum, mean, max, min or prod; the body takes an index and yields f32.

    Example:
    ```mlir
    %r = weft.inner sum (e in E = 64) {
    ^bb0(%e: index):
      %x = weft.at %v[%h, %e] : tensor<8x64xf32>
      weft.yield %x : f32
    }
    ```
  }];
  let arguments = (ins Weft_ReduceKindAttr:$kind, Weft_IndexAttr:$range);
  let results = (outs F32:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`` $kind custom<ParenthesizedIndex>($range) attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Weft_YieldOp : Weft_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "the value of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
