//===- DiscardableAttrs.cpp - verifies the attributes weft.NAME -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DiscardableRules.h"

#include "weft/Support/NearestName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

bool weft::generates(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(),
                      [](func::FuncOp function) { return attrs::Generate::isOn(function); });
}

StringRef weft::getBatchDim(ModuleOp module) {
  StringRef symbol = attrs::Batch::getText(module);
  return symbol.empty() ? StringRef(kFixedBatch) : symbol;
}

static LogicalResult verifyUnknown(const Site &site, StringRef name) {
  SmallVector<StringRef> known;
  for (const WeftDialect::DiscardableAttr &line : WeftDialect::discardableAttrs)
    known.push_back(line.name);
  return site.emitError() << "unknown attribute '" << name << "'" << suggestion(name, known);
}

static LogicalResult verify(const Site &site, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  Attribute value = attribute.getValue();
  const auto *line = llvm::find_if(WeftDialect::discardableAttrs,
                                   [&](const auto &line) { return line.name == name; });
  if (line == std::end(WeftDialect::discardableAttrs))
    return verifyUnknown(site, name);
  if (!(line->places & site.places))
    return site.emitError() << "'" << name << "' stands on " << line->placesText << " only";
  if (!line->hasType(value))
    return site.emitError() << "'" << name << "' is " << value << ", expected " << line->type;
  std::string expected = expectedInstead(name, site, value);
  if (expected.empty())
    return success();
  InFlightDiagnostic error = site.emitError() << "'" << name << "'";
  if (!isa<UnitAttr>(value))
    error << " is " << value << ",";
  return error << " expected " << expected;
}

static unsigned placesOf(Operation *op) {
  if (isa<ModuleOp>(op))
    return WeftDialect::OnModule;
  if (auto function = dyn_cast<func::FuncOp>(op); function && attrs::Entry::isOn(function))
    return WeftDialect::OnFunction | WeftDialect::OnEntry;
  if (isa<FunctionOpInterface>(op))
    return WeftDialect::OnFunction;
  if (isa<func::CallOp>(op))
    return WeftDialect::OnCall;
  if (isa<IndexedOpInterface>(op))
    return WeftDialect::OnFormula | WeftDialect::OnOp;
  if (isa<arith::MulFOp, LLVM::FMulOp>(op))
    return WeftDialect::OnProduct;
  return isa_and_nonnull<WeftDialect>(op->getDialect()) ? WeftDialect::OnOp : 0;
}

LogicalResult WeftDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verify({op, placesOf(op)}, attribute);
}

LogicalResult WeftDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                    NamedAttribute attribute) {
  return verify({op, isa<func::FuncOp>(op) ? OnArgument : 0u, argument}, attribute);
}

LogicalResult WeftDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                       NamedAttribute attribute) {
  return verify({op, isa<func::FuncOp>(op) ? OnResult : 0u, result}, attribute);
}
