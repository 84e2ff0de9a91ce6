//===- RandomInputs.cpp - inputs and weights for a comparison -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "IdRanges.h"
#include "weft/Reference/Verify.h"
#include "weft/Support/Elements.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace weft;

namespace {
/// splitmix64 (Steele, Lea and Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// A float between -1 and 1, so that the f32 of compiled code is exactly it.
  double real() { return double(float(int64_t(next() >> 40) - (1 << 23)) / float(1 << 23)); }
  int64_t below(int64_t bound) { return int64_t(next() % uint64_t(std::max<int64_t>(bound, 1))); }

private:
  uint64_t state;
};
} // namespace

llvm::StringMap<int64_t> weft::chooseSymbols(ModuleOp module, unsigned run, int64_t limit) {
  llvm::StringMap<int64_t> symbols;
  auto bounds = attrs::Symbols::get(module);
  if (!bounds)
    return symbols;
  // An odd length in the middle of a tile, one element, then the largest.
  static constexpr int64_t sizes[] = {7, 1, INT64_MAX};
  for (auto [i, symbol] : llvm::enumerate(bounds.getSymbols())) {
    int64_t size = sizes[run % 3] == INT64_MAX ? limit : sizes[run % 3] + int64_t(i);
    symbols[symbol.getValue()] = std::min({size, limit, bounds.getBounds()[i]});
  }
  return symbols;
}

/// The integers to draw from: those that pass the checks, then, attempt by attempt, fewer from the
/// lowest one on, then one number after the other. Without checks 0 and 1 are as good as others.
static reference::IdRange idsFor(BlockArgument argument, unsigned attempt) {
  std::optional<reference::IdRange> known = reference::findIdRange(argument);
  reference::IdRange range = known.value_or(reference::IdRange{0, 1});
  constexpr unsigned narrowings = 8;
  if (attempt >= narrowings) {
    int64_t id = range.low + attempt - narrowings;
    if (known) // the others may still have to grow
      id = std::min(id, range.high);
    return {id, id};
  }
  return {range.low, range.low + ((range.high - range.low) >> (2 * attempt))};
}

/// The part of a range that a type holds.
static reference::IdRange holdIds(ElementType type, reference::IdRange ids) {
  while (wrapInt(type, ids.high) != ids.high)
    ids.high /= 2;
  return {std::min(ids.low, ids.high), ids.high};
}

static llvm::Expected<TensorRef> randomInput(BlockArgument argument,
                                             const llvm::StringMap<int64_t> &symbols,
                                             Random &random, unsigned attempt) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return llvm::createStringError("an input of the entry is no tensor");
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned i = 0; i < shape.size(); ++i)
    if (StringRef symbol = getSymbol(type, i); !symbol.empty())
      shape[i] = symbols.lookup(symbol);
  if (llvm::Error error = Tensor::checkSize(shape))
    return std::move(error);
  llvm::Expected<Tensor::Kind> kind = Tensor::kindOf(type.getElementType());
  if (!kind)
    return kind.takeError();
  ElementType element = *getElementType(type.getElementType());
  auto tensor = std::make_shared<Tensor>(*kind, shape);
  reference::IdRange ids{0, 1};
  if (*kind == Tensor::Kind::Int)
    ids = holdIds(element, idsFor(argument, attempt));
  for (double &value : tensor->reals)
    value = random.real();
  for (int64_t &value : tensor->integers)
    value = ids.low + random.below(ids.high - ids.low + 1);
  tensor->round(element);
  return TensorRef(tensor);
}

TensorRef weft::defaultInput(func::FuncOp entry, unsigned number, llvm::ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(entry.getArgument(number).getType());
  auto tensor =
      std::make_shared<Tensor>(llvm::cantFail(Tensor::kindOf(type.getElementType())), shape);
  Attribute value = attrs::Default::getArg(entry, number);
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    llvm::fill(tensor->reals, real.getValueAsDouble());
  else if (auto flag = dyn_cast_or_null<BoolAttr>(value))
    llvm::fill(tensor->integers, flag.getValue());
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    llvm::fill(tensor->integers, integer.getInt());
  tensor->round(*getElementType(type.getElementType()));
  return tensor;
}

llvm::Expected<std::vector<TensorRef>> weft::randomInputs(func::FuncOp entry,
                                                          const llvm::StringMap<int64_t> &symbols,
                                                          uint64_t seed, unsigned attempt) {
  Random random(seed);
  std::vector<TensorRef> inputs;
  for (BlockArgument argument : entry.getArguments()) {
    llvm::Expected<TensorRef> input = randomInput(argument, symbols, random, attempt);
    if (!input)
      return input.takeError();
    inputs.push_back(*input);
    unsigned number = argument.getArgNumber();
    if (attrs::Given::getArg(entry, number) && number && !(*input)->integers.front())
      inputs[number - 1] = defaultInput(entry, number - 1, inputs[number - 1]->shape());
  }
  return inputs;
}

std::vector<TensorRef> weft::callerInputs(func::FuncOp entry, ArrayRef<TensorRef> inputs) {
  std::vector<TensorRef> passed;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!attrs::Given::getArg(entry, i))
      passed.push_back(input);
    else if (!input->integers.front())
      passed.back() = nullptr;
  }
  return passed;
}

std::function<llvm::Expected<TensorRef>(WeightOp)> weft::randomWeights(uint64_t seed) {
  auto cache = std::make_shared<llvm::StringMap<TensorRef>>();
  return [=](WeightOp op) -> llvm::Expected<TensorRef> {
    auto type = cast<ShapedType>(op.getResult().getType());
    if (llvm::Error error = Tensor::checkSize(type.getShape()))
      return std::move(error);
    TensorRef &slot = (*cache)[op.getName()];
    if (slot && slot->shape() == type.getShape())
      return slot;
    llvm::Expected<Tensor::Kind> kind = Tensor::kindOf(type.getElementType());
    if (!kind)
      return kind.takeError();
    Random random(seed ^ llvm::xxh3_64bits(op.getName()));
    auto tensor = std::make_shared<Tensor>(*kind, type.getShape());
    int64_t fan = type.getRank() ? std::max(type.getShape().front(), type.getShape().back()) : 1;
    for (double &value : tensor->reals)
      value = float(random.real() / std::sqrt(double(std::max<int64_t>(fan, 1))));
    tensor->round(*getElementType(type.getElementType()));
    slot = tensor;
    return slot;
  };
}
