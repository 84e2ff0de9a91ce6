//===- EntryCode.h - straight-line code that leaves early -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYCODE_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYCODE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// Writes the body of a function in the LLVM dialect that returns an error code: straight-line code
/// and loops that leave early with it.
class EntryCode {
public:
  explicit EntryCode(mlir::LLVM::LLVMFuncOp function);

  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value number(int64_t value) { return constant(i64, value); }
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value subtract(mlir::Value x, mlir::Value y);
  mlir::Value multiply(mlir::Value x, int64_t factor);
  mlir::Value isLess(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value isNull(mlir::Value pointer);
  /// value < 1 or value > bound, as one unsigned comparison.
  mlir::Value isOutside(mlir::Value value, int64_t bound);

  /// `base` moved by a number of bytes.
  mlir::Value address(mlir::Value base, mlir::Value bytes);
  mlir::Value load(mlir::Type type, mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
  /// Element number `i` of a list of values of the type.
  mlir::Value element(mlir::Type type, mlir::Value list, int64_t i);
  mlir::Value loadElement(mlir::Type type, mlir::Value list, int64_t i);
  void copy(mlir::Value to, mlir::Value from, int64_t bytes);
  /// A list of `count` values on the stack.
  mlir::Value allocate(mlir::Type type, int64_t count);
  /// A place on the stack that holds `value`.
  mlir::Value place(mlir::Value value);

  /// Returns `error` if one of the conditions holds.
  void leaveIf(llvm::ArrayRef<mlir::Value> conditions, int32_t error);
  void leaveIf(mlir::Value condition, mlir::Value error);
  void leaveWith(mlir::Value error);
  /// Begins a block with an i64 argument, `first` the first time.
  mlir::Block *beginLoop(mlir::Value first);
  /// Repeats `loop` with `next` if the condition holds, else returns `error`.
  void leaveUnless(mlir::Value condition, mlir::Value error, mlir::Block *loop, mlir::Value next);

  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type i8, i32, i64, pointer;

private:
  mlir::Block *leave;
};

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYCODE_H
