//===- Progress.h - a line that says how far a long piece of work is ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_PROGRESS_H
#define WEFT_SUPPORT_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace weft {

/// "weftc: weights 1.2 GB of 3.4 GB, 230.0 MB/s, 9.57 s left": on stderr, where that is a terminal,
/// from so many seconds after the start on. The line is written anew as the work goes on, and
/// erased at the end.
class Progress {
public:
  Progress(llvm::StringRef what, uint64_t totalBytes, double afterSeconds);
  Progress(const Progress &) = delete;
  ~Progress();

  /// So much is done. Cheap to call often.
  void update(uint64_t bytes);

private:
  using Clock = std::chrono::steady_clock;
  void show(uint64_t bytes, double seconds);

  std::string what;
  uint64_t total;
  bool isTerminal;
  size_t width = 0; ///< of the line that is there
  Clock::time_point start, next;
};

} // namespace weft

#endif // WEFT_SUPPORT_PROGRESS_H
