//===- StoreInPlace.cpp - results in the place of what nothing else reads -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Callees first, step after step: an argument that a later step writes may become that of an
// earlier one, so what a layer's callers may do is known when all of its steps have been visited.
//
//===----------------------------------------------------------------------------------------===//

#include "InPlace.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "llvm/ADT/StringSet.h"

namespace weft {
#define GEN_PASS_DEF_STOREINPLACE
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Makes both one, if each may be; results of entries are the caller's.
static bool merge(Value from, Value to) {
  auto read = from.getDefiningOp<BufferOp>();
  if (!read || from.getType() != to.getType())
    return false;
  if (auto written = to.getDefiningOp<BufferOp>()) {
    read.setBytes(std::max(read.getBytes(), written.getBytes()));
    written.replaceAllUsesWith(from);
    written.erase();
    return true;
  }
  auto argument = dyn_cast<BlockArgument>(to);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function || !function.isPrivate())
    return false;
  std::optional<int64_t> bytes =
      getLargestBytes(cast<MemRefType>(argument.getType()),
                      attrs::Bounds::getArg(function, argument.getArgNumber()));
  if (!bytes || *bytes < int64_t(read.getBytes()))
    return false;
  read.replaceAllUsesWith(to);
  read.erase();
  return true;
}

namespace {

class StoreInPlacePass : public weft::impl::StoreInPlaceBase<StoreInPlacePass> {
public:
  using StoreInPlaceBase::StoreInPlaceBase;

  void runOnOperation() override {
    visited.clear();
    SymbolTable functions(getOperation());
    Arguments arguments(functions);
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function, arguments);
  }

private:
  void visit(func::FuncOp function, Arguments &arguments) {
    if (function.isExternal() || attrs::Kernel::isOn(function) ||
        !visited.insert(function.getName()).second)
      return;
    for (Operation &step : function.front())
      if (func::FuncOp callee = arguments.getCallee(&step))
        visit(callee, arguments);
    eachInPlace(function, arguments,
                [&](Value read, Value written) { numMerged += merge(read, written); });
  }

  llvm::StringSet<> visited;
};

} // namespace
