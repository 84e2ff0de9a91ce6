//===- LibraryStatistics.h - statistics as the libraries have them --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Debian's libraries are built without assertions, and llvm::Statistic is then an empty class: they
// leave the counters of a pass that is compiled with assertions without a first value. Included
// before anything else, this gives our code the empty class too.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CMAKE_LIBRARYSTATISTICS_H
#define WEFT_CMAKE_LIBRARYSTATISTICS_H

#ifdef NDEBUG
#include "llvm/ADT/Statistic.h"
#else
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif

#endif // WEFT_CMAKE_LIBRARYSTATISTICS_H
