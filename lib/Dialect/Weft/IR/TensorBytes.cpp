//===- TensorBytes.cpp - the memory that values of the dialect take -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/TensorBytes.h"

using namespace mlir;
using namespace weft;

unsigned weft::getStorageBits(Type element) { return infoOf(*getElementType(element)).bits; }

SmallVector<int64_t> weft::getLargestShape(RankedTensorType type) {
  SmallVector<int64_t> shape;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i)
    shape.push_back(getBound(type, i));
  return shape;
}

SmallVector<int64_t> weft::getLargestShape(MemRefType type, BoundsAttr bounds) {
  SmallVector<int64_t> shape(type.getShape());
  unsigned symbol = 0;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = bounds.getBounds()[symbol++];
  return shape;
}

/// In the order of a layout, rounded up to its panels.
static std::optional<int64_t> storedBytes(ShapedType type, ArrayRef<int64_t> shape) {
  unsigned bits = getStorageBits(type.getElementType());
  LayoutAttr layout = getLayout(type);
  if (layout && layout.isSplit())
    bits = infoOf(ElementType::BF16).bits;
  return layout ? layout.getStoredBytes(shape, bits) : tensorBytes(bits, shape);
}

std::optional<int64_t> weft::getLargestBytes(RankedTensorType type) {
  return storedBytes(type, getLargestShape(type));
}

std::optional<int64_t> weft::getLargestBytes(MemRefType type, BoundsAttr bounds) {
  return storedBytes(type, getLargestShape(type, bounds));
}

static std::string shapeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  for (unsigned i = 0, e = type.getRank(); i != e; ++i) {
    os << (i ? ", " : "");
    if (StringRef symbol = getSymbol(type, i); !symbol.empty())
      os << symbol << " <= ";
    os << getBound(type, i);
  }
  os << "]";
  return text;
}

static LogicalResult verifySize(Operation *op, StringAttr name, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !getElementType(tensor.getElementType()) || getLargestBytes(tensor))
    return success();
  return op->emitError() << (name ? "'" + name.getValue() + "'" : "a tensor")
                         << " is too large: " << shapeText(tensor)
                         << " can have more than 2^60 bytes";
}

LogicalResult weft::verifySizes(func::FuncOp function) {
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (failed(
            verifySize(function, attrs::Name::getArg(function, i), function.getArgumentTypes()[i])))
      return failure();
  WalkResult result = function.walk([](Operation *op) {
    auto weight = dyn_cast<WeightOp>(op);
    auto name = weight ? weight.getNameAttr() : attrs::Label::get(op);
    for (Type type : op->getResultTypes())
      if (failed(verifySize(op, name, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
