//===- TextFiles.cpp - files beside a model that the compiler does not read -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TextFiles.h"

#include "weft/Support/InputFile.h"
#include "weft/Support/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace weft;

static bool isTextFile(StringRef name) {
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

static Error copyFile(StringRef from, StringRef to) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(from);
  if (!buffer)
    return buffer.takeError();
  return writeOutputFile(to, [&](raw_ostream &os) {
    os << (*buffer)->getBuffer();
    return Error::success();
  });
}

Error weft::copyTextFiles(StringRef from, StringRef to) {
  bool same = false;
  if (!sys::fs::is_directory(from) || (!sys::fs::equivalent(from, to, same) && same))
    return Error::success();
  std::error_code code;
  for (sys::fs::directory_iterator file(from, code), end; file != end && !code;
       file.increment(code)) {
    StringRef name = sys::path::filename(file->path());
    SmallString<128> target(to);
    sys::path::append(target, name);
    if (isTextFile(name))
      if (Error error = copyFile(file->path(), target))
        return error;
  }
  return code ? createStringError(code, from) : Error::success();
}
