//===- CommandLine.h - a program's own flags ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_COMMANDLINE_H
#define WEFT_SUPPORT_COMMANDLINE_H

#include "weft/Support/Interrupts.h"
#include "llvm/Support/InitLLVM.h"

#include <map>
#include <string>
#include <vector>

namespace weft {

/// What every program of Weft does first: LLVM's handlers of signals, which remove temporary files,
/// --version, and one line with status 1 for what cannot be written to standard output (at the end,
/// however the program gets there) and for running out of memory. `program` is a literal.
class InitTool {
public:
  InitTool(int &argc, char **&argv, const char *program);

private:
  InterruptHandlers handlers;
  llvm::InitLLVM init;
};

/// The shared LLVM library brings some hundred flags of its own (of Polly, of LTO, ...), and LLVM
/// ends the program when two flags have one name, as "threads" would. This takes all of them off
/// the command line, but for --help and its kind. Call it before the program's first flag is made:
/// the constructor of a static object that stands above static flags is early enough, since shared
/// libraries are initialised first.
void removeForeignOptions();

/// A word that an option takes.
struct OptionValue {
  std::string name, help;
};

/// What --help says of a program besides its options, and what man pages and completions know more.
struct ToolHelp {
  std::string summary; ///< one line
  std::string details; ///< text of several lines: how the program is called, what else to know
  /// What exit statuses mean, from 0 on.
  std::vector<std::string> statuses = {"done", "an error in the input", "wrong usage",
                                       "a comparison failed"};
  /// The words that an option takes, by its name.
  std::map<std::string, std::vector<OptionValue>> values = {};
  /// The options whose value may be empty, by name.
  std::vector<std::string> mayBeEmpty = {};
};

/// Parses the command line by the flags that are registered. The hidden flag --describe-options
/// writes them and `help` as JSON and ends the program. False after wrong usage, which was
/// reported.
bool parseFlags(int argc, const char *const *argv, const ToolHelp &help);

} // namespace weft

#endif // WEFT_SUPPORT_COMMANDLINE_H
