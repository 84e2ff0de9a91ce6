//===- Interrupts.h - What SIGINT, SIGTERM and SIGHUP may interrupt -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM's handlers remove temporary files and then let the signal do what it does. This adds what
// they lack: folders, steps that must not be cut in two, programs that this one waits for, and a
// signal that whoever started the program wants ignored (nohup).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_INTERRUPTS_H
#define WEFT_SUPPORT_INTERRUPTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <csignal>
#include <string>

namespace weft {

/// Goes around the installation of LLVM's handlers: made before it; `finish` comes after it.
class InterruptHandlers {
public:
  InterruptHandlers();
  void finish();

private:
  bool ignored[3];
};

/// Holds the signals back as long as it lives; what came meanwhile acts at its end.
class HoldInterrupts {
public:
  HoldInterrupts();
  ~HoldInterrupts();
  HoldInterrupts(const HoldInterrupts &) = delete;

  /// The set of blocked signals that it found.
  const sigset_t &before() const { return old; }

private:
  sigset_t old;
};

/// From here on an interruption removes the folder, if it is empty. It may be said of few.
void removeFolderOnInterrupt(llvm::StringRef path);

/// Runs a program to its end, without input; what it prints goes to the file `log`. An interruption
/// of this program ends the other one and what that has started before it acts here, so that nobody
/// is left who could write a file. The value is the exit status, -1 if a signal ended it.
llvm::Expected<int> runProgram(llvm::StringRef path, llvm::ArrayRef<std::string> arguments,
                               llvm::StringRef log);

} // namespace weft

#endif // WEFT_SUPPORT_INTERRUPTS_H
