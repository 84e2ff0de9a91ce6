//===- Stages.cpp - the table of stages -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Pipeline/Stages.h"

#include "weft/Support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace weft;

static constexpr StageInfo table[] = {
    {Stage::Weft, "weft", ".weft", "the model as Weft text"},
    {Stage::Graph, "graph", ".mlir", "formulas on tensors, one op each"},
    {Stage::Fused, "fused", ".mlir", "the same after the derivations and fusions"},
    {Stage::Kernels, "kernels", ".mlir", "outlined kernels, every buffer in its place"},
    {Stage::Loops, "loops", ".mlir", "tiles as loops and vectors"},
    {Stage::LLVMDialect, "llvm-dialect", ".mlir", "the LLVM dialect"},
    {Stage::LLVMIR, "llvm", ".ll", "optimised LLVM IR"},
    {Stage::Bitcode, "bc", ".bc", "optimised LLVM bitcode"},
    {Stage::Assembly, "asm", ".s", "assembly"},
    {Stage::Object, "obj", ".o", "an object file and its C header"},
    {Stage::Library, "lib", ".so", "a shared library, its header and its weights"},
    {Stage::Executable, "exe", "", "an executable and its weights"},
    {Stage::Header, "header", ".h", "the C header"},
    {Stage::PTX, "ptx", ".ptx", "the kernels of a GPU (--target=nvptx)"},
};

llvm::ArrayRef<StageInfo> weft::stages() { return table; }

const StageInfo &weft::stageInfo(Stage stage) { return table[static_cast<unsigned>(stage)]; }

std::optional<Stage> weft::findStage(llvm::StringRef name) {
  const auto *it = llvm::find_if(table, [&](const StageInfo &info) { return info.name == name; });
  if (it == std::end(table))
    return std::nullopt;
  return it->stage;
}

std::optional<Stage> weft::stageOfFileName(llvm::StringRef path) {
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (suffix == ".mlir")
    return std::nullopt;
  const auto *it =
      llvm::find_if(table, [&](const StageInfo &info) { return info.suffix == suffix; });
  if (it == std::end(table))
    return std::nullopt;
  return it->stage;
}

std::string weft::unknownStage(llvm::StringRef name, llvm::StringRef flag, bool modulesOnly) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const StageInfo &info : table)
    if (!modulesOnly || isModuleStage(info.stage))
      names.push_back(info.name);
  return ("unknown stage '" + name + "' in " + flag + choices(name, names)).str();
}

std::string weft::unknownSuffix(llvm::StringRef path) {
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (suffix == ".mlir")
    return "an .mlir output needs --emit=graph, fused, kernels, loops or llvm-dialect";
  llvm::SmallVector<llvm::StringRef> suffixes;
  for (const StageInfo &info : table)
    if (!info.suffix.empty() && !isModuleStage(info.stage))
      suffixes.push_back(info.suffix);
  return ("unknown suffix '" + suffix + "' in -o" + choices(suffix, suffixes) +
          ", .mlir with --emit, and none for a program")
      .str();
}
