//===- Compilation.h - the state of one compilation -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_COMPILATION_H
#define WEFT_LIB_PIPELINE_COMPILATION_H

#include "Input.h"

#include "weft/Pipeline/Compiler.h"

#include "weft/Frontend/AST.h"
#include "weft/Frontend/Diagnostics.h"
#include "weft/Frontend/Frontend.h"
#include "weft/Import/WeightPacker.h"
#include "weft/Support/MachineLimits.h"
#include "weft/Support/OutputFile.h"
#include "weft/Target/ModelDescription.h"
#include "weft/Target/Target.h"
#include "weft/Target/TargetBackend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace llvm {
class Module;
}

namespace weft {

struct ModelInfo;
class RandomCheckpoint;
class StoredMatrices;

/// Runs the stages one after the other. Every step returns false after it has reported an error.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options);
  ~Compilation();

  /// Writes the output.
  ExitStatus run();
  /// Prints what the model is.
  ExitStatus inform(bool json);

private:
  ExitStatus runWith(llvm::function_ref<bool()> finish);
  bool chooseTarget(ExitStatus &status);
  bool fail(llvm::Error error);
  /// Reports what the frontend found so far.
  void flushDiagnostics();

  // What is read and written.
  bool declareOutputs();
  bool declareTexts();
  bool declareInputs();
  llvm::Error declareFolder();
  llvm::Error declareGgufFiles();
  llvm::Error declareDumps();
  std::string dumpPath(Stage dumped) const;
  /// Of -MD, if that was given.
  std::string dependencyPath() const;
  /// The output's name with another suffix.
  std::string besideOutput(llvm::StringRef suffix) const;
  /// True if header and weights lie beside the output.
  bool writesFilesBeside() const;

  // From the input to stage `graph`, or to the stage of an MLIR file.
  bool readInput();
  bool parse();
  bool elaborate();
  void noteOtherConfig();
  bool checkDefines(const llvm::StringSet<> &definable);
  bool openCheckpoint();
  llvm::Error readStorage();
  llvm::Error addStoredMatrices();
  bool readGgufInput();
  bool chooseGgufText(const ConfigValue &description);
  bool writeGgufFiles();
  void resolveTies();
  bool readModule();
  void setNames();

  // From stage to stage.
  bool takeDerivedWeights();
  bool advanceTo(Stage last);
  bool keepGraph();
  bool runStage(Stage stage);
  void addDebugInfo(mlir::PassManager &pm) const;
  bool checkStoreRules(bool ofDerived);
  bool keepExact();
  void reportProgress(Stage stage, double seconds);
  bool dump(Stage stage);
  bool describe();
  bool verify();

  // Outputs.
  bool write();
  bool writeFile(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print);
  bool writeStage();
  llvm::Error printStage(Stage printed, llvm::raw_ostream &os);
  bool writeCode();
  llvm::Error emitCode(llvm::Module &code);
  llvm::Error link(llvm::Module &code);
  bool writeInterface(llvm::StringRef path);
  bool writeWeights();
  llvm::Error packInto(llvm::raw_ostream &os);
  llvm::Error makeUpWeights(RandomCheckpoint &random);
  EmbeddedWeights embeddedWeights();
  bool copyRunnerFiles();
  bool writeDependencies();
  bool writeTexts();
  bool checkMemory();
  void reportFusion();
  void reportMemory();
  bool reportRoofline();
  llvm::Expected<llvm::StringMap<int64_t>> readReportSizes() const;

  // What the model is.
  bool writeInfo(bool json);
  bool collectInfo(ModelInfo &info);
  void describeOrigin(ModelInfo &info) const;
  bool planSizes(mlir::OwningOpRef<mlir::ModuleOp> graph, ModelInfo &info);

  const CompileOptions &options;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  mlir::MLIRContext context;
  std::unique_ptr<TargetBackend> target;
  std::optional<MachineLimits> machine; ///< for the roofline

  OutputFiles files;
  std::vector<std::pair<std::string, std::string>> copies; ///< into the folder: from, to
  std::vector<std::pair<FileId, std::string>> texts;       ///< for debuggers: which, to

  ModelInput input;
  std::optional<GgufModel> gguf; ///< what a text makes of a GGUF file
  std::unique_ptr<ast::File> text;
  std::string modelClass; ///< the `model` of the text
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Stage stage = Stage::Weft;                 ///< of `module`
  mlir::OwningOpRef<mlir::ModuleOp> derived; ///< how weights are computed from weights
  mlir::OwningOpRef<mlir::ModuleOp> graph;   ///< stage `graph`, kept for --verify
  mlir::OwningOpRef<mlir::ModuleOp> exact;   ///< stage `fused` with the types of the text, for it
  ModelDescription description;
  WeightsFile weights;
  std::optional<Checkpoint> checkpoint;
  ConfigValue storage;                    ///< the quantization_config of the weights
  std::unique_ptr<ast::File> storageText; ///< with rules for them, if not `text`
  std::unique_ptr<StoredMatrices> matrices;
  CheckpointRules rules;
  bool agrees = true; ///< what --verify found
};

} // namespace weft

#endif
