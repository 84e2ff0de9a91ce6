//===- Tensor.cpp - the values of the reference interpreter ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Reference/Tensor.h"

#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Support/Elements.h"
#include "weft/Support/Format.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// Eight gigabytes of float64: more than any model that is worth interpreting needs in one piece.
static constexpr int64_t kMaxElements = int64_t(1) << 30;

static int64_t numElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>());
}

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i)
    strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

Tensor::Tensor(Kind kind, ArrayRef<int64_t> shape)
    : elementKind(kind), dims(shape), steps(rowMajorStrides(shape)) {
  if (kind == Kind::Real)
    reals.resize(numElements(shape));
  else
    integers.resize(numElements(shape));
}

Tensor::Tensor(ArrayRef<int64_t> shape, std::vector<double> reals)
    : reals(std::move(reals)), elementKind(Kind::Real), dims(shape), steps(rowMajorStrides(shape)) {
}

Tensor::Tensor(Kind kind, ArrayRef<int64_t> shape, std::vector<int64_t> integers)
    : integers(std::move(integers)), elementKind(kind), dims(shape), steps(rowMajorStrides(shape)) {
}

llvm::Expected<Tensor::Kind> Tensor::kindOf(Type type) {
  if (std::optional<ElementType> element = getElementType(type))
    return infoOf(*element).kind;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return llvm::createStringError("the interpreter has no values of type " + text);
}

llvm::Error Tensor::checkSize(ArrayRef<int64_t> shape) {
  int64_t total = 1;
  for (int64_t dim : shape) {
    if (dim < 0)
      return llvm::createStringError("a dimension has the negative size " + llvm::Twine(dim));
    if (llvm::MulOverflow(total, dim, total) || total > kMaxElements)
      return llvm::createStringError("a tensor is too large for the interpreter");
  }
  return llvm::Error::success();
}

llvm::Expected<Tensor> Tensor::fromAttribute(DenseElementsAttr attribute) {
  llvm::Expected<Kind> kind = kindOf(attribute.getElementType());
  if (!kind)
    return kind.takeError();
  ArrayRef<int64_t> shape = attribute.getType().getShape();
  if (llvm::Error error = checkSize(shape))
    return std::move(error);
  Tensor tensor(*kind, shape);
  bool isUnsigned = *kind == Kind::Bool || attribute.getElementType().isUnsignedInteger();
  int64_t i = 0;
  if (*kind == Kind::Real)
    for (const APFloat &value : attribute.getValues<APFloat>())
      tensor.reals[i++] = value.convertToDouble();
  else
    for (const APInt &value : attribute.getValues<APInt>())
      tensor.integers[i++] = isUnsigned ? value.getZExtValue() : value.getSExtValue();
  return tensor;
}

DenseElementsAttr Tensor::toAttribute(RankedTensorType type) const {
  if (!isReal()) {
    unsigned width = type.getElementTypeBitWidth();
    SmallVector<APInt> values;
    for (int64_t value : integers)
      values.push_back(APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true));
    return DenseElementsAttr::get(type, values);
  }
  if (type.getElementType().isF32()) {
    std::vector<float> values(reals.begin(), reals.end());
    return DenseElementsAttr::get(type, ArrayRef<float>(values));
  }
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  SmallVector<APFloat> values;
  for (double real : reals) {
    APFloat value(real);
    bool losesInfo;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    values.push_back(value);
  }
  return DenseElementsAttr::get(type, values);
}

//===----------------------------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------------------------===//

Scalar weft::roundScalar(ElementType type, Scalar scalar) {
  if (type == ElementType::F32)
    return scalar;
  if (infoOf(type).isReal())
    scalar.real = roundReal(type, scalar.real);
  else
    scalar.integer = wrapInt(type, scalar.integer);
  return scalar;
}

void Tensor::round(ElementType type) {
  for (int64_t i = 0, e = size(); i != e; ++i)
    store(i, roundScalar(type, load(i)));
}

std::vector<uint8_t> Tensor::toBytes(ElementType type) const {
  std::vector<uint8_t> bytes(size() * infoOf(type).bytes());
  for (int64_t i = 0, e = size(); i != e; ++i)
    if (isReal())
      storeReal(type, bytes.data(), i, reals[i]);
    else
      storeInt(type, bytes.data(), i, integers[i]);
  return bytes;
}

//===----------------------------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------------------------===//

static void printElements(llvm::raw_ostream &os, const Tensor &tensor, unsigned dim,
                          int64_t offset) {
  if (dim == tensor.shape().size()) {
    if (tensor.isReal())
      print(os, "{:.6g}", tensor.reals[offset]);
    else if (tensor.kind() == Tensor::Kind::Bool)
      os << (tensor.integers[offset] ? "true" : "false");
    else
      os << tensor.integers[offset];
    return;
  }
  os << "[";
  for (int64_t i = 0; i < tensor.shape()[dim]; ++i) {
    os << (i ? ", " : "");
    printElements(os, tensor, dim + 1, offset + i * tensor.strides()[dim]);
  }
  os << "]";
}

void weft::print(llvm::raw_ostream &os, const Tensor &tensor) {
  os << "tensor ";
  llvm::interleave(tensor.shape(), os, "x");
  os << (tensor.shape().empty() ? "" : " ")
     << (tensor.isReal()                       ? "real"
         : tensor.kind() == Tensor::Kind::Bool ? "bool"
                                               : "int")
     << " ";
  printElements(os, tensor, 0, 0);
}
