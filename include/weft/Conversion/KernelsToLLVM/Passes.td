//===- Passes.td - from lowered kernels to the LLVM dialect ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_KERNELSTOLLVM_PASSES_TD
#define WEFT_CONVERSION_KERNELSTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerAddresses : Pass<"weft-lower-addresses", "::mlir::ModuleOp"> {
  let summary = "turn the buffers of kernels into pointers";
  let description = [{
    A kernel that `weft-lower-kernels` wrote asks for the address of each buffer (`weft.address`); here the arguments
    become these pointers, in the buffers' memory spaces.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerCalls : Pass<"weft-lower-calls", "::mlir::ModuleOp"> {
  let summary = "turn entries and layers into functions on pointers, with the C interface of the model";
  let description = [{
    Runs after `weft-lower-addresses`. A layer becomes a private function
    `(ptr weights, ptr arena, ptr sizes, ptr status, ptr tensors)` that calls kernels and layers with
    addresses `weights + offset` and `arena + offset`. An entry becomes such a function and two more: the typed C
    function `int MODEL_ENTRY(weights, scratch, sizes..., inputs..., outputs...)`, which checks sizes and pointers and
    returns the status, and the uniform one that `weft_model_info` points to. The module also gets the constant
    `MODEL_info` and the function `weft_get_info`. If the target has put a function `weft.processor` into the module, all
    C functions ask it first whether the machine can run the rest, and are compiled for the processor that it names.

    With `images` the kernels run on a GPU. What was an entry's or layer's function is the same and gets addresses of the
    device, and the frame of the call in place of the status; the C functions check what they are given and call
    `weft_cuda_call` of the runtime (weft_cuda_program.h), which brings tensors there and back. Constant tensors lie behind the
    weights, and of a state the caller has its first words only.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"", "what the description says of the target">,
    Option<"threaded", "threaded", "bool", /*default=*/"false", "kernels may call weft_parallel_for">,
    Option<"profile", "profile", "bool", /*default=*/"false", "time every kernel by weft_profile_begin and _end">,
    Option<"embedsWeights", "embeds-weights", "bool", /*default=*/"false",
           "name the weights in the object: they are those of a call that is given none">,
    ListOption<"images", "images", "std::string", "run the kernels on a GPU: the architectures that there are kernels for, the best first">];
}

def ApproximateMath : Pass<"weft-approximate-math", "::mlir::ModuleOp"> {
  let summary = "polynomials for exp, log, tanh, erf, sin, cos and pow";
  let description = [{
    Errors in units of the last place of f32, for all arguments: exp 1 (where that would be below the smallest normal number
    it is 0), tanh 2.5, erf 2 (8e-5 where it has the flag `afn`), sin, cos and pow 0.6; logarithms, by MLIR's math dialect, 5.
    exp and erf take no division, tanh one. A number has the bits that it has in a vector. sin, cos and pow are arithmetic of
    f64. Sines and cosines are private functions, to be inlined; from 2^26 on, and of what is not finite, they are libm's, of a
    lane on its own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"weft-expand-math"> {
  let summary = "take apart what neither LLVM nor a library of functions has: clampf and fpowi";
  let description = [{
    By MLIR's patterns, on these ops only. Other powers of f32 are `weft-approximate-math`'s, and of f64 libm's.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerOperations : Pass<"weft-lower-operations"> {
  let summary = "operations of arith, math, vector, cf, func and ub to the LLVM dialect, in one conversion";
  let description = [{
    By the patterns of MLIR's passes for each of these dialects. As one conversion they look at the code once, and index is
    i64 for all of them at once. Before it branches that do the same become one, as joined kernels have them. What no
    pattern knows stays.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [
    Option<"libm", "libm", "bool", /*default=*/"false", "call functions of libm where LLVM has no intrinsic">,
    Option<"reassociate", "reassociate", "bool", /*default=*/"false", "sums over a vector may add its elements in any order">];
}

def FuseProducts : Pass<"weft-fuse-products"> {
  let summary = "let a product and the sum that reads it round once";
  let description = [{
    `a * b + c`, `a * b - c` and `c - a * b` of f32 and f64 become `llvm.intr.fma`, where the product stands in the block of the
    sum and is not `weft.rounded`; of two such products the first is fused. Runs on the LLVM dialect, for processors with the instruction; afterwards no op
    asks LLVM to contract. So what a loop rounds does not depend on how LLVM unrolls it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FinalizeLLVM : Pass<"weft-finalize-llvm", "::mlir::ModuleOp"> {
  let summary = "give private functions internal linkage and drop attributes of earlier stages";
  let dependentDialects = ["::weft::WeftDialect"];
}

def AddDebugInfo : Pass<"weft-add-debug-info", "::mlir::ModuleOp"> {
  let summary = "let every function and instruction say from which line of which text it comes";
  let description = [{
    Runs last, on functions of the LLVM dialect. Each gets a subprogram with its own name, which is that of its entry, layer or
    kernel, and the line of what it stands for. Each op gets one place: of fused formulas the last one, which the result stands
    for; a place in another text than the function's by a `di_lexical_block_file`; what has none that of the function. Places
    are all that changes.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"directory", "directory", "std::string", /*default=*/"", "what relative paths of texts are relative to">,
    Option<"optimized", "optimized", "bool", /*default=*/"true", "say that the code is optimised">,
    ListOption<"files", "files", "std::string", "NAME=PATH: where a text is that locations call NAME">];
}

#endif
