//===- GemmEmitter.cpp - contractions with a packed factor ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"

using namespace weft;

std::optional<int64_t> weft::getPanelWidth(ContractOp op, int64_t width) { return std::nullopt; }
