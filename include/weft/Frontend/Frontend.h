//===- Frontend.h - From a Weft file to the weft dialect ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Elaboration: everything that is known at compile time is evaluated (configuration, loops,
// conditions, dimensions), every formula becomes one op of the weft dialect on tensors, every
// module a private function. What comes out is stage `graph`:
//
//   * one public func.func per entry, with `weft.entry`; a model without `entry` blocks has one,
//     named after its output if it has exactly one, otherwise "forward". Arguments are the inputs
//     in order of declaration (`weft.name`, and `weft.default` if optional), results the outputs
//     (`weft.name`);
//   * module calls are func.call of private functions that take their tensors, then the parameters
//     below them (`weft.name`: relative to the module). `weft.weight` stands in entries only;
//   * the module has `weft.model` and `weft.symbols` (all run-time dimensions and their bounds).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_FRONTEND_H
#define WEFT_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "weft/Frontend/AST.h"
#include "weft/Frontend/Diagnostics.h"
#include "weft/Import/CheckpointRules.h"
#include "weft/Support/ConfigValue.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace weft {

/// What a model is elaborated for.
struct FrontendOptions {
  /// Which `model` of the file; empty: the first.
  std::string modelName;
  /// Which entry to compile; empty: all.
  std::string entry;
  /// `-D T=128`: replaces the value of a `dim` of the model and must be a whole number then. A
  /// bounded dimension becomes a compile-time one and must keep its bound.
  llvm::StringMap<std::string> defines;
  /// The value of the model's parameter `config`; null: an empty object. Must outlive the call.
  const ConfigValue *config = nullptr;
  /// Whether the checkpoint has a tensor of such a name, with a `*` for any characters; nothing if
  /// it is not known. Null: there is no checkpoint.
  std::function<std::optional<bool>(llvm::StringRef)> isStored;
};

/// An elaborated model.
struct FrontendResult {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string modelName;
  /// What the model says about names in its checkpoint.
  CheckpointRules rules;
  /// What a gguf block says of the configuration; an empty object for a model.
  ConfigValue config = ConfigValue::makeObject();
  /// What a `-D` can mean beside `config`: the dimensions and the parameters of the model.
  llvm::StringSet<> definable;
};

/// Elaborates a model of `file` and the files it imports. On failure the reasons are in
/// `diagnostics` and nothing is returned; warnings may be there in both cases. `file` must have
/// been parsed without errors.
std::optional<FrontendResult> emitModel(mlir::MLIRContext &context, SourceManager &sources,
                                        const ast::File &file, const FrontendOptions &options,
                                        DiagnosticEngine &diagnostics);

/// What a text makes of a GGUF file.
struct GgufModel {
  std::string modelName;
  ConfigValue config; ///< what a config.json would say
  CheckpointRules rules;
};

/// Executes the gguf block of `file` that is for the file of `description` (describeGguf). Nothing
/// if there is none, or after errors, which are in `diagnostics`.
std::optional<GgufModel> readGguf(mlir::MLIRContext &context, SourceManager &sources,
                                  const ast::File &file, const ConfigValue &description,
                                  DiagnosticEngine &diagnostics);

/// The architectures of GGUF files that the blocks of `file` are for.
std::vector<std::string> ggufArchitectures(const ast::File &file);

/// The names of the models of a file, in order.
std::vector<std::string> modelNames(const ast::File &file);

} // namespace weft

#endif // WEFT_FRONTEND_FRONTEND_H
