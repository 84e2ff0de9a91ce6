//===- MatrixRule.cpp - a storage rule as machine code --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MatrixRule.h"

#include "RowBlocks.h"
#include "StagePipelines.h"
#include "weft/Codegen/CPU/Processor.h"
#include "weft/Reference/Interpreter.h"
#include "weft/Support/Elements.h"

using namespace llvm;
using namespace weft;

/// Elements of a block: 4 MB of reals.
static constexpr int64_t kBlockElements = int64_t(1) << 20;

MatrixRule::MatrixRule(StorageFunction function) : function(std::move(function)) {}

Error MatrixRule::compile() {
  mlir::ModuleOp module = *function.module;
  reference = module.clone();
  CompileOptions options; // for this machine
  Expected<std::unique_ptr<TargetBackend>> target =
      createCPUBackend(options.triple, options.march, options.plainUnits);
  if (!target)
    return target.takeError();
  if (failed(runStage(module, Stage::Fused, options, **target)))
    return createStringError("the formula could not be compiled");
  auto entry = *module.getOps<mlir::func::FuncOp>().begin();
  RowBlocks blocks = splitRows(entry, kBlockElements);
  blockSize = blocks.elements;
  for (auto [distance, type] : zip_equal(blocks.distances, entry.getArgumentTypes()))
    distances.push_back(
        distance * infoOf(*getElementType(cast<mlir::ShapedType>(type).getElementType())).bytes());
  values.resize(size_t(blockSize));
  return CompiledModule::compile(module, options, **target).moveInto(compiled);
}

/// Compiles the rule, unless that was tried before.
Error MatrixRule::prepare() {
  if (compiled)
    return Error::success();
  if (problem.empty())
    if (Error error = compile())
      problem = toString(std::move(error));
  return problem.empty() ? Error::success() : createStringError(problem);
}

Error MatrixRule::computeBlock(ArrayRef<const StoredTensor *> parts, int64_t block) {
  if (owner == parts && blockNumber == block)
    return Error::success();
  owner.clear();
  SmallVector<const void *> inputs;
  for (auto [part, distance] : zip_equal(parts, distances))
    inputs.push_back(part ? part->bytes.data() + block * distance : nullptr);
  for (const void *&input : inputs)
    input = input ? input : values.data(); // which is not read
  if (Error error = compiled->call(inputs, {values.data()}))
    return error;
  owner.assign(parts.begin(), parts.end());
  blockNumber = block;
  return Error::success();
}

Error MatrixRule::read(ArrayRef<const StoredTensor *> parts, int64_t first,
                       MutableArrayRef<float> out) {
  if (Error error = prepare())
    return error;
  while (!out.empty()) {
    if (Error error = computeBlock(parts, first / blockSize))
      return error;
    int64_t offset = first % blockSize;
    size_t count = size_t(std::min<int64_t>(blockSize - offset, int64_t(out.size())));
    std::copy_n(values.begin() + offset, count, out.begin());
    out = out.drop_front(count);
    first += int64_t(count);
  }
  return Error::success();
}

/// A tensor of the file, or one of zeros in the place of one that is not read.
static TensorRef asTensor(const StoredTensor *part, mlir::RankedTensorType type) {
  ElementType element = *getElementType(type.getElementType());
  auto tensor = std::make_shared<Tensor>(infoOf(element).kind, type.getShape());
  for (int64_t i = 0, e = part ? tensor->size() : 0; i != e; ++i)
    if (tensor->isReal())
      tensor->reals[i] = loadReal(element, part->bytes.data(), i);
    else
      tensor->integers[i] = loadInt(element, part->bytes.data(), i);
  return tensor;
}

Expected<std::vector<double>> MatrixRule::interpret(ArrayRef<const StoredTensor *> parts) {
  mlir::ModuleOp module = reference ? *reference : *function.module;
  auto entry = *module.getOps<mlir::func::FuncOp>().begin();
  std::vector<TensorRef> inputs;
  for (auto [part, type] : zip_equal(parts, entry.getArgumentTypes()))
    inputs.push_back(asTensor(part, cast<mlir::RankedTensorType>(type)));
  auto results = weft::interpret(entry, inputs);
  if (!results)
    return results.takeError();
  return results->front()->reals;
}
