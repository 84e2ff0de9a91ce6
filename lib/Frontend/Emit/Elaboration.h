//===- Elaboration.h - What the parts of the elaboration share ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A model is elaborated by classes that need each other: a module call is an expression that
// executes statements. Each stands for one idea, keeps its own state, and finds the others here, by
// the few functions that its header offers. A part that serves a single other one is made by that
// one.
//
// An error is reported where it is found; functions then return nothing (std::nullopt, null or
// false), and the names that a failed statement would have defined are poisoned, so that each
// mistake is reported once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_ELABORATION_H
#define WEFT_LIB_FRONTEND_EMIT_ELABORATION_H

#include "EvaluationLimits.h"
#include "Sema/UnreadTensors.h"
#include "mlir/IR/BuiltinOps.h"
#include "weft/Frontend/Frontend.h"

#include <memory>

namespace weft::sema {

class Calls;
class Definitions;
class Dimensions;
class ElementReader;
class Evaluator;
class FunctionTable;
class IndexRanges;
class Inputs;
class ModuleMapping;
class Names;
class Parameters;
class Outputs;
class Statements;

/// The elaboration of one model: what was asked for, what is made, and who makes it.
struct Elaboration {
  Elaboration(mlir::MLIRContext &context, const FrontendOptions &options,
              DiagnosticEngine &diagnostics, Reporter &reporter);
  ~Elaboration();

  mlir::MLIRContext &context;
  const FrontendOptions &options;
  Reporter &reporter;
  EvaluationLimits limits;
  UnreadTensors unreadTensors;

  mlir::ModuleOp module;
  FrontendResult result;
  bool severalEntries = false; ///< the model has entry blocks

  // Expressions.
  const std::unique_ptr<Evaluator> evaluator;
  const std::unique_ptr<ElementReader> elements;
  const std::unique_ptr<Names> names;
  const std::unique_ptr<IndexRanges> ranges;
  const std::unique_ptr<Calls> calls;
  const std::unique_ptr<ModuleMapping> mapping;
  // Statements.
  const std::unique_ptr<Statements> statements;
  const std::unique_ptr<Dimensions> dimensions;
  const std::unique_ptr<Parameters> parameters;
  const std::unique_ptr<Inputs> inputs;
  const std::unique_ptr<Definitions> definitions;
  const std::unique_ptr<Outputs> outputs;
  // Functions.
  const std::unique_ptr<FunctionTable> functions;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_ELABORATION_H
