//===- CheckOutput.cpp - results must not replace what is read ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "weft/Support/OutputFile.h"
#include "weft/Support/RunnerFiles.h"

#include "llvm/Support/Path.h"

using namespace weft;

llvm::Error weft::checkOutput(const RunOptions &options) {
  if (options.outputs.empty())
    return llvm::Error::success();
  OutputFiles files;
  llvm::SmallString<256> weights(options.model);
  llvm::sys::path::replace_extension(weights, "weights");
  const std::pair<llvm::StringRef, llvm::StringRef> inputs[] = {
      {options.model, "the model"},
      {options.weights.empty() ? weights.str() : llvm::StringRef(options.weights), "the weights"},
      {options.inputs, "the inputs"},
      {options.expect, "the expected results"},
      {options.question.image, "the image"},
      {options.tokenizer, "the tokenizer"}};
  for (auto [path, role] : inputs)
    if (!path.empty())
      if (llvm::Error error = files.addInput(path, role))
        return error;
  for (llvm::StringRef folder :
       {llvm::sys::path::parent_path(options.model), llvm::StringRef(options.tokenizer)}) {
    llvm::Expected<std::vector<std::string>> paths = findRunnerFiles(folder.empty() ? "." : folder);
    if (!paths)
      return paths.takeError();
    for (llvm::StringRef path : *paths)
      if (llvm::Error error = files.addInput(path, llvm::sys::path::filename(path)))
        return error;
  }
  return files.addOutput(options.outputs, "results");
}
