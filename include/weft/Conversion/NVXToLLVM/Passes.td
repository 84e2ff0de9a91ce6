//===- Passes.td - instructions of a GPU for LLVM -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_NVXTOLLVM_PASSES_TD
#define WEFT_CONVERSION_NVXTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def MathToNVX : Pass<"convert-math-to-nvx"> {
  let summary = "functions of a GPU's threads, without a library";
  let description = [{
    LLVM has no functions for a GPU, and NVIDIA's library of them is not needed: they are written here. Errors in units of the
    last place of f32, subnormal numbers being 0: exp2 and rsqrt 2 (instructions), exp 4 (`nvx.ex2` of the product, corrected by
    what rounding it lost), tanh 4 (most of them those of `nvx.ex2` and `nvx.rcp`), erf 2 (as `weft-approximate-math` writes it), logarithms 2.5 (MLIR's polynomials),
    sin and cos 1 for |x| < 2^52 and NaN beyond (reduced in f64), pow 3 (its logarithm in f64). Square roots, absolute
    values and roundings are instructions and left. Any other function is an error. All of them are of f32 scalars.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
                           "::weft::nvx::NVXDialect"];
}

def ShortenIndices : Pass<"nvx-shorten-indices"> {
  let summary = "values of type `index` of 32 bits";
  let description = [{
    A GPU computes with 32 bits; a sum of 64 takes two instructions and two registers, a product four, a quotient some hundred. In
    functions that say `nvx.short_indices` (all values of type `index` are within 2^30 of 0: their buffers are small enough) these
    values become i32, and sums, differences and products say that they do not wrap: so LLVM still finds what addresses have in
    common. Functions with a constant beyond that are left as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandDivisions : Pass<"nvx-expand-divisions"> {
  let summary = "quotients that are rounded up or down";
  let description = [{
    Those of `arith` become others that LLVM has. Of what else upstream's `arith-expand` writes out, a GPU has instructions: the larger
    of two numbers is one, not two comparisons and a choice.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NVXToLLVM : Pass<"convert-nvx-to-llvm"> {
  let summary = "intrinsics of LLVM for the instructions of a GPU";
  let description = "One pattern an op of the dialect `nvx`.";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
