//===- GGUFModel.h - What a text sees of a GGUF file ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_GGUFMODEL_H
#define WEFT_IMPORT_GGUFMODEL_H

#include "weft/Import/GGUF.h"
#include "weft/Support/ConfigValue.h"

namespace weft {

/// An object with the names that a `gguf` block of a text knows (docs/Language.md, 4.14):
/// architecture, keys, tokenizer, and tensors, of which there may be more in other parts. The error
/// says that the file has no architecture.
llvm::Expected<ConfigValue> describeGguf(const GgufFile &file,
                                         llvm::ArrayRef<const StoredTensor *> tensors);

} // namespace weft

#endif // WEFT_IMPORT_GGUFMODEL_H
