//===- LibraryModels.h - the models that the library describes ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PIPELINE_LIBRARYMODELS_H
#define WEFT_PIPELINE_LIBRARYMODELS_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace weft {

/// A `model` of a library text, as the text says: what depends on a configuration is all there.
struct LibraryModel {
  std::string type; ///< of config.json, with '_' for '-': "gpt2"
  std::string name; ///< its class: "GPT2LMHeadModel"
  std::vector<std::string>
      entries; ///< by name; empty: one, called like its only output or "forward"
  std::vector<std::string> outputs; ///< of all entries
  bool generates = false;           ///< an entry says so
};

/// In the order of the types, then of the text.
std::vector<LibraryModel> listLibraryModels();

/// A line each.
void printModels(llvm::ArrayRef<LibraryModel> models, llvm::raw_ostream &os);
/// docs/Running.md has the keys.
llvm::json::Array modelsAsJson(llvm::ArrayRef<LibraryModel> models);

} // namespace weft

#endif // WEFT_PIPELINE_LIBRARYMODELS_H
