//===- WeftOps.td - the ops of the weft dialect ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTOPS_TD
#define WEFT_DIALECT_WEFT_IR_WEFTOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "weft/Dialect/Weft/IR/WeftFormulaOps.td"

def Weft_CheckOp : Weft_Op<"check", [
    SingleBlock, DeclareOpInterfaceMethods<Weft_IndexedOpInterface, ["getNumOutputIndices"]>]> {
  let summary = "a condition on run-time data that every element must meet";
  let description = [{
    If `body(inputs at maps(i...))` is false for some indices, the compiled function returns the error code
    WEFT_ERROR_INDEX (2) instead of 0. Reads outside a tensor give 0 in the meantime, so nothing is undefined.

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
    The result's shape is the parameter's view of the checkpoint tensor (the same row-major elements); how the weights
    file stores them is the type's layout. Where a name has `{N}` in it, a leading dimension runs over N tensors, whose names have a
    number from 0 to N - 1 in its place. `tied` lists names to try in order if the checkpoint lacks `name`. `offset` is the place in
    the weights file, set at stage `kernels`, where the result is a buffer. The values are never in the IR. With `coded` it is a
    part of a weight that is stored as codes (`weft-code-weights` makes such).

    Constraints: (C33) a coded part has the shape and the elements that its `coded` says.

    Example: `%w = weft.weight "transformer.wte.weight" : tensor<50257x768xf32>`.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<Weft_CodedAttr>:$coded, OptionalAttr<StrArrayAttr>:$tied,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Weft_Data:$result);
  let assemblyFormat = "$name (`coded` $coded^)? attr-dict `:` type($result)";
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

def Weft_LocalOp : Weft_Op<"local", [MemoryEffects<[MemAlloc]>]> {
  let summary = "what one product of a kernel makes for the epilogue of the next (stage `kernels`)";
  let description = [{
    A buffer of a kernel of several products, each task of which holds its own part of it, on its stack: a product writes it, and a later
    one's epilogue reads each element where it stores its own. Made by `weft-chain-products`.

    Constraints: (C34) one product of a packed factor writes it; others behind it, of the same rows (which choose the same, if data choose) and of a factor of the
    same type, read it, as inputs of their epilogues at the place of their own result; nothing else has it.

    Example: `%gate = weft.local : memref<?x5632xf32>`.
  }];
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Weft_AppendOp : Weft_Op<"append", [Pure, AllTypesMatch<["cache", "result"]>]> {
  let summary = "new rows behind those that a cache holds";
  let description = [{
    `result[..., i, ...] = rows[..., i - (length - n), ...]` for `length - n <= i < length`, with n the number of rows, and
    `cache[..., i, ...]` elsewhere: the symbol `length` counts the rows with the new ones. Rows are counted by the dimension of
    `rows` that is dynamic, the first one or a later one. Made by `weft-derive-step` only.
    At stage `kernels` the result is the cache itself, and the rows are written where they belong (`weft.slot`).

    Constraints: (C20) the cache is static, the rows have its element type and, but for one dimension, which is a symbol,
    its shape.

    Example: `%k = weft.append %rows to %cache length "T" : tensor<8x?x64xf32, #weft.bounds<N to 32>>, tensor<8x32x64xf32>`.
  }];
  let arguments = (ins AnyRankedTensor:$rows, AnyRankedTensor:$cache, StrAttr:$length);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$rows `to` $cache `length` $length attr-dict `:` type($rows) `,` type($cache)";
  let extraClassDeclaration = [{
    /// The dimension that counts rows.
    unsigned getRowDim();
  }];
  let hasVerifier = 1;
}

def Weft_SlotOp : Weft_Op<"slot", [Pure]> {
  let summary = "the place of new rows in a cache (stage `kernels`)";
  let description = [{
    The rows `length - count .. length - 1` of `cache`, as a buffer of their own; both are symbols. Rows are counted by the
    buffer's dynamic dimension; if that is not the first one, its strides are the cache's. Examples:
    `%r = weft.slot %cache length "T" count "N" : memref<32x64xf32> to memref<?x64xf32>`,
    `%s = weft.slot %heads length "T" count "N" : memref<8x32x64xf32> to memref<8x?x64xf32, strided<[2048, 64, 1]>>`.
  }];
  let arguments = (ins AnyMemRef:$cache, StrAttr:$length, StrAttr:$count);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$cache `length` $length `count` $count attr-dict `:` type($cache) `to` type($result)";
  let extraClassDeclaration = [{
    /// From one row to the next.
    int64_t getRowBytes();
  }];
}

def Weft_LaunchOp : Weft_Op<"launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel at work on buffers (stages `kernels` and `loops`)";
  let description = [{
    Runs `kernel` on the buffers `inputs`, which it reads, and `outputs`, which it writes, and on the values of the
    symbols `sizes`: those that it needs, in the order of the module's. A check writes the status of the model's call
    instead of a buffer. How a kernel is run is the target's business: by a call, with its tasks on threads, by a launch on
    a device.

    Constraints: (C25) `kernel` is a function with `weft.kernel`; as long as its arguments are buffers, they have the types
    of inputs and outputs.

    Example: `weft.launch @y.map ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) sizes ["T"]`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$sizes);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`sizes` $sizes^)? attr-dict
  }];
}

def Weft_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "pointer">;

def Weft_AddressOp : Weft_Op<"address", [Pure]> {
  let summary = "a pointer to the first element of a buffer (stage `loops`)";
  let description = [{
    A kernel keeps its buffers as arguments as long as something launches it with buffers, and reaches their elements by
    pointers. At stage `llvm-dialect` the arguments are these pointers (`weft-lower-addresses`).

    Constraints: (C27) the memory space of the buffer is a number, and the pointer's.

    Example: `%p = weft.address %x : memref<?x64xf32, 1> to !llvm.ptr<1>`.
  }];
  let arguments = (ins AnyMemRef:$buffer);
  let results = (outs Weft_Pointer:$pointer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `to` type($pointer)";
  let hasVerifier = 1;
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
  let builders = [OpBuilder<(ins "uint64_t":$position), [{
    build($_builder, $_state, $_builder.getIndexType(), position);
  }]>];
  let assemblyFormat = "$position attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Weft_AtOp : Weft_Op<"at", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"the result is what elements of the source are computed in", "source", "result",
                   "::weft::getComputeType(::llvm::cast<::mlir::ShapedType>($_self).getElementType())">]> {
  let summary = "an element at computed coordinates; 0 outside the tensor";
  let description = [{
    Reads `source[coordinates...]` inside a region of a formula; a coordinate outside its dimension gives 0 (padding).
    With `inbounds` the coordinates are known to be in range, for every value of the indices.

    Constraints: (C18) one coordinate for each dimension; the result has the compute type of the elements.

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
