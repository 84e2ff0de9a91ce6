//===- ChainProducts.cpp - products whose results stay in their task ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Last launches first, so that what a product reads may in turn have been made of others. The one
// that makes goes down to the one that reads, past steps that write nothing of what it reads.
//
//===----------------------------------------------------------------------------------------===//

#include "LaunchPair.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Product.h"

namespace weft {
#define GEN_PASS_DEF_CHAINPRODUCTS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// The launch that makes a buffer for `reader` alone, and makes nothing else.
static LaunchOp getMaker(Value buffer, LaunchOp reader) {
  if (!buffer.getDefiningOp<BufferOp>() || !buffer.hasNUses(2))
    return {};
  for (Operation *user : buffer.getUsers()) {
    auto maker = dyn_cast<LaunchOp>(user);
    if (maker && maker != reader && maker.getOutputs().size() == 1 &&
        maker.getOutputs().front() == buffer && maker->getBlock() == reader->getBlock())
      return maker;
  }
  return {};
}

/// Whether a step between them may write what the first reads; of a call that may be all that it is
/// passed.
static bool isOverwritten(LaunchOp maker, LaunchOp reader) {
  for (Operation *op = maker->getNextNode(); op != reader; op = op->getNextNode()) {
    if (isa<SlotOp>(op) && llvm::is_contained(maker.getInputs(), op->getOperand(0)))
      return true; // a part of a cache that is written later
    if (getFunctionOfStep(op).empty())
      continue;
    auto launch = dyn_cast<LaunchOp>(op);
    for (Value written : launch ? ValueRange(launch.getOutputs()) : op->getOperands())
      if (llvm::is_contained(maker.getInputs(), written))
        return true;
  }
  return false;
}

/// The products of a kernel that is nothing else.
static SmallVector<ContractOp> getProducts(func::FuncOp kernel) {
  SmallVector<ContractOp> products;
  if (!kernel || kernel.isExternal())
    return products;
  for (auto formula : kernel.getOps<IndexedOpInterface>()) {
    auto product = dyn_cast<ContractOp>(*formula);
    if (!product)
      return {};
    products.push_back(product);
  }
  return products;
}

/// Whether the buffer, the result of the first kernel's product, may be local to both.
static bool canChain(LaunchPair &pair, Value buffer, LaunchOp reader) {
  SmallVector<ContractOp> makers = getProducts(pair.getKernels()[0]),
                          readers = getProducts(pair.getKernels()[1]);
  if (makers.size() != 1 || readers.empty() || readers.size() >= kMostChained)
    return false;
  unsigned place =
      unsigned(std::distance(reader.getInputs().begin(), llvm::find(reader.getInputs(), buffer)));
  BlockArgument argument = func::FuncOp(pair.getKernels()[1]).getArgument(place);
  auto product = argument.hasOneUse() ? dyn_cast<ContractOp>(*argument.user_begin()) : ContractOp();
  if (!product)
    return false;
  auto inputs = product.getInputs();
  unsigned input = unsigned(std::distance(inputs.begin(), llvm::find(inputs, Value(argument))));
  if (!canMakeFor(makers.front(), product, input))
    return false;
  auto isShared = [&](unsigned input) {
    auto getShared = [&](unsigned kernel, ContractOp op) {
      auto factor = dyn_cast<BlockArgument>(op.getInputs()[input]);
      return factor ? pair.getOperand(kernel, factor) : Value();
    };
    Value shared = getShared(0, makers.front());
    return shared && shared == getShared(1, product);
  };
  return isShared(Product::matchPacked(product)->getRows()) &&
         (!product.getChosen() || isShared(ContractOp::kChoice));
}

namespace {

class ChainProductsPass : public weft::impl::ChainProductsBase<ChainProductsPass> {
public:
  using ChainProductsBase::ChainProductsBase;

  void runOnOperation() override {
    JoinedKernels kernels(getOperation());
    for (func::FuncOp caller : kernels.getCallers())
      for (Operation *op = &caller.front().back(); op; op = op->getPrevNode())
        while (auto reader = dyn_cast<LaunchOp>(op)) {
          LaunchOp chained = chain(reader, kernels);
          if (!chained)
            break;
          op = chained;
        }
    kernels.dropUnused();
  }

private:
  LaunchOp chain(LaunchOp reader, JoinedKernels &kernels) {
    for (Value input : reader.getInputs()) {
      LaunchOp maker = getMaker(input, reader);
      if (!maker || !maker->isBeforeInBlock(reader) || isOverwritten(maker, reader))
        continue;
      LaunchPair pair(maker, reader, kernels.getFunctions(), kernels.getSymbols());
      if (!canChain(pair, input, reader) || !pair.haveOneSize())
        continue;
      pair.setLocal(input);
      ++numChained;
      return kernels.join(pair);
    }
    return {};
  }
};

} // namespace
