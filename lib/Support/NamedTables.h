//===- NamedTables.h - tables of codes that are named by what they are made of --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_SUPPORT_NAMEDTABLES_H
#define WEFT_LIB_SUPPORT_NAMEDTABLES_H

#include "weft/Support/CodeTable.h"

namespace weft {

/// The number of the table of this name; nothing if it is none.
std::optional<size_t> findNamedTable(llvm::StringRef name);
const CodeTableInfo &getNamedTable(size_t number);

} // namespace weft

#endif // WEFT_LIB_SUPPORT_NAMEDTABLES_H
