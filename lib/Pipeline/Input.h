//===- Input.h - finding the text, the configuration and the checkpoint of a model ----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_INPUT_H
#define WEFT_LIB_PIPELINE_INPUT_H

#include "weft/Frontend/SourceFile.h"
#include "weft/Pipeline/Options.h"
#include "weft/Support/ConfigValue.h"

#include "llvm/Support/Error.h"

namespace weft {

/// Where the parts of a model come from.
struct ModelInput {
  /// The Weft text, or 0 if the input is MLIR text (`modulePath`), or not known yet.
  FileId text = 0;
  std::string modulePath;
  /// The file of the configuration; empty if there is none.
  std::string configPath;
  /// The configuration with the -D definitions applied; null if there is none.
  ConfigValue config;
  /// The -D definitions that the configuration had no value for.
  std::vector<std::string> newDefines;
  /// The `model` of the text; empty: the first.
  std::string model;
  /// The `model` to take if the text has it: what config.json says beside a model.weft.
  std::string preferredModel;
  /// Checkpoint file or directory; empty if there is none.
  std::string weights;
  /// The GGUF file whose keys say what the model is, or that is its checkpoint; or empty.
  std::string gguf;
};

/// Sets what -D says in the configuration.
llvm::Error applyDefines(ModelInput &input, const CompileOptions &options);

/// Resolves `options.input`: a .weft or .mlir file, or a directory with a config.json, whose
/// model_type names a file of the library unless the directory brings its own model.weft. Text and
/// configuration of a .gguf file come later (Compilation::readGgufInput).
llvm::Expected<ModelInput> resolveInput(const CompileOptions &options, SourceManager &sources);

} // namespace weft

#endif
