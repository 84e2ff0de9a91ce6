//===- StoredMatrices.h - matrices that a checkpoint stores by rules ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A model asks for "layers.0.q_proj.weight", and the checkpoint has "layers.0.q_proj.qweight" and
// scales, or blocks of Q4_K. The storage rules of the texts say how the one follows from the
// others: each such weight becomes a tensor of the checkpoint that is computed where it is read. So
// nothing behind this knows of formats.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_STOREDMATRICES_H
#define WEFT_LIB_PIPELINE_STOREDMATRICES_H

#include "JsonNumbers.h"
#include "MatrixRule.h"

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Finds the rules for the weights of a module.
class StoredMatrices {
public:
  /// Rules are those of `own`, a text that may be null, then those of the library. `config` is the
  /// quantization_config of the model, null if there is none.
  StoredMatrices(mlir::MLIRContext &context, SourceManager &sources, const ast::File *own,
                 const ConfigValue *config, Checkpoint &checkpoint);
  ~StoredMatrices();

  /// Adds the weights that are stored by rules to the checkpoint: those of the module, and those
  /// that the functions of `derived`, which may be null, compute others from. Errors name the
  /// format that no rule is for, or a rule and the tensor that it does not fit.
  llvm::Error add(mlir::ModuleOp module, mlir::ModuleOp derived);

  struct Compiled;

private:
  struct Rule;
  struct Match;
  llvm::Expected<llvm::ArrayRef<Rule>> findRules(const ConfigValue &config);
  llvm::Error readRules(const ast::File &file, const ConfigValue &config, std::vector<Rule> &rules);
  llvm::Error checkMethod();
  llvm::Error addWeight(WeightOp op, llvm::StringRef name);
  llvm::Error addWeight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  llvm::Error addTensor(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  llvm::Error addBlocks(const StoredTensor &blocks, llvm::StringRef name,
                        llvm::ArrayRef<int64_t> shape);
  bool tryRule(const Rule &rule, const ConfigValue &config, llvm::StringRef name,
               llvm::ArrayRef<int64_t> shape);
  std::optional<Match> instantiate(const Rule &rule, const ConfigValue &config,
                                   llvm::StringRef name, int64_t rows, int64_t columns);
  bool findParts(Match &match, llvm::StringRef name, bool exactly);
  void addMatch(Match match, const Rule &rule, llvm::StringRef name, llvm::ArrayRef<int64_t> shape);

  mlir::MLIRContext &context;
  SourceManager &sources;
  const ast::File *own;
  std::unique_ptr<ast::File> library;
  const ConfigValue *config;
  Checkpoint &checkpoint;
  JsonNumbers numbers;
  llvm::StringMap<std::vector<Rule>> rulesOf;               ///< by the text of their configuration
  llvm::StringMap<std::unique_ptr<ConfigValue>> formats;    ///< of GGUF files
  llvm::StringMap<std::shared_ptr<Compiled>> compiledRules; ///< by rule, sizes and types
  std::string misfit;                                       ///< why the last rule did not fit
};

} // namespace weft

#endif // WEFT_LIB_PIPELINE_STOREDMATRICES_H
