//===- ValidRuns.cpp - runs of an entry that its checks let through -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Reference/Verify.h"

using namespace mlir;
using namespace weft;

llvm::Expected<ValidRun>
weft::findValidRun(ModuleOp module, func::FuncOp entry, unsigned number,
                   const VerifyOptions &options,
                   const std::function<void(Operation *, const Tensor &)> &observer,
                   const std::function<void()> &forget) {
  constexpr unsigned attempts = 16;
  ValidRun run;
  run.symbols = chooseSymbols(module, number, options.symbolLimit);
  InterpreterOptions interpreter;
  interpreter.symbols = run.symbols;
  interpreter.weights = options.weights;
  interpreter.observer = observer;
  std::string reason;
  for (unsigned attempt = 0; attempt != attempts; ++attempt) {
    auto inputs = randomInputs(entry, run.symbols, options.seed + number, attempt);
    if (!inputs)
      return inputs.takeError();
    run.inputs = std::move(*inputs);
    auto results = interpret(entry, run.inputs, interpreter);
    if (results) {
      run.results = std::move(*results);
      return run;
    }
    llvm::Error other = llvm::handleErrors(results.takeError(), [&](const CheckFailure &failure) {
      reason.clear();
      llvm::raw_string_ostream os(reason);
      failure.log(os);
    });
    if (other)
      return std::move(other);
    if (forget)
      forget();
  }
  return llvm::createStringError("no valid inputs were found for entry '" + entry.getName() +
                                 "': " + reason);
}
