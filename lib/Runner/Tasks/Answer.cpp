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
  Answer classes(llvm::ArrayRef<float> logits, const TaskRule &rule) const;
  llvm::Expected<std::optional<Answer>> masked(llvm::ArrayRef<float> logits) const;
  Answer tokenClasses(llvm::ArrayRef<float> logits, int64_t classes) const;
  Answer tokenScores(llvm::ArrayRef<float> logits) const;
  llvm::Expected<std::optional<Answer>> spans(llvm::ArrayRef<float> starts,
                                              llvm::ArrayRef<float> ends, size_t mostTokens) const;

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

static double sigmoid(float logit) { return 1 / (1 + std::exp(-double(logit))); }

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

static std::vector<float> values(const OwnedTensor &tensor) {
  StoredTensor view = tensor.view();
  std::vector<float> numbers(size_t(view.count()));
  convertToFloat(view.type, view.bytes.data(), numbers);
  return numbers;
}

// The classes of the whole. One alone is a number; those that do not exclude each other are
// said to by the configuration.
Answer AnswerFinder::classes(llvm::ArrayRef<float> logits, const TaskRule &rule) const {
  if (logits.size() == 1)
    return {{{"", {{logits.front(), folder.label(0)}}}}};
  const ConfigValue *kind = folder.find(rule.notExclusiveKey);
  std::vector<double> scores = softmax(logits);
  if (kind && kind->isString() && kind->asString() == rule.notExclusiveValue)
    for (size_t i = 0; i < logits.size(); ++i)
      scores[i] = sigmoid(logits[i]);
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

static std::optional<int32_t> maskToken(const Tokenizer &tokenizer, const RoleTable &roles) {
  for (const std::string &name : roles.names(TokenRole::Mask))
    if (std::optional<int32_t> id = tokenizer.role(name))
      return id;
  return std::nullopt;
}

llvm::Expected<std::optional<Answer>> AnswerFinder::masked(llvm::ArrayRef<float> logits) const {
  const Tokenizer &tokenizer = *folder.tokenizer();
  std::optional<int32_t> mask = maskToken(tokenizer, folder.roles());
  llvm::ArrayRef<int32_t> ids = inputs.encoding.ids;
  if (!mask || !llvm::is_contained(ids, *mask))
    return llvm::createStringError("the model tells the tokens at masks, and the text has none" +
                                   (mask
                                        ? ": write " + tokenizer.token(*mask).value_or("?")
                                        : " (the files of the tokenizer name no " +
                                              folder.roles().names(TokenRole::Mask).front() + ")"));
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

// What the model asks of each token holds with this probability.
Answer AnswerFinder::tokenScores(llvm::ArrayRef<float> logits) const {
  Answer::Part part;
  for (size_t i = 0; i < inputs.encoding.ids.size(); ++i)
    if (inputs.encoding.source[i] >= 0)
      part.candidates.push_back({sigmoid(logits[i]), tokenText(i)});
  return {{std::move(part)}};
}

// The likeliest spans of the second text: p(start) p(end).
llvm::Expected<std::optional<Answer>> AnswerFinder::spans(llvm::ArrayRef<float> starts,
                                                          llvm::ArrayRef<float> ends,
                                                          size_t mostTokens) const {
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
    for (size_t j = i; j < std::min(i + mostTokens, places.size()); ++j) {
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
  TextSizes sizes{int64_t(inputs.encoding.ids.size()), inputs.vocabulary};
  std::optional<FoundTask> found = folder.roles().findTask(*inputs.entry, results, sizes);
  if (!found)
    return std::nullopt;
  const OwnedTensor &scores = *found->results.front();
  switch (found->rule->task) {
  case Task::Spans:
    return spans(values(scores), values(*found->results.back()), size_t(found->rule->mostTokens));
  case Task::Classes:
    return classes(values(scores), *found->rule);
  case Task::Masks:
    return masked(values(scores));
  case Task::TokenClasses:
    return tokenClasses(values(scores), scores.shape.back());
  case Task::TokenScores:
    return tokenScores(values(scores));
  }
  llvm_unreachable("unknown task");
}

llvm::Expected<std::optional<Answer>> weft::findAnswer(llvm::ArrayRef<OwnedTensor> results,
                                                       const Question &question,
                                                       const QuestionInputs &inputs,
                                                       const ModelFolder &folder, int64_t top) {
  return AnswerFinder(question, inputs, folder, top).find(results);
}
