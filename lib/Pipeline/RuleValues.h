//===- RuleValues.h - the numbers of matrices that rules describe ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_RULEVALUES_H
#define WEFT_LIB_PIPELINE_RULEVALUES_H

#include "MatrixRule.h"
#include "RuleCodes.h"

namespace weft {

/// A rule for matrices of one size as code: their numbers, and their codes if they have some.
struct CompiledRule {
  explicit CompiledRule(StorageFunction function)
      : function{function.module->clone(), function.parts}, values(std::move(function)) {}

  /// Null: they have none.
  RuleCodes *getCodes() {
    if (function.module)
      codes = RuleCodes::create(function);
    function.module = nullptr;
    return codes.get();
  }

  StorageFunction function; ///< until codes were looked for
  MatrixRule values;
  std::unique_ptr<RuleCodes> codes;
};

/// A matrix of a rule, made of these tensors, one for each part of the rule; a null part is not
/// there.
std::shared_ptr<TensorValues> makeRuleValues(std::shared_ptr<CompiledRule> rule,
                                             std::vector<const StoredTensor *> parts);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_RULEVALUES_H
