//===- ModelDescription.cpp - names of C functions and arguments ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/ModelDescription.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;

// Words that cannot name a parameter in C99 to C23 or in C++, names of types in the header, and a
// name whose description (NAME_info) is a function of the C library.
static constexpr llvm::StringLiteral keywords[] = {
    "alignas",  "alignof",  "and",      "asm",      "auto",    "bool",      "break",     "case",
    "catch",    "char",     "class",    "compl",    "concept", "const",     "constexpr", "continue",
    "decltype", "default",  "delete",   "do",       "double",  "else",      "enum",      "explicit",
    "export",   "extern",   "false",    "float",    "for",     "friend",    "goto",      "if",
    "inline",   "int",      "long",     "malloc",   "mutable", "namespace", "new",       "noexcept",
    "int8_t",   "int16_t",  "int32_t",  "int64_t",  "uint8_t", "uint16_t",  "uint32_t",  "uint64_t",
    "not",      "size_t",   "nullptr",  "operator", "or",      "private",   "protected", "public",
    "register", "requires", "restrict", "return",   "short",   "signed",    "sizeof",    "static",
    "struct",   "switch",   "template", "this",     "throw",   "true",      "try",       "typedef",
    "typeid",   "typename", "union",    "unsigned", "using",   "virtual",   "void",      "volatile",
    "while",    "xor"};

std::string weft::cIdentifier(llvm::StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  if (llvm::is_contained(keywords, result))
    result += '_';
  return result;
}

std::string weft::entryFunctionName(const ModelDescription &model, const EntryDescription &entry) {
  return model.name + "_" + cIdentifier(entry.name);
}

std::vector<int32_t> weft::symbolsOfEntry(const ModelDescription &model,
                                          const EntryDescription &entry) {
  std::vector<int32_t> used;
  auto uses = [](llvm::ArrayRef<TensorDescription> tensors, int32_t symbol) {
    return llvm::any_of(tensors, [symbol](const TensorDescription &tensor) {
      return llvm::is_contained(tensor.symbols, symbol);
    });
  };
  for (int32_t symbol = 0, end = int32_t(model.symbols.size()); symbol != end; ++symbol)
    if (uses(entry.inputs, symbol) || uses(entry.outputs, symbol))
      used.push_back(symbol);
  return used;
}

int64_t weft::stateWordsOf(const ModelDescription &model) {
  return 1 + int64_t(model.symbols.size());
}

bool weft::isOwnSymbol(const ModelDescription &model, int32_t symbol) {
  return llvm::any_of(model.steps,
                      [symbol](const StepDescription &step) { return step.lastSymbol == symbol; });
}

std::vector<int32_t> weft::symbolsOfStep(const ModelDescription &model,
                                         const StepDescription &step) {
  std::vector<int32_t> used = symbolsOfEntry(model, step.entry);
  std::vector<int32_t> started = symbolsOfEntry(model, step.start);
  llvm::erase_if(used, [&](int32_t symbol) {
    return symbol == step.lengthSymbol || llvm::is_contained(started, symbol);
  });
  return used;
}
