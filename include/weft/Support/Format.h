//===- Format.h - text for people ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Tables, reports, progress and figures are formatted here, with {fmt}: one way to write a size, a
// time and a rate. Diagnostics stay with MLIR's streams.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_FORMAT_H
#define WEFT_SUPPORT_FORMAT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

template <> struct fmt::formatter<llvm::StringRef> : fmt::formatter<fmt::string_view> {
  template <typename Context> auto format(llvm::StringRef text, Context &context) const {
    return fmt::formatter<fmt::string_view>::format({text.data(), text.size()}, context);
  }
};

namespace weft {

/// Writes what {fmt} makes of `text` and `arguments` to `os`.
void printFormatted(llvm::raw_ostream &os, fmt::string_view text, fmt::format_args arguments);

/// print(os, "{:>8.1f} ms  {}\n", 1e3 * seconds, name).
template <typename... T>
void print(llvm::raw_ostream &os, fmt::format_string<T...> text, T &&...arguments) {
  printFormatted(os, text, fmt::make_format_args(arguments...));
}

/// A message with what names of a file may have and a terminal would obey, control characters but
/// ends of lines and tabs, written as `\x1b`.
std::string printableText(llvm::StringRef message);

/// A size in the largest decimal unit that leaves one digit before the point: "512 B", "1.3 kB",
/// "42.0 MB", "1.6 TB".
std::string sizeText(int64_t bytes);

/// A time with three digits in s, ms or µs, and in minutes and seconds from 100 s on: "35.0 µs",
/// "1.25 ms", "12.5 s", "2 min 05 s".
std::string timeText(double seconds);

/// Arithmetic in a time: "12.3 GFLOP/s"; of less than 1 GFLOP/s two digits after the point.
std::string rateText(double flops, double seconds);

} // namespace weft

#endif // WEFT_SUPPORT_FORMAT_H
