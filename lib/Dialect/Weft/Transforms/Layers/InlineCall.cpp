//===- InlineCall.cpp - the body of a function in the place of a call ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InlineCall.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace weft;

void weft::inlineCall(func::CallOp call, func::FuncOp callee) {
  InlinerInterface interface(call->getContext());
  InlinerConfig config;
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  if (failed(inlineRegion(interface, config.getCloneCallback(), &callee.getBody(), call, mapping,
                          call.getResults(), call.getResultTypes())))
    llvm::report_fatal_error("the context has not the inliners of registerAllDialects");
  call.erase();
}
