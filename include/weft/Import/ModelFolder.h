//===- ModelFolder.h - A Hugging Face model folder --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with config.json and a checkpoint. What computes it is written in the folder's own
// `model.weft` if there is one, and otherwise in the library's file for its `model_type`.
// `architectures[0]` names the model in that file.
//
//===----------------------------------------------------------------------===//
#ifndef WEFT_IMPORT_MODELFOLDER_H
#define WEFT_IMPORT_MODELFOLDER_H

#include "weft/Library/Library.h"
#include "weft/Support/ConfigValue.h"

namespace weft {

struct ModelFolder {
  /// config.json. If it lacks `num_labels`, that is set as the format has it: the number of entries
  /// of `id2label`, or 2.
  ConfigValue config;
  std::string configPath; // "DIR/config.json", for messages
  std::string modelType;  // "gpt2"
  /// The name of the model in the file: "GPT2LMHeadModel".
  std::string architecture;
  /// "DIR/model.weft" if the folder describes itself; then `file` is empty.
  std::string ownFile;
  LibraryFile file;

  /// Reads DIR/config.json. The error for an unknown model type lists those that are known.
  static llvm::Expected<ModelFolder> open(llvm::StringRef path);
};

} // namespace weft

#endif // WEFT_IMPORT_MODELFOLDER_H
