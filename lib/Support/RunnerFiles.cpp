//===- RunnerFiles.cpp - Files beside a model that take texts and images to it --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/RunnerFiles.h"

#include "weft/Support/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

static bool isRunnerFile(StringRef name) {
  static const StringRef names[] = {"added_tokens.json",
                                    "config.json",
                                    "generation_config.json",
                                    "merges.txt",
                                    "vocab.json",
                                    "preprocessor_config.json",
                                    "special_tokens_map.json",
                                    "tokenizer.json",
                                    "tokenizer_config.json",
                                    "vocab.txt"};
  StringRef suffix = sys::path::extension(name);
  return is_contained(names, name) || suffix == ".model" || suffix == ".spm";
}

Expected<std::vector<std::string>> weft::findRunnerFiles(StringRef folder) {
  if (!sys::fs::is_directory(folder))
    return std::vector<std::string>();
  return listFolder(folder, isRunnerFile);
}
