//===- Linear.cpp - Integer expressions as linear forms -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Bounds.h"

using namespace llvm;

namespace weft::sema {

static void accumulate(int64_t &target, int64_t value, int64_t factor, bool &valid) {
  __int128 sum = __int128(target) + __int128(value) * factor;
  valid &= sum > -maxKnown && sum < maxKnown;
  target = valid ? int64_t(sum) : 0;
}

void Linear::add(const Linear &other, int64_t factor) {
  valid &= other.valid;
  accumulate(constant, other.constant, factor, valid);
  for (auto [index, coefficient] : other.indices)
    accumulate(indices[index], coefficient, factor, valid);
  for (const auto &[symbol, term] : other.symbols) {
    auto &own = symbols[symbol];
    own.second = term.second;
    accumulate(own.first, term.first, factor, valid);
  }
  for (auto [scalar, coefficient] : other.opaque)
    accumulate(opaque[scalar], coefficient, factor, valid);
  auto prune = [](auto &terms, auto isZero) {
    for (auto it = terms.begin(); it != terms.end();)
      it = isZero(it->second) ? terms.erase(it) : std::next(it);
  };
  prune(indices, [](int64_t k) { return k == 0; });
  prune(symbols, [](const auto &term) { return term.first == 0; });
  prune(opaque, [](int64_t k) { return k == 0; });
}

Linear BoundsAnalysis::size(const Extent &extent) {
  Linear form;
  if (extent.dynamic)
    form.symbols[extent.name] = {1, extent.size};
  else if (extent.size < maxKnown)
    form.constant = extent.size;
  else
    form.valid = false;
  return form;
}

const Linear &BoundsAnalysis::linear(const Scalar *scalar) {
  auto it = forms.find(scalar);
  if (it == forms.end())
    it = forms.emplace(scalar, computeLinear(scalar)).first;
  return it->second;
}

Linear BoundsAnalysis::computeLinear(const Scalar *scalar) {
  Linear form;
  switch (scalar->op) {
  case ScalarOp::Constant:
    form.constant = scalar->integer;
    form.valid = std::abs(scalar->integer) < maxKnown;
    return form;
  case ScalarOp::Index:
    form.indices[scalar->index] = 1;
    return form;
  case ScalarOp::Size:
    return size(*scalar->symbol);
  case ScalarOp::Negate:
    form.add(linear(scalar->args[0]), -1);
    return form;
  case ScalarOp::Add:
  case ScalarOp::Subtract:
    form = linear(scalar->args[0]);
    form.add(linear(scalar->args[1]), scalar->op == ScalarOp::Add ? 1 : -1);
    return form;
  case ScalarOp::Multiply:
    for (unsigned i : {0, 1})
      if (scalar->args[i]->op == ScalarOp::Constant &&
          std::abs(scalar->args[i]->integer) < maxKnown) {
        form.add(linear(scalar->args[1 - i]), scalar->args[i]->integer);
        return form;
      }
    break;
  default:
    break;
  }
  form.opaque[scalar] = 1;
  return form;
}

const Extent *BoundsAnalysis::positionsIn(const Scalar *scalar) {
  if (scalar->op == ScalarOp::Read)
    return scalar->tensor->below ? &*scalar->tensor->below : nullptr;
  if (scalar->op != ScalarOp::Reduce || !scalar->isInt() ||
      (scalar->reduction != ast::ReductionKind::ArgMax &&
       scalar->reduction != ast::ReductionKind::ArgTop))
    return nullptr;
  const Extent &extent = *scalar->binders[0]->extent;
  return extent.dynamic ? &extent : nullptr;
}

std::optional<int64_t> BoundsAnalysis::minimum(const Linear &form) {
  if (!form.valid)
    return std::nullopt;
  __int128 low = form.constant;
  std::map<std::string, std::pair<int64_t, int64_t>> symbols = form.symbols;
  auto addPosition = [&](const Extent &extent, int64_t k) { // 0 .. extent - 1
    if (k > 0)
      return;
    if (!extent.dynamic) {
      low += __int128(k) * (extent.size - 1);
      return;
    }
    auto &term = symbols[extent.name];
    term = {saturate(__int128(term.first) + k), extent.size};
    low -= k;
  };
  for (auto [index, k] : form.indices)
    addPosition(*index->extent, k);
  for (auto [scalar, k] : form.opaque)
    if (const Extent *extent = positionsIn(scalar))
      addPosition(*extent, k);
  for (const auto &[name, term] : symbols)
    low += __int128(term.first) * (term.first > 0 ? 1 : term.second);
  for (auto [scalar, k] : form.opaque) {
    if (positionsIn(scalar))
      continue;
    Interval range = interval(scalar);
    if (!isKnown(range))
      return std::nullopt;
    low += __int128(k) * (k > 0 ? range.min : range.max);
  }
  return saturate(low);
}

std::string BoundsAnalysis::extremeText(const Linear &form, bool largest) {
  int64_t constant = form.constant;
  std::map<std::string, int64_t> symbols;
  for (const auto &[name, term] : form.symbols)
    symbols[name] = term.first;
  for (auto [index, k] : form.indices) {
    if ((k > 0) != largest)
      continue;
    const Extent &extent = *index->extent;
    constant += extent.dynamic ? -k : k * (extent.size - 1);
    if (extent.dynamic)
      symbols[extent.name] += k;
  }
  std::string text;
  for (const auto &[name, k] : symbols) {
    if (k == 0)
      continue;
    std::string magnitude = std::abs(k) == 1 ? "" : std::to_string(std::abs(k)) + "*";
    text += text.empty() ? (k < 0 ? "-" : "") : (k < 0 ? " - " : " + ");
    text += magnitude + name;
  }
  if (text.empty())
    return std::to_string(constant);
  if (constant)
    text += (constant < 0 ? " - " : " + ") + std::to_string(std::abs(constant));
  return text;
}

} // namespace weft::sema
