//===- ModelFolder.h - the files that come with a model -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `weftc DIR -o OUT/` puts the tokenizer and the descriptions of DIR beside the library:
// config.json (labels, special ids), generation_config.json, preprocessor_config.json. None of them
// is needed to run a model on tensors.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TASKS_MODELFOLDER_H
#define WEFT_RUNNER_TASKS_MODELFOLDER_H

#include "weft/Runner/Tasks/RoleTable.h"
#include "weft/Support/ConfigValue.h"
#include "weft/Tokenizer/Tokenizer.h"

namespace weft {

/// The library that `path` means: itself, or the only one in a folder.
llvm::Expected<std::string> findLibrary(llvm::StringRef path);

/// The files beside a model, read.
class ModelFolder {
public:
  /// Those of the library's folder; `tokenizer` may name another folder or a file for the
  /// tokenizer. What is not there is empty.
  static llvm::Expected<ModelFolder> load(llvm::StringRef library, llvm::StringRef tokenizer,
                                          const RoleTable &roles = RoleTable::standard());

  /// What the names of tensors and tokens mean; not only those of the files.
  const RoleTable &roles() const { return *table; }

  /// Null if there is none.
  const Tokenizer *tokenizer() const { return words.get(); }
  /// A text, or two, by the tokenizer, which is there.
  llvm::Expected<Encoding> encode(llvm::StringRef text, EncodeOptions options,
                                  std::optional<llvm::StringRef> pair = std::nullopt) const;
  /// A value of generation_config.json, or else of config.json; null if neither has it.
  const ConfigValue *find(llvm::StringRef key) const;
  /// The keys of these files that would make another text of a prompt and are not heeded.
  std::vector<std::string> unheeded() const;
  /// The ids that find() has of a token, of which there may be several; or else the one that the
  /// tokenizer names.
  std::vector<int32_t> ids(TokenRole role) const;
  /// The name of a class: id2label of config.json, or its number.
  std::string label(int64_t index) const;
  /// Where the files are.
  llvm::StringRef path() const { return directory; }
  /// Where the tokenizer comes from.
  llvm::StringRef tokenizerPath() const { return wordsPath; }

private:
  std::vector<int32_t> idsOf(llvm::StringRef name) const;

  const RoleTable *table = &RoleTable::standard();
  std::string directory, wordsPath;
  ConfigValue config = ConfigValue::makeObject(), generation = ConfigValue::makeObject();
  std::unique_ptr<Tokenizer> words;
};

} // namespace weft

#endif // WEFT_RUNNER_TASKS_MODELFOLDER_H
