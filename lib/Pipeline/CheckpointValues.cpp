//===- CheckpointValues.cpp - what weights are, for the interpreter -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CheckpointValues.h"

#include "weft/Import/Codes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace weft;

/// The reals that the checkpoint has for a weight, or for that of which it is a part.
static llvm::Expected<std::vector<float>> readReals(WeightOp op, const StoredWeight &stored,
                                                    ArrayRef<int64_t> shape) {
  if (stored.count() != elementCount(shape))
    return llvm::createStringError("tensor '" + op.getName() + "' has " + Twine(stored.count()) +
                                   " elements, expected those of " + shapeString(shape));
  std::vector<float> values(stored.count());
  stored.readReals(0, values);
  return values;
}

static TensorRef makePart(const CodedTensor &coded, CodedAttr attribute) {
  SmallVector<int64_t> shape = attribute.getPartShape();
  if (attribute.getPart() == CodePart::Scales)
    return std::make_shared<Tensor>(shape,
                                    std::vector<double>(coded.scales.begin(), coded.scales.end()));
  std::vector<int64_t> integers(coded.sums.begin(), coded.sums.end());
  if (attribute.getPart() == CodePart::Codes)
    integers.assign(coded.codes.begin(), coded.codes.end());
  return std::make_shared<Tensor>(ElementKind::Int, shape, std::move(integers));
}

static std::vector<double> decode(const CodedTensor &coded, CodedAttr attribute) {
  std::vector<double> values(coded.codes.begin(), coded.codes.end());
  SmallVector<int64_t> strides = computeStrides(attribute.getShape());
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t row = 0;
    for (int64_t dim : attribute.getKeptDims())
      row = row * attribute.getShape()[dim] + int64_t(i) / strides[dim] % attribute.getShape()[dim];
    values[i] *= coded.scales[size_t(row)];
  }
  return values;
}

static llvm::Expected<TensorRef> readCoded(WeightOp op, const StoredWeight &stored,
                                           CodedAttr attribute) {
  llvm::Expected<std::vector<float>> values = readReals(op, stored, attribute.getShape());
  if (!values)
    return values.takeError();
  CodedTensor result = encode(*values, attribute.getShape(), attribute.getAlong());
  if (op.getCoded())
    return makePart(result, *op.getCoded());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  return std::make_shared<Tensor>(type.getShape(), decode(result, attribute));
}

static llvm::Expected<TensorRef> readIntegers(WeightOp op, const StoredWeight &stored,
                                              ElementType element) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  std::vector<int32_t> values(stored.count());
  if (stored.count() != elementCount(type.getShape()) || stored.readIntegers(values))
    return llvm::createStringError("tensor '" + op.getName() + "' does not hold the integers of " +
                                   shapeString(type.getShape()));
  auto tensor = std::make_shared<Tensor>(infoOf(element).kind, type.getShape(),
                                         std::vector<int64_t>(values.begin(), values.end()));
  tensor->round(element);
  return tensor;
}

CheckpointValues::CheckpointValues(const Checkpoint &checkpoint, ModuleOp fused)
    : checkpoint(checkpoint) {
  fused.walk([&](WeightOp op) {
    if (auto attribute = op.getCoded())
      coded[op.getName()] = *attribute;
  });
}

llvm::Expected<TensorRef> CheckpointValues::operator()(WeightOp op) const {
  StoredWeight stored = checkpoint.findWeight(op.getName());
  if (auto tied = op.getTied(); tied && !stored)
    for (StringRef name : tied->getAsValueRange<StringAttr>()) {
      stored = checkpoint.findWeight(name);
      if (stored)
        break;
    }
  if (!stored)
    return llvm::createStringError("the checkpoint has no tensor '" + op.getName() + "'");
  if (CodedAttr attribute = coded.lookup(op.getName()))
    return readCoded(op, stored, attribute);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ElementType element = *getElementType(type.getElementType());
  if (infoOf(element).kind != ElementKind::Real)
    return readIntegers(op, stored, element);
  llvm::Expected<std::vector<float>> values = readReals(op, stored, type.getShape());
  if (!values)
    return values.takeError();
  auto tensor = std::make_shared<Tensor>(type.getShape(),
                                         std::vector<double>(values->begin(), values->end()));
  tensor->round(element);
  return tensor;
}
