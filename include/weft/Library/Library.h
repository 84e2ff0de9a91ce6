//===- Library.h - The standard library of the language -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The Weft files of lib/Library, embedded into the program: `import nn` finds "nn.weft" here, and a
// checkpoint of model type "gpt2" is described by "models/gpt2.weft".
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIBRARY_LIBRARY_H
#define WEFT_LIBRARY_LIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// A text of the library.
struct LibraryFile {
  llvm::StringRef name; ///< with '/' and suffix, relative to the library: "models/gpt2.weft"
  llvm::StringRef text;
};

/// All files, in alphabetical order of their names.
llvm::ArrayRef<LibraryFile> libraryFiles();

/// The text of the file called `name`.
std::optional<llvm::StringRef> findLibraryFile(llvm::StringRef name);

/// The file that describes checkpoints of `modelType` (config.json's model_type). It is called like
/// the type, with '_' for '-'.
std::optional<LibraryFile> findModelFile(llvm::StringRef modelType);

/// The model types for which findModelFile() succeeds, as file names spell them.
std::vector<std::string> supportedModelTypes();

} // namespace weft

#endif // WEFT_LIBRARY_LIBRARY_H
