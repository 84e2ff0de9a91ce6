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

#include "mlir/Pass/PassManager.h"

using namespace llvm;
using namespace weft;

/// Elements of a block: 4 MB of reals.
static constexpr int64_t kBlockElements = int64_t(1) << 20;

MatrixRule::MatrixRule(StorageFunction function, int64_t columns)
    : function(std::move(function)), columns(columns) {}

Error MatrixRule::compile() {
  mlir::ModuleOp module = *function.module;
  CompileOptions options; // for this machine
  Expected<std::unique_ptr<TargetBackend>> target =
      createCPUBackend(options.triple, options.march, options.plainUnits);
  if (!target)
    return target.takeError();
  if (failed(runStage(module, Stage::Fused, options, **target)))
    return createStringError("the storage rule could not be compiled");
  auto entry = *module.getOps<mlir::func::FuncOp>().begin();
  RowBlocks blocks = splitRows(entry, kBlockElements);
  blockRows = blocks.rows;
  for (auto [distance, type] : zip_equal(blocks.distances, entry.getArgumentTypes()))
    distances.push_back(
        distance * infoOf(*getElementType(cast<mlir::ShapedType>(type).getElementType())).bytes());
  values.resize(size_t(blockRows * columns));
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
  int64_t size = blockRows * columns;
  while (!out.empty()) {
    if (Error error = computeBlock(parts, first / size))
      return error;
    int64_t offset = first % size;
    size_t count = size_t(std::min<int64_t>(size - offset, int64_t(out.size())));
    std::copy_n(values.begin() + offset, count, out.begin());
    out = out.drop_front(count);
    first += int64_t(count);
  }
  return Error::success();
}
