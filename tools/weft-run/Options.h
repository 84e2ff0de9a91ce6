//===- Options.h - the command line of weft-run ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_OPTIONS_H
#define WEFT_TOOLS_WEFT_RUN_OPTIONS_H

#include "ExpectedTensors.h"
#include "Report.h"
#include "weft/Runner/Execute.h"
#include "weft/Runner/Sampler.h"
#include "weft/Runner/Tasks/Question.h"

#include <optional>
#include <string>

namespace weft {

/// What a run does.
enum class Action { Describe, Run, Generate, Perplexity, Compare, Answer, Bench, Machine };

/// The flags (weft-run --help), checked; empty strings for those that were not given.
struct RunOptions {
  Action action = Action::Describe;
  std::string model, weights, tokenizer, entry, inputs, outputs, expect, maskedBy, perplexity,
      reference;
  std::optional<std::string> prompt;
  Question question;
  int64_t top = 5;
  Tolerance tolerance;
  std::optional<double> mostDivergence; ///< that a comparison with the reference allows
  int64_t generate = 0;                 ///< 0: as the command thinks best
  std::vector<std::string> stop;        ///< strings that end a text
  bool cache = true;                    ///< generate with the model's step, if it has one
  std::optional<std::vector<int64_t>>
      chunks; ///< run by the step, in pieces; empty: of random sizes
  Sampling sampling;
  Bench bench;
  int threads = 0; ///< 0: the default
  bool hugePages = false;
  bool profile = false;
  std::string machine; ///< limits for the profile
  bool json = false;   ///< what is described or measured is printed for programs
};

/// Nothing if the command line is wrong; the reason is on stderr then.
std::optional<RunOptions> parseOptions(int argc, char **argv);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_OPTIONS_H
