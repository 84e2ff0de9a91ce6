//===-  StructureWriter.h - constant structures as globals ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures of weft_model_info.h and weft_cuda_program.h. All their fields are naturally
// aligned and all padding is a field, so an array of structures is written as one long structure of
// its fields.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_STRUCTUREWRITER_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_STRUCTUREWRITER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace weft {

/// One number or address of a structure.
struct Field {
  enum Kind { I32, I64, F64, Address } kind;
  int64_t integer = 0;
  double real = 0;
  std::string symbol = {}; ///< of a global or function; empty: null
};

class StructureWriter {
public:
  /// Globals are named `prefix`.WHAT.NUMBER.
  StructureWriter(mlir::ModuleOp module, std::string prefix)
      : b(mlir::OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()),
        prefix(std::move(prefix)) {}

  static Field i32(int64_t value) { return {Field::I32, value}; }
  static Field i64(int64_t value) { return {Field::I64, value}; }
  static Field f64(double value) { return {Field::F64, 0, value}; }
  static Field address(std::string symbol) { return {Field::Address, 0, 0, std::move(symbol)}; }

  /// A constant structure with these fields.
  void addGlobal(llvm::StringRef name, llvm::ArrayRef<Field> fields, bool exported);
  /// The address of a global with the array's elements; null if there are none.
  Field addArray(llvm::StringRef what, llvm::ArrayRef<Field> fields);
  /// The address of a text with a NUL behind.
  Field addString(llvm::StringRef text);

protected:
  mlir::OpBuilder b;
  mlir::Location loc;

private:
  mlir::Type typeOf(const Field &field);
  mlir::Type typeOf(llvm::ArrayRef<Field> fields);
  mlir::Value valueOf(const Field &field);
  mlir::Value valueOf(llvm::ArrayRef<Field> fields);
  std::string freshName(llvm::StringRef what);

  std::string prefix;
  unsigned next = 0;
};

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_STRUCTUREWRITER_H
