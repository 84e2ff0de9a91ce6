//===- Passes.td - kernels to loops for a CPU -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_CPU_PASSES_TD
#define WEFT_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLowering : Pass<"weft-assign-lowering", "::mlir::ModuleOp"> {
  let summary = "choose how every kernel becomes loops";
  let description = [{
    Puts `weft.lowering` on the anchor of every kernel: the emitter and its schedule, from the options (which describe the
    processor) and the shape. What it says is what `weft-lower-kernels` writes. `width` is the number of f32 lanes of a
    vector (1: scalar code), `parallel` says that tasks go to threads.

    | emitter | other fields |
    |---|---|
    | `map`, `argtop` | `rows` of a task (none: there is one task); for maps, and softmaxes across the order of storage, also `vectors` of a task instead of rows; a row of an argtop has all its places |
    | `softmax` | `passes` over a row: 3 (maximum, sum of exponentials, results), or 2 (maximum and sum together, at the price of an exponential for each `chains` of them); `chains`: neighbouring vectors of a row in one step; `kept`: the results hold the elements between the passes; `rows` of a task |
    | `row` | `tile`: how many neighbouring rows are computed in one loop, where the lanes run along the axis; `rows` of a task, counted in tiles, or vectors where the lanes are rows |
    | `check` | `vectors` of a task (none: there is one task) |
    | `attention_rows` | an attention without a block of its own, result by result: `columns` of a result that are computed in one loop over the keys; `rows` of a task, counted in so many columns. Written by hand alone |
    | `transpose` | a map with inputs that lie across its output; `across`: the index along which they are read; `run`: how much of it before the next lanes; `rows` of a task |
    | `reduce`, `contract` | `lane`: which index has the lanes; `tile`: how many neighbouring results (vectors of them, if the lanes are results) are computed in one loop, where they share an element; `across`: how many neighbouring results along the stored index before that one are, too; `tiles_outside`: the loop over tiles is outside those over rows that read the same again; `rows` of a task |
    | `gemm` | `tile = [mr, nr]`: the register tile, nr being the columns of a panel; `rows` (at most; blocks are as equal as tiles allow) and `panels` of a task; `near`: blocks of rows that the second cache holds (where there are n times as many, a task takes n times as many panels, up to 8); `k`: the cache block of k, which all panels of a task have before the next one; `unroll`: steps of k written out; `prefetch`: whether lines of the next panel (of the own one, if the rows are few) are fetched beside them, and of many rows the lines of their results; `fetch_rows`: by tiles of at least so many rows, if the panel is their own; `unit`: `"tiles"` if register tiles are those of a matrix unit, `"words"` if products of codes of 4 bits, or of the checkpoint, are added up in words of 16 bits before they are in 32, `"reals"` if rows of 16 bits are made f32 first, once for all panels of a task; `halves = 1`: one row of bf16 or of parts is multiplied by multiply-adds, in the order of tiles |
    | `attention` | `tile`: rows of the register tile; `queries` of a task (each head of a group that shares keys counts); `keys` packed at once; `slices` of a head that is cut, for each product and for the columns, or `[]`; `unroll`; `unit`: `"tiles"` if both products are those of a matrix unit, of bf16, `"dots"` if they are loops of dots that stand for it: then one query packs nothing |

    An attribute that is there already is kept, and fields that it lacks are chosen, so a schedule can be tried by hand.
    What an emitter cannot do is an error:

    ```mlir
    weft.contract ... attributes {weft.lowering = #weft.lowering<"gemm", k = 96, tile = [4, 32]>}
    ```
  }];
  let options = [
    Option<"width", "width", "int64_t", /*default=*/"16", "f32 lanes of a vector; 1: scalar code">,
    Option<"registers", "registers", "int64_t", /*default=*/"32", "vector registers">,
    Option<"l2", "l2", "int64_t", /*default=*/"1048576", "bytes of the second cache">,
    Option<"threads", "threads", "int64_t", /*default=*/"1", "threads the code may use">,
    Option<"tiles", "tiles", "bool", /*default=*/"false", "the processor multiplies tiles of bf16">,
    Option<"dots", "dots", "bool", /*default=*/"false", "the processor's dots of pairs of bf16 are fast">,
    Option<"words", "words", "bool", /*default=*/"false", "products of codes are added up in words: there are no dots of four codes">,
    Option<"fetchRows", "fetch-rows", "int64_t", /*default=*/"1", "what fewer rows read one after the other is not fetched ahead; with `words` only if it is multiplied as it is stored">
  ];
}

def CheckProcessor : Pass<"weft-check-processor", "::mlir::ModuleOp"> {
  let summary = "write the function that asks whether the machine has what the code needs";
  let description = [{
    Adds `weft.processor`, which `weft-lower-calls` calls first in every C function: it asks the processor (CPUID; on AArch64
    the identification registers, as Linux has them for a process) and the system (XGETBV; for tiles, Linux by
    ARCH_REQ_XCOMP_PERM, which gives a process the right to use them) for each of the features, of the option and of
    `weft_cpu.features` on the module, which then has all, and returns 0 or WEFT_ERROR_PROCESSOR. The answer is kept. It is
    compiled for any machine of the architecture. Without features there is nothing to ask, and no function.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    ListOption<"features", "features", "std::string", "LLVM's names of features, of one architecture: avx2, amx-tile; dotprod, sve">
  ];
}

def LowerKernels : Pass<"weft-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "write the loops of every kernel (stage kernels to stage loops)";
  let description = [{
    A kernel's anchor becomes loops on the addresses of its buffers (`weft.address`). Its arguments are the same buffers, then
    the value of every symbol that it needs as i64, then a pointer to the i32 in which checks report. If the lowering is
    parallel, its tasks move into a function `NAME.body` that `weft_parallel_for` calls. Anchors need `weft.lowering`. What launches the
    kernels, `weft.launch`, stays as it is.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::weft::cpu::UnitDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "kernels written">];
}

def MergeFunctions : Pass<"weft-merge-functions", "::mlir::ModuleOp"> {
  let summary = "keep one of the functions that do the same";
  let description = [{
    A model and its step have many kernels of the same shape, and so have the projections of a layer: their loops are the same, op by
    op, but for names and places in the text. The first of them is kept, and those who hand it to threads or call it
    go to that one. Merged are tasks of threads (`NAME.body`) and, once `weft-lower-calls` calls them with addresses, private
    kernels. What is measured by `--profile` keeps its name, which stands where kernels are called. With `-g`
    nothing is merged: each function has its own lines.
  }];
  let statistics = [Statistic<"numMerged", "merged", "functions that were another one">];
}

def LowerUnits : Pass<"weft-lower-units", "::mlir::ModuleOp"> {
  let summary = "write what the units of a processor compute as their instructions, or as loops";
  let description = [{
    `weft_cpu.dot`, `weft_cpu.dot_codes`, `weft_cpu.dot_signed`, `weft_cpu.dot_bytes`, `weft_cpu.dot_words`, `weft_cpu.power_of_two`, `weft_cpu.look_up`, `weft_cpu.look_up_bytes` and `weft_cpu.tile_product` become the instructions of their unit if `native` lists it (`dot`,
    `dot_codes`, or `short_dot_codes` where there are those of AVX alone, `dot_bytes`, `dot_words`, which stands for dots of codes, too, as products of words, and both together for those that are narrow or signed, `power_of_two`, `look_up`, or `short_look_up` where registers have 8 lanes, `tiles`), plain vector code otherwise. With `round` the processor has an instruction for `arith.truncf` to bf16. `weft_cpu.features` on the module then has the features that the instructions need. Tiles
    are multiplied by functions of their own: a function has one configuration of the tile registers.
  }];
  let options = [ListOption<"native", "native", "std::string", "units that the processor has: dot, dot_codes, short_dot_codes, dot_bytes, dot_words, round, power_of_two, look_up, short_look_up, tiles">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def ExpandHalves : Pass<"weft-expand-halves", "::mlir::ModuleOp"> {
  let summary = "convert f16 and bf16 by integer arithmetic";
  let description = [{
    For processors without instructions that convert: `arith.extf` and `arith.truncf` of f16, and `arith.truncf` to bf16, become
    what they compute, bit for bit, which no object has to call anything for.
  }];
  let options = [Option<"f16", "f16", "bool", "true", "there are no instructions for f16">,
                 Option<"bf16", "bf16", "bool", "true", "there are none for bf16">];
}

#endif
