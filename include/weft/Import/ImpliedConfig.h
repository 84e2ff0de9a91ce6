//===- ImpliedConfig.h - What a Hugging Face configuration leaves unsaid --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Some values of a configuration follow from others by the rules of the format, whatever the model.
// Defaults of one family of models are not among them: those stand in its text, as `config.x ?? d`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_IMPLIEDCONFIG_H
#define WEFT_IMPORT_IMPLIEDCONFIG_H

#include "weft/Support/ConfigValue.h"

namespace weft {

/// Adds to the object `config` what it leaves out:
///   num_labels: the number of entries of id2label, or 2.
void addImpliedValues(ConfigValue &config);

} // namespace weft

#endif // WEFT_IMPORT_IMPLIEDCONFIG_H
