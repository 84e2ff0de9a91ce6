//===- Options.h - what a compilation is asked for ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PIPELINE_OPTIONS_H
#define WEFT_PIPELINE_OPTIONS_H

#include "weft/Pipeline/Stages.h"
#include "weft/Support/Precision.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/// What code is written for: processors, or NVIDIA's GPUs.
enum class TargetKind { CPU, NVPTX };

/// What a compilation is told: the flags of weftc, which weftc checks for contradictions.
struct CompileOptions {
  /// A .weft file, an .mlir file of any module stage, or a directory with a config.json. "-" is a
  /// text on standard input, or with `from` a module.
  std::string input;
  /// Output file; "-" is stdout (text stages only). Outputs appear whole or not at all.
  std::string output = "-";
  /// If not empty: the folder that `output` lies in. It is made, and the files that take texts and
  /// images to the model and its results back to labels are copied there.
  std::string folder;
  /// What to write. Object, Library and Executable bring their header and weights along.
  Stage emit = Stage::Graph;
  /// Stage of an .mlir input; by default what the module's `weft.stage` attribute says.
  std::optional<Stage> from;
  /// Directory for one numbered file for each stage that is run; empty for none.
  std::string dumpStages;
  /// Write a rule for make that lists the files that were read; where to, default: the output's
  /// name with `.d`.
  bool dependencies = false;
  std::string dependencyFile;

  /// `-D NAME=VALUE`: dimensions and configuration values ("a.b" reaches into objects).
  std::vector<std::pair<std::string, std::string>> defines;
  /// Which `model` of the text; default: what config.json's `architectures` says, or the first.
  std::string model;
  /// The only entry to compile; default: all.
  std::string entry;
  /// Prefix of the C functions; default: the output file's stem.
  std::string name;
  /// Batch dimension: "" (none), a number, or "B <= N".
  std::string batch;
  /// Derive the entry that continues a sequence: an error where that cannot be, not at all, or (not
  /// said) wherever it can be, for one sequence.
  std::optional<bool> step;
  /// A safetensors file or a directory with one; default: the input directory.
  std::string weights;
  /// A JSON file for `config`; default: config.json of the input directory.
  std::string config;
  bool mayLackWeights = false; ///< the input directory need not have any
  bool noWeights = false;      ///< compile from the configuration alone
  bool randomWeights = false;  ///< write pseudo-random weights instead of a checkpoint's
  bool embedWeights = false;   ///< write them into the object, the library or the program

  TargetKind target = TargetKind::CPU;
  /// Empty: this machine, or the baseline of another `triple`, or the oldest known GPU.
  std::string march;
  bool plainUnits = false; ///< as if the processor had all matrix units, with loops in their place
  std::string triple;      ///< default: the host's
  /// Launches that do not depend on each other are one kernel; default: as the target wants it.
  std::optional<bool> joinLaunches;
  unsigned optLevel = 2; ///< 0: no fusion, no vectors; 1 to 3: LLVM's level
  unsigned threads = 0;  ///< 1: no threads; otherwise the runtime decides
  Precision precision;   ///< of weights, products and caches
  bool debug = false;    ///< code says from which lines of the texts it comes
  bool profile = false;  ///< kernels measure their time; see weft_profile_read
  int64_t maxMemory = 0; ///< bytes of weights and scratch that are an error to exceed; 0: no limit

  bool reportMemory = false;   ///< print the memory plan to stderr
  bool reportWeights = false;  ///< print what each weight is stored as
  bool reportFusion = false;   ///< say what fused, and what did not
  bool reportRoofline = false; ///< predict the time of kernels
  std::string machine;         ///< a file of limits for it; default: what is typical of the target
  std::vector<std::pair<std::string, int64_t>> reportSizes; ///< of run-time dimensions for it
  bool remarks = false;                ///< remark on the formulas that were not fused
  bool verify = false;                 ///< compare stages and code with the interpreter
  std::optional<int64_t> verifyLength; ///< the largest run-time size that is tried then
  bool verbose = false;                ///< a line for every stage, with its time
  double progressAfter = 1; ///< seconds after which a terminal shows how far the weights are
};

} // namespace weft

#endif
