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
  std::vector<int32_t> symbols = symbolsOfEntry(model, entry);
  EntryFunction function(module, body.getLoc(), model, entry, symbols, /*hasState=*/false);
  function.prepareCalls();
  function.checkSizes();
  function.checkPointers();
  Value status = function.call(body, function.getSymbols(), function.getInputs(), /*parts=*/{},
                               function.getOutputs());
  function.getCode().leaveWith(status);
  return buildUniform(module, function.getOp(), /*numPointers=*/2, symbols, entry);
}
