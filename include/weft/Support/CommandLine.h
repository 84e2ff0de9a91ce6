//===- CommandLine.h - a program's own flags ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_COMMANDLINE_H
#define WEFT_SUPPORT_COMMANDLINE_H

namespace weft {

/// The shared LLVM library brings some hundred flags of its own (of Polly, of LTO, ...), and LLVM
/// ends the program when two flags have one name, as "threads" would. This takes all of them off
/// the command line, but for --help and its kind. Call it before the program's first flag is made:
/// the constructor of a static object that stands above static flags is early enough, since shared
/// libraries are initialised first.
void removeForeignOptions();

/// From here on, a program that asks for more memory than there is ends with one line, status 1 and
/// without half-written files. `program` is a literal.
void reportOutOfMemory(const char *program);

} // namespace weft

#endif // WEFT_SUPPORT_COMMANDLINE_H
