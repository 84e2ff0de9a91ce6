//===- RuleFinder.h - the storage rules of a configuration ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_RULEFINDER_H
#define WEFT_LIB_PIPELINE_RULEFINDER_H

#include "weft/Frontend/Storage.h"

#include "llvm/ADT/StringMap.h"

namespace weft {

/// A rule whose condition holds, and the text that it is of.
struct StorageRule {
  const ast::File *file;
  const ast::StorageDecl *declaration;

  llvm::StringRef name() const { return declaration->name.text; }
};

/// The rules of a text, which may be null, and then those of the library.
class RuleFinder {
public:
  RuleFinder(mlir::MLIRContext &context, SourceManager &sources, const ast::File *own)
      : context(context), sources(sources), own(own) {}

  /// Those whose conditions hold of a quantization_config.
  llvm::Expected<llvm::ArrayRef<StorageRule>> find(const ConfigValue &quantisation);

private:
  llvm::Error read(const ast::File &file, const ConfigValue &quantisation,
                   std::vector<StorageRule> &rules);

  mlir::MLIRContext &context;
  SourceManager &sources;
  const ast::File *own;
  std::unique_ptr<ast::File> library;
  llvm::StringMap<std::vector<StorageRule>> rulesOf; ///< by the text of their configuration
};

} // namespace weft

#endif // WEFT_LIB_PIPELINE_RULEFINDER_H
