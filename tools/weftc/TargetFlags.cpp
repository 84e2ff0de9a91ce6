//===- TargetFlags.cpp - flags and targets that do not go together -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TargetFlags.h"

#include "weft/Support/NearestName.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace weft;

std::string weft::readTarget(StringRef name, TargetKind &target) {
  if (name == "nvptx")
    target = TargetKind::NVPTX;
  else if (!name.empty() && name != "cpu")
    return ("unknown target '" + name + "' in --target" + choices(name, {"cpu", "nvptx"})).str();
  return "";
}

static std::string checkGPU(const CompileOptions &options) {
  const struct {
    bool given;
    StringRef flag, problem;
  } rules[] = {
      {!options.triple.empty(), "--triple", "is for processors; --march names a GPU"},
      {options.threads != 0, "--threads", "is for processors"},
      {options.debug, "-g", "is for processors: kernels in PTX have no lines"},
      {options.plainUnits, "--plain-units", "is for processors"},
      {!options.machine.empty(), "--report=roofline=FILE", "is for processors"},
  };
  for (const auto &rule : rules)
    if (rule.given)
      return ("--target=nvptx: " + rule.flag + " " + rule.problem).str();
  if (options.precision.parts > 1)
    return ("--target=nvptx: there are no kernels for products computed in " +
            computeName(options.precision) + "; there are for " + productPairs(/*forGPU=*/true))
        .str();
  if (options.emit == Stage::Assembly)
    return "--target=nvptx: no stage 'asm'; kernels are stage 'ptx'";
  return "";
}

std::string weft::checkTarget(const CompileOptions &options) {
  if (options.target == TargetKind::NVPTX)
    return checkGPU(options);
  if (options.precision.tf32)
    return "--compute=tf32 is for GPUs; for processors there are kernels for " + productPairs();
  if (options.emit == Stage::PTX)
    return "stage 'ptx' is for GPUs: give --target=nvptx";
  return "";
}
