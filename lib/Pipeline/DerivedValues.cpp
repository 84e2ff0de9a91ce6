//===- DerivedValues.cpp - the numbers of derived weights -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DerivedValues.h"

#include "MatrixRule.h"
#include "PartValues.h"
#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"

using namespace llvm;
using namespace weft;

namespace {
/// A weight that a function of weights computes.
class DerivedValues : public TensorValues {
public:
  DerivedValues(std::shared_ptr<MatrixRule> function, ArrayRef<ElementType> types,
                std::vector<StoredWeight> from, int64_t count)
      : function(std::move(function)), types(types), from(std::move(from)), count(count) {}

  void read(int64_t first, MutableArrayRef<float> out) override {
    if (problem.empty())
      if (Error error = readNow(first, out))
        problem = toString(std::move(error));
    if (!problem.empty())
      std::fill(out.begin(), out.end(), 0.0f);
    if (first + int64_t(out.size()) == count)
      release();
  }
  Expected<std::vector<double>> interpret() override;
  StringRef failure() const override { return problem; }
  uint64_t storedBytes() const override {
    uint64_t bytes = 0;
    for (const StoredWeight &weight : from)
      bytes += weight.storedBytes();
    return bytes;
  }

private:
  /// An argument of the function: a tensor of the file, or one made of several.
  struct Operand {
    StoredTensor tensor;
    std::vector<uint8_t> bytes;
  };
  Error readNow(int64_t first, MutableArrayRef<float> out);
  Expected<std::vector<const StoredTensor *>> getOperands();
  void release();
  Error prepare(const StoredWeight &weight, ElementType type, Operand &operand);

  std::shared_ptr<MatrixRule> function;
  SmallVector<ElementType> types;
  std::vector<StoredWeight> from;
  int64_t count;
  /// They stay, as their addresses tell the function which weight it computed last; their bytes
  /// are there while they are read.
  std::vector<std::unique_ptr<Operand>> operands;
  bool isPrepared = false;
  std::string problem;
};
} // namespace

/// In the type that the function reads.
Error DerivedValues::prepare(const StoredWeight &weight, ElementType type, Operand &operand) {
  const StoredTensor &tensor = *weight.parts.front();
  if (weight.parts.size() == 1 && !tensor.values && tensor.type == type) {
    operand.tensor.bytes = tensor.bytes;
    return Error::success();
  }
  size_t elements = size_t(weight.count());
  operand.bytes.resize(elements * infoOf(type).bytes());
  operand.tensor.bytes = operand.bytes;
  if (infoOf(type).isReal()) {
    std::vector<float> reals(elements);
    weight.readReals(0, reals);
    convertFromFloat(type, reals, operand.bytes.data());
    return weight.checkValues();
  }
  std::vector<int32_t> integers(elements);
  if (const StoredTensor *bad = weight.readIntegers(integers))
    return createStringError("tensor '" + bad->name + "' has an integer beyond 32 bits");
  for (size_t i = 0; i != elements; ++i) {
    if (wrapInt(type, integers[i]) != integers[i])
      return createStringError("tensor '" + tensor.name + "' has the integer " +
                               Twine(integers[i]) + ", which " + infoOf(type).name +
                               " does not hold");
    storeInt(type, operand.bytes.data(), int64_t(i), integers[i]);
  }
  return Error::success();
}

Expected<std::vector<const StoredTensor *>> DerivedValues::getOperands() {
  std::vector<const StoredTensor *> tensors;
  operands.resize(from.size());
  for (auto [operand, weight, type] : zip_equal(operands, from, types)) {
    if (!operand)
      operand = std::make_unique<Operand>();
    if (!isPrepared)
      if (Error error = prepare(weight, type, *operand))
        return std::move(error);
    tensors.push_back(&operand->tensor);
  }
  isPrepared = true;
  return tensors;
}

void DerivedValues::release() {
  for (std::unique_ptr<Operand> &operand : operands)
    if (operand)
      operand->bytes = {};
  isPrepared = false;
}

Error DerivedValues::readNow(int64_t first, MutableArrayRef<float> out) {
  auto tensors = getOperands();
  return tensors ? function->read(*tensors, first, out) : tensors.takeError();
}

Expected<std::vector<double>> DerivedValues::interpret() {
  auto tensors = getOperands();
  if (!tensors)
    return tensors.takeError();
  auto values = function->interpret(*tensors);
  release();
  return values;
}

/// The function as the only entry of a module of its own.
static std::shared_ptr<MatrixRule> makeRule(mlir::func::FuncOp function) {
  mlir::MLIRContext *context = function.getContext();
  StorageFunction rule;
  rule.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context));
  mlir::func::FuncOp copy = function.clone();
  copy->removeDiscardableAttr(attrs::Derives::name);
  rule.module->push_back(copy);
  attrs::Model::set(*rule.module, "derived");
  attrs::Stage::set(*rule.module, "graph");
  return std::make_shared<MatrixRule>(std::move(rule));
}

Error weft::addDerivedWeights(mlir::ModuleOp derived, Checkpoint &checkpoint) {
  DenseMap<mlir::Operation *, std::shared_ptr<MatrixRule>> rules;
  for (const DerivedWeight &weight : listDerivedWeights(derived)) {
    mlir::func::FuncOp function = weight.function;
    std::vector<WeightRequest> requests;
    SmallVector<ElementType> types;
    for (auto [name, type] : zip_equal(weight.from, function.getArgumentTypes())) {
      auto tensor = cast<mlir::RankedTensorType>(type);
      types.push_back(*getElementType(tensor.getElementType()));
      requests.push_back({{name}, tensor.getShape().vec(), types.back(), {}});
    }
    auto found = checkpoint.matchSome(requests);
    if (!found)
      return found.takeError();
    StoredTensor tensor;
    tensor.name = weight.name;
    tensor.shape = cast<mlir::RankedTensorType>(function.getResultTypes().front()).getShape();
    tensor.format = "a formula";
    SmallVector<const StoredTensor *> parts;
    for (const StoredWeight &one : *found)
      append_range(parts, one.parts);
    int64_t count = *elementCount(tensor.shape);
    if (std::optional<int64_t> first = findFirstOfPart(function)) {
      tensor.values = takePart(std::move(found->front()), *first, count);
    } else {
      std::shared_ptr<MatrixRule> &rule = rules[function];
      if (!rule)
        rule = makeRule(function);
      tensor.values = std::make_shared<DerivedValues>(rule, types, std::move(*found), count);
    }
    checkpoint.addComputed(std::move(tensor), parts);
  }
  return Error::success();
}
