//===- Options.cpp - the command line of weft-run -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"

#include "weft/Support/CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cfloat>

using namespace weft;
namespace cl = llvm::cl;

static const char *const details =
    "  weft-run MODEL.so                             what the model offers\n"
    "  weft-run MODEL.so --inputs IN                 run it on a safetensors file\n"
    "  weft-run MODEL.so --inputs IN --outputs OUT   ... and write the results into one\n"
    "  weft-run MODEL.so --inputs IN --expect E      ... and compare the results\n"
    "  weft-run MODEL.so --prompt TEXT               write text\n"
    "  weft-run MODEL.so --perplexity FILE           how well it predicts a text\n"
    "  weft-run MODEL.so --compare=kl --reference R.so --perplexity FILE\n"
    "                                                ... and how far its predictions are from R's\n"
    "  weft-run MODEL.so --text TEXT                 what it says about a text\n"
    "  weft-run MODEL.so --image FILE                what it says about an image (PNG, JPEG)\n"
    "  weft-run MODEL.so --bench                     latency and speed\n"
    "  weft-run MODEL.so --bench --profile           ... and the time of every kernel\n"
    "  weft-run --machine                            rates of this machine, as JSON\n"
    "  weft-run MODEL.so --json [--bench]            what it offers, or its speed, as JSON\n\n"
    "MODEL may be the folder that weftc made (weftc DIR -o MODEL/): the tokenizer and the labels\n"
    "in it are used.\n";

// What is more is a slip of the pen: no machine has so many cores, no text is so long.
static constexpr int mostThreads = 1024;
static constexpr int64_t mostTokens = 1 << 24, mostRuns = 1000000;

static cl::OptionCategory &category() {
  static cl::OptionCategory result("weft-run options");
  return result;
}

namespace {

template <typename T> struct Flag : cl::opt<T> {
  Flag(llvm::StringRef name, const char *value, const char *text, const T &initial = T())
      : cl::opt<T>(name, cl::value_desc(value), cl::desc(text), cl::init(initial),
                   cl::cat(category())) {}
};

struct Flags {
  cl::opt<std::string> model{cl::Positional, cl::desc("MODEL"), cl::cat(category())};
  Flag<std::string> weights{"weights", "FILE", "The weights (default: MODEL.weights)"};
  Flag<std::string> tokenizer{"tokenizer", "PATH",
                              "A folder or file with the tokenizer (default: MODEL's folder)"};
  Flag<std::string> entry{"entry", "NAME", "The entry to call, if there are several"};
  Flag<std::string> inputs{"inputs", "FILE", "The inputs, a safetensors file"};
  Flag<std::string> outputs{"outputs", "FILE",
                            "Write the results to this safetensors file (default: print them)"};
  Flag<std::string> expect{"expect", "FILE", "Compare the results with this safetensors file"};
  Flag<double> tolerance{"tolerance", "X",
                         "Allow differences of X * max|expected| + 1e-5 (default 2e-5), or a mean "
                         "KL divergence of X",
                         2e-5};
  Flag<std::string> maskedBy{"masked-by", "INPUT",
                             "Compare only positions at which this input is not 0"};
  Flag<int64_t> generate{"generate", "N", "Generate N tokens (default: up to 256)"};
  Flag<std::string> prompt{"prompt", "TEXT", "Start from this text"};
  cl::list<std::string> stop{"stop", cl::value_desc("TEXT"),
                             cl::desc("End the text before this (may be given several times)"),
                             cl::cat(category())};
  Flag<double> temperature{"temperature", "X",
                           "Draw tokens, logits divided by X (default: take the best)", 1};
  Flag<int64_t> topK{"top-k", "N", "Draw from the best N tokens only"};
  Flag<double> topP{"top-p", "X", "Draw from the best tokens only that have probability X", 1};
  Flag<double> repetitionPenalty{"repetition-penalty", "X",
                                 "Make tokens that were there less likely (default 1: do not)", 1};
  Flag<uint64_t> seed{"seed", "N", "Seed of the draws (default 0)"};
  Flag<std::string> text{"text", "TEXT", "Classes, candidates for masks, or an answer"};
  Flag<std::string> textPair{"text-pair", "TEXT", "A second text: what the first one is about"};
  Flag<std::string> image{"image", "FILE", "An image to say something about: PNG or JPEG"};
  Flag<int64_t> top{"top", "N", "Print so many classes or candidates (default 5)", 5};
  cl::opt<bool> noCache{"no-cache", cl::desc("Generate without the model's step"),
                        cl::cat(category())};
  Flag<std::string> chunks{"chunks", "N,...|random",
                           "Run by the model's step, so many positions a call (with --seed)"};
  Flag<std::string> perplexity{"perplexity", "FILE", "Print how well a text is predicted, in bits"};
  Flag<std::string> compare{"compare", "kl",
                            "Compare predictions with those of --reference, over the ids of "
                            "--inputs or the text of --perplexity: KL divergence, perplexity"};
  Flag<std::string> reference{"reference", "R.so", "The model to compare with, its weights beside"};
  cl::opt<std::string> bench{"bench", cl::ValueOptional, cl::value_desc("N"),
                             cl::desc("Measure N calls (default: for a second)"),
                             cl::cat(category())};
  cl::list<int64_t> lengths{"length", cl::CommaSeparated, cl::value_desc("N,..."),
                            cl::desc("Lengths to measure (default: the bound, at most 128)"),
                            cl::cat(category())};
  Flag<int> threads{"threads", "N",
                    "Number of threads (default: WEFT_THREADS, or the processors it may use)"};
  cl::opt<bool> hugePages{"huge-pages", cl::desc("Copy the weights into memory on huge pages"),
                          cl::cat(category())};
  cl::opt<std::string> machine{
      "machine", cl::ValueOptional, cl::value_desc("FILE"),
      cl::desc("Measure what this machine can do (for weftc --report=roofline);\nwith a FILE of "
               "that and --profile, say what it allows for"),
      cl::cat(category())};
  cl::opt<bool> profile{"profile", cl::desc("Print the time of every kernel (weftc --profile)"),
                        cl::cat(category())};
  cl::opt<bool> json{"json",
                     cl::desc("Print what the model offers, --bench or the --profile of --inputs "
                              "as JSON"),
                     cl::cat(category())};

  bool draws() const;
  int64_t benchRuns() const; // 0: as many as a second holds
  std::optional<std::vector<int64_t>> readChunks() const;
  std::optional<Action> chooseAction(std::string &problem) const;
  std::string findConflict(Action action) const;
  std::string findBadComparison() const;
  std::string findBadNumber() const;
};

} // namespace

static bool given(const cl::Option &option) { return option.getNumOccurrences() > 0; }

bool Flags::draws() const {
  return given(temperature) || given(topK) || given(topP) || given(seed);
}

int64_t Flags::benchRuns() const {
  int64_t runs = 0;
  return llvm::to_integer(llvm::StringRef(bench), runs) ? runs : 0;
}

// No sizes for `random`; nothing if it is wrong.
std::optional<std::vector<int64_t>> Flags::readChunks() const {
  std::vector<int64_t> sizes;
  llvm::SmallVector<llvm::StringRef> parts;
  if (chunks == "random")
    return sizes;
  llvm::StringRef(chunks).split(parts, ',');
  for (llvm::StringRef part : parts)
    if (!llvm::to_integer(part, sizes.emplace_back()) || sizes.back() < 1)
      return std::nullopt;
  return sizes;
}

// Exactly one action, chosen by its flag.
std::optional<Action> Flags::chooseAction(std::string &problem) const {
  llvm::SmallVector<Action> actions;
  if (given(generate) || given(prompt))
    actions.push_back(Action::Generate);
  if (given(compare))
    actions.push_back(Action::Compare);
  else if (given(perplexity))
    actions.push_back(Action::Perplexity);
  if (given(text) || given(textPair) || given(image))
    actions.push_back(Action::Answer);
  if (given(bench))
    actions.push_back(Action::Bench);
  if (given(machine) && machine.empty())
    actions.push_back(Action::Machine);
  if (actions.size() > 1) {
    problem = "--generate (or --prompt), --perplexity (or --compare), --text (or --image), --bench "
              "and --machine exclude each other";
    return std::nullopt;
  }
  if (!actions.empty())
    return actions.front();
  return given(inputs) || given(outputs) || given(expect) ? Action::Run : Action::Describe;
}

// What flags need of one another; empty if all is well.
std::string Flags::findConflict(Action action) const {
  bool generates = action == Action::Generate;
  if ((action == Action::Machine) != model.empty())
    return model.empty() ? "MODEL is missing (weft-run --help)" : "--machine measures no model";
  if (!machine.empty() && !profile)
    return "--machine=FILE belongs to --profile";
  bool makesUp = action == Action::Bench || action == Action::Machine;
  if (given(inputs) && (makesUp || action == Action::Perplexity))
    return makesUp ? "--bench and --machine make up what they compute: they take no --inputs"
                   : "--perplexity reads a text: it takes no --inputs";
  if (given(entry) && action != Action::Run && action != Action::Answer && action != Action::Bench)
    return "--entry belongs to --inputs, --text, --image and --bench";
  if (given(chunks) && action != Action::Run)
    return "--chunks belongs to --inputs";
  if (given(chunks) && !readChunks())
    return "--chunks takes numbers above 0, or 'random'";
  if (given(compare) || given(reference))
    if (std::string problem = findBadComparison(); !problem.empty())
      return problem;
  if (noCache && !generates)
    return "--no-cache belongs to --generate";
  if (!generates && ((draws() && !(given(chunks) && given(seed))) || given(repetitionPenalty)))
    return "--temperature, --top-k, --top-p, --repetition-penalty and --seed belong to --generate";
  if (generates && given(prompt) == given(inputs))
    return "--generate needs either --prompt or --inputs";
  if (!stop.empty() && !given(prompt))
    return "--stop belongs to --prompt";
  if (llvm::is_contained(stop, ""))
    return "--stop needs a text that is not empty";
  if (given(textPair) && !given(text))
    return "--text-pair needs --text";
  if (given(top) && (action != Action::Answer || top < 1))
    return "--top takes a number above 0 and belongs to --text and --image";
  if (action == Action::Answer && (given(inputs) || given(expect)))
    return "--text and --image are instead of --inputs, and their results have no --expect";
  if ((given(outputs) || given(expect)) && action != Action::Run && action != Action::Answer &&
      !generates)
    return "--outputs and --expect need --inputs or --generate";
  if (given(tolerance) && !given(expect) && !given(compare))
    return "--tolerance belongs to --expect and --compare";
  if (given(maskedBy) && (!given(expect) || action != Action::Run || maskedBy.empty()))
    return "--masked-by names an input and belongs to --inputs with --expect";
  if (given(lengths) && action != Action::Bench)
    return "--length belongs to --bench";
  bool hasJson = action == Action::Describe || action == Action::Bench ||
                 (action == Action::Run && profile && !given(expect));
  if (json && !hasJson)
    return "--json belongs to the description of a model, to --bench, and to --inputs with "
           "--profile and without --expect";
  return findBadNumber();
}

std::string Flags::findBadComparison() const {
  if (!given(compare))
    return "--reference belongs to --compare";
  if (compare != "kl")
    return "--compare takes kl";
  if (!given(reference) || given(inputs) == given(perplexity))
    return "--compare=kl needs --reference, and either --inputs or --perplexity";
  if (given(outputs) || given(expect))
    return "--compare prints what it finds: it takes no --outputs and no --expect";
  return "";
}

// Numbers that no run can mean; empty if there are none.
std::string Flags::findBadNumber() const {
  auto isFinite = [](double value, double least) { return value >= least && value <= DBL_MAX; };
  if (given(generate) && (generate < 1 || generate > mostTokens))
    return "--generate takes a number from 1 to " + std::to_string(mostTokens);
  if (!isFinite(tolerance, 0))
    return "--tolerance needs a finite number of at least 0";
  if (!isFinite(temperature, 0))
    return "--temperature needs a finite number of at least 0";
  if (!isFinite(repetitionPenalty, DBL_MIN))
    return "--repetition-penalty needs a finite number above 0";
  if (topK < 0 || !(topP > 0 && topP <= 1))
    return "--top-k needs a number of at least 0, --top-p one above 0 and at most 1";
  if (!bench.empty() && (benchRuns() < 1 || benchRuns() > mostRuns))
    return "--bench takes a number from 1 to " + std::to_string(mostRuns);
  if (given(threads) && (threads < 1 || threads > mostThreads))
    return "--threads takes a number from 1 to " + std::to_string(mostThreads);
  return "";
}

std::optional<RunOptions> weft::parseOptions(int argc, char **argv) {
  removeForeignOptions();
  Flags flags;
  ToolHelp help{"runs models compiled by weftc", details};
  help.mayBeEmpty = {"prompt", "text", "text-pair", "stop"};
  if (!parseFlags(argc, argv, help))
    return std::nullopt;
  std::string problem;
  std::optional<Action> action = flags.chooseAction(problem);
  if (action)
    problem = flags.findConflict(*action);
  if (!problem.empty()) {
    llvm::errs() << "weft-run: error: " << problem << "\n";
    return std::nullopt;
  }
  RunOptions options;
  options.action = *action;
  options.model = flags.model;
  options.weights = flags.weights;
  options.tokenizer = flags.tokenizer;
  options.entry = flags.entry;
  options.inputs = flags.inputs;
  options.outputs = flags.outputs;
  options.expect = flags.expect;
  options.maskedBy = flags.maskedBy;
  options.perplexity = flags.perplexity;
  options.reference = flags.reference;
  if (given(flags.compare) && given(flags.tolerance))
    options.mostDivergence = flags.tolerance;
  if (given(flags.prompt))
    options.prompt = flags.prompt;
  if (given(flags.text))
    options.question.text = flags.text;
  if (given(flags.textPair))
    options.question.pair = flags.textPair;
  options.question.image = flags.image;
  options.top = flags.top;
  options.tolerance.relative = flags.tolerance;
  options.generate = flags.generate;
  options.stop.assign(flags.stop.begin(), flags.stop.end());
  options.sampling = {flags.draws() ? double(flags.temperature) : 0, flags.topK, flags.topP,
                      flags.seed, flags.repetitionPenalty};
  options.cache = !flags.noCache;
  if (given(flags.chunks))
    options.chunks = flags.readChunks();
  options.bench.runs = flags.benchRuns();
  options.bench.lengths.assign(flags.lengths.begin(), flags.lengths.end());
  options.threads = flags.threads;
  options.hugePages = flags.hugePages;
  options.profile = flags.profile;
  options.machine = flags.machine;
  options.json = flags.json;
  return options;
}
