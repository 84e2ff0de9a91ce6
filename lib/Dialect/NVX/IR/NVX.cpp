//===- NVX.cpp - the dialect of what a GPU's threads can do ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/NVX/IR/NVX.h"

#include "weft/Dialect/NVX/IR/NVXDialect.cpp.inc"

#define GET_OP_CLASSES
#include "weft/Dialect/NVX/IR/NVXOps.cpp.inc"

void weft::nvx::NVXDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "weft/Dialect/NVX/IR/NVXOps.cpp.inc"
      >();
}

using namespace mlir;
using namespace weft;

LogicalResult nvx::LdMatrixOp::verify() {
  size_t number = getMatrices().size();
  if (number == 1 || number == 2 || number == 4)
    return success();
  return emitOpError("reads 1, 2 or 4 matrices, not ") << number;
}

LogicalResult nvx::MmaOp::verify() {
  Type element = getElement();
  if (!element.isBF16() && !element.isF16() && !element.isTF32())
    return emitOpError("multiplies bf16, f16 or tf32, not ") << element;
  auto check = [&](OperandRange registers, size_t wanted, StringRef name) -> LogicalResult {
    if (registers.size() == wanted)
      return success();
    return emitOpError("takes ") << wanted << " registers of " << name << ", not "
                                 << registers.size();
  };
  if (failed(check(getA(), 4, "a")) || failed(check(getB(), 2, "b")))
    return failure();
  return check(getC(), 4, "c");
}
