//===- Spaces.h - the modifiers of memory instructions --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_SPACES_H
#define WEFT_LIB_EMULATOR_TRANSLATE_SPACES_H

#include "Translate/Emitter.h"

namespace weft::emulator {

/// Generic if none is named.
ptx::Space takeSpace(Emitter &e);
/// Where the space starts among generic addresses.
uint64_t windowOf(ptx::Space space);
/// barrier.cluster: `barrier` and .cluster are taken.
void emitClusterBarrier(Emitter &e);
/// Skips what says in which caches data is wanted.
void skipCacheHints(Emitter &e);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_SPACES_H
