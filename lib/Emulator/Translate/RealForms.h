//===- RealForms.h - instructions that are of integers or of reals --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_REALFORMS_H
#define WEFT_LIB_EMULATOR_TRANSLATE_REALFORMS_H

#include "Translate/Emitter.h"

namespace weft::emulator {

void emitRealBinary(Emitter &e, llvm::Instruction::BinaryOps op);
void emitRealFma(Emitter &e);
void emitRealDivision(Emitter &e);
void emitRealExtremum(Emitter &e, bool isMaximum);
void emitRealSign(Emitter &e, bool isNegation);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_REALFORMS_H
