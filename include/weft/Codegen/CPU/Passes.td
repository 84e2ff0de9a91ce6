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
    Puts `weft.lowering` on the anchor of every kernel: the emitter, the number of lanes, the tile sizes and whether
    the tasks go to threads, from the options (which describe the target) and the shape. The tile of a packed product
    is `[mr, nr, kc]`, of attention `[queries, keys, rows]`, of other contractions and reductions `[results]`: how many
    neighbouring results (vectors of them, if the lanes run along the output) are computed in one loop, where they share
    an element. An attribute that is there already is kept, so a schedule can be tried by hand:

    ```mlir
    weft.contract ... attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [8, 32, 768], parallel = true>}
    ```
  }];
  let options = [
    Option<"width", "width", "int64_t", /*default=*/"16", "f32 lanes of a vector; 1: scalar code">,
    Option<"registers", "registers", "int64_t", /*default=*/"32", "vector registers">,
    Option<"l2", "l2", "int64_t", /*default=*/"1048576", "bytes of the second cache">,
    Option<"threads", "threads", "int64_t", /*default=*/"1", "threads the code may use">
  ];
}

def LowerKernels : Pass<"weft-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "write the loops of every kernel (stage kernels to stage loops)";
  let description = [{
    A kernel function on buffers becomes one on pointers: its arguments in the same order, then the value of every
    symbol that it needs as i64, then a pointer to the i32 in which checks report. If the lowering is parallel, its
    tasks move into a function `NAME.body` that `weft_parallel_for` calls. Anchors need `weft.lowering`. What launches the
    kernels, `weft.launch`, stays as it is.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "kernels written">];
}

#endif
