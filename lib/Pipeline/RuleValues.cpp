//===- RuleValues.cpp - the numbers of matrices that rules describe -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RuleValues.h"

using namespace llvm;
using namespace weft;

namespace {
/// A matrix of a rule.
class RuleValues : public TensorValues {
public:
  RuleValues(std::shared_ptr<CompiledRule> rule, std::vector<const StoredTensor *> parts)
      : rule(std::move(rule)), parts(std::move(parts)) {}

  void read(int64_t first, MutableArrayRef<float> out) override {
    fill(out, [&] { return rule->values.read(parts, first, out); });
  }
  std::optional<StoredCodes> findCodes() override {
    if (RuleCodes *codes = rule->getCodes())
      return codes->get();
    return std::nullopt;
  }
  void readCodes(CodesPart part, int64_t first, MutableArrayRef<float> out) override {
    fill(out, [&] { return rule->getCodes()->read(part, parts, first, out); });
  }
  Expected<std::vector<double>> interpret() override { return rule->values.interpret(parts); }
  StringRef failure() const override { return problem; }
  uint64_t storedBytes() const override {
    uint64_t bytes = 0;
    for (const StoredTensor *part : parts)
      bytes += part ? part->bytes.size() : 0;
    return bytes;
  }

private:
  void fill(MutableArrayRef<float> out, function_ref<Error()> read) {
    if (problem.empty())
      if (Error error = read())
        problem = toString(std::move(error));
    if (!problem.empty())
      std::fill(out.begin(), out.end(), 0.0f);
  }

  std::shared_ptr<CompiledRule> rule;
  std::vector<const StoredTensor *> parts;
  std::string problem;
};
} // namespace

std::shared_ptr<TensorValues> weft::makeRuleValues(std::shared_ptr<CompiledRule> rule,
                                                   std::vector<const StoredTensor *> parts) {
  return std::make_shared<RuleValues>(std::move(rule), std::move(parts));
}
