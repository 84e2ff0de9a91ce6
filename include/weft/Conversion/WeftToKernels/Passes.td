//===- Passes.td - from formulas on tensors to kernels on buffers ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_WEFTTOKERNELS_PASSES_TD
#define WEFT_CONVERSION_WEFTTOKERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLayout : Pass<"weft-assign-layout", "::mlir::ModuleOp"> {
  let summary = "choose the order in which the dimensions of every intermediate tensor are stored";
  let description = [{
    Index order is free in a formula; in memory it decides whether a projection is one matrix product. A tensor that a
    contraction with a weight reduces is stored with the reduced dimensions last, in the weight's order; else a tensor
    that such a contraction makes is stored as rows of the activation times columns of the weight; element-wise
    formulas carry the order on; the rest keeps the declared order, as do inputs and outputs of entries. The choice is
    one for a tensor across all calls, and for a part of a state across the entries that make and read it. Only types
    and maps change:

    ```mlir
    %q = weft.contract [h in H = 4, t in T to 8, c in C = 16, d in D = 64] ins(%x[t, d], %w[h, c, d] : ...)
      -> tensor<4x?x16xf32, ...>          // becomes output_maps [(t, h, c)] and tensor<?x4x16xf32, ...>
    ```
  }];
  let statistics = [Statistic<"numPermuted", "permuted", "tensors stored in another order than declared">];
}

def OrderCopies : Pass<"weft-order-copies", "::mlir::ModuleOp"> {
  let summary = "store rows of products in the order in which they are read";
  let description = [{
    A map that a product with a weight alone reads as rows, such as the windows of a convolution, is stored with that dimension
    last, of those that are summed over, along which what it reads lies, if it is longer than the last one: it is copied in vectors
    then. The weight's panels, which have what is summed over in the order of the rows, follow:

    ```mlir
    %r = weft.map [t in T = 15, c in C = 64, u in 3] ins(%x[t * 2 + u, c] : ...) -> tensor<15x64x3xf32>   // becomes tensor<15x3x64xf32>
    %y = weft.contract [t in T = 15, n in N = 32, c in C = 64, u in 3] ins(%r[t, c, u], %w[n, c, u] : ...) -> ...
    ```
    Rows of codes that share a factor or a word are left: these lie in the checkpoint's order.
  }];
  let statistics = [Statistic<"numOrdered", "ordered", "maps stored in another order">];
}

def PackWeights : Pass<"weft-pack-weights", "::mlir::ModuleOp"> {
  let summary = "store the weights of products in panels of a vector register's multiple";
  let description = [{
    A weight that is the factor of a product with an activation whose columns the output stores side by side gets the
    layout `#weft.layout<n = ..., k = ..., tile = [nr, 1]>`: K the reduced dimensions in the order of the activation's
    storage, N those of the columns in the order of the output's, `batch` those of both factors. Only types change.

    A weight is stored once, whichever entries and layers read it, in the layout that most products want; the others
    read it as it is. Where another layout is wanted by a product of at least 16 rows it is stored a second time, as a
    weight of the same name that is passed through arguments of its own: a product that walks through panels across
    them takes three times as long, and what it costs is the memory of one weight.

    Codes of 4 bits lie in panels of nibbles, those of a table that is read at computed places alone in panels of one row.
    With `nr = 0` only they are packed, all in panels of one column, and codes of 8 bits that lie across the rows of their product.
  }];
  let options = [Option<"nr", "nr", "int64_t", /*default=*/"32", "columns of a panel; 0: codes alone">];
  let statistics = [Statistic<"numPacked", "packed", "weights stored in panels">,
                    Statistic<"numForms", "forms", "weights stored once more, in other panels">];
}

def TurnProducts : Pass<"weft-turn-products", "::mlir::ModuleOp"> {
  let summary = "store products of matrices that the last index numbers one after the other";
  let description = [{
    Of a product of two activations whose output's last stored index numbers the matrices, neither factor has columns that the
    output stores side by side. Its result is stored with matrices first and columns last, the factor of its rows is copied
    into the order of its sums, and a copy of the result is what others read:

    ```mlir
    %u = weft.contract [i in T to 128, j in T to 128, c in C = 64, k in T to 128] ins(%a[i, k, c], %b[j, k, c] : ...) -> ...
    // %u.rows = weft.map [c, i, k] of %a[i, k, c]; %0 = weft.contract ... ins(%u.rows[c, i, k], %b[j, k, c]) -> tensor<64x?x?xf32, ...>
    // %u.turned = weft.map [i, j, c] of %0[c, i, j]
    ```
    Rows, columns and sums have at least 16 elements. A module that generates is left: a step has fewer, and adds up as the whole.
  }];
  let statistics = [Statistic<"numTurned", "turned", "products whose result is stored so">];
}

def PackOperands : Pass<"weft-pack-operands", "::mlir::ModuleOp"> {
  let summary = "panels for the factors of products that are no weights";
  let description = [{
    The factor of a product of two activations whose columns the output stores side by side is copied by a map whose
    result has the layout of panels; the product reads the copy. Copies are shared. Products of less than 8 reduced
    elements or half a panel of columns are left, and those of fewer than 16 rows in a module that does not generate: in one that does
    rows have the same bits whatever their number, so all products add up as those of the whole do. Keys and values of an attention
    are copied in the same way where more than 128 queries, or queries of a group of heads, share them (a step's new positions count as
    one): the keys are the columns of its scores, the values those of its results.
  }];
  let options = [Option<"nr", "nr", "int64_t", /*default=*/"32", "columns of a panel">];
  let statistics = [Statistic<"numPacked", "packed", "copies in panels">];
}

def SplitRows : Pass<"weft-split-rows", "::mlir::ModuleOp"> {
  let summary = "store the rows of products whose factors are split as units multiply them";
  let description = [{
    Of a product of parts (`weft.parts`) `weft-pack-weights` has put the weight into panels of 32 columns. The other factor gets the
    layout of tiles of rows, `#weft.layout<parts = p, n = ..., k = ..., tile = [32, 32]>`: where it is made, if only such products
    read it, by a copy otherwise, which they share.
  }];
  let statistics = [Statistic<"numStored", "stored", "tensors that are stored so where they are made">,
                    Statistic<"numCopied", "copied", "copies">];
}

def OutlineKernels : Pass<"weft-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "make every formula a kernel function on buffers";
  let description = [{
    Results become output arguments, tensors become buffers, and each formula moves into a private function
    (`weft.kernel`) that holds it alone. Kernels that are equal but for names are one. Entries and layers are left as
    lists of calls between buffers, whose places `weft-plan-memory` chooses. With `pad-rows` the rows of bf16 or codes that
    products multiply begin an odd number of lines of 64 bytes apart (`strided<[K + 32, 1]>`), as a matrix unit loads a line of 16 rows at once.
    New rows of a cache whose first dimension is another one (heads) are far from each other: maps, rows and products write
    them there, others a copy.
  }];
  let options = [Option<"padRows", "pad-rows", "bool", /*default=*/"false", "spread rows over the sets of a cache, for matrix units">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "different kernels">,
                    Statistic<"numShared", "shared", "formulas that another one's kernel computes">];
}

def JoinLaunches : Pass<"weft-join-launches", "::mlir::ModuleOp"> {
  let summary = "launches that do not depend on each other are one";
  let description = [{
    Products of one factor that do not read what others write are one kernel, whose tasks are those of all; so are maps, and rows. Queries, keys
    and values are an example, and then their norms or rotations. On a device a launch has to wait for the one before it, however
    little that is; a product of few columns leaves most of it idle.

    A launch goes up to the nearest one with which it can be one, past at most 16 that have nothing to do with it, but past no check. Of a
    kernel's at most 4 formulas the products have factors of the same types; for each symbol all are passed one value.

    ```mlir
    weft.launch @q.contract ins(%x, %wq) outs(%q)
    weft.launch @k.contract ins(%x, %wk) outs(%k)    // becomes @q.contract.and.k.contract ins(%x, %wq, %wk) outs(%q, %k)
    ```
  }];
  let statistics = [Statistic<"numJoined", "joined", "launches that became part of others">];
}

def ChainProducts : Pass<"weft-chain-products", "::mlir::ModuleOp"> {
  let summary = "what one product makes for the next one's epilogue stays in the task that makes both";
  let description = [{
    Two products of one factor, of which one's epilogue reads the other's result where it stores its own, become one kernel, each task of
    which makes its rows and columns of the first and then those of the second: gate and up are an example. What is between (`weft.local`)
    lies on the stack, and takes neither a buffer nor the time to write and read it.

    ```mlir
    weft.launch @gate.contract ins(%x, %wg) outs(%g)
    weft.launch @up.contract ins(%x, %wu, %g) outs(%y)    // becomes @gate.contract.in.up.contract ins(%x, %wg, %wu) outs(%y)
    ```
    Both factors have the same types and layouts, what data choose of them is the same, no other step has the buffer, and there are at most
    three products. Not for devices.
  }];
  let statistics = [Statistic<"numChained", "chained", "products that are made in the task of another">];
}

def StoreInPlace : Pass<"weft-store-in-place", "::mlir::ModuleOp"> {
  let summary = "store a product's result where what its epilogue adds lies, if nothing else reads that";
  let description = [{
    The input that an epilogue reads at the places of the result, as a residual stream is, and the result become one buffer if
    both have one type, the product's launch is the last that reads the one, and none before it has the other. Caches hold a line of it
    then, not two. Through layers, too: of a layer whose residual is an argument and whose result is another the caller may pass
    one buffer for both, and what the layer makes in between lies in its result.

    ```mlir
    weft.launch @out.contract ins(%context, %w, %x) outs(%y)    // x + context w
    weft.launch @next ins(%y) outs(%z)                          // %y becomes %x
    ```
    Results of entries are the caller's, and stay. Not for devices, whose kernels read their inputs through a cache of their own.
  }];
  let statistics = [Statistic<"numMerged", "merged", "buffers that became others">];
}

def AnnotateKernels : Pass<"weft-annotate-kernels", "::mlir::ModuleOp"> {
  let summary = "note on functions what the model's description needs of the formulas";
  let description = [{
    Sets `weft.flops` on kernels and entries: three coefficients of a polynomial in the symbol that text generation
    counts by (else the first), of the operations on reals: two for a product and its sum in contractions and
    attentions (nothing else of these counts), one for each operation of an element in a map, a reduction, a row or a
    softmax, one more for an element of a reduction, of a row's too, and five for one of a softmax. Masks are not considered, but in a
    reduction whose results each begin with the one before (`sum(s where s <= t)`) an element counts once. The other
    symbols count at their bounds there, and at their values in `weft.flop_count` of an entry. Sets
    `weft.index_bound` on the inputs of entries that a `weft.check` compares with a constant.
  }];
}

def PlanMemory : Pass<"weft-plan-memory", "::mlir::ModuleOp"> {
  let summary = "give every buffer its place in the arena, and every weight its place in the file";
  let description = [{
    A buffer is live from the call that writes it to the last one that reads it. Buffers are placed largest first, each
    at the lowest offset that is free while it is live; the arena of a called layer is such a buffer, live during the
    call. Dynamic dimensions count with their bounds. Sets `weft.scratch` on functions and `weft.arena` on calls of
    layers, and the offsets of weights in the order of their first use.
  }];
  let options = [Option<"reuse", "reuse", "bool", /*default=*/"true", "let dead buffers be overwritten">];
}

def VerifyKernelsPass : Pass<"weft-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "the contract of stage `kernels`";
  let description = [{
    A kernel is one anchor on buffers, or several formulas that do not depend on each other, or products of one factor whose epilogues read what
    others of them make (`weft.local`); the other functions hold only buffers, weights and calls. Every buffer has an
    offset, a size and a lifetime that holds all its uses, lies in its function's arena, and shares no byte with
    another that is live at the same time; the arena of a called layer counts as a buffer. What a step writes it reads as another operand
    only where `weft-store-in-place` might have made both one. Every weight has an offset.
  }];
}

def VerifyLoopsPass : Pass<"weft-verify-loops", "::mlir::ModuleOp"> {
  let summary = "the contract of stage `loops`";
  let description = [{
    Only ops with a lowering to LLVM remain: arith, cf, func, gpu, llvm, math, memref, scf, ub, vector, the units of a target;
    `weft.address` in kernels; `weft.launch` and what it names (`weft.buffer`, `weft.weight`, `weft.slot`, `weft.size`) in functions that launch
    them.
  }];
}

#endif
