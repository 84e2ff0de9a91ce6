//===- CheckpointValues.cpp - what weights are, for the interpreter -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CheckpointValues.h"

#include "weft/Import/Codes.h"
#include "weft/Import/ScaledCodes.h"

using namespace mlir;
using namespace weft;

static llvm::Error checkCount(WeightOp op, const StoredWeight &stored, ArrayRef<int64_t> shape) {
  if (stored.count() == elementCount(shape))
    return llvm::Error::success();
  return llvm::createStringError("tensor '" + op.getName() + "' has " + Twine(stored.count()) +
                                 " elements, expected those of " + shapeString(shape));
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

static llvm::Error refuseInfinite(WeightOp op) {
  return llvm::createStringError("tensor '" + op.getName() +
                                 "' has an element that is not finite, which cannot be a code");
}

/// What the codes of a table stand for, at all stages.
static llvm::Expected<TensorRef> readScaled(WeightOp op, const StoredWeight &stored,
                                            CodedAttr attribute) {
  std::vector<float> values(size_t(stored.count()));
  stored.readReals(0, values);
  if (llvm::Error error = stored.checkValues())
    return std::move(error);
  if (!llvm::all_of(values, [](float value) { return std::isfinite(value); }))
    return refuseInfinite(op);
  SmallVector<unsigned> along(attribute.getAlong());
  CodeFormat format = attribute.getFormat();
  std::optional<StoredCodes> kept = stored.findCodes();
  // Codes of the checkpoint stand for its numbers.
  if (!kept || kept->table != format.table)
    values = restoreScaled(values, attribute.getShape(), along, format);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  return std::make_shared<Tensor>(type.getShape(),
                                  std::vector<double>(values.begin(), values.end()));
}

static llvm::Expected<TensorRef> readCoded(WeightOp op, const StoredWeight &stored,
                                           CodedAttr attribute) {
  if (llvm::Error error = checkCount(op, stored, attribute.getShape()))
    return std::move(error);
  if (attribute.getPart() == CodePart::Reals)
    return readScaled(op, stored, attribute);
  SmallVector<unsigned> along(attribute.getAlong());
  CodedTensor coded =
      encode([&](int64_t first, MutableArrayRef<float> out) { stored.readReals(first, out); },
             attribute.getShape(), along, attribute.getFormat());
  if (!coded.isFinite)
    return refuseInfinite(op);
  if (op.getCoded())
    return makePart(coded, *op.getCoded());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  return std::make_shared<Tensor>(type.getShape(), decode(coded, attribute.getShape(), along));
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

CheckpointValues::CheckpointValues(const Checkpoint &checkpoint, ModuleOp stored)
    : checkpoint(checkpoint) {
  stored.walk([&](WeightOp op) {
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
  if (llvm::Error error = checkCount(op, stored, type.getShape()))
    return std::move(error);
  std::vector<float> values(stored.count());
  stored.readReals(0, values);
  if (llvm::Error error = stored.checkValues())
    return std::move(error);
  auto tensor =
      std::make_shared<Tensor>(type.getShape(), std::vector<double>(values.begin(), values.end()));
  tensor->round(element);
  return tensor;
}
