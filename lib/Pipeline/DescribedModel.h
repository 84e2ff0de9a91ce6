//===- DescribedModel.h - a model's interface as compiled code will give it ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_DESCRIBEDMODEL_H
#define WEFT_LIB_PIPELINE_DESCRIBEDMODEL_H

#include "weft/Runtime/weft_model_info.h"
#include "weft/Target/ModelDescription.h"

#include <deque>

namespace weft {

/// The constant that would be in the code of a model, without the code: functions are null. So who
/// prints what compiled models offer prints it of others, too.
class DescribedModel {
public:
  /// `model` must outlive this.
  explicit DescribedModel(const ModelDescription &model);
  DescribedModel(const DescribedModel &) = delete;

  const weft_model_info &info() const { return result; }

private:
  const weft_tensor_info *addTensors(const std::vector<TensorDescription> &list);
  void addEntry(const EntryDescription &entry);
  void addStep(const StepDescription &step);

  weft_model_info result = {};
  std::vector<weft_symbol_info> symbols;
  std::vector<weft_entry_info> entries;
  std::vector<weft_step_info> steps;
  std::deque<std::vector<weft_tensor_info>> tensors;
};

} // namespace weft

#endif // WEFT_LIB_PIPELINE_DESCRIBEDMODEL_H
