//===- EmbedKernels.cpp - kernels as data of a program of the host --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/PTX.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace weft;

std::string weft::getImageName(StringRef chip) { return ("weft.image." + chip).str(); }

Expected<std::string> weft::writeKernels(mlir::ModuleOp module, const GPUChip &chip,
                                         unsigned optLevel) {
  LLVMContext context;
  Machine machine = getGPUMachine(chip);
  std::unique_ptr<llvm::Module> code = translateDevice(module, context, machine, optLevel);
  if (!code)
    return createStringError("the kernels cannot be translated for " + chip.name);
  std::string text;
  raw_string_ostream os(text);
  if (Error error = emitFile(*code, machine, optLevel, FileKind::Assembly, os))
    return std::move(error);
  return text;
}

Error weft::embedKernels(llvm::Module &host, mlir::ModuleOp module, const GPUChip &chip,
                         unsigned optLevel) {
  Expected<std::string> text = writeKernels(module, chip, optLevel);
  if (!text)
    return text.takeError();
  GlobalVariable *wanted = host.getNamedGlobal(getImageName(chip.name));
  if (!wanted)
    return Error::success(); // the program was made for other chips
  Constant *bytes = ConstantDataArray::getString(host.getContext(), *text, /*AddNull=*/true);
  auto *image = new GlobalVariable(host, bytes->getType(), /*isConstant=*/true,
                                   GlobalValue::InternalLinkage, bytes);
  image->takeName(wanted);
  wanted->replaceAllUsesWith(image);
  wanted->eraseFromParent();
  return Error::success();
}
