//===- Answer.cpp - results as a person reads them ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/Answer.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace weft;

namespace {

class AnswerFinder {
public:
  AnswerFinder(const Question &question, const QuestionInputs &inputs, const ModelFolder &folder,
               int64_t top)
      : question(question), inputs(inputs), folder(folder), top(top) {}

  llvm::Expected<std::optional<Answer>> find(llvm::ArrayRef<OwnedTensor> results);

private:
  Answer classes(llvm::ArrayRef<float> logits) const;
  llvm::Expected<std::optional<Answer>> masked(llvm::ArrayRef<float> logits) const;
  Answer tokenClasses(llvm::ArrayRef<float> logits, int64_t classes) const;
  llvm::Expected<std::optional<Answer>> spans(llvm::ArrayRef<float> starts,
                                              llvm::ArrayRef<float> ends) const;

  llvm::StringRef pairText() const {
    return question.pair ? llvm::StringRef(*question.pair) : llvm::StringRef();
  }
  std::string tokenText(size_t index) const;

  const Question &question;
  const QuestionInputs &inputs;
  const ModelFolder &folder;
  int64_t top;
};

} // namespace

static std::vector<double> softmax(llvm::ArrayRef<float> logits) {
  double largest = *std::max_element(logits.begin(), logits.end()), sum = 0;
  std::vector<double> result;
  for (float logit : logits) {
    result.push_back(std::exp(double(logit) - largest));
    sum += result.back();
  }
  for (double &value : result)
    value /= sum;
  return result;
}

// The indices of the largest values, the largest first; of equal ones the first.
static std::vector<size_t> largest(llvm::ArrayRef<double> values, int64_t count) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  size_t kept = std::min(order.size(), size_t(count));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](size_t a, size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  order.resize(kept);
  return order;
}

static const OwnedTensor *findReals(llvm::ArrayRef<OwnedTensor> results,
                                    llvm::ArrayRef<llvm::StringRef> names) {
  const auto *found = llvm::find_if(results, [&](const OwnedTensor &result) {
    return llvm::is_contained(names, result.name) && result.type == TensorType::F32;
  });
  return found == results.end() ? nullptr : found;
}

static llvm::ArrayRef<float> values(const OwnedTensor &tensor) {
  return tensor.data.as<float>().take_front(size_t(tensor.view().count()));
}

// The classes of the whole. One alone is a number; those that do not exclude each other are
// said to by the configuration.
Answer AnswerFinder::classes(llvm::ArrayRef<float> logits) const {
  if (logits.size() == 1)
    return {{{"", {{logits.front(), folder.label(0)}}}}};
  const ConfigValue *kind = folder.find("problem_type");
  std::vector<double> scores = softmax(logits);
  if (kind && kind->isString() && kind->asString() == "multi_label_classification")
    for (size_t i = 0; i < logits.size(); ++i)
      scores[i] = 1 / (1 + std::exp(-double(logits[i])));
  Answer::Part part;
  for (size_t index : largest(scores, top))
    part.candidates.push_back({scores[index], folder.label(int64_t(index))});
  return {{std::move(part)}};
}

// What the text says where a token comes from.
std::string AnswerFinder::tokenText(size_t index) const {
  Span span = inputs.encoding.spans[index];
  llvm::StringRef text = inputs.encoding.source[index] == 1 ? pairText() : *question.text;
  return text.slice(span.begin, span.end).trim().str();
}

llvm::Expected<std::optional<Answer>> AnswerFinder::masked(llvm::ArrayRef<float> logits) const {
  const Tokenizer &tokenizer = *folder.tokenizer();
  std::optional<int32_t> mask = tokenizer.role("mask_token");
  llvm::ArrayRef<int32_t> ids = inputs.encoding.ids;
  if (!mask || !llvm::is_contained(ids, *mask))
    return llvm::createStringError(
        "the model tells the tokens at masks, and the text has none" +
        (mask ? ": write " + tokenizer.token(*mask).value_or("?")
              : std::string(" (the files of the tokenizer name no mask_token)")));
  bool several = llvm::count(ids, *mask) > 1;
  size_t vocabulary = logits.size() / ids.size();
  Answer answer;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != *mask)
      continue;
    Answer::Part &part = answer.parts.emplace_back();
    if (several)
      part.title = "mask " + std::to_string(answer.parts.size());
    std::vector<double> scores = softmax(logits.slice(i * vocabulary, vocabulary));
    for (size_t id : largest(scores, top))
      part.candidates.push_back({scores[id], tokenizer.decode({int32_t(id)}, true)});
  }
  return std::move(answer);
}

Answer AnswerFinder::tokenClasses(llvm::ArrayRef<float> logits, int64_t classes) const {
  Answer::Part part;
  for (size_t i = 0; i < inputs.encoding.ids.size(); ++i) {
    if (inputs.encoding.source[i] < 0)
      continue;
    std::vector<double> scores = softmax(logits.slice(i * size_t(classes), size_t(classes)));
    size_t best = largest(scores, 1).front();
    part.candidates.push_back({scores[best], folder.label(int64_t(best)) + "  " + tokenText(i)});
  }
  return {{std::move(part)}};
}

// The likeliest spans of the second text, of at most 30 tokens: p(start) p(end).
llvm::Expected<std::optional<Answer>> AnswerFinder::spans(llvm::ArrayRef<float> starts,
                                                          llvm::ArrayRef<float> ends) const {
  const Encoding &encoding = inputs.encoding;
  std::vector<size_t> places;
  std::vector<float> first, last;
  for (size_t i = 0; i < encoding.ids.size(); ++i)
    if (encoding.source[i] == 1) {
      places.push_back(i);
      first.push_back(starts[i]);
      last.push_back(ends[i]);
    }
  if (places.empty())
    return llvm::createStringError(
        "the model answers a question from a text: give the text by --text-pair");
  std::vector<double> start = softmax(first), end = softmax(last), scores;
  std::vector<Span> spans;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = i; j < std::min(i + 30, places.size()); ++j) {
      scores.push_back(start[i] * end[j]);
      spans.push_back({encoding.spans[places[i]].begin, encoding.spans[places[j]].end});
    }
  Answer::Part part;
  for (size_t best : largest(scores, top))
    part.candidates.push_back(
        {scores[best], pairText().slice(spans[best].begin, spans[best].end).trim().str()});
  return Answer{{std::move(part)}};
}

llvm::Expected<std::optional<Answer>> AnswerFinder::find(llvm::ArrayRef<OwnedTensor> results) {
  size_t tokens = inputs.encoding.ids.size();
  const OwnedTensor *starts = findReals(results, {"start_logits"}),
                    *ends = findReals(results, {"end_logits"});
  if (starts && ends && starts->shape.size() == 1 && tokens > 0)
    return spans(values(*starts), values(*ends));
  const OwnedTensor *logits = findReals(results, {"logits", "prediction_logits"});
  if (logits && logits->shape.size() == 1)
    return classes(values(*logits));
  bool each =
      logits && logits->shape.size() == 2 && tokens > 0 && logits->shape[0] == int64_t(tokens);
  if (each && logits->shape[1] == inputs.vocabulary)
    return masked(values(*logits));
  if (each)
    return tokenClasses(values(*logits), logits->shape[1]);
  return std::nullopt;
}

llvm::Expected<std::optional<Answer>> weft::findAnswer(llvm::ArrayRef<OwnedTensor> results,
                                                       const Question &question,
                                                       const QuestionInputs &inputs,
                                                       const ModelFolder &folder, int64_t top) {
  return AnswerFinder(question, inputs, folder, top).find(results);
}
