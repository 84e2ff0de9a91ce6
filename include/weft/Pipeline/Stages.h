//===- Stages.h - the stages of a compilation -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The one table of stages. `--emit`, `--from`, `--dump-stages`, the progress lines, the suffixes of
// output files and the documentation are all made from it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PIPELINE_STAGES_H
#define WEFT_PIPELINE_STAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weft {

/// In the order of the pipeline. The stages from Graph to LLVMDialect are MLIR modules, which can
/// be printed, read again and continued from; those after it are outputs.
enum class Stage {
  Weft,
  Graph,
  Fused,
  Kernels,
  Loops,
  LLVMDialect,
  LLVMIR,
  Bitcode,
  Assembly,
  Object,
  Library,
  Executable,
  Header,
  PTX
};

/// A row of the table of stages.
struct StageInfo {
  Stage stage;                     ///< its own
  llvm::StringLiteral name;        ///< of --emit and --from
  llvm::StringLiteral suffix;      ///< of a file of this stage
  llvm::StringLiteral description; ///< one line for --help
};

/// All stages in order.
llvm::ArrayRef<StageInfo> stages();
/// The row of one stage.
const StageInfo &stageInfo(Stage stage);
/// The stage of a name of the table; nothing for other names.
std::optional<Stage> findStage(llvm::StringRef name);

/// True for the stages that are MLIR text.
inline bool isModuleStage(Stage stage) {
  return stage >= Stage::Graph && stage <= Stage::LLVMDialect;
}

/// True for the stages that a C program calls, which bring weights along.
inline bool isCallable(Stage stage) { return stage >= Stage::Object && stage <= Stage::Executable; }

/// The stage that a file name asks for: `.o` an object, no suffix an executable; nothing for an
/// unknown suffix and for `.mlir`, which says only that it is one of the module stages.
std::optional<Stage> stageOfFileName(llvm::StringRef path);

/// What is wrong with a name that the flag (--emit, --from) does not know, with those it knows.
std::string unknownStage(llvm::StringRef name, llvm::StringRef flag, bool modulesOnly);

/// What is wrong with an output for which stageOfFileName has nothing.
std::string unknownSuffix(llvm::StringRef path);

} // namespace weft

#endif
