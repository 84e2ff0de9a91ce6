//===- AnswerCommand.cpp - what a model says about a text or an image -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "PrintTensor.h"
#include "weft/Runner/Tasks/Answer.h"
#include "weft/Support/Format.h"

#include "llvm/Support/raw_ostream.h"

using namespace weft;

static void printAnswer(const Answer &answer, llvm::raw_ostream &os) {
  for (const Answer::Part &part : answer.parts) {
    if (!part.title.empty())
      print(os, "{}\n", part.title);
    for (const Candidate &candidate : part.candidates)
      print(os, "{}{:.4f}  {}\n", part.title.empty() ? "" : "  ", candidate.score, candidate.text);
  }
}

// What the results say, or what they are.
static llvm::Error printResults(llvm::ArrayRef<OwnedTensor> results, const Question &question,
                                const QuestionInputs &inputs, const ModelFolder &folder,
                                int64_t top) {
  llvm::Expected<std::optional<Answer>> answer = findAnswer(results, question, inputs, folder, top);
  if (!answer)
    return answer.takeError();
  if (*answer)
    printAnswer(**answer, llvm::outs());
  else
    for (const OwnedTensor &result : results)
      printTensor(result.view(), llvm::outs());
  return llvm::Error::success();
}

llvm::Expected<bool> weft::answerCommand(CompiledModel &model, const RunOptions &options) {
  const Question &question = options.question;
  llvm::Expected<ModelFolder> folder = ModelFolder::load(options.model, options.tokenizer);
  if (!folder)
    return folder.takeError();
  llvm::Expected<const weft_entry_info *> entry =
      chooseEntry(model, options.entry, *folder, question);
  if (!entry)
    return entry.takeError();
  llvm::Expected<QuestionInputs> inputs = prepareInputs(**entry, *folder, question);
  if (!inputs)
    return inputs.takeError();
  noteCut(inputs->encoding);
  llvm::Expected<Binding> binding = bindInputs(model.info(), **entry, inputs->tensors);
  if (!binding)
    return binding.takeError();
  llvm::Expected<std::vector<OwnedTensor>> results = execute(model, **entry, *binding);
  if (!results)
    return results.takeError();
  if (options.profile)
    printProfile(model, llvm::errs());
  if (!options.outputs.empty()) {
    if (llvm::Error error = writeResults(options.outputs, *results))
      return std::move(error);
    return true;
  }
  if (llvm::Error error = printResults(*results, question, *inputs, *folder, options.top))
    return std::move(error);
  return true;
}
