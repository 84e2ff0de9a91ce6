//===- AddDebugInfo.cpp - weft-add-debug-info -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM merges the places of a fused location into one without a line. So every op gets a single
// place first (findPlace).
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Dialect/Weft/IR/LocationText.h"
#include "weft/Support/Version.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace weft {
#define GEN_PASS_DEF_ADDDEBUGINFO
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

class AddDebugInfoPass : public weft::impl::AddDebugInfoBase<AddDebugInfoPass> {
public:
  using AddDebugInfoBase::AddDebugInfoBase;
  void runOnOperation() override;

private:
  LLVM::DIFileAttr getFile(StringAttr name);
  LLVM::DISubprogramAttr describe(LLVM::LLVMFuncOp function, FileLineColLoc place,
                                  LLVM::DICompileUnitAttr unit);
  void placeOps(LLVM::LLVMFuncOp function, FileLineColLoc place, LLVM::DISubprogramAttr subprogram);

  llvm::StringMap<StringRef> paths; ///< of texts that have other names in locations
};

} // namespace

LLVM::DIFileAttr AddDebugInfoPass::getFile(StringAttr name) {
  auto known = paths.find(name.getValue());
  StringRef path = known == paths.end() ? name.getValue() : known->second;
  return LLVM::DIFileAttr::get(&getContext(), path,
                               llvm::sys::path::is_absolute(path) ? "" : StringRef(directory));
}

LLVM::DISubprogramAttr AddDebugInfoPass::describe(LLVM::LLVMFuncOp function, FileLineColLoc place,
                                                  LLVM::DICompileUnitAttr unit) {
  MLIRContext *context = &getContext();
  auto flags = LLVM::DISubprogramFlags::Definition;
  if (unit.getIsOptimized())
    flags = flags | LLVM::DISubprogramFlags::Optimized;
  if (function.getLinkage() == LLVM::Linkage::Internal)
    flags = flags | LLVM::DISubprogramFlags::LocalToUnit;
  auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
  return LLVM::DISubprogramAttr::get(context, DistinctAttr::create(UnitAttr::get(context)), unit,
                                     unit.getFile(), function.getNameAttr(), function.getNameAttr(),
                                     getFile(place.getFilename()), place.getLine(), place.getLine(),
                                     flags, type, /*retainedNodes=*/{}, /*annotations=*/{});
}

/// What comes from nowhere stands where the function does.
void AddDebugInfoPass::placeOps(LLVM::LLVMFuncOp function, FileLineColLoc place,
                                LLVM::DISubprogramAttr subprogram) {
  function.getBody().walk([&](Operation *op) {
    FileLineColLoc own = findPlace(op->getLoc());
    if (!own)
      own = place;
    if (own.getFilename() == place.getFilename())
      return op->setLoc(own);
    // A formula of another text, which was folded into this one.
    auto block = LLVM::DILexicalBlockFileAttr::get(subprogram, getFile(own.getFilename()),
                                                   /*discriminator=*/0);
    op->setLoc(FusedLoc::get(&getContext(), {own}, block));
  });
}

void AddDebugInfoPass::runOnOperation() {
  MLIRContext *context = &getContext();
  for (StringRef file : files) {
    auto [name, path] = file.split('=');
    paths[name] = path;
  }
  FileLineColLoc first = findPlace(getOperation().getLoc());
  if (!first)
    first = FileLineColLoc::get(context, "<unknown>", 0, 0);
  auto unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)),
                                           llvm::dwarf::DW_LANG_C99, getFile(first.getFilename()),
                                           StringAttr::get(context, "weftc " + version()),
                                           /*isOptimized=*/optimized, LLVM::DIEmissionKind::Full);
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    FileLineColLoc place = findPlace(function.getLoc());
    if (!place)
      place = first;
    LLVM::DISubprogramAttr subprogram = describe(function, place, unit);
    placeOps(function, place, subprogram);
    function->setLoc(FusedLoc::get(context, {place}, subprogram));
  }
}
