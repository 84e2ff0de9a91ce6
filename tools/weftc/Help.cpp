//===- Help.cpp - what --help says of weftc besides its flags -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Help.h"

#include "weft/Pipeline/Stages.h"
#include "weft/Support/Precision.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace weft;

/// The words of a list as messages have it: "f32, bf16".
static std::vector<OptionValue> wordsOf(StringRef list) {
  std::vector<OptionValue> words;
  for (StringRef word : split(list, ", "))
    words.push_back({word.str(), ""});
  return words;
}

static std::vector<OptionValue> stageNames(bool modulesOnly) {
  std::vector<OptionValue> names;
  for (const StageInfo &stage : stages())
    if (!modulesOnly || isModuleStage(stage.stage))
      names.push_back({stage.name.str(), stage.description.str()});
  return names;
}

ToolHelp weft::describeCompiler() {
  ToolHelp help;
  help.summary = "compiles transformers ahead of time";
  help.details = "Stages of --emit and --from, and the suffixes that mean them in -o:\n";
  for (const StageInfo &stage : stages())
    help.details += "  " + stage.name.str() + std::string(14 - stage.name.size(), ' ') +
                    stage.suffix.str() + std::string(8 - stage.suffix.size(), ' ') +
                    stage.description.str() + "\n";
  help.values = {
      {"emit", stageNames(/*modulesOnly=*/false)},
      {"from", stageNames(/*modulesOnly=*/true)},
      {"target", {{"cpu", "this processor, or --march"}, {"nvptx", "NVIDIA's GPUs"}}},
      {"store", wordsOf("keep, " + precisionNames(/*withCodes=*/true) + ", int4")},
      {"compute", wordsOf(computeNames())},
      {"cache", wordsOf(precisionNames())},
      {"dtype", wordsOf(precisionNames())},
  };
  return help;
}
