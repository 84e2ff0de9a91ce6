//===- ExitStatus.h - how a program says what became of it ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_EXITSTATUS_H
#define WEFT_SUPPORT_EXITSTATUS_H

namespace weft {

/// Exit statuses of weftc and weft-run. A mismatch: what was compared differs.
enum ExitStatus { ExitSuccess = 0, ExitError = 1, ExitUsage = 2, ExitMismatch = 3 };

} // namespace weft

#endif // WEFT_SUPPORT_EXITSTATUS_H
