//===- CheckpointRules.h - How a model's file names its tensors -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the `checkpoint { ... }` block of a model says. The rules are data that a library file
// declares, so that nothing in the importer knows an architecture:
//
//   checkpoint {
//     prefix "bert."                          # names may appear with or without it
//     rename "*.gamma" => "*.weight"          # the file's name => the name the model uses
//     ignore "*.position_ids"                 # may be in the file, is not read
//   }
//
// In a pattern `*` stands for any run of characters, dots included. In `rename` the text matched
// by the i-th `*` on the left replaces the i-th `*` on the right.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_CHECKPOINTRULES_H
#define WEFT_IMPORT_CHECKPOINTRULES_H

#include <string>
#include <utility>
#include <vector>

namespace weft {

/// The rules of one model, in the order of its text.
struct CheckpointRules {
  std::vector<std::string> prefixes;
  std::vector<std::pair<std::string, std::string>> renames;
  std::vector<std::string> ignores;
  /// The parameters that the model declares, as it names them, whether or not it reads them.
  std::vector<std::string> declared = {};

  /// Whether the names in the file are those of the text.
  bool empty() const { return prefixes.empty() && renames.empty() && ignores.empty(); }
};

} // namespace weft

#endif // WEFT_IMPORT_CHECKPOINTRULES_H
