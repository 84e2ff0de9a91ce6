//===- PtxParser.cpp - modules and the heads of functions -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Emulator/PtxParser.h"
#include "Syntax/BodyParser.h"
#include "Syntax/VariableParser.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::ptx;

namespace {

class ModuleParser {
public:
  ModuleParser(llvm::StringRef text, llvm::StringRef name) : tokens(text, name) {}
  llvm::Expected<Module> parse();

private:
  bool parseItem();
  bool parseVersion();
  bool parseTarget();
  bool parseFile();
  bool parseLinkage();
  bool parseModuleVariable(Space space);
  bool parseFunction(bool isEntry);
  bool parseParameters(Function &function, size_t &count);
  bool parseAttributes(Function &function);
  bool parseSizes(std::array<uint32_t, 3> &sizes);

  TokenStream tokens;
  Module module;
  bool isExtern = false;
};

} // namespace

llvm::Expected<Module> ModuleParser::parse() {
  while (tokens.peek().kind != TokenKind::End)
    if (!parseItem())
      return llvm::createStringError(tokens.error());
  if (module.target.empty() && !tokens.failHere("'.target'"))
    return llvm::createStringError(tokens.error());
  return std::move(module);
}

bool ModuleParser::parseVersion() {
  if (tokens.peek().kind != TokenKind::Real)
    return tokens.failHere("a version");
  module.version = tokens.take().text.str();
  return true;
}

bool ModuleParser::parseTarget() {
  Token word;
  if (!tokens.expectWord(word, "a target"))
    return false;
  if (!word.text.starts_with("sm_"))
    return tokens.fail(word.line, "unknown target '" + word.text + "'");
  module.target = word.text.str();
  while (tokens.consume(',')) // debug, texmode_independent
    if (!tokens.expectWord(word, "a property of the target"))
      return false;
  return true;
}

// .file 1 "name.cu"
bool ModuleParser::parseFile() {
  uint64_t number;
  if (!tokens.expectInteger(number, "the number of a file", UINT32_MAX))
    return false;
  if (tokens.peek().kind != TokenKind::String)
    return tokens.failHere("a string");
  tokens.take();
  return true;
}

bool ModuleParser::parseLinkage() {
  isExtern = false;
  while (tokens.peek().is(".visible") || tokens.peek().is(".extern") || tokens.peek().is(".weak") ||
         tokens.peek().is(".common"))
    isExtern |= tokens.take().text == ".extern";
  return true;
}

bool ModuleParser::parseItem() {
  if (!parseLinkage())
    return false;
  Token word;
  if (!tokens.expectWord(word, "a directive"))
    return false;
  if (word.text == ".version")
    return parseVersion();
  if (word.text == ".target")
    return parseTarget();
  if (word.text == ".file")
    return parseFile();
  if (word.text == ".address_size") {
    uint64_t bits;
    unsigned line = tokens.peek().line;
    return tokens.expectInteger(bits, "an address size", 64) &&
           (bits == 64 || tokens.fail(line, "only addresses of 64 bits are known"));
  }
  if (word.text == ".entry" || word.text == ".func")
    return parseFunction(word.text == ".entry");
  std::optional<Space> space = findSpace(word.text);
  if (space && *space != Space::Param && *space != Space::Local)
    return parseModuleVariable(*space);
  return tokens.fail(word.line, "unknown directive '" + word.text + "'");
}

bool ModuleParser::parseModuleVariable(Space space) {
  Variable variable;
  variable.isExtern = isExtern;
  if (!parseVariable(tokens, space, variable))
    return false;
  if (isExtern && space != Space::Shared)
    return tokens.fail(variable.line, "'" + variable.name + "' is defined in another module");
  if (space == Space::Shared && !variable.initial.empty())
    return tokens.fail(variable.line, "shared memory has no initial values");
  if (llvm::any_of(module.variables, [&](const Variable &v) { return v.name == variable.name; }))
    return tokens.fail(variable.line, "'" + variable.name + "' is declared twice");
  module.variables.push_back(std::move(variable));
  return tokens.expect(';');
}

// (.param .b64 a, .param .align 4 .b8 b[12])
bool ModuleParser::parseParameters(Function &function, size_t &count) {
  if (!tokens.consume('('))
    return true;
  if (tokens.consume(')'))
    return true;
  do {
    Variable variable;
    if (!tokens.consume(".param"))
      return tokens.failHere("'.param'");
    if (!parseVariable(tokens, Space::Param, variable))
      return false;
    if (llvm::any_of(function.variables,
                     [&](const Variable &v) { return v.name == variable.name; }))
      return tokens.fail(variable.line, "'" + variable.name + "' is declared twice");
    function.variables.push_back(std::move(variable));
    ++count;
  } while (tokens.consume(','));
  return tokens.expect(')');
}

// .maxntid 128, 1, 1
bool ModuleParser::parseSizes(std::array<uint32_t, 3> &sizes) {
  sizes = {1, 1, 1};
  for (uint32_t &size : sizes) {
    uint64_t value;
    if (!tokens.expectInteger(value, "a number of threads or blocks", 1 << 20))
      return false;
    size = uint32_t(value);
    if (!tokens.consume(','))
      return true;
  }
  return tokens.failHere("at most three numbers");
}

bool ModuleParser::parseAttributes(Function &function) {
  for (;;) {
    Token word = tokens.peek();
    if (word.kind != TokenKind::Word)
      return true;
    tokens.take();
    if (word.text == ".maxntid" || word.text == ".reqntid") {
      function.threadsRequired = word.text == ".reqntid";
      if (!parseSizes(function.maximumThreads))
        return false;
    } else if (word.text == ".reqnctapercluster") {
      std::array<uint32_t, 3> blocks;
      if (!parseSizes(blocks))
        return false;
      if (blocks != std::array<uint32_t, 3>{1, 1, 1})
        return tokens.fail(word.line, "clusters of several blocks are not known");
    } else if (word.text == ".minnctapersm" || word.text == ".maxnreg") {
      uint64_t number;
      if (!tokens.expectInteger(number, "a number", UINT32_MAX))
        return false;
      (word.text == ".maxnreg" ? function.mostRegisters : function.leastBlocks) = uint32_t(number);
    } else if (word.text == ".pragma") {
      if (tokens.peek().kind != TokenKind::String)
        return tokens.failHere("a string");
      tokens.take();
      tokens.consume(';');
    } else if (word.text != ".noreturn") {
      return tokens.fail(word.line, "unknown property '" + word.text + "' of a function");
    }
  }
}

// Results stand before the name, but their variables behind the parameters'.
bool ModuleParser::parseFunction(bool isEntry) {
  Function results, function;
  function.isEntry = isEntry;
  Token word;
  if ((!isEntry && !parseParameters(results, function.resultCount)) ||
      !tokens.expectWord(word, "the name of a function"))
    return false;
  function.name = word.text.str();
  function.line = word.line;
  if (!parseParameters(function, function.parameterCount))
    return false;
  llvm::append_range(function.variables, results.variables);
  if (!parseAttributes(function))
    return false;
  const Function *before = module.findFunction(function.name);
  if (tokens.consume('{')) {
    if (before && before->isDefined)
      return tokens.fail(word.line, "'" + function.name + "' is defined twice");
    function.isDefined = true;
    // A function may call itself, so it is known while it is read.
    module.functions.push_back(function);
    bool parsed = BodyParser(tokens, module, function).parse();
    module.functions.back() = std::move(function);
    return parsed;
  }
  module.functions.push_back(std::move(function));
  return tokens.expect(';');
}

llvm::Expected<Module> weft::ptx::parse(llvm::StringRef text, llvm::StringRef name) {
  return ModuleParser(text, name).parse();
}
