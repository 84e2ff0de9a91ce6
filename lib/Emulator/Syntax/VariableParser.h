//===- VariableParser.h - variables and their first values ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_SYNTAX_VARIABLEPARSER_H
#define WEFT_LIB_EMULATOR_SYNTAX_VARIABLEPARSER_H

#include "Syntax/TokenStream.h"
#include "weft/Emulator/Ptx.h"

namespace weft::ptx {

/// No variable is larger: sizes are added up without a thought of overflow.
inline constexpr uint64_t kMostVariableBytes = uint64_t(1) << 40;

/// The space that ".shared" and its kind name.
std::optional<Space> findSpace(llvm::StringRef directive);

/// What follows the space: `.align 4 .b8 name[16] = {1, 2}`, without the semicolon. Of a parameter
/// also `.ptr .global .align 4`.
bool parseVariable(TokenStream &tokens, Space space, Variable &variable);

} // namespace weft::ptx

#endif // WEFT_LIB_EMULATOR_SYNTAX_VARIABLEPARSER_H
