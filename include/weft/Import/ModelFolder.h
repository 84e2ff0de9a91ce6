//===- ModelFolder.h - A Hugging Face model folder --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with config.json and a checkpoint. `model_type` selects the library file that describes
// the family, `architectures[0]` the model in it.
//
//===----------------------------------------------------------------------===//
#ifndef WEFT_IMPORT_MODELFOLDER_H
#define WEFT_IMPORT_MODELFOLDER_H

#include "weft/Library/Library.h"
#include "weft/Support/ConfigValue.h"

namespace weft {

struct ModelFolder {
  ConfigValue config;
  std::string configPath; // "DIR/config.json", for messages
  std::string modelType;  // "gpt2"
  /// The name of the model in `file`: "GPT2LMHeadModel".
  std::string architecture;
  LibraryFile file;

  /// Reads DIR/config.json. The error for an unknown model type lists those that are known.
  static llvm::Expected<ModelFolder> open(llvm::StringRef path);
};

} // namespace weft

#endif // WEFT_IMPORT_MODELFOLDER_H
