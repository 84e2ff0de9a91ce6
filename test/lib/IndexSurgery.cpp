//===- IndexSurgery.cpp - what is done to indices, on request -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `--weft-index-surgery` does to every formula and check what its attribute says:
//   test.insert = [POSITION, INDEX, IS_OUTPUT], test.erase = POSITION, test.substitute = [POSITION,
//   MAP of all indices to the value], test.replace = [POSITION, INDEX], test.permute = [POSITION..]
//
//===----------------------------------------------------------------------------------------===//

#include "TestPasses.h"
#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace weft;

namespace {
struct IndexSurgeryPass : PassWrapper<IndexSurgeryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IndexSurgeryPass)
  StringRef getArgument() const override { return "weft-index-surgery"; }
  StringRef getDescription() const override { return "change the indices of formulas"; }
  void runOnOperation() override;
};
} // namespace

static unsigned intOf(Attribute attribute) { return cast<IntegerAttr>(attribute).getInt(); }

static void operate(IndexedOpInterface op, StringRef name, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  if (name == "test.insert")
    op.insertIndex(intOf(list[0]), cast<IndexAttr>(list[1]), cast<BoolAttr>(list[2]).getValue());
  else if (name == "test.erase")
    op.eraseIndex(intOf(value));
  else if (name == "test.substitute")
    op.substituteIndex(intOf(list[0]), cast<AffineMapAttr>(list[1]).getValue().getResult(0));
  else if (name == "test.replace")
    op.replaceIndex(intOf(list[0]), cast<IndexAttr>(list[1]));
  else if (name == "test.permute")
    op.permuteIndices(llvm::map_to_vector(list, intOf));
}

void IndexSurgeryPass::runOnOperation() {
  getOperation()->walk([](IndexedOpInterface op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
      operate(op, attribute.getName(), attribute.getValue());
      op->removeDiscardableAttr(attribute.getName());
    }
  });
}

void weft::test::registerIndexSurgery() { PassRegistration<IndexSurgeryPass>(); }
