//===- FunctionTable.cpp - The functions of a module ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FunctionTable.h"

#include "Elaboration.h"
#include "ModuleMapping.h"

using namespace llvm;

namespace weft::sema {

FunctionTable::FunctionTable(Elaboration &shared) : shared(shared) {}

void FunctionTable::begin(Function &function, StringRef name, SourceRange range) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(shared.module.getBody());
  function.op = mlir::func::FuncOp::create(builder, shared.reporter.location(range),
                                           uniqueSymbol(name), builder.getFunctionType({}, {}));
  function.builder.setInsertionPointToEnd(function.op.addEntryBlock());
}

/// `name`, or one like it that no other function has. Mapped functions name themselves.
std::string FunctionTable::uniqueSymbol(StringRef name) {
  std::string candidate = name.str();
  auto isTaken = [&] {
    return !symbolNames.try_emplace(candidate, 1).second ||
           (shared.mapping->isUsed() && shared.module.lookupSymbol(candidate));
  };
  while (isTaken())
    candidate = (name + "_" + Twine(symbolNames[name]++)).str();
  return candidate;
}

void FunctionTable::nameEntry(Function &function, StringRef name) {
  bool isFree = symbolNames.try_emplace(name, 1).second && !shared.mapping->isUsed();
  auto other = isFree ? mlir::func::FuncOp() : shared.module.lookupSymbol<mlir::func::FuncOp>(name);
  if (other && other != function.op) {
    auto fresh = mlir::StringAttr::get(&shared.context, uniqueSymbol(name));
    (void)mlir::SymbolTable::replaceAllSymbolUses(other, fresh, shared.module);
    other.setSymName(fresh);
  }
  function.op.setSymName(name);
}

} // namespace weft::sema
