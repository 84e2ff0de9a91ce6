//===- MergeFunctions.cpp - one function for kernels that do the same ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"

namespace weft {
#define GEN_PASS_DEF_MERGEFUNCTIONS
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

using Equivalence = OperationEquivalence;

/// What a function is but for its name, its code and what is said of it to earlier passes: how much
/// it computes is told with the size's name.
static DictionaryAttr getAttributes(FunctionOpInterface function) {
  NamedAttrList attributes(function->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  for (NamedAttribute attribute : function->getDiscardableAttrs())
    if (isa_and_nonnull<WeftDialect>(attribute.getNameDialect()))
      attributes.erase(attribute.getName());
  return attributes.getDictionary(function.getContext());
}

static llvm::hash_code computeHash(FunctionOpInterface function) {
  llvm::hash_code hash =
      llvm::hash_combine(function->getName().getAsOpaquePointer(), getAttributes(function));
  function.getFunctionBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, Equivalence::computeHash(op, Equivalence::ignoreHashValue,
                                                             Equivalence::ignoreHashValue,
                                                             Equivalence::IgnoreLocations));
  });
  return hash;
}

static bool isSame(FunctionOpInterface a, FunctionOpInterface b) {
  return a->getName() == b->getName() && getAttributes(a) == getAttributes(b) &&
         Equivalence::isRegionEquivalentTo(&a.getFunctionBody(), &b.getFunctionBody(),
                                           Equivalence::IgnoreLocations);
}

namespace {

struct MergeFunctionsPass : weft::impl::MergeFunctionsBase<MergeFunctionsPass> {
  void runOnOperation() override {
    llvm::DenseMap<llvm::hash_code, SmallVector<FunctionOpInterface, 1>> known;
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> merged;
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<FunctionOpInterface>())) {
      if (!isOurs(function))
        continue;
      auto &others = known[computeHash(function)];
      auto same = llvm::find_if(others, [&](auto other) { return isSame(function, other); });
      if (same == others.end()) {
        others.push_back(function);
        continue;
      }
      merged[function.getNameAttr()] = FlatSymbolRefAttr::get(same->getNameAttr());
      function.erase();
      ++numMerged;
    }
    if (!merged.empty())
      replaceUses(merged);
  }

private:
  /// A function that nobody else calls: a task of threads, or a kernel on addresses.
  static bool isOurs(FunctionOpInterface function) {
    if (function.isExternal())
      return false;
    if (auto task = dyn_cast<LLVM::LLVMFuncOp>(*function))
      return task.getLinkage() == LLVM::Linkage::Internal;
    return function.isPrivate() && attrs::Kernel::isOn(function) &&
           llvm::none_of(function.getArgumentTypes(), llvm::IsaPred<BaseMemRefType>);
  }

  void replaceUses(const llvm::DenseMap<StringAttr, FlatSymbolRefAttr> &merged) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FlatSymbolRefAttr name) {
      FlatSymbolRefAttr other = merged.lookup(name.getAttr());
      return std::pair(other ? other : name, WalkResult::skip());
    });
    getOperation()->walk([&](Operation *op) {
      if (isa<SymbolUserOpInterface>(op))
        replacer.replaceElementsIn(op);
    });
  }
};

} // namespace
