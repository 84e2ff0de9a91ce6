//===- BulkCopies.h - copies of boxes and rows ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_BULKCOPIES_H
#define WEFT_LIB_EMULATOR_TRANSLATE_BULKCOPIES_H

#include "Translate/Emitter.h"

namespace weft::emulator {

/// cp.async.bulk: `cp`, .async and .bulk are taken.
void emitBulkCopy(Emitter &e);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_BULKCOPIES_H
