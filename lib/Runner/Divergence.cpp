//===- Divergence.cpp - how far the predictions of a model are from those of another --------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Divergence.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace weft;

// KL(reference || model) in nats; NaN if one of the rows predicts nothing.
static double divergenceOf(llvm::ArrayRef<float> model, llvm::ArrayRef<float> reference) {
  double modelSum = logSumExp(model), referenceSum = logSumExp(reference), nats = 0;
  for (auto [got, expected] : llvm::zip_equal(model, reference)) {
    double logP = double(expected) - referenceSum, p = std::exp(logP);
    if (p != 0) // what never comes may have any probability, 0 too
      nats += p * (logP - (double(got) - modelSum));
  }
  return nats < 0 ? 0 : nats; // by rounding
}

static llvm::Error addToken(llvm::ArrayRef<float> model, llvm::ArrayRef<float> reference,
                            int32_t next, Divergence &into) {
  double nats = divergenceOf(model, reference);
  if (std::isnan(nats))
    return llvm::createStringError("the logits of token " + llvm::Twine(into.tokens()) +
                                   " are no numbers");
  if (nats > into.largest) {
    into.largest = nats;
    into.place = into.tokens();
  }
  into.nats += nats;
  into.agreed +=
      llvm::max_element(model) - model.begin() == llvm::max_element(reference) - reference.begin();
  into.model.add(model, next);
  into.reference.add(reference, next);
  return llvm::Error::success();
}

static llvm::Error check(const LanguageModel &model, const LanguageModel &reference,
                         llvm::ArrayRef<int32_t> ids) {
  int64_t vocabulary = model.vocabulary();
  if (vocabulary != reference.vocabulary())
    return llvm::createStringError("the models have other vocabularies, of " +
                                   llvm::Twine(vocabulary) + " tokens and, the reference, of " +
                                   llvm::Twine(reference.vocabulary()));
  if (ids.size() < 2)
    return llvm::createStringError("at least two tokens are needed for a comparison");
  for (int32_t id : ids)
    if (id < 0 || id >= vocabulary)
      return llvm::createStringError("the text has token " + llvm::Twine(id) +
                                     ", the models have " + llvm::Twine(vocabulary));
  return llvm::Error::success();
}

llvm::Error weft::addDivergence(LanguageModel &model, LanguageModel &reference,
                                llvm::ArrayRef<int32_t> ids, Divergence &into) {
  if (llvm::Error error = check(model, reference, ids))
    return error;
  int64_t row = model.vocabulary();
  auto compare = [&](llvm::ArrayRef<int32_t> window, llvm::ArrayRef<int32_t> next) -> llvm::Error {
    llvm::Expected<llvm::ArrayRef<float>> got = model.logits(window);
    if (!got)
      return got.takeError();
    llvm::Expected<llvm::ArrayRef<float>> expected = reference.logits(window);
    if (!expected)
      return expected.takeError();
    for (auto [i, id] : llvm::enumerate(next))
      if (llvm::Error error =
              addToken(got->slice(i * row, row), expected->slice(i * row, row), id, into))
        return error;
    return llvm::Error::success();
  };
  return forEachWindow(ids, std::min(model.bound(), reference.bound()), compare);
}
