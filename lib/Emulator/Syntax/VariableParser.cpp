//===- VariableParser.cpp - variables and their first values --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Syntax/VariableParser.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace weft::ptx;

std::optional<Space> weft::ptx::findSpace(llvm::StringRef directive) {
  return llvm::StringSwitch<std::optional<Space>>(directive)
      .Case(".global", Space::Global)
      .Case(".shared", Space::Shared)
      .Case(".local", Space::Local)
      .Case(".const", Space::Const)
      .Case(".param", Space::Param)
      .Default(std::nullopt);
}

static bool parseAlignment(TokenStream &tokens, uint64_t &alignment) {
  unsigned line = tokens.peek().line;
  if (!tokens.expectInteger(alignment, "an alignment", 1 << 16))
    return false;
  return llvm::isPowerOf2_64(alignment) || tokens.fail(line, "an alignment is a power of 2");
}

namespace {

// The values in braces, of any nesting, one after another.
class InitialValues {
public:
  InitialValues(TokenStream &tokens, Type type, Variable &variable)
      : tokens(tokens), type(type), variable(variable) {}

  bool parse() {
    if (!tokens.consume('{'))
      return parseValue();
    for (unsigned depth = 1; depth > 0;) {
      if (tokens.consume('{'))
        ++depth;
      else if (tokens.consume('}'))
        --depth;
      else if (!tokens.consume(',') && !parseValue())
        return false;
    }
    return true;
  }

private:
  bool append(uint64_t bits) {
    if (variable.initial.size() + type.bytes() > variable.bytes)
      return tokens.fail(tokens.peek().line,
                         "more values than '" + variable.name + "' has room for");
    for (unsigned byte = 0; byte < type.bytes(); ++byte)
      variable.initial.push_back(byte < 8 ? uint8_t(bits >> (8 * byte)) : 0);
    return true;
  }

  bool parseValue() {
    bool negative = tokens.consume('-');
    Token token = tokens.peek();
    if (token.kind == TokenKind::Integer) {
      tokens.take();
      return append(negative ? 0 - token.value : token.value);
    }
    if (token.kind == TokenKind::Real && !negative) {
      tokens.take();
      if (token.realBits == type.bits)
        return append(token.value);
      return tokens.fail(token.line, "a real of " + llvm::Twine(token.realBits) +
                                         " bits in a variable of ." + nameOf(type));
    }
    if (token.kind == TokenKind::Word && !negative)
      return parseAddress(token);
    return tokens.failHere("a value");
  }

  // name, name + 4, generic(name) + 4
  bool parseAddress(Token token) {
    tokens.take();
    if (tokens.consume('(')) {
      bool generic = token.text == "generic";
      if (!tokens.expectWord(token, "a variable") || !tokens.expect(')'))
        return false;
      if (!generic)
        return tokens.fail(token.line, "an initial value is a number, a name or generic(name)");
    }
    if (type.bytes() != 8)
      return tokens.fail(token.line, "an address as an initial value takes 64 bits");
    uint64_t offset = 0;
    if (tokens.consume('+') && !tokens.expectInteger(offset, "an offset", kMostVariableBytes))
      return false;
    variable.addresses.push_back({variable.initial.size(), token.text.str()});
    return append(offset);
  }

  TokenStream &tokens;
  Type type;
  Variable &variable;
};

} // namespace

// `.ptr .global .align 16` between the type and the name says where a parameter points.
static bool parsePointerHint(TokenStream &tokens) {
  if (!tokens.consume(".ptr"))
    return true;
  if (tokens.peek().kind == TokenKind::Word && findSpace(tokens.peek().text))
    tokens.take();
  uint64_t ignored;
  return !tokens.consume(".align") || parseAlignment(tokens, ignored);
}

static bool parseSize(TokenStream &tokens, Variable &variable) {
  while (tokens.consume('[')) {
    if (tokens.consume(']')) {
      if (!variable.isExtern && variable.space != Space::Global)
        return tokens.fail(variable.line, "'" + variable.name + "' has no size");
      variable.bytes = 0;
      return true;
    }
    uint64_t count;
    if (!tokens.expectInteger(count, "a size", kMostVariableBytes) || !tokens.expect(']'))
      return false;
    if (count && variable.bytes > kMostVariableBytes / count)
      return tokens.fail(variable.line, "'" + variable.name + "' is too large");
    variable.bytes *= count;
  }
  return true;
}

bool weft::ptx::parseVariable(TokenStream &tokens, Space space, Variable &variable) {
  variable.space = space;
  bool aligned = tokens.consume(".align");
  if (aligned && !parseAlignment(tokens, variable.alignment))
    return false;
  Token word;
  if (!tokens.expectWord(word, "a type"))
    return false;
  std::optional<Type> type = word.text.consume_front(".") ? findType(word.text) : std::nullopt;
  if (!type || type->kind == TypeKind::Predicate)
    return tokens.fail(word.line, "unknown type of a variable: '" + word.text + "'");
  if (!parsePointerHint(tokens) || !tokens.expectWord(word, "a name"))
    return false;
  variable.name = word.text.str();
  variable.line = word.line;
  variable.bytes = type->bytes();
  if (!aligned)
    variable.alignment = type->bytes();
  if (!parseSize(tokens, variable))
    return false;
  return !tokens.consume('=') || InitialValues(tokens, *type, variable).parse();
}
