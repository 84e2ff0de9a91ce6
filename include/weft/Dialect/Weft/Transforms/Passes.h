//===- Passes.h - the passes on the weft dialect --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The passes of Passes.td and the pipeline of them that leads from stage `graph` to stage `fused`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_PASSES_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_PASSES_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/Precision.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace weft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"

/// Whether the entry that continues a sequence is derived (weft-derive-step).
enum class StepMode {
  Off,    ///< no model gets one
  Try,    ///< a model that looks ahead gets none, with a remark
  Require ///< a model that looks ahead is an error
};

/// The derivation alone, for formulas that are not fused.
void buildStepPipeline(mlir::OpPassManager &pm, StepMode mode);

/// What the fusion pipeline is told.
struct FusionOptions {
  bool remarks = false;          ///< say why a softmax was not fused into attention
  StepMode step = StepMode::Off; ///< derive the entry that continues a sequence
  bool choices = false;          ///< products of matrices that data choose are contractions
  std::string batch;   ///< `4` or `B <= 8`: map the model over a batch; empty: one example
  Precision precision; ///< what tensors are stored in
  bool splits = false; ///< products of f32 are split into parts where that is faster
  bool narrow = false; ///< codes of 8 bits leave words room for what two products come to
};

/// From stage `graph` to stage `fused`.
void buildFusionPipeline(mlir::OpPassManager &pm, const FusionOptions &options);

/// FusionOptions as text, for `--weft-fusion-pipeline='...'`.
struct FusionPipelineOptions : mlir::PassPipelineOptions<FusionPipelineOptions> {
  Option<bool> remarks{*this, "remarks", llvm::cl::desc("say why attention was not fused"),
                       llvm::cl::init(false)};
  Option<bool> step{*this, "step", llvm::cl::desc("derive incremental decoding"),
                    llvm::cl::init(false)};
  Option<bool> choices{*this, "choices", llvm::cl::desc("chosen matrices are contractions"),
                       llvm::cl::init(false)};
  Option<std::string> batch{*this, "batch", llvm::cl::desc("examples of a batch: 4, or B <= 8")};
};

/// Registers the pipelines by name.
void registerWeftPipelines();

} // namespace weft

#endif
