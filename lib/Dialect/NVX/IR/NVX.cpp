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

template <typename Op> static LogicalResult verifyBox(Op op) {
  size_t rank = op.getCoordinates().size();
  if (rank >= 1 && rank <= 5)
    return success();
  return op.emitOpError("has 1 to 5 coordinates, not ") << rank;
}

LogicalResult nvx::TmaLoadOp::verify() { return verifyBox(*this); }
LogicalResult nvx::TmaStoreOp::verify() { return verifyBox(*this); }

LogicalResult nvx::WgmmaOp::verify() {
  Type element = getElement();
  if (!element.isBF16() && !element.isF16() && !element.isTF32())
    return emitOpError("multiplies bf16, f16 or tf32, not ") << element;
  size_t sums = getC().size();
  if (sums == 0 || sums % 4 != 0 || sums > 128)
    return emitOpError("has 4 to 128 sums, a multiple of 4, not ") << sums;
  auto are = [&](size_t count, unsigned bits) {
    return getA().size() == count &&
           llvm::all_of(getA().getTypes(), [&](Type type) { return type.isInteger(bits); });
  };
  if (!are(1, 64) && !are(4, 32))
    return emitOpError("takes a descriptor of a, an i64, or four registers of i32");
  if (element.isTF32() && getTrans())
    return emitOpError("cannot read columns of tf32 that lie side by side");
  return success();
}

LogicalResult nvx::TensorMapOp::verify() {
  size_t rank = getSizes().size();
  if (rank < 1 || rank > 5 || getStrides().size() + 1 != rank || getBox().size() != rank)
    return emitOpError("has 1 to 5 sizes, as many of a box and one stride less, not ")
           << rank << ", " << getBox().size() << " and " << getStrides().size();
  Type element = getElement();
  if (!element.isBF16() && !element.isF16() && !element.isF32())
    return emitOpError("is of bf16, f16 or f32, not ") << element;
  if (getBox()[0] * element.getIntOrFloatBitWidth() != 1024)
    return emitOpError("has boxes with rows of 128 bytes, not of ") << getBox()[0] << " elements";
  return success();
}
