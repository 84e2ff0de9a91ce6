//===- CText.h - kernels as C --------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_LIB_CTEXT_CTEXT_H
#define WEFT_TEST_LIB_CTEXT_CTEXT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft::test {

/// Writes a function of scf, arith, math and the LLVM dialect's pointers, all scalar, as C; an
/// error at an op that it does not know.
mlir::LogicalResult writeC(mlir::func::FuncOp function, llvm::raw_ostream &os);

/// `test-kernels-to-c`: prints every kernel of a module as a C function.
void registerKernelsToC();

} // namespace weft::test

#endif // WEFT_TEST_LIB_CTEXT_CTEXT_H
