//===- Passes.td - the passes on the weft dialect -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_PASSES_TD
#define WEFT_DIALECT_WEFT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldConstantsPass : Pass<"weft-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "evaluate formulas that depend on nothing but constants";
  let description = [{
    A formula without run-time inputs, weights and symbols (a position table, ALiBi's slopes) is evaluated in float64
    and becomes an `arith.constant` of its rounded value. That is done where it pays: for reductions, contractions,
    normalisations and for maps that call functions of `math`. A map of plain arithmetic on indices costs less to
    compute than to load, and the fusions see through it; it stays, unless its attribute `weft.constant` asks for its
    evaluation (the language's `buffer`).
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "67108864", "largest size of all tables of a function together">,
    Option<"maxPoints", "max-points", "int64_t", "67108864", "most evaluations of one formula's element expression">
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "formulas that became constants">,
    Statistic<"numTooLarge", "too-large", "constant formulas above the limits">
  ];
}

def ShareLayersPass : Pass<"weft-share-layers", "::mlir::ModuleOp"> {
  let summary = "one function for each repeated layer, everything else inlined";
  let description = [{
    Private functions that are equal up to their names become one. Then, from the leaves up, a private function that
    is called once, or that has at most `max-inlined-anchors` sums of products and `max-inlined-formulas` formulas, is
    inlined; uncalled functions and unused arguments disappear. What remains is one function for each layer that is repeated:

    ```
    @entry: call @Block_0; call @Block_1   @Block_0: call @Norm; call @Attention   @Block_1: ... the same
    ==>
    @entry: call @Block_0; call @Block_0   @Block_0: the formulas of @Norm and @Attention
    ```
  }];
  let options = [
    Option<"maxInlinedAnchors", "max-inlined-anchors", "unsigned", "1",
           "inline functions with at most this many sums of products">,
    Option<"maxInlinedFormulas", "max-inlined-formulas", "unsigned", "64",
           "inline functions with at most this many formulas">
  ];
  let statistics = [
    Statistic<"numShared", "shared", "functions replaced by an equal one">,
    Statistic<"numInlined", "inlined", "calls replaced by their function's body">
  ];
}

def SplitSeparablePass : Pass<"weft-split-separable", "::mlir::func::FuncOp"> {
  let summary = "what depends on some of a formula's indices only is computed over those";
  let description = [{
    Sums are split into terms where one lacks an index, and products of many factors into products of two, the cheapest
    first; scores that are sums of sums, as heads mix them, become sums over both indices; a sum with a row of a table that indices of the result choose becomes one for each
    row, if there are at most half as many (of distances, which positions of two indices say, twice as many) and 2^25 of all for each text (2^29 for a batch), and is looked up; costly scalar code that does not depend on every index becomes a table; a formula loses the
    output indices it does not depend on:

    ```
    score[t, s] = sum(c, e) q[t, c] * w[c, e] * k[s, e]   ==>   p[t, e] = sum(c) q[t, c] * w[c, e];
                                                                score[t, s] = sum(e) p[t, e] * k[s, e]
    score[t, s] = sum(c) (u[c] * q[t, c] + v[c] * k[s, c])   ==>   a[t] = sum(c) u[c] * q[t, c];
                                                 b[s] = sum(c) v[c] * k[s, c];   score[t, s] = a[t] + b[s]
    score[t, s] = sum(c) q[t, c] * (k[s, c] + r[t - s, c])   ==>   two sums, the first a contraction
    score[g, t, s] = sum(h) m[g, h] * (sum(c) q[h, t, c] * k[h, s, c])   ==>   p[g, t, h, c] = m[g, h] * q[h, t, c];
                                                                           score[g, t, s] = sum(h, c) p[g, t, h, c] * k[h, s, c]
    score[t, s] = sum(c) q[t, c] * r[f(t, s), c]   ==>   p[t, n] = sum(c) q[t, c] * r[n, c];   score[t, s] = p[t, f(t, s)]
    y[h, t, c] = x[h, t, c] * cos(angle(t, c))   ==>   a[t, c] = cos(angle(t, c));   y[h, t, c] = x[h, t, c] * a[t, c]
    ```

    A part that depends on two positions is not made a tensor.
  }];
  let statistics = [
    Statistic<"numSplit", "split", "sums split">,
    Statistic<"numMerged", "merged", "sums of sums">,
    Statistic<"numLookedUp", "looked up", "sums with rows of tables">,
    Statistic<"numHoisted", "hoisted", "parts of formulas that became tables">,
    Statistic<"numDropped", "dropped", "indices dropped from a formula">
  ];
}

def ArrangeWeightsPass : Pass<"weft-arrange-weights", "::mlir::ModuleOp"> {
  let summary = "weights lie as the sums that read them count";
  let description = [{
    A sum reads a copy of a weight, with its own indices as dimensions, where several of them count one dimension, or where vectors
    of results would go through the weight across its rows, as in a depthwise convolution:

    ```
    y[t, d] = sum(u) x[t + u, d] * w[d, 0, u]   ==>   c[u, d] = w[d, 0, u];   y[t, d] = sum(u) x[t + u, d] * c[u, d]
    ```

    `weft-derive-weights` makes the copy a weight. Not of codes, nor for a product of matrices, which has panels.
  }];
  let statistics = [Statistic<"numArranged", "arranged", "weights that sums read a copy of">];
}

def SliceWeightsPass : Pass<"weft-slice-weights", "::mlir::ModuleOp"> {
  let summary = "a matrix of a weight of several becomes a tensor";
  let description = [{
    Before `weft-derive-weights`. Where a product reads a weight at constant places of some dimensions, and a matrix is left, that part becomes
    a tensor of its own, a map that copies; so do neighbours that begin behind the first (`i + 1`), unless they are codes; and so does what a sum reads of one at such a place of each of the matrices that data choose.
    The copies become weights next, in the type of the checkpoint, codes as well if the constant places are those of the first dimensions; else
    weights of codes are left.

    ```mlir
    %g = weft.contract [t in 4, f in 8, d in 16] ins(%x[t, d], %w[0, f, d] : tensor<4x16xf32>, tensor<2x8x16xf32>)
    ==>
    %0 = weft.map [d0 in 8, d1 in 16] ins(%w[0, d0, d1] : tensor<2x8x16xf32>)
    %g = weft.contract [t in 4, f in 8, d in 16] ins(%x[t, d], %0[f, d] : tensor<4x16xf32>, tensor<8x16xf32>)
    ```
  }];
  let statistics = [Statistic<"numSliced", "sliced", "reads of a part of a weight">];
}

def DeriveWeightsPass : Pass<"weft-derive-weights", "::mlir::ModuleOp"> {
  let summary = "what depends on weights only becomes weights";
  let description = [{
    A tensor of reals that depends on weights and constants only, whose computation is work, and that something computed in
    every call reads, becomes a weight whose name begins with `derived:`. How it is computed is said by a function of weights
    in a module inside the module; equal functions are one, and list what they compute (`weft.derives`). In a layer the tensor
    becomes an argument, and each of its calls gets a weight of its own:

    ```
    @entry: call @Layer(x, q0, s0); call @Layer(x, q1, s1)   @Layer: w = s * q; y = contract x * w
    ==>
    @entry: call @Layer(x, w0); call @Layer(x, w1)           @Layer: y = contract x * w
    @derived_weights: @w(q, s) derives [w0 of q0, s0], [w1 of q1, s1]
    ```

    Checks of the weights that such a tensor reads go with it: they are met when weights are packed, or packing fails. What has a
    run-time size stays, and what costs fewer than `least-work` operations, but for parts of weights (`weft-slice-weights`), whose type stays, too, and
    copies in another order (`weft-arrange-weights`).
  }];
  let options = [
    Option<"leastWork", "least-work", "int64_t", "16384", "operations that are worth a weight">
  ];
  let statistics = [Statistic<"numDerived", "derived", "weights that are computed from weights">];
}

def BatchPass : Pass<"weft-batch", "::mlir::ModuleOp"> {
  let summary = "map the model over a batch of examples";
  let description = [{
    Every input and output of an entry gets a leading dimension, and so does every formula that depends on a run-time
    input, through calls. Weights and formulas of weights alone stay. `batch` is a number, or a bounded dimension:

    ```
    y[t, f] = sum(d) x[t, d] * w[d, f]   ==>   y[b, t, f] = sum(d) x[b, t, d] * w[d, f]
    ```
  }];
  let options = [Option<"batch", "batch", "std::string", "\"1\"", "a number of examples, or 'B <= 8'">];
  let statistics = [Statistic<"numBatched", "batched", "formulas that got the batch index">];
}

def DeriveStepPass : Pass<"weft-derive-step", "::mlir::ModuleOp"> {
  let summary = "derive the entry that continues a sequence by new positions";
  let description = [{
    For an entry with `generate X over T`: a function NAME_step that computes X for the last N positions, given what
    earlier calls kept of the others. A tensor that is read at the position that is computed is needed for the new
    positions only; one that is read at other positions is kept in a cache (`weft.append`); what depends on no input
    along T is computed as before.

    ```
    k[t, c] = contract(d) x[t, d] * w[d, c];  y[t, c] = attention(q, k[s], v[s]) where s <= t
    ==>
    k[n, c] = contract(d) x[n, d] * w[d, c];  k' = append k to cache;
    y[n, c] = attention(q, k'[s], v'[s]) where s <= n + T - N
    ```

    A second function, NAME_step_last, does what the step does on the same state, but computes X for the last of these
    positions only: what no cache needs of the others is not computed.

    That is the same only if no position depends on a later one: see docs/Decoding.md for what is proved. An entry
    that looks ahead is left alone, with a remark; with `require` that is an error.
  }];
  let options = [Option<"require", "require", "bool", "false", "an entry that has no step is an error">];
  let statistics = [
    Statistic<"numDerived", "derived", "entries that got a step">,
    Statistic<"numCaches", "caches", "tensors that are kept">
  ];
}

def MergePartsPass : Pass<"weft-merge-parts", "::mlir::func::FuncOp"> {
  let summary = "scores that a text has several times, and no name for, are computed once";
  let description = [{
    A part of a formula, a reduction within it for each pair of positions, that is the same as an earlier formula but for
    the names of its indices becomes that one. Formulas that the text names stay, and products, which what follows them
    is computed with.

    ```
    m[t] = max(s) sum(c) q[t, c] * k[s, c];   e[t, s] = exp((sum(d) q[t, d] * k[s, d]) - m[t])
    ==>
    z[t, s] = sum(c) q[t, c] * k[s, c];   m[t] = max(s) z[t, s];   e[t, s] = exp(z[t, s] - m[t])
    ```
  }];
  let statistics = [Statistic<"numMerged", "merged", "reductions that were computed before">];
}

def FormContractionsPass : Pass<"weft-form-contractions", "::mlir::func::FuncOp"> {
  let summary = "sums of products become contractions";
  let description = [{
    A `weft.reduce sum` over a product becomes a `weft.contract` if exactly two of the factors depend on the summed
    indices, both on all of them. Constant factors go to `scale`, the others behind the sum; a computed factor becomes
    a formula of its own if it has fewer indices than the sum:

    ```
    sum(c) 0.5 * g[t] * (q[t, c] + u[c]) * k[s, c]
    ==>
    a[t, c] = q[t, c] + u[c];   b[t, s] = contract(c) 0.5 * a[t, c] * k[s, c];   b[t, s] * g[t]
    ```
  }];
  let statistics = [Statistic<"numFormed", "formed", "sums that became contractions">];
}

def FormChoicesPass : Pass<"weft-form-choices", "::mlir::func::FuncOp"> {
  let summary = "sums with rows of a matrix that data choose become contractions";
  let description = [{
    A `weft.reduce sum` over the product of a tensor and of an element of another, one of whose coordinates is data that
    are known to number its matrices (of `argtop`, `argmax`, or held to them by a `weft.check`), becomes a `weft.contract`
    with `chosen`: the product of each expert's matrix with the rows that choose it. Where the
    choice itself is summed over, each one's product is a tensor, which a sum follows; factors that are free of what the
    product sums over go behind it:

    ```
    y[t, d] = sum(j, f) h[t, j, f] * share[t, j] * downs[expert[t, j], d, f]
    ==>
    z[t, d, j] = contract(f) h[t, j, f] * downs[e, d, f] at e = expert[t, j];   y[t, d] = sum(j) z[t, d, j] * share[t, j]
    ```

    Late, as the derivations see what data choose in regions only. A row of a table that nothing sums over stays what it is.
  }];
  let statistics = [Statistic<"numFormed", "formed", "sums that became contractions">];
}

def SplitAxesPass : Pass<"weft-split-axes", "::mlir::func::FuncOp"> {
  let summary = "results of a sum that are read as i // W and i % W have two axes";
  let description = [{
    The factors of a sum may read an index of the result as `i floordiv W` and `i mod W`, as a picture and the weights that enlarge it
    do, or one of them as `i floordiv W`, as channels in groups. Both know i, so that the sum is no product of matrices. It is one of
    two indices, whose result is copied:

    ```
    y[n, i] = contract(c) x[c, i floordiv 2] * w[c, n, i mod 2]
    ==>
    part[n, i, i1] = contract(c) x[c, i] * w[c, n, i1];   y[n, i] = part[n, i floordiv 2, i mod 2]
    ```

    W divides the range of i, which is constant, the sum has 8 terms or more, and there were no rows or no columns before.
  }];
  let statistics = [Statistic<"numSplit", "split", "sums whose results have two axes for one">];
}

def FrameWindowsPass : Pass<"weft-frame-windows", "::mlir::ModuleOp"> {
  let summary = "sums that leave out what lies beside their input read it with a frame of zeros";
  let description = [{
    A sum of products whose condition holds for all places inside a tensor, as that of a convolution does, leaves out nothing but
    zeros, as a `weft.at` beside its tensor is 0. Of a copy with these zeros it is a `weft.contract` without a condition:

    ```
    y[t, g, n] = sum(c, u where t + u >= 2 and t + u < T + 2) x[t + u - 2, g, c] * w[g, n, c, u]
    ==>
    frame[g, p, c] = x[p - 2, g, c], 0 beside it;   y[t, g, n] = contract(c, u) frame[g, t + u, c] * w[g, n, c, u]
    ```

    (A factor that is infinite, times such a zero, is not a number.) What numbers the matrices of a product comes first in the copy,
    so that a window is one run of memory. The sum has 8 terms or more for each element of the copy. Along a run-time dimension the
    copy is as long as its bound allows: then 256, and not in a model that generates, whose steps read caches in place of the input.
  }];
  let statistics = [Statistic<"numFramed", "framed", "sums that read a framed copy">];
}

def UnfoldWindowsPass : Pass<"weft-unfold-windows", "::mlir::func::FuncOp"> {
  let summary = "windows that a contraction reads become rows";
  let description = [{
    A factor that is read at places which depend on the result and on what is summed over, as the patches of a picture are, is
    copied, a row for each window:

    ```
    y[n, d] = contract(c, u, v) pixels[c, n floordiv W * P + u, n mod W * Q + v] * weight[d, c, u, v]
    ==>
    rows[n, c, u, v] = pixels[c, n floordiv W * P + u, n mod W * Q + v];   y[n, d] = contract(c, u, v) rows[n, c, u, v] * weight[d, c, u, v]
    ```

    Then the sum is a product of matrices in every type. Rows have at most twice the elements of what they are read from, and
    are read for 8 columns or more.

    With `in-pairs`, for factors of bf16, whose neighbours along k units multiply: windows that are not one run of memory, as those of
    a convolution of 3 x 3 with channels last, are copied if they have up to 64 times the elements. Columns of the result that are the
    windows' are left: their panels are copies as they are.
  }];
  let options = [Option<"inPairs", "in-pairs", "bool", /*default=*/"false", "of factors of bf16, all windows but runs of memory">];
  let statistics = [Statistic<"numUnfolded", "unfolded", "factors that became rows">];
}

def SeparateSumsPass : Pass<"weft-separate-sums", "::mlir::func::FuncOp"> {
  let summary = "products that make several sums of an element become sums and a map";
  let description = [{
    For targets whose kernels make one sum of an element of a result: a `weft.contract` with `apart` becomes one with a dimension more,
    `sums[t, p, n]`, and a map whose code is the epilogue's.
  }];
  let statistics = [Statistic<"numSeparated", "separated", "products that became two formulas">];
}

def FoldScalePass : Pass<"weft-fold-scale", "::mlir::func::FuncOp"> {
  let summary = "constant factors join the scale of a contraction or dot product";
  let description = [{
    `map(contract * constant)`, an epilogue that begins with a constant factor, and a score in which every use of a dot
    product is multiplied by the same constant:

    ```
    y[h, t, s] = (sum(c) q[h, t, c] * k[h, s, c]) / 8   ==>   contract {scale = 0.125}
    ```
  }];
  let statistics = [Statistic<"numFolded", "folded", "factors folded">];
}

def FuseElementwisePass : Pass<"weft-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "element-wise formulas are computed where they are read";
  let description = [{
    A `weft.map` whose only use is an affine read by a map, a reduction or a softmax is inlined there, unless its work
    would be repeated (at indices that the read does not use, or at overlapping places) and costs more than a tensor
    that is made once and read. Maps of index arithmetic alone are inlined into all their uses. No formula grows beyond
    256 operations by it. With `masks` nothing is inlined but index arithmetic over pairs of positions: a mask that is a
    tensor of its own is part of what it hides before that is looked at. A sum of masks, or of their products with values,
    has them for weights and reads them.

    ```
    a[i] = exp(x[i]);  y[i] = a[i] + b[i]   ==>   y[i] = exp(x[i]) + b[i]
    ```
  }];
  let options = [
    Option<"maxCheapOps", "max-cheap-ops", "unsigned", "4", "most arithmetic operations of a map that may be repeated">,
    Option<"masks", "masks", "bool", "false", "inline nothing but index arithmetic over pairs of positions">
  ];
  let statistics = [Statistic<"numFused", "fused", "formulas into which others were inlined">];
}

def FuseEpiloguePass : Pass<"weft-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "element-wise formulas of a contraction's result become its epilogue";
  let description = [{
    Bias, activation, residual and gate: a `weft.map` that reads a contraction at each of its indices once, in any
    order, and is its only use. The map's other inputs become extras.

    ```
    a[t, f] = contract(d) x[t, d] * w[d, f];  y[t, f] = gelu(a[t, f] + b[f])
    ==>
    y[t, f] = contract(d) x[t, d] * w[d, f] { gelu(sum + b[f]) }
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "maps that became an epilogue">];
}

def FuseRowsPass : Pass<"weft-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "reductions along one index and the maps that read them become one op";
  let description = [{
    Reductions of f32 over one index, without a condition, and the maps over the same rows that read them become a
    `weft.row`: a norm, its mean, variance and map, is then one kernel. What of it is read elsewhere, too, stays a result:
    a row, or a number for each row. A formula joins if it reads what the others make at the place that it computes, if
    the others need nothing that is made of what they give away, and if making an element once for each region that needs it
    costs less than a tensor. A map that reads at its own place what is a row already becomes a further output of that, as
    the same row in a type of fewer bits.

    ```
    m[t] = mean(d) x[t, d];  v[t] = mean(d) (x[t, d] - m[t]) ^ 2
    y[t, d] = (x[t, d] - m[t]) * rsqrt(v[t] + eps) * w[d]
    ==>
    y[t, d] = row(d) mean { x[t, d] } mean { (x[t, d] - m) ^ 2 } element { (x[t, d] - m) * rsqrt(v + eps) * w[d] }
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "formulas that became rows">];
}

def FuseMaskPass : Pass<"weft-fuse-mask", "::mlir::func::FuncOp"> {
  let summary = "masks become predicates, and predicates intervals of keys";
  let description = [{
    In a `weft.attention`, `if p then e else -inf` and `e + (if p then 0 else -inf)` in the score become part of the
    predicate; without a softmax, `if p then e else 0` and a factor of that form do (a NaN of a pair that does not count
    may vanish by it, and none appears). A finite constant not above `threshold` does too, if the mask, with all other masks of the score, leaves every query a key (the first one, or
    the one at its own position): a row that they cover whole is no empty row. What else the score adds is taken to be above -1e4, unless the text
    has such a constant there. Then the conjuncts of the predicate that are affine in the
    positions become `key_lower` and `key_upper`; the others stay:

    ```
    where s <= t and t - s < 128 and mask[s] > 0
    ==>
    key_lower = t - 127, key_upper = t + 1, where mask[s] > 0
    ```
  }];
  let options = [
    Option<"threshold", "threshold", "double", "-1.0e4", "constants not above this count as minus infinity">
  ];
  let statistics = [
    Statistic<"numMasks", "masks", "masks of the score that became predicates">,
    Statistic<"numIntervals", "intervals", "conjuncts that became bounds of the key index">
  ];
}

def SplitMixturesPass : Pass<"weft-split-mixtures", "::mlir::func::FuncOp"> {
  let summary = "what sums values by a mixture of softmaxes becomes a sum for each";
  let description = [{
    A `weft.contract` of values with weights that a `weft.map` adds up of the weights of softmaxes, each times what is
    the same for all keys, becomes a contraction for each softmax and a map that adds those up: sums are linear. A
    softmax whose readers are such contractions, each at another place of a dimension, becomes one for each, and so do
    the formulas of position pairs that it reads. `weft-fuse-attention` makes attentions of them, where the mixture would
    be a tensor of position pairs (Ye et al., "Differential Transformer", 2024):

    ```
    m[h, t, s] = a[h, 0, t, s] - lambda[h] * a[h, 1, t, s];   y[h, t, c] = contract(s) m[h, t, s] * v[h, s, c]
    ==>
    y0[h, t, c] = contract(s) a0[h, t, s] * v[h, s, c];   y1[h, t, c] = contract(s) a1[h, t, s] * v[h, s, c]
    y[h, t, c] = y0[h, t, c] - lambda[h] * y1[h, t, c]
    ```

    A softmax whose weights somebody else reads stays as it is: they are in memory anyway.
  }];
  let statistics = [Statistic<"numSplit", "split", "sums that became several">];
}

def FormWeightsPass : Pass<"weft-form-weights", "::mlir::func::FuncOp"> {
  let summary = "what values are multiplied with in sums over keys becomes a formula over pairs of positions";
  let description = [{
    Factors of a sum over keys that depend on a pair of positions, and not on all indices on which the values do, become
    a formula: each weight is computed once, and the sum is a contraction or part of an attention.

    Weights whose exponents have the logarithm of their sum, `exp(z - m - log(n))`, are divided by it instead.
    Exponentials over pairs of positions that a sum adds up and that weights divide become one formula, if they are the
    same; and what multiplies or divides such weights for all keys alike moves behind the sum of values.

    ```
    p[h, t, s] = exp(z[h, t, s] - m[h, t]) / (sum(u) exp(z[h, t, u] - m[h, t]))
    y[h, t, c] = sum(s) p[h, t, s] * v[h, s, c]
    ==>
    e[h, t, s] = exp(z[h, t, s] - m[h, t]);   n[h, t] = sum(s) e[h, t, s]
    y[h, t, c] = (sum(s) e[h, t, s] * v[h, s, c]) / n[h, t]
    ```

    Exponentials that are written once stay where they are, and so do factors of weights that nothing else reads.
  }];
  let statistics = [Statistic<"numOutlined", "outlined", "weights that were written in a sum of values">,
                    Statistic<"numDivided", "divided", "weights whose exponents had the logarithm of their sum">,
                    Statistic<"numShared", "shared", "formulas of exponentials that were written several times">,
                    Statistic<"numMoved", "moved", "sums of values whose weights were divided">];
}

def FuseAttentionPass : Pass<"weft-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "a softmax, its score and the contraction over its axis become one op";
  let description = [{
    A `weft.softmax` over s whose one use is a factor of a `weft.contract` over s, with a value that does not depend on
    the query position, becomes a `weft.attention`. The formulas that lead to the softmax are inlined into the score
    as long as they depend on both positions: contractions of a tensor of queries with one of keys become dot
    products, other reductions `weft.inner`, maps scalar code. Tensors of the query or the key alone stay and are read.
    So do tensors of both that cost more to compute in every score than to make once (a bias that several queries
    share), if what they are made of is as large, and those that another reader keeps in memory anyway. A few operations
    on positions (a bias, a mask) are computed in each score that shares them.

    Weights that several sums multiply with values are computed for each of them, if nothing needs them in memory. Sums
    of the weights alone, over the same keys, are the second result of the op.

    A softmax that is written out is one, too: weights that are exponentials, or 0 where a condition fails, whose readers are
    the sum of values and sums of the weights alone, over the same keys. With A the softmax's sum of values and R the
    logarithm of each row's sum, the second result of the op, they are `exp(R) * A` and `exp(R)`; A and 1 where all that
    is made of both is the same for any scale of a row. Where the weights are `exp(x - m)`, all that reads m beside them
    is the same for any m, and m is the largest x of the row, or the larger one of it and of others (a sink), R takes the
    largest one's place.

    ```
    e[h, t, s] = if s <= t then exp(x[h, t, s] - m[h, t]) else 0;   m[h, t] = max(s where s <= t) x[h, t, s]
    y[h, t, c] = (sum(s) e[h, t, s] * v[h, s, c]) / ((sum(s) e[h, t, s]) + exp(sink[h] - m[h, t]))
    ==>
    a[h, t, c], r[h, t] = attention(x, v) where s <= t;   y[h, t, c] = a[h, t, c] / (1 + exp(sink[h] - r[h, t]))
    ```

    So does a sum over run-time keys of any other weights times a value, with the normaliser `none`: linear attention,
    retention. There, only weights over two run-time indices count; the features between two layers are no keys. Terms
    that are 0 where a condition on the pair fails (`sum(s) (if s <= t then w[t, s] else 0) * v[s]`) are not summed there.

    ```
    score[h, t, s] = contract(c) q[h, t, c] * k[h, s, c];   w[h, t, s] = softmax(s where s <= t) score[h, t, s]
    y[h, t, c] = contract(s) w[h, t, s] * v[h, s, c]
    ==>
    y[h, t, c] = attention(q, k, v) where s <= t
    ```

    A softmax over weights that are summed with something but not fused gets the attribute `weft.unfused_reason` and,
    with `remarks`, a remark. A softmax whose weights nothing sums with values (over classes, a choice of experts, an
    output) is left as it is; its remark says so.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "emit a remark for every softmax that stays">];
  let statistics = [
    Statistic<"numFused", "fused", "attentions made">,
    Statistic<"numMissed", "missed", "softmaxes that stayed">
  ];
}

def VerifyGraphPass : Pass<"weft-verify-graph", "::mlir::ModuleOp"> {
  let summary = "the contract of stage `graph`";
  let description = [{
    Functions hold formulas on tensors, constants, weights and calls of functions that have a body; a symbol has the
    same bound everywhere.
  }];
}

def VerifyFusedPass : Pass<"weft-verify-fused", "::mlir::ModuleOp"> {
  let summary = "the contract of stage `fused`";
  let description = [{
    No formula defines a tensor of position pairs (as `weft-explain-pairs` understands them), unless it is returned
    or `weft.unfused_reason` on it or on a formula made from it says why. A model may have such a formula in a chain
    that is no attention; it gets the reason here, or, with `strict`, is an error.
  }];
  let options = [Option<"strict", "strict", "bool", "false", "an unexplained tensor is an error">];
  let statistics = [Statistic<"numExplained", "explained", "tensors of position pairs outside of attention">];
}

def ExposeFormulasPass : Pass<"weft-expose-formulas", "::mlir::ModuleOp"> {
  let summary = "return every labelled formula from the entries";
  let description = [{
    For `weftc --verify`: calls are inlined, and every formula with a `weft.label` becomes one more result of its entry,
    named `label`, or `label#2`, `label#3`, ... where a label comes more than once, with the formula's location in the
    result attribute `weft.location`. Compiled code can then be compared formula by formula.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "1073741824",
                        "largest size of a formula's value, with all symbols at their bounds">];
  let statistics = [Statistic<"numExposed", "exposed", "formulas that became results">];
}

def ExplainPairsPass : Pass<"weft-explain-pairs", "::mlir::func::FuncOp"> {
  let summary = "tensors of position pairs that are left say why";
  let description = [{
    A formula whose result is a tensor of position pairs gets the attribute `weft.unfused_reason`, if it has none yet,
    and with `remarks` a remark: it is an argument of a layer, a result of the function, or its readers do not sum over
    its keys.

    A tensor is over pairs of positions if two of its dimensions are the same run-time dimension, or if it, or what is
    made of it element by element, is summed over one run-time dimension with a value that does not depend on another
    one of it (the queries and keys of cross attention). Two other run-time dimensions are no pairs: examples and
    positions, words and labels. Only the function itself is looked at, not the layers it calls.

    ```
    %bias = weft.map [t, s] ...;  call @layer(%x, %bias)   ==>   weft.unfused_reason = "it is an argument of a layer"
    ```
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "emit a remark for every reason">];
  let statistics = [Statistic<"numExplained", "explained", "tensors of pairs that are left">];
}

def SeparateLayersPass : Pass<"weft-separate-layers", "::mlir::ModuleOp"> {
  let summary = "functions of their own for layers whose weights are stored otherwise";
  let description = [{
    Before `weft-assign-types`, for `--store-tensor`: types are decided for functions, and layers are calls of one function.
    Calls whose weights `tensors` says other things of call copies of it:

    ```
    @entry: call @Block(..., %w0); call @Block(..., %w1)
    ==> tensors=layers.0.w=int8
    @entry: call @Block(..., %w0); call @Block_0(..., %w1)
    ```
  }];
  let options = [
    Option<"tensors", "tensors", "std::string", "", "what --store-tensor says: `PATTERN=TYPE;PATTERN=TYPE`">
  ];
  let statistics = [
    Statistic<"numSeparated", "separated", "copies of functions">
  ];
}

def MarkRoundedPass : Pass<"weft-mark-rounded", "::mlir::func::FuncOp"> {
  let summary = "products that formulas of the text end in are rounded on their own";
  let description = [{
    Whether `z = x * g` is a tensor of its own or is computed where `u = z + p` reads it is the fusions' choice, and another one in a step than in
    the whole. If the product and the sum were one instruction in one case (`weft-fuse-products`), their bits would differ. So a product
    that is the value of a formula gets `weft.rounded`; in a sum, which adds the values of its formula up, it does not.

    ```mlir
    ^bb0(%0: f32, %1: f32):                ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32    ==>    %2 = arith.mulf %0, %1 {weft.rounded} : f32
      weft.yield %2 : f32                    weft.yield %2 : f32
    ```
  }];
}

def OrderSumsPass : Pass<"weft-order-sums", "::mlir::ModuleOp"> {
  let summary = "which index vectors of a sum run along, once for the whole, its step and every batch";
  let description = [{
    Vectors along a summed index add up every width-th element, vectors along results one element after the other: other bits.
    What is cheaper depends on how tensors lie, and a cache lies otherwise than the whole. So each sum says it in `weft.lane`, chosen
    from the coordinates of the text before steps and batches are derived: the number of the summed index, or -1 for results.
    In a model that generates, positions are chosen only where there is nothing else. A sum that says it already keeps it: the pass runs once more
    for those that later passes make.

    ```mlir
    weft.reduce sum [t in T to 70, m in 128] ins(%x[t, m])  ==>  {weft.lane = 0}
    weft.reduce sum [d in 64, s in 128] ins(%x[s, d])       ==>  {weft.lane = -1}
    ```
  }];
}

def MarkRoughPass : Pass<"weft-mark-rough", "::mlir::func::FuncOp"> {
  let summary = "functions whose values are rounded to few bits may be approximated";
  let description = [{
    `math.erf` in a contraction or a map whose results are stored in bf16, or are read by nothing but rows that make codes of them, gets
    the flag `afn`: errors of 1e-4 vanish in what is rounded next (2e-3). Without it the epilogue of a wide product takes an eighth of
    the product's time on units of bf16.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def AssignTypesPass : Pass<"weft-assign-types", "::mlir::ModuleOp"> {
  let summary = "give tensors the types that they are stored in";
  let description = [{
    At the end of stage `fused`, before the batch, for `--store`, `--compute` and `--cache`. Only types change, and copies are made where a
    tensor is read in two ways; formulas extend what they read and round what they store.

    - A weight that is a factor of a product, or a table of rows that is read at positions or at computed places, is stored as `store` says,
      unless a product of it selects (below); vectors stay. `f32` is for all weights, `keep` for none; those that are to be
      codes are left to `weft-code-weights`.
    - Of weights whose names match a pattern of `tensors` what that says holds, whatever their structure: vectors, too, are
      stored so. If the pair of that type and `compute` has no kernels, their products are computed in f32. A pattern none
      of whose weights can be stored as it says is an error.
    - With another `compute` than f32 both factors of a product are stored in it. An activation that is read by nothing else
      is rounded where it is made, another is copied first. A weight must have been stored so: the pairs of what is
      stored and computed that have kernels are few, and any other is an error.
    - Queries, keys and values of an attention are stored in `cache` in a module that generates (with a step or without, so
      that a batch computes what its texts compute alone), and where `compute` is f32 or
      codes, otherwise in `compute`. So the
      whole and its step multiply the same numbers. What formulas of another kind read stays f32, in a cache as elsewhere.
    - With `bf16x3` and `bf16x6` types stay, and products of an activation with a weight are marked (`weft.parts`): their factors are
      split into 2 or 3 numbers of bf16 where they are stored, and multiplied by the units of bf16. A weight of f16 is 2 of them, one
      of bf16 is one. What is summed over has an even number of elements; other products are those of f32.
    - Products whose results choose among others (by `argtop` or `argmax`: the routers of experts) are left in f32, as are
      results of entries, softmaxes, attentions.

    ```mlir
    %h = weft.map ... -> tensor<?x64xf32, ...>
    %y = weft.contract ... ins(%h[t, d], %w[f, d] : tensor<?x64xf32, ...>, tensor<256x64xf32>)
    ==>
    %h = weft.map ... -> tensor<?x64xbf16, ...>
    %y = weft.contract ... ins(%h[t, d], %w[f, d] : tensor<?x64xbf16, ...>, tensor<256x64xbf16>)
    ```
  }];
  let options = [
    Option<"store", "store", "std::string", "\"keep\"", "what --store says: keep, f32, bf16, f16, int8, int4,...">,
    Option<"tensors", "tensors", "std::string", "", "what --store-tensor says: `PATTERN=TYPE;PATTERN=TYPE`">,
    Option<"compute", "compute", "std::string", "\"f32\"", "f32, bf16, f16, int8, bf16x3, bf16x6, tf32">,
    Option<"cache", "cache", "std::string", "\"f32\"", "f32, bf16, f16">,
    Option<"forGPU", "for-gpu", "bool", "false", "errors name the kernels that a GPU has">
  ];
  let statistics = [
    Statistic<"numWeights", "weights", "weights that are stored in another type">,
    Statistic<"numTensors", "tensors", "other tensors that are">,
    Statistic<"numCopies", "copies", "tensors that are stored once more for products">,
    Statistic<"numSplit", "split", "products of factors that are split">
  ];
}

def ChoosePartsPass : Pass<"weft-choose-parts", "::mlir::ModuleOp"> {
  let summary = "split the factors of products of f32 that are faster so";
  let description = [{
    After `weft-assign-types`, where nothing is said of `--compute` and the target multiplies three numbers of bf16 for each f32
    faster than f32 (AMX). A product of an f32 with a weight of f32, f16 or bf16 is marked `weft.parts = 3` as by `compute=bf16x6`, which
    loses no more than f32's own rounding, if it can have `rows` rows or more, 32 columns and sums of 64. Of windows that share elements
    each part would be a copy for each of them: then 512 columns. Not in a module that
    generates, whose steps have one row, nor where the weight is codes.
  }];
  let options = [Option<"rows", "rows", "int64_t", "32", "of the smallest product">];
  let statistics = [Statistic<"numSplit", "split", "products of factors that are split">];
}

def CodeWeightsPass : Pass<"weft-code-weights", "::mlir::ModuleOp"> {
  let summary = "store weights as codes of 8 or 4 bits, and multiply codes";
  let description = [{
    For `--store=int8` and `--store=int4`, and what `tensors` says of single weights, after `weft-assign-types`. A weight that only products and reads at computed places read
    becomes codes, scales of rows and sums of codes (`#weft.coded`): rows run along what the products sum over. The other factor of such
    a product becomes codes too, by a maximum over its rows and a map, shared by all products that read it; the product is
    one of whole numbers, and its epilogue makes of the sum what it stands for.

    ```
    y[t, n] = sum(k) x[t, k] * w[n, k]
    ==>
    largest[t] = max(k) abs(x[t, k]);  q[t, k] = x[t, k] * 127 / largest[t] + 128
    y[t, n] = (sum(k) q[t, k] * codes[n, k] - 128 * sums[n]) * largest[t] / 127 * scales[n]
    ```

    With two `planes` (`--compute=f32`) an activation is two codes, the second one of what the first leaves, 15 bits together: the
    product has a sum for each (`apart`), and its epilogue makes of both what they stand for.

    Codes of 4 bits (`#weft.coded`) are for the factors of products alone: tables, weights whose product is a result of the
    model, and rows that are no multiple of the group become codes of 8 bits.

    With `--store=fp8`, `nf4` and `mxfp4` no formula changes: the weight says (`coded <reals ...>`) that layouts are to store it as codes of a table with
    scales of groups, and products are those of f32. What has no whole groups, and in 4 bits tables and results of the model, have codes of 8 bits
    (table "int8").

    With `narrow` codes of 8 bits are such that products of two neighbours with bytes can be added up in 16 bits (`#weft.coded`).

    Left as they are: vectors, weights that something else reads or whose products sum over different dimensions, rows that are no
    multiple of four, the routers of experts.

    What `tensors` says of a weight holds for tables, for products that are results and for routers, too. A pattern none of
    whose weights can be stored as it says is an error.
  }];
  let options = [
    Option<"store", "store", "std::string", "\"int8\"", "what --store says: int8, int4,group=32|64|128|row,sym|asym, fp8, nf4, mxfp4; others are left">,
    Option<"tensors", "tensors", "std::string", "", "what --store-tensor says: `PATTERN=TYPE;PATTERN=TYPE`">,
    Option<"planes", "planes", "int64_t", "1", "codes of an activation: 1 or 2">,
    Option<"narrow", "narrow", "bool", "false", "codes of 8 bits are narrow (`#weft.coded`)">
  ];
  let statistics = [
    Statistic<"numCoded", "coded", "weights that are stored as codes">,
    Statistic<"numScaled", "scaled", "weights that are stored as codes of a table">,
    Statistic<"numShort", "short", "weights among them whose codes have 4 bits">
  ];
}

def FactorMatrixPass : Pass<"weft-factor-matrix", "::mlir::ModuleOp"> {
  let summary = "take the formula of a stored matrix apart: codes, scales, zeros, offsets";
  let description = [{
    For a module of one function that a storage rule became, at stage `fused`: one map over rows and columns. If its element is

    ```
    (table[code] + zero) * scale      or      table[code] * scale + offset
    ```

    with a code of at most 8 bits, and a scale, zero or offset that are the same for groups of neighbours along the columns, it becomes a
    function for each: `codes` (counted from 0), `table` (a constant), `scales`, and `zeros` or `offsets`, one element for each group of 16, 32, ...
    columns or all. Otherwise nothing changes.

    By structure alone: from the result backwards an operand that is the same for whole groups, which the affine maps of reads and the scalar code
    of the columns' index say, goes to the scale if it is a factor or divisor, to the offset if it is a term of reals, to the zero if it is one of integers. What is left must
    follow from one integer of a range of at most 256 numbers; it is evaluated for all of them, which is the table. A part is stored
    in 16 bits where it follows from an integer or real of 16 bits in the same way and all of its values are such reals.

    ```mlir
    func.func @matrix(%q: tensor<64x256xui8>, %s: tensor<64x8xf16>) -> tensor<64x256xf32> {
      // s[o, i floordiv 32] * ((q[o, i] & 15) - 8)
    }
    ==>
    func.func @table() -> tensor<16xf32>     // -8, -7, ..., 7
    func.func @codes(...) -> tensor<64x256xf32>
    func.func @scales(...) -> tensor<64x8xf16>
    ```
  }];
  let statistics = [Statistic<"numFactored", "factored", "matrices that were taken apart">];
}

def KeepCodesPass : Pass<"weft-keep-codes", "::mlir::ModuleOp"> {
  let summary = "keep the codes of the checkpoint where there are products for them";
  let description = [{
    Before `weft-assign-types`. A weight whose numbers the checkpoint has as codes says so from the start (`#weft.coded` with the part `reals`, and a table that
    names what is beside the codes of a group). It is kept so if `store` and `tensors` say `keep` of it, factors are multiplied in f32 (or, if its codes stand for whole
    numbers, in int8), only products that sum over whole rows and reads at computed places read it, and rows are its last dimensions; groups become divisors of the
    rows. Other weights become plain numbers, which the passes behind this one store as they are told.

    With `compute=int8` the other factor of a product with such a weight becomes integers, by a maximum over its rows and a map, shared by all products that read it;
    products that choose among others, and those that are results of the model, stay as they are.

    ```
    y[t, n] = sum(k) x[t, k] * w[n, k]
    ==>
    largest[t] = max(k) abs(x[t, k]);  a[t, k] = x[t, k] * 127 / largest[t]
    y[t, n] = (sum(k) a[t, k] * w[n, k]) * largest[t] / 127
    ```
  }];
  let options = [
    Option<"store", "store", "std::string", "\"keep\"", "what --store says">,
    Option<"tensors", "tensors", "std::string", "", "what --store-tensor says: `PATTERN=TYPE;PATTERN=TYPE`">,
    Option<"compute", "compute", "std::string", "\"f32\"", "what --compute says">
  ];
  let statistics = [Statistic<"numKept", "kept", "weights that keep the checkpoint's codes">];
}

#endif
