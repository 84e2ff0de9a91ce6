//===- ElementTypes.cpp - element types in the IR -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weft;

Type weft::getStorageType(MLIRContext *context, ElementType type) {
  Builder b(context);
  switch (type) {
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, TEXT_NAME, CODE, IR_TYPE)   \
  case ElementType::NAME:                                                                          \
    return IR_TYPE;
#include "weft/Support/ElementTypes.def"
  default:
    llvm_unreachable("a type of files only");
  }
}

std::optional<ElementType> weft::getElementType(Type type) {
  for (const ElementTypeInfo &info : elementTypes())
    if (info.isStored() && getStorageType(type.getContext(), info.type) == type)
      return info.type;
  return std::nullopt;
}

Type weft::getComputeType(Type storage) {
  std::optional<ElementType> type = getElementType(storage);
  // Any other is an error of its tensor.
  return type ? getStorageType(storage.getContext(), computeType(infoOf(*type).kind)) : storage;
}

Type weft::getComputeTypeOf(Value tensor) {
  return getComputeType(cast<ShapedType>(tensor.getType()).getElementType());
}

bool weft::isStoredAsComputed(Value tensor) {
  return getComputeTypeOf(tensor) == cast<ShapedType>(tensor.getType()).getElementType();
}

//===----------------------------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------------------------===//

TypedAttr weft::convertElement(TypedAttr value, Type type) {
  if (value.getType() == type)
    return value;
  if (auto real = dyn_cast<FloatAttr>(value)) {
    APFloat number = real.getValue();
    bool losesInfo;
    number.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return FloatAttr::get(type, number);
  }
  APInt number = cast<IntegerAttr>(value).getValue();
  bool isUnsigned = value.getType().isUnsignedInteger() || value.getType().isInteger(1);
  unsigned bits = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, isUnsigned ? number.zextOrTrunc(bits) : number.sextOrTrunc(bits));
}

Type weft::getMemoryType(Type storage) {
  unsigned bits = infoOf(*getElementType(storage)).bits;
  return bits == 32 ? storage : IntegerType::get(storage.getContext(), bits);
}

TypedAttr weft::getMemoryValue(TypedAttr value, Type storage) {
  Type memory = getMemoryType(storage);
  if (memory == storage)
    return value;
  TypedAttr stored = convertElement(value, storage);
  if (auto real = dyn_cast<FloatAttr>(stored))
    return IntegerAttr::get(memory, real.getValue().bitcastToAPInt());
  return IntegerAttr::get(
      memory, cast<IntegerAttr>(stored).getValue().zext(memory.getIntOrFloatBitWidth()));
}

//===----------------------------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------------------------===//

/// Rows whose places a cache decides, and rows that are padded, have strides, all of them known.
static bool hasKnownStrides(MemRefType buffer) {
  auto strided = dyn_cast<StridedLayoutAttr>(buffer.getLayout());
  return strided && strided.getOffset() == 0 &&
         llvm::none_of(strided.getStrides(), ShapedType::isDynamic);
}

LogicalResult weft::verifyStorageType(Type type, function_ref<InFlightDiagnostic()> emitError,
                                      const Twine &name) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (auto buffer = dyn_cast<MemRefType>(type))
    if (!buffer.getLayout().isIdentity() && !getLayout(buffer) && !hasKnownStrides(buffer))
      return emitError() << name << " has the layout '" << buffer.getLayout()
                         << "', expected none or '#weft.layout' (C26)";
  LayoutAttr layout = getLayout(type);
  if (layout && layout.isSplit() && !shaped.getElementType().isF32())
    return emitError() << name << " has parts of elements of type " << shaped.getElementType()
                       << ", expected f32 (C26)";
  if (!shaped || getElementType(shaped.getElementType()))
    return success();
  InFlightDiagnostic error = emitError();
  error << name << " has elements of type " << shaped.getElementType() << ", expected one of ";
  llvm::ListSeparator comma;
  for (const ElementTypeInfo &info : elementTypes())
    if (info.isStored())
      error << StringRef(comma) << getStorageType(type.getContext(), info.type);
  return error << " (C26)";
}

LogicalResult weft::verifyStorageTypes(Operation *op) {
  auto emitError = [op] { return op->emitOpError(); };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(verifyStorageType(type, emitError, "operand " + Twine(i))))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifyStorageType(type, emitError, "result " + Twine(i))))
      return failure();
  return success();
}
