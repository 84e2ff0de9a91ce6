//===- EntryBuilder.cpp - the C functions of an entry ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "EntryFunction.h"

using namespace mlir;
using namespace weft;

LLVM::LLVMFuncOp weft::buildEntry(ModuleOp module, const ModelDescription &model,
                                  const EntryDescription &entry, func::FuncOp body) {
  EntryFunction function(module, body.getLoc(), model, entry, symbolsOfEntry(model, entry),
                         /*hasState=*/false);
  function.prepareCalls();
  function.checkSizes();
  function.checkPointers();
  function.passTensors();
  function.getCode().leaveWith(function.call(body, function.getSizes()));
  buildTyped(module, model, entry, function);
  return function.getOp();
}
