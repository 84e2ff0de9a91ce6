//===- Answer.cpp - results as a person reads them ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Answer.h"
#include "PrintTensor.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <numeric>

using namespace weft;

namespace {

class AnswerPrinter {
public:
  AnswerPrinter(const Question &question, const Companions &companions, llvm::raw_ostream &os)
      : question(question), companions(companions), os(os) {}

  llvm::Error print(llvm::ArrayRef<OwnedTensor> results);

private:
  void printClasses(llvm::ArrayRef<float> logits);
  llvm::Error printMasked(llvm::ArrayRef<float> logits, int64_t vocabulary);
  void printTokenClasses(llvm::ArrayRef<float> logits, int64_t classes);
  llvm::Error printSpans(llvm::ArrayRef<float> starts, llvm::ArrayRef<float> ends);

  void printLine(double score, const llvm::Twine &text, llvm::StringRef indent = "") {
    weft::print(os, "{}{:.4f}  {}\n", indent, score, text.str());
  }
  std::string tokenText(size_t index) const;

  const Question &question;
  const Companions &companions;
  llvm::raw_ostream &os;
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

static const OwnedTensor *find(llvm::ArrayRef<OwnedTensor> results,
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
void AnswerPrinter::printClasses(llvm::ArrayRef<float> logits) {
  if (logits.size() == 1)
    return printLine(logits.front(), companions.label(0));
  const ConfigValue *kind = companions.find("problem_type");
  std::vector<double> scores = softmax(logits);
  if (kind && kind->isString() && kind->asString() == "multi_label_classification")
    for (size_t i = 0; i < logits.size(); ++i)
      scores[i] = 1 / (1 + std::exp(-double(logits[i])));
  for (size_t index : largest(scores, question.top))
    printLine(scores[index], companions.label(int64_t(index)));
}

// What the text says where a token comes from.
std::string AnswerPrinter::tokenText(size_t index) const {
  const Encoding &encoding = question.encoding;
  Span span = encoding.spans[index];
  llvm::StringRef text = encoding.source[index] == 1 ? question.pair : question.text;
  return text.slice(span.begin, span.end).trim().str();
}

llvm::Error AnswerPrinter::printMasked(llvm::ArrayRef<float> logits, int64_t vocabulary) {
  std::optional<int32_t> mask = companions.tokenizer()->role("mask_token");
  llvm::ArrayRef<int32_t> ids = question.encoding.ids;
  if (!mask || !llvm::is_contained(ids, *mask))
    return fail("the model tells the tokens at masks, and the text has none" +
                (mask ? ": write " + companions.tokenizer()->token(*mask).value_or("?")
                      : std::string(" (the files of the tokenizer name no mask_token)")));
  bool several = llvm::count(ids, *mask) > 1;
  int number = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != *mask)
      continue;
    if (several)
      weft::print(os, "mask {}\n", ++number);
    std::vector<double> scores = softmax(logits.slice(i * size_t(vocabulary), size_t(vocabulary)));
    for (size_t id : largest(scores, question.top))
      printLine(scores[id], companions.tokenizer()->decode({int32_t(id)}, true),
                several ? "  " : "");
  }
  return llvm::Error::success();
}

void AnswerPrinter::printTokenClasses(llvm::ArrayRef<float> logits, int64_t classes) {
  for (size_t i = 0; i < question.encoding.ids.size(); ++i) {
    if (question.encoding.source[i] < 0)
      continue;
    std::vector<double> scores = softmax(logits.slice(i * size_t(classes), size_t(classes)));
    size_t best = largest(scores, 1).front();
    printLine(scores[best], companions.label(int64_t(best)) + "  " + tokenText(i));
  }
}

// The likeliest spans of the second text, of at most 30 tokens: p(start) p(end).
llvm::Error AnswerPrinter::printSpans(llvm::ArrayRef<float> starts, llvm::ArrayRef<float> ends) {
  const Encoding &encoding = question.encoding;
  std::vector<size_t> places;
  std::vector<float> first, last;
  for (size_t i = 0; i < encoding.ids.size(); ++i)
    if (encoding.source[i] == 1) {
      places.push_back(i);
      first.push_back(starts[i]);
      last.push_back(ends[i]);
    }
  if (places.empty())
    return fail("the model answers a question from a text: give the text by --text-pair");
  std::vector<double> start = softmax(first), end = softmax(last), scores;
  std::vector<Span> spans;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = i; j < std::min(i + 30, places.size()); ++j) {
      scores.push_back(start[i] * end[j]);
      spans.push_back({encoding.spans[places[i]].begin, encoding.spans[places[j]].end});
    }
  for (size_t best : largest(scores, question.top))
    printLine(scores[best],
              llvm::StringRef(question.pair).slice(spans[best].begin, spans[best].end).trim());
  return llvm::Error::success();
}

llvm::Error AnswerPrinter::print(llvm::ArrayRef<OwnedTensor> results) {
  const OwnedTensor *starts = find(results, {"start_logits"}),
                    *ends = find(results, {"end_logits"});
  if (starts && ends && starts->shape.size() == 1 && !question.encoding.ids.empty())
    return printSpans(values(*starts), values(*ends));
  const OwnedTensor *logits = find(results, {"logits", "prediction_logits"});
  if (logits && logits->shape.size() == 1) {
    printClasses(values(*logits));
    return llvm::Error::success();
  }
  bool each = logits && logits->shape.size() == 2 && !question.encoding.ids.empty() &&
              logits->shape[0] == int64_t(question.encoding.ids.size());
  if (each && logits->shape[1] == question.vocabulary)
    return printMasked(values(*logits), question.vocabulary);
  if (each)
    printTokenClasses(values(*logits), logits->shape[1]);
  else // no meaning that is known here
    for (const OwnedTensor &result : results)
      printTensor(result.view(), os);
  return llvm::Error::success();
}

llvm::Error weft::printAnswer(llvm::ArrayRef<OwnedTensor> results, const Question &question,
                              const Companions &companions, llvm::raw_ostream &os) {
  return AnswerPrinter(question, companions, os).print(results);
}
