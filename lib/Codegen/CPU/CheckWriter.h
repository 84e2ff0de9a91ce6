//===- CheckWriter.h - code that asks a processor ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_CHECKWRITER_H
#define WEFT_LIB_CODEGEN_CPU_CHECKWRITER_H

#include "ProcessorFeatures.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// Writes a function that goes on as long as conditions hold.
class CheckWriter {
public:
  /// What follows is written at the builder's place; `fail` is where a condition that does not hold
  /// leads to.
  CheckWriter(mlir::OpBuilder &b, mlir::Location loc, mlir::Block *fail)
      : b(b), loc(loc), fail(fail) {}

  mlir::Value constant(unsigned bits, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getIntegerType(bits),
                                          b.getIntegerAttr(b.getIntegerType(bits), value));
  }
  mlir::Value assembly(mlir::Type result, mlir::ValueRange operands, llvm::StringRef text,
                       llvm::StringRef constraints);
  /// What follows is written where the condition holds.
  void goOnIf(mlir::LLVM::ICmpPredicate predicate, mlir::Value lhs, mlir::Value rhs);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  mlir::Block *fail;
};

/// Goes on where the machine, and the system, have all of the features.
void requireOfX86(CheckWriter &writer, llvm::ArrayRef<ProcessorFeature> features);
void requireOfAArch64(CheckWriter &writer, llvm::ArrayRef<ProcessorFeature> features);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_CHECKWRITER_H
